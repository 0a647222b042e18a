//! The environment of a program: what of it commands are given, and how keys are taken out of it.

use std::env;
use std::sync::OnceLock;

/// What programs need to run, and compilers and package managers to find their own files. No name of a key or of a way to one, such as
/// the socket of an agent for SSH, is among them.
const ORDINARY: [&str; 89] = [
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "BUN_INSTALL",
    "BUNDLE_PATH",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CC",
    "CFLAGS",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "CPATH",
    "CURL_CA_BUNDLE",
    "CXX",
    "CXXFLAGS",
    "DENO_DIR",
    "DOTNET_ROOT",
    "DYLD_LIBRARY_PATH",
    "EDITOR",
    "FORCE_COLOR",
    "GEM_HOME",
    "GEM_PATH",
    "GIT_SSL_CAINFO",
    "GOBIN",
    "GOFLAGS",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GOTOOLCHAIN",
    "GRADLE_HOME",
    "HOME",
    "HOMEBREW_PREFIX",
    "HOSTNAME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LDFLAGS",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "LINES",
    "LOGNAME",
    "M2_HOME",
    "MAKEFLAGS",
    "MANPATH",
    "MAVEN_HOME",
    "NIX_PATH",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NO_COLOR",
    "NVM_DIR",
    "PAGER",
    "PATH",
    "PKG_CONFIG_PATH",
    "PNPM_HOME",
    "PWD",
    "PYENV_ROOT",
    "PYTHONHOME",
    "PYTHONPATH",
    "RBENV_ROOT",
    "REQUESTS_CA_BUNDLE",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUST_BACKTRACE",
    "SHELL",
    "SHLVL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "VISUAL",
    "VOLTA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
];
/// How others of them begin, and end.
const LOCALE: &str = "LC_";
const XDG: (&str, [&str; 3]) = ("XDG_", ["_HOME", "_DIRS", "_DESKTOP"]);

/// Whether commands are given this variable of the program's.
pub fn is_ordinary(name: &str) -> bool {
    let (begins, ends) = XDG;
    ORDINARY.contains(&name)
        || name.starts_with(LOCALE)
        || (name.starts_with(begins) && ends.into_iter().any(|end| name.ends_with(end)))
}

/// What was taken out, by [`take_out_keys`].
static TAKEN: OnceLock<Vec<(String, String)>> = OnceLock::new();

/// A variable of the environment, also one that [`take_out_keys`] took out of it.
pub fn variable(name: &str) -> Option<String> {
    let taken = || TAKEN.get()?.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    env::var(name).ok().or_else(taken)
}

#[cfg(target_os = "linux")]
pub use handed::take_out_keys;

/// Linux shows the environment that a program was started with to whoever may look into `/proc`, for as long as it runs and whatever it
/// changes. So the program is started again, in its own place, and the rest is handed to it in memory.
#[cfg(target_os = "linux")]
mod handed {
    use std::env;
    use std::ffi::{OsStr, OsString};
    use std::fs::{self, File, OpenOptions};
    use std::io::{self, Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use rustix::fs::{MemfdFlags, memfd_create};

    use super::TAKEN;

    /// Names the open file for the program that takes the place of this one.
    const HANDED: &str = "GLOVE_HANDED";
    const FILE: &str = "glove-environment";

    /// Takes all variables out of the program's environment for which `stays` is not true, where commands that the program starts, and
    /// other programs of the user, could read them in `/proc`. [`variable`](super::variable) still gives them; `std::env` does not.
    ///
    /// To be called first in `main`: the program begins again, with the same arguments and the same process id. An error says why
    /// nothing was changed.
    pub fn take_out_keys(stays: impl Fn(&str) -> bool) -> io::Result<()> {
        if let Some(number) = env::var_os(HANDED) {
            let _ = TAKEN.set(received(&number)?);
            return Ok(());
        }
        let is_kept = |name: &OsString| name.to_str().is_some_and(&stays);
        let (kept, taken): (Vec<_>, Vec<_>) = env::vars_os().partition(|(name, _)| is_kept(name));
        if taken.is_empty() {
            return Ok(());
        }
        // Open in the program that comes, too.
        let mut file = File::from(memfd_create(FILE, MemfdFlags::empty())?);
        for (name, value) in &taken {
            for piece in [name.as_bytes(), b"=", value.as_bytes(), b"\0"] {
                file.write_all(piece)?;
            }
        }
        // It is found by its number there, so it must be found here.
        let number = file.as_raw_fd().to_string();
        File::open(format!("/proc/self/fd/{number}"))?;
        let mut arguments = env::args_os();
        let mut again = Command::new(env::current_exe()?);
        if let Some(name) = arguments.next() {
            again.arg0(name);
        }
        Err(again.args(arguments).env_clear().envs(kept).env(HANDED, number).exec())
    }

    fn received(number: &OsStr) -> io::Result<Vec<(String, String)>> {
        let path = std::path::Path::new("/proc/self/fd").join(number);
        if !fs::read_link(&path)?.as_os_str().as_bytes().starts_with(format!("/memfd:{FILE}").as_bytes()) {
            return Err(io::Error::other(format!("{HANDED} names another file")));
        }
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let mut all = Vec::new();
        file.read_to_end(&mut all)?;
        // Whatever is started from now on has this file open, with nothing in it.
        file.set_len(0)?;
        let variables = all.split(|byte| *byte == 0).filter_map(|variable| {
            let text = OsString::from_vec(variable.to_vec()).into_string().ok()?;
            let (name, value) = text.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        Ok(variables.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glove_wasm::providers::table::PROVIDERS;

    #[test]
    fn no_key_is_ordinary() {
        let keys = [
            "GLOVE_TOKEN",
            "GLOVE_TOOL_SECRET",
            "GLOVE_DATABASE",
            "PGPASSWORD",
            "OTEL_EXPORTER_OTLP_HEADERS",
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "SSH_AUTH_SOCK",
            "HTTPS_PROXY",
            "XDG_TOKEN",
            "DATABASE_URL",
        ];
        let providers = PROVIDERS.iter().map(|provider| provider.env_var);
        for name in keys.into_iter().chain(providers) {
            assert!(!is_ordinary(name), "{name}");
        }
        for name in ["PATH", "HOME", "LC_ALL", "XDG_CONFIG_HOME", "XDG_DATA_DIRS"] {
            assert!(is_ordinary(name), "{name}");
        }
    }
}

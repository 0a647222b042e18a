//! Where the program keeps its files, and what is configured there.

use std::env;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use glove_wasm_native::environment::{self, variable};

use crate::args::Places;
use crate::failure::Failure;

/// More than keys would ever be.
const LARGEST: u64 = 1 << 20;

/// The values of the configuration file. Those of the environment come first.
#[derive(Default)]
pub(crate) struct Config {
    values: Vec<(String, String)>,
}

impl Config {
    pub(crate) fn read(places: &Places) -> Result<Config, Failure> {
        let path = match &places.config {
            Some(path) => path.clone(),
            None => match folder("XDG_CONFIG_HOME", ".config") {
                Ok(folder) => folder.join("config"),
                Err(_) => return Ok(Config::default()),
            },
        };
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && places.config.is_none() => {
                return Ok(Config::default());
            }
            Err(error) => return Err(Failure::new(format!("`{}`: {error}", path.display()))),
        };
        let unreadable = |error: io::Error| Failure::new(format!("`{}`: {error}", path.display()));
        is_private(&path, &file.metadata().map_err(unreadable)?)?;
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text).map_err(unreadable)?;
        Config::parse(&path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Config, Failure> {
        let mut values = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let line = line.strip_prefix("export ").unwrap_or(line);
            let Some((name, value)) = line.split_once('=') else {
                // The line itself may be a key.
                let message = format!("line {} of `{}` is not `NAME=value`", at + 1, path.display());
                return Err(Failure::new(message));
            };
            values.push((name.trim().to_owned(), unquoted(value.trim()).to_owned()));
        }
        Ok(Config { values })
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let set = variable(name).filter(|value| !value.trim().is_empty());
        set.or_else(|| self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
    }
}

/// What the program and its libraries read from the environment themselves, which is no secret.
const STAY: [&str; 14] = [
    "ALL_PROXY",
    "GLOVE_ADDRESS",
    "GLOVE_CALLS",
    "GLOVE_CONFIG",
    "GLOVE_MODEL",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LD_PRELOAD",
    "LLVM_PROFILE_FILE",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];
const TRACES: &str = "OTEL_";
const OF_TRACES: &str = "HEADERS";

/// Takes everything else out of the environment, which commands of the agent could read in `/proc` otherwise.
#[cfg(target_os = "linux")]
pub(crate) fn hide_keys() -> io::Result<()> {
    environment::take_out_keys(|name| {
        environment::is_ordinary(name)
            || STAY.contains(&name)
            || (name.starts_with(TRACES) && !name.ends_with(OF_TRACES))
    })
}

/// Elsewhere nobody shows it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn hide_keys() -> io::Result<()> {
    Ok(())
}

/// The variables that a person gives to commands, with their values.
pub(crate) fn variables(config: &Config, names: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let found = |name: &String| match config.get(name) {
        Some(value) => Ok((name.clone(), value)),
        // What was meant as a value is not said again.
        None if name.contains('=') => {
            Err(Failure::new("`--env` takes the name of a variable, without its value"))
        }
        None => {
            Err(Failure::new(format!("`{name}` is set neither in the environment nor in the configuration")))
        }
    };
    names.iter().map(found).collect()
}

fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    value
}

/// Keys that others on this machine can read, or replace, are not used.
fn is_private(path: &Path, about: &Metadata) -> Result<(), Failure> {
    let display_path = path.display();
    let own = rustix::process::geteuid().as_raw();
    if about.uid() != own && about.uid() != 0 {
        return Err(Failure::new(format!("`{display_path}` belongs to another user; its keys are not used")));
    }
    if about.mode() & 0o077 != 0 {
        let mode = about.mode() & 0o777;
        let message = format!(
            "other users can open `{display_path}` (mode {mode:03o}), and it may hold keys; run: chmod 600 '{display_path}'"
        );
        return Err(Failure::new(message));
    }
    Ok(())
}

/// The program's folder in one of the user's.
fn folder(variable: &str, usual: &str) -> Result<PathBuf, Failure> {
    let set = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = set.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(usual)));
    match base {
        Some(base) if base.is_absolute() => Ok(base.join("glove")),
        _ => Err(Failure::new("HOME is not set; say with --database where sessions are kept")),
    }
}

/// What is said to agents is nobody else's business: the folder is the user's alone.
pub(crate) fn data_folder() -> Result<PathBuf, Failure> {
    let folder = folder("XDG_DATA_HOME", ".local/share")?;
    if !folder.is_dir() {
        if let Some(above) = folder.parent() {
            fs::create_dir_all(above)
                .map_err(|error| Failure::new(format!("`{}`: {error}", above.display())))?;
        }
        let made = DirBuilder::new().mode(0o700).create(&folder);
        if let Err(error) = made
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(Failure::new(format!("`{}`: {error}", folder.display())));
        }
    }
    Ok(folder)
}

//! A process to measure, bound to the first core; the model and the clients share the others.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Failure;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Model,
    Bare,
    Glove,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Model => "model",
            Kind::Bare => "bare axum proxy",
            Kind::Glove => "glove: /api/chat",
        }
    }
}

pub(crate) struct Server {
    child: Child,
    pub(crate) kind: Kind,
    pub(crate) address: String,
    folder: PathBuf,
}

impl Server {
    pub(crate) async fn start(kind: Kind, glove: &str, upstream: &str) -> Result<Server, Failure> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("glove-load-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let mut command = Command::new("taskset");
        let own = env::current_exe()?;
        command.args(["-c", if kind == Kind::Model { "1" } else { "0" }]);
        match kind {
            Kind::Model => command.arg(own).arg("model"),
            Kind::Bare => command.arg(own).args(["bare", upstream]),
            Kind::Glove => command
                .arg(glove)
                .args(["serve", "--listen", "127.0.0.1:0", "--model", "ollama:m", "--base-url"])
                .arg(format!("http://{upstream}/v1"))
                .arg("--database")
                .arg(folder.join("sessions.db")),
        };
        command.env("HOME", &folder).stderr(Stdio::piped()).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("`taskset` (util-linux): {error}"))?;
        let mut lines = BufReader::new(child.stderr.take().ok_or("no stderr")?).lines();
        let line = lines.next().ok_or("the server ended before it listened")??;
        let address = line.split_once("http://").ok_or_else(|| format!("the server said: {line}"))?.1.to_owned();
        // What it complains of is for whoever measures.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
        Ok(Server { child, kind, address, folder })
    }

    /// Its memory, without what the kernel holds for its sockets.
    pub(crate) fn kilobytes(&self) -> Result<u64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

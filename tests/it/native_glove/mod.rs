//! The program `glove`, as it is called.

mod answers;
mod calls;
mod commands;
#[cfg(target_os = "linux")]
mod environment;
mod green;
mod job_control;
mod kept_undo;
mod lines;
#[cfg(target_os = "linux")]
mod mcp;
mod modes;
mod own_words;
mod print;
mod recalled;
mod replay;
mod rules;
mod screen;
mod sessions;
mod size;
pub mod task;
mod tls;
pub mod tmux;
mod traces;
mod typed_ahead;

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::support::wait::until;

/// A home of its own, in which nothing is configured, and a folder to work in.
pub struct Home {
    path: PathBuf,
}

impl Home {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("glove-program-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir_all(path.join("work")).unwrap();
        Home { path }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.file(name), text).unwrap();
        self.file(name)
    }

    pub fn glove(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_glove-tested"));
        command.args(args).current_dir(self.path.join("work")).env_clear();
        command.env("HOME", &self.path).env("PATH", env::var_os("PATH").unwrap());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.glove(args).output().unwrap()
    }

    /// What a call printed that has to succeed.
    pub fn prints(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    }

    pub fn sessions(&self) -> Vec<Value> {
        json_lines(&self.prints(&["sessions", "--json"]))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.path));
    }
}

/// How a program ends that was told to.
#[track_caller]
fn ended(child: &mut Child) -> ExitStatus {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(Instant::now() < until, "the program was told to end, and still runs");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Who may open a file.
pub fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// A killed process is there until the kernel gets to it.
#[cfg(target_os = "linux")]
fn ends(pid: &str) -> bool {
    (0..2_000).any(|_| {
        let runs = fs::exists(format!("/proc/{pid}/cwd")).unwrap_or(false);
        if runs {
            thread::sleep(Duration::from_millis(5));
        }
        !runs
    })
}

#[cfg(target_os = "linux")]
fn first_line(home: &Home, name: &str) -> String {
    let mut text = String::new();
    until(|| {
        text = fs::read_to_string(home.file(name)).unwrap_or_default();
        text.ends_with('\n')
    });
    text.trim().to_owned()
}

//! Processes that left their command's process group (`setsid`, daemons). They are found by a variable that every child process inherits.

use std::env;
use std::ffi::OsString;
#[cfg(target_os = "linux")]
use std::fs;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// The marks of a command and of those around it: an agent may run another one.
pub(super) const CALLS: &str = "GLOVE_CALLS";
/// Stop after so many rounds, if new processes start faster than they can be ended.
#[cfg(target_os = "linux")]
const ROUNDS: usize = 50;

#[derive(Debug, Clone)]
pub(super) struct Mark(String);

impl Mark {
    pub(super) fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Mark(format!("{}-{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)))
    }

    /// The variable of a command.
    pub(super) fn value(&self) -> OsString {
        let mut calls = env::var_os(CALLS).unwrap_or_default();
        calls.push(" ");
        calls.push(&self.0);
        calls
    }

    /// Ends all that has the mark. One that has cleared its environment is not found.
    #[cfg(target_os = "linux")]
    pub(super) fn end(&self) {
        for _ in 0..ROUNDS {
            if !self.end_those_there() {
                return;
            }
        }
    }

    /// Other systems do not show the environment of other processes.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn end(&self) {}

    #[cfg(target_os = "linux")]
    fn end_those_there(&self) -> bool {
        use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
        let Ok(processes) = fs::read_dir("/proc") else { return false };
        let mut found = false;
        for process in processes.flatten() {
            let number =
                process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
            let Some(number) = number else { continue };
            let of_call = || fs::read(process.path().join("environ")).is_ok_and(|all| self.is_in(&all));
            if !of_call() {
                continue;
            }
            // Held before it is looked at again: the number may be another's by now.
            let Ok(process) = pidfd_open(number, PidfdFlags::empty()) else { continue };
            if of_call() && pidfd_send_signal(&process, Signal::KILL).is_ok() {
                found = true;
            }
        }
        found
    }

    #[cfg(target_os = "linux")]
    fn is_in(&self, environment: &[u8]) -> bool {
        let calls = environment.split(|byte| *byte == 0).filter_map(|variable| {
            variable.strip_prefix(CALLS.as_bytes()).and_then(|rest| rest.strip_prefix(b"="))
        });
        calls.flat_map(|calls| calls.split(|byte| *byte == b' ')).any(|call| call == self.0.as_bytes())
    }
}

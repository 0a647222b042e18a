//! The process of a call: nothing but its engine and two pipes.

use std::io::{Read, stdin, stdout};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::thread::Builder;

use super::engine::{self, THREAD_STACK};
use super::frame;
use super::job::{Job, Message};
use super::process::{ARGUMENT, is_ready_here};

/// A pipe from whoever started this process: what comes on it was made there.
const MAX_READ: usize = u32::MAX as usize;

/// Lets sandboxed code run in processes of its own, which this program is started again for: call it first in `main`, before anything else
/// is begun or read. In such a process it runs the code and does not come back; in any other it comes back at once.
///
/// Without it, and without [`Sandbox::program`](super::Sandbox::program), the code runs on threads of this process, where its
/// [time limit](super::Sandbox::time) ends the call and not always the code.
pub fn sandbox_main() {
    match std::env::args_os().nth(1) {
        Some(first) if first == ARGUMENT => std::process::exit(run()),
        _ => is_ready_here(),
    }
}

/// Ends when the pipe does, so with whoever started it.
fn run() -> i32 {
    let mut stdin = stdin().lock();
    let Some(job) = job(&mut stdin) else { return 2 };
    let (answer, answers) = channel();
    let bounds = Bounds::of(&job);
    let thread = Builder::new().name("glove-sandbox".to_owned()).stack_size(THREAD_STACK);
    if thread.spawn(move || work(&job, &answers)).is_err() {
        return 3;
    }
    bounds.hold();
    while let Ok(Some(message)) = frame::read(&mut stdin, MAX_READ) {
        if answer.send(message).is_err() {
            break;
        }
    }
    0
}

fn job(from: &mut impl Read) -> Option<Job> {
    let message = frame::read(from, MAX_READ).ok()??;
    serde_json::from_str(&message.text).ok()
}

fn work(job: &Job, answers: &Receiver<Message>) {
    let say = |message| {
        // Nobody is there any more who would read it.
        if frame::write(&mut stdout().lock(), &message).is_err() {
            std::process::exit(4);
        }
    };
    engine::run(job, &Arc::new(AtomicBool::new(false)), answers, say, || {});
    std::process::exit(0);
}

/// What the system holds this process to, should the code break out of its engine or whoever started it stand still.
struct Bounds {
    #[cfg(unix)]
    seconds: u64,
    #[cfg(unix)]
    memory: u64,
}

#[cfg(unix)]
impl Bounds {
    fn of(job: &Job) -> Self {
        // Twice what the engine counts, for what is on its way, and the addresses that threads and the program itself have.
        let memory = (job.memory as u64).saturating_mul(2).saturating_add(1 << 30);
        Bounds { seconds: job.time.as_secs().saturating_add(3), memory }
    }

    fn hold(&self) {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let limits = [
            (Resource::Cpu, self.seconds),
            (Resource::As, self.memory),
            (Resource::Core, 0),
            (Resource::Fsize, 0),
            // No file and no connection is opened, and nothing started.
            (Resource::Nofile, 0),
            (Resource::Nproc, 0),
        ];
        for (resource, most) in limits {
            // One that a system has not is one wall less.
            let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
        }
    }
}

#[cfg(not(unix))]
impl Bounds {
    fn of(_: &Job) -> Self {
        Bounds {}
    }

    fn hold(&self) {}
}

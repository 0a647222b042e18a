//! A call in a process of its own, which is ended with it: the files, the network and the credentials stay here.

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender};
use std::thread::Builder;

use futures_channel::mpsc::UnboundedSender;

use super::frame;
use super::job::{Job, Message};
use super::watch::{WatchEvent, watch};

/// What a program is called with that is to run a call. Its number is that of the words on the pipes.
pub(super) const ARGUMENT: &str = "--run-sandboxed-code=1";

static OWN: OnceLock<OsString> = OnceLock::new();

/// This program can be started again for calls.
pub(super) fn is_ready_here() {
    let _ = OWN.set(own_program());
}

/// This program, if it can be started again for calls.
pub(super) fn own() -> Option<PathBuf> {
    OWN.get().map(PathBuf::from)
}

/// Also where its file was replaced since, by an update.
#[cfg(target_os = "linux")]
fn own_program() -> OsString {
    "/proc/self/exe".into()
}

#[cfg(not(target_os = "linux"))]
fn own_program() -> OsString {
    std::env::current_exe().unwrap_or_default().into()
}

/// Ended with the call, whatever it does.
struct Engine(Child);

/// The program as it is found from this process: its folder and its `PATH` are not those of the process that is started.
#[cfg(unix)]
fn found(program: &Path) -> io::Result<PathBuf> {
    use rustix::fs::{Access, access};
    let is_bare = program.components().count() == 1 && program.file_name() == Some(program.as_os_str());
    let is_program = |path: &PathBuf| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    let on_path = std::env::var_os("PATH").filter(|_| is_bare).and_then(|folders| {
        std::env::split_paths(&folders).map(|folder| folder.join(program)).find(is_program)
    });
    match (on_path, is_bare) {
        (Some(found), _) => std::path::absolute(found),
        // The system has a path of its own, where nobody gave one.
        (None, true) => Ok(program.to_owned()),
        (None, false) => std::path::absolute(program),
    }
}

/// The system looks from this process itself.
#[cfg(not(unix))]
fn found(program: &Path) -> io::Result<PathBuf> {
    Ok(program.to_owned())
}

impl Engine {
    fn start(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(found(program)?);
        command.arg(ARGUMENT).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        {
            // Ctrl-C is for this program, which ends the call if it ends; and no folder is held.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            command.current_dir("/");
        }
        Ok(Engine(command.spawn()?))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the job until its end, or the end of its time.
pub(super) fn start(
    program: PathBuf,
    job: Job,
    answers: Receiver<Message>,
    (to_watch, events): (Sender<WatchEvent>, Receiver<WatchEvent>),
    messages: UnboundedSender<Message>,
) -> io::Result<()> {
    let watches = Builder::new().name("glove-sandbox-time".to_owned());
    let watched = watches.spawn(move || {
        let _engine = match begin(&program, &job, answers, to_watch) {
            Ok(engine) => engine,
            Err(error) => {
                let why = format!("`{}` could not be started: {error}", program.display());
                return drop(messages.unbounded_send(Message::word("unavailable", why)));
            }
        };
        watch(&events, job.time, &messages);
    });
    watched.map(drop)
}

fn begin(
    program: &Path,
    job: &Job,
    answers: Receiver<Message>,
    to_watch: Sender<WatchEvent>,
) -> io::Result<Engine> {
    let mut engine = Engine::start(program)?;
    let (Some(stdin), Some(stdout)) = (engine.0.stdin.take(), engine.0.stdout.take()) else {
        return Err(io::Error::other("it has no pipes"));
    };
    let job_text = serde_json::to_string(job)?;
    let thread = |name: &str| Builder::new().name(name.to_owned());
    thread("glove-sandbox-in").spawn(move || write_all(stdin, job_text, &answers))?;
    // A text of the engine has at most two bytes for each of its memory.
    let most = job.memory.saturating_mul(2).saturating_add(65_536);
    let name = program.display().to_string();
    thread("glove-sandbox-out").spawn(move || {
        let mut stdout = BufReader::new(stdout);
        let how = loop {
            match frame::read(&mut stdout, most) {
                Ok(Some(message)) => {
                    if to_watch.send(WatchEvent::Message(message)).is_err() {
                        return;
                    }
                }
                Ok(None) => break format!("`{name}` ended without a word of its engine"),
                Err(error) => break format!("`{name}` said what no engine says: {error}"),
            }
        };
        let _ = to_watch.send(WatchEvent::Gone(how));
    })?;
    Ok(engine)
}

/// The engine may read slowly for as long as its call runs. Only this thread waits for it.
fn write_all(mut stdin: ChildStdin, job: String, answers: &Receiver<Message>) {
    let mut written = frame::write(&mut stdin, &Message::word("job", job));
    while let (Ok(()), Ok(answer)) = (&written, answers.recv()) {
        written = frame::write(&mut stdin, &answer);
    }
}

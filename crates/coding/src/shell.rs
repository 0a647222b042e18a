//! Running commands.

use std::env;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use serde_json::json;

use super::orphans::{CALLS, Mark};
use super::workspace::{Workspace, on_thread};
use glove_wasm::ports::{AbortSignal, Tool, ToolContext, ToolFailure};
use glove_wasm_native::environment::is_ordinary;

const SECONDS: u64 = 30;
/// A command that writes more is stopped.
const OUTPUT: usize = 5_000_000;
/// What the model reads of it, half from the beginning and half from the end.
const SHOWN: usize = 30_000;

#[derive(Deserialize)]
struct Bash {
    command: String,
    #[serde(default)]
    folder: String,
    seconds: Option<u64>,
}

pub(super) fn bash(workspace: &Workspace) -> Tool {
    commands(workspace, "bash")
}

/// `bash` by the name that tasks have for it.
pub(super) fn shell(workspace: &Workspace) -> Tool {
    commands(workspace, "shell")
}

fn commands(workspace: &Workspace, name: &str) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "command": { "type": "string", "minLength": 1 },
            "folder": { "type": "string", "description": "Where it runs; default is the working folder" },
            "seconds": { "type": "integer", "minimum": 1, "maximum": 3600, "description": "Time limit, default 30" }
        },
        "required": ["command"]
    });
    let about =
        "Runs a command in a shell, without input. What it started is ended with it, in the background too.";
    let workspace = workspace.clone();
    Tool::new(name, about, schema, move |input: Bash, context: ToolContext| {
        let workspace = workspace.clone();
        async move { Ok::<_, ToolFailure>(started(workspace, input, context).await?.to_text()) }
    })
    .permission_if(|_: &Bash| true)
}

impl Workspace {
    /// Runs a command that the user gives, as `bash` does for the model but without a time limit: what comes of it, as the model reads it.
    /// It takes the calling thread until the command has ended.
    pub fn run_command(&self, command: &str, abort: &AbortSignal) -> Result<String, ToolFailure> {
        let input = Bash { command: command.to_owned(), folder: String::new(), seconds: Some(u64::MAX) };
        Ok(run(self, &input, abort, &SharedRunning::default())?.to_text())
    }
}

#[derive(Deserialize)]
struct NoInput {}

/// Runs a command that the person has chosen, and nothing that the model says: but what it runs may be the model's.
pub(super) fn test_runner(workspace: &Workspace, command: &str, folder: &str, seconds: u64) -> Tool {
    let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    let about = format!("Runs the tests, by `{command}`, and says whether they passed.");
    let (workspace, command, folder) = (workspace.clone(), command.to_owned(), folder.to_owned());
    Tool::new("test_runner", about, schema, move |_: NoInput, context: ToolContext| {
        let input = Bash { command: command.clone(), folder: folder.clone(), seconds: Some(seconds) };
        let workspace = workspace.clone();
        async move {
            let ended = started(workspace, input, context).await?;
            Ok::<_, ToolFailure>(match ended.end.as_str() {
                "" => format!("The tests passed.\n{}", ended.text),
                end => format!("The tests failed ({end}).\n{}", ended.text),
            })
        }
    })
    .permission_if(|_: &NoInput| true)
    .timeout(Duration::from_secs(seconds.saturating_add(5)))
}

async fn started(workspace: Workspace, input: Bash, context: ToolContext) -> Result<Ended, ToolFailure> {
    // Cancelled work is dropped, which the thread cannot see, and for which the program may not wait.
    let running = OnDrop(Arc::default());
    let group = Arc::clone(&running.0);
    on_thread(move || run(&workspace, &input, &context.abort, &group)).await
}

/// What a command wrote, and how it ended; empty where it ended well.
struct Ended {
    text: String,
    end: String,
}

impl Ended {
    fn to_text(&self) -> String {
        let Ended { text, end } = self;
        match (end.is_empty(), text.trim().is_empty()) {
            (true, true) => "(no output)".to_owned(),
            (true, false) => text.clone(),
            (false, _) => format!("{text}\n({end})"),
        }
    }
}

/// The process group of a call.
#[derive(Default)]
struct Running {
    group: Option<(Pid, Mark)>,
    stopped: bool,
}

type SharedRunning = Arc<Mutex<Running>>;

fn locked(running: &SharedRunning) -> MutexGuard<'_, Running> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    fn end(&self) {
        if let Some((id, mark)) = &self.group {
            // Nothing of it may be left.
            let _ = kill_process_group(*id, Signal::KILL);
            mark.end();
        }
    }
}

struct OnDrop(SharedRunning);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let mut running = locked(&self.0);
        running.stopped = true;
        running.end();
    }
}

/// A process and all that it started, ended with it.
struct Group {
    child: Child,
    running: SharedRunning,
}

impl Group {
    /// Nothing is started for a call that was stopped, and none is stopped in the middle of this.
    fn start(command: &mut Command, running: &SharedRunning) -> Result<Group, ToolFailure> {
        let mut now = locked(running);
        if now.stopped {
            return Err(ToolFailure::new("stopped"));
        }
        let mark = Mark::new();
        let child = command.env(CALLS, mark.value()).spawn()?;
        now.group = i32::try_from(child.id()).ok().and_then(Pid::from_raw).map(|id| (id, mark));
        Ok(Group { child, running: Arc::clone(running) })
    }

    fn end(&self) {
        locked(&self.running).end();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        {
            let mut running = locked(&self.running);
            running.end();
            // From here on, the number may be another's.
            running.group = None;
        }
        let _ = self.child.wait();
    }
}

fn run(
    workspace: &Workspace,
    input: &Bash,
    abort: &AbortSignal,
    running: &SharedRunning,
) -> Result<Ended, ToolFailure> {
    let folder = workspace.real_folder(&workspace.below(&input.folder)?)?;
    let seconds = input.seconds.unwrap_or(SECONDS);
    let mut command = Command::new("/bin/sh");
    // Both streams are one, in the order in which they were written.
    command.arg("-c").arg(format!("exec 2>&1\n{}", input.command)).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    // Whatever else the program knows is not for them.
    command.env_clear().envs(env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_ordinary)));
    command.envs(workspace.variables());
    let secrets = workspace.secrets();
    command.envs(secrets.iter().map(|(name, value)| (name, value)));
    let mut group = Group::start(&mut command, running)?;
    let stdout = group.child.stdout.take();
    let (pieces, read) = channel();
    thread::Builder::new().spawn(move || {
        if let Some(mut stdout) = stdout {
            forward(&mut stdout, &pieces);
        }
    })?;

    let started_at = Instant::now();
    let limit = Duration::from_secs(seconds);
    let mut output = Vec::new();
    let mut exited: Option<(ExitStatus, Instant)> = None;
    let why = loop {
        match read.recv_timeout(Duration::from_millis(20)) {
            Ok(piece) => output.extend_from_slice(&piece),
            Err(RecvTimeoutError::Timeout) => {}
            // A command may close its outputs and go on: that is not its end.
            Err(RecvTimeoutError::Disconnected) => {
                exited = match exited {
                    None => group.child.try_wait()?.map(|status| (status, Instant::now())),
                    known => known,
                };
                if exited.is_some() {
                    break None;
                }
                thread::sleep(Duration::from_millis(5));
            }
        }
        if output.len() > OUTPUT {
            output.truncate(OUTPUT);
            break Some(format!("stopped after {} MB of output", OUTPUT / 1_000_000));
        }
        if abort.is_aborted() || locked(running).stopped {
            break Some("stopped".to_owned());
        }
        if started_at.elapsed() > limit {
            break Some(format!("stopped after {seconds} seconds; give more seconds if it needs them"));
        }
        match exited {
            // What it left behind may hold its output open for ever.
            Some((_, at)) if at.elapsed() > Duration::from_millis(500) => break None,
            Some(_) => {}
            None => exited = group.child.try_wait()?.map(|status| (status, Instant::now())),
        }
    };
    group.end();
    let end = match (why, exited) {
        (Some(why), _) => why,
        (None, Some((status, _))) => match (status.code(), status.signal()) {
            (Some(0), _) => String::new(),
            (Some(code), _) => format!("exit code {code}"),
            (None, signal) => format!("ended by signal {}", signal.unwrap_or_default()),
        },
        (None, None) => "its end is not known".to_owned(),
    };
    Ok(Ended { text: printable(&struck(output, &secrets)), end })
}

fn forward(from: &mut impl Read, pieces: &Sender<Vec<u8>>) {
    let mut buffer = vec![0; 65_536];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let piece = buffer.get(..length).unwrap_or_default().to_vec();
        if pieces.send(piece).is_err() {
            return;
        }
    }
}

/// Without the values of secrets. Shorter ones than this are in any text.
const SHORTEST_SECRET: usize = 4;

fn struck(output: Vec<u8>, secrets: &[(String, String)]) -> Vec<u8> {
    let mut text = match secrets.iter().any(|(_, value)| value.len() >= SHORTEST_SECRET) {
        true => String::from_utf8_lossy(&output).into_owned(),
        false => return output,
    };
    for (name, value) in secrets.iter().filter(|(_, value)| value.len() >= SHORTEST_SECRET) {
        text = text.replace(value, &format!("[{name}]"));
    }
    text.into_bytes()
}

fn printable(output: &[u8]) -> String {
    let output = &without_zeros(output);
    let half = SHOWN / 2;
    if output.len() <= SHOWN {
        return String::from_utf8_lossy(output).into_owned();
    }
    let first = String::from_utf8_lossy(output.get(..half).unwrap_or_default());
    let last = String::from_utf8_lossy(output.get(output.len() - half..).unwrap_or_default());
    format!("{first}\n… ({} bytes left out) …\n{last}", output.len() - SHOWN)
}

/// What is binary may have millions of them, and a text for models and databases needs none.
fn without_zeros(output: &[u8]) -> Vec<u8> {
    let mut pieces = output.split(|byte| *byte == 0);
    let mut printable = pieces.next().unwrap_or_default().to_vec();
    let mut follows = false;
    for piece in pieces {
        if !follows {
            printable.extend_from_slice("␀".as_bytes());
        }
        follows = piece.is_empty();
        printable.extend_from_slice(piece);
    }
    printable
}

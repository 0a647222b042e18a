//! One call of sandboxed code as its tool sees it: what the engine asks is done here, and what it says in the end is the result.

use std::sync::mpsc::{Sender, channel};

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;

use super::fetch::Fetch;
use super::grants::{Mount, MountRight, Sandbox};
use super::job::{Job, MAX_LOG_BYTES, Message};
use super::thread::{LEAKED, LeakedEngines, MAX_LEAKED};
use super::watch::WatchEvent;
use super::{process, thread};
use glove_wasm::json::{self, Json};
use glove_wasm::message::ToolResultData;
use glove_wasm::ports::{Credentials, IntoOutcome};
use glove_wasm::run::input::ToolOutcome;
use glove_wasm_task::WorkspacePath;
use glove_wasm_task::runtime::Workspace;

const MAX_WRITTEN: usize = 5_000_000;
/// The limit of calls from the engine to its host.
const MAX_OPEN_CALLS: usize = 1_000;

/// Dropping it ends the engine.
pub(super) struct Call {
    sandbox: Sandbox,
    messages: UnboundedReceiver<Message>,
    answers: Sender<Message>,
    ends: Sender<WatchEvent>,
    fetch: Option<Fetch>,
    log: String,
    /// Why it did not begin: a code and a message.
    refused: Option<(&'static str, String)>,
}

impl Call {
    pub(super) fn begin(sandbox: Sandbox, code: String, input: String, credentials: Credentials) -> Self {
        Call::begin_beside(sandbox, code, input, credentials, &LEAKED)
    }

    fn begin_beside(
        sandbox: Sandbox,
        code: String,
        input: String,
        credentials: Credentials,
        leaked: &'static LeakedEngines,
    ) -> Self {
        let (tells, incoming) = unbounded();
        let (answers, answered) = channel();
        let (to_watch, events) = channel();
        let ends = to_watch.clone();
        let fetch = Fetch::of(&sandbox, credentials);
        let mut grants = Vec::new();
        if sandbox.files.is_some() && !sandbox.mounts.is_empty() {
            grants.push("files".to_owned());
        }
        if fetch.is_some() {
            grants.push("fetch".to_owned());
        }
        let job =
            Job { code, input, grants, memory: sandbox.memory, output: sandbox.output, time: sandbox.time };
        let started = match sandbox.program.clone().or_else(process::own) {
            Some(program) => process::start(program, job, answered, (to_watch, events), tells),
            None if leaked.is_full() => Err(std::io::ErrorKind::QuotaExceeded.into()),
            None => thread::start(job, answered, (to_watch, events), tells, leaked),
        };
        let refused = started.err().map(|error| match error.kind() {
            std::io::ErrorKind::QuotaExceeded => ("SANDBOX_EXHAUSTED", exhausted()),
            _ => (
                "SANDBOX_UNAVAILABLE",
                "the system gave no thread for the sandbox; close programs and try again".to_owned(),
            ),
        });
        Call { sandbox, messages: incoming, answers, ends, fetch, log: String::new(), refused }
    }

    pub(super) async fn outcome(mut self) -> ToolOutcome {
        if let Some((code, message)) = &self.refused {
            return self.failed(code, message);
        }
        let (mut open_calls, (sandbox, fetch)) = (0, (self.sandbox.clone(), self.fetch.take()));
        let mut working = FuturesUnordered::new();
        loop {
            // What the code asks is done side by side, and it may end while some of it is on its way.
            let incoming = match working.is_empty() {
                true => self.messages.next().await,
                false => match select(self.messages.next(), working.next()).await {
                    Either::Left((incoming, _)) => incoming,
                    Either::Right((answer, _)) => {
                        let _ = answer.map(|answer| self.answers.send(answer));
                        continue;
                    }
                },
            };
            let Some(incoming) = incoming else { break };
            match (incoming.id, incoming.name.as_str()) {
                (0, "log") => {
                    if self.log.len() < MAX_LOG_BYTES {
                        self.log.push_str(&incoming.text);
                        self.log.push('\n');
                    }
                }
                (0, "done") => return self.done(&incoming.text),
                (0, name) => {
                    let (code, message) = self.failure(name, &incoming.text);
                    return self.failed(code, &message);
                }
                _ => {
                    open_calls += 1;
                    if open_calls > MAX_OPEN_CALLS {
                        let message = format!(
                            "the sandboxed code asked for files or pages more than {MAX_OPEN_CALLS} times"
                        );
                        return self.failed("SANDBOX_FAILED", &message);
                    }
                    let (sandbox, fetch) = (&sandbox, &fetch);
                    working.push(async move {
                        let Message { id, name, text } = incoming;
                        let done = match (name.as_str(), fetch) {
                            ("fetch", Some(fetch)) => fetch.ask(&text).await,
                            _ => file_work(sandbox, &name, &text).await,
                        };
                        let json = match done {
                            Ok(value) => serde_json::json!({ "ok": value }),
                            Err(why) => serde_json::json!({ "error": why }),
                        };
                        Message { id, name: "answer".to_owned(), text: json.to_string() }
                    });
                }
            }
        }
        self.failed("SANDBOX_FAILED", "the engine of the sandbox broke")
    }

    fn done(&self, json: &str) -> ToolOutcome {
        let Ok(value) = Json::parse(json) else {
            return self.failed("SANDBOX_FAILED", "the code gave no JSON");
        };
        let data = match self.log.is_empty() {
            true => value,
            false => {
                let log = serde_json::Value::String(self.log.clone());
                json::written(format!("{{\"result\":{},\"log\":{log}}}", value.as_str()))
            }
        };
        ToolResultData::success(data).into_outcome()
    }

    fn failed(&self, code: &str, message: &str) -> ToolOutcome {
        let mut message = message.to_owned();
        if !self.log.is_empty() {
            message.push_str(&format!("\nIt had logged:\n{}", self.log));
        }
        let mut result = ToolResultData::error(message);
        result.data = json::written(format!("{{\"code\":\"{code}\"}}"));
        result.into_outcome()
    }

    fn failure(&self, name: &str, text: &str) -> (&'static str, String) {
        let Sandbox { time, memory, output, .. } = &self.sandbox;
        match name {
            "time" => {
                let message =
                    format!("the sandboxed code took longer than {} ms and was ended", time.as_millis());
                ("SANDBOX_TIMEOUT", message)
            }
            "memory" => (
                "SANDBOX_MEMORY",
                format!("the sandboxed code needed more memory than its {memory} bytes and was ended"),
            ),
            "large" => {
                let message = format!(
                    "the result of the sandboxed code has {text} letters, and at most {output} are taken: return less"
                );
                ("SANDBOX_TOO_LARGE", message)
            }
            "hangs" => {
                ("SANDBOX_FAILED", "the sandboxed code waits for something that never comes".to_owned())
            }
            "gone" => ("SANDBOX_FAILED", format!("the sandboxed code broke its engine: {text}")),
            "unavailable" => ("SANDBOX_UNAVAILABLE", format!("sandboxed code cannot run here: {text}")),
            _ => ("SANDBOX_FAILED", format!("the sandboxed code failed: {text}")),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let _ = self.ends.send(WatchEvent::Stop);
    }
}

fn exhausted() -> String {
    format!(
        "{MAX_LEAKED} calls of sandboxed code were ended at their time and still run on threads of this program, which nothing can end; \
         others begin when one of them has ended. Give sandboxed code a process of its own: `sandbox_main()` first in `main`, or \
         `Sandbox::program`"
    )
}

/// Does what the code asks of files; what goes wrong the code reads.
async fn file_work(sandbox: &Sandbox, name: &str, args: &str) -> Result<serde_json::Value, String> {
    let args: Vec<String> = serde_json::from_str(args).map_err(|error| error.to_string())?;
    let path_text = args.first().map(String::as_str).unwrap_or_default();
    let files: &dyn Workspace = sandbox.files.as_deref().ok_or("no files are granted")?;
    let path = WorkspacePath::parse(path_text).map_err(|error| error.to_string())?;
    let mount = mount_of(&path, &sandbox.mounts);
    let right = mount.map(|mount| mount.right);
    // A folder that is granted is none to write a file in the place of.
    let writes = right == Some(MountRight::Write) && mount.is_some_and(|mount| mount.folder != path);
    if right.is_none() || (name == "write" && !writes) {
        let granted: Vec<&str> = sandbox.mounts.iter().map(|mount| mount.folder.as_str()).collect();
        let wanted = if name == "write" { "writing" } else { "reading" };
        return Err(format!("`{path}` is not granted for {wanted}; granted: {}", granted.join(", ")));
    }
    match name {
        "list" => {
            let entries = files.list(&path).await.map_err(|error| error.to_string())?;
            let entries = entries
                .iter()
                .map(|entry| serde_json::json!({ "path": entry.path.as_str(), "size": entry.size }));
            Ok(entries.collect())
        }
        "read" => {
            let content = files.read(&path).await.map_err(|error| error.to_string())?;
            let content = content.ok_or_else(|| format!("`{path}` does not exist"))?;
            Ok(String::from_utf8_lossy(&content).into_owned().into())
        }
        "write" => {
            let content = args.get(1).cloned().unwrap_or_default();
            if content.len() > MAX_WRITTEN {
                return Err(format!("at most {MAX_WRITTEN} bytes are written at once"));
            }
            files.write(&path, content.into_bytes()).await.map_err(|error| error.to_string())?;
            Ok(serde_json::Value::Null)
        }
        _ => Err(format!("`{name}` is not granted")),
    }
}

/// The innermost one.
fn mount_of<'a>(path: &WorkspacePath, mounts: &'a [Mount]) -> Option<&'a Mount> {
    let around = mounts.iter().filter(|mount| path.is_below(mount.folder.as_str()));
    around.max_by_key(|mount| mount.folder.as_str().len())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use futures_executor::block_on;

    use super::*;
    use glove_wasm_task::runtime::MemoryWorkspace;

    /// The data of a call's result as text, and what it says where it failed.
    fn called(sandbox: Sandbox, body: &str, input: &str) -> (String, Option<String>) {
        let code = format!("export default async (input) => {{{body}\n}}");
        match block_on(Call::begin(sandbox, code, input.to_owned(), Credentials::default()).outcome()) {
            ToolOutcome::Returned { result, .. } => (result.data.as_str().to_owned(), result.message),
            other => panic!("{other:?}"),
        }
    }

    fn plain(body: &str) -> (String, Option<String>) {
        called(Sandbox::new(), body, r#"{"a":1}"#)
    }

    #[test]
    fn code_gets_its_input_and_gives_its_result_as_json() {
        assert_eq!(plain("return input.a + 1").0, "2");
        assert_eq!(plain("").0, "null");
        assert_eq!(
            plain("console.log('seen', input); return 7").0,
            "{\"result\":7,\"log\":\"seen {\\\"a\\\":1}\\n\"}"
        );
        let (data, message) = plain("console.log('before');\n\nnull.x");
        assert_eq!(data, r#"{"code":"SANDBOX_FAILED"}"#);
        let message = message.unwrap();
        assert!(message.contains("(line 3)") && message.contains("before"), "{message}");
    }

    #[test]
    fn nothing_gets_out() {
        let escapes = include_str!("../../../tests/fixtures/sandbox-escapes.json");
        for escape in serde_json::from_str::<Vec<String>>(escapes).unwrap() {
            let (data, message) = called(Sandbox::new(), &escape, "{}");
            match message {
                None => assert!(
                    ["\"undefined\"", "\"function\"", "0"].contains(&data.as_str()),
                    "{escape}: {data}"
                ),
                Some(message) => assert!(
                    message.contains("is not defined") || message.contains("there is no module"),
                    "{escape}: {message}"
                ),
            }
        }
    }

    /// What takes long by itself reaches a short time on any machine. What ends by itself takes some milliseconds, and seconds on a machine with
    /// much other work: its time is one that no machine reaches.
    #[test]
    fn what_never_ends_is_ended_with_a_code() {
        let (short, long) = (Duration::from_millis(1_500), Duration::from_secs(120));
        let table = [
            ("for (;;);", short, "SANDBOX_TIMEOUT"),
            ("try { for (;;); } finally { for (;;); }", short, "SANDBOX_TIMEOUT"),
            ("/(a+)+$/.test('a'.repeat(40) + 'b')", short, "SANDBOX_TIMEOUT"),
            ("const f = () => queueMicrotask(f); f(); await new Promise(() => {})", short, "SANDBOX_TIMEOUT"),
            ("const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))", long, "SANDBOX_MEMORY"),
            ("const a = []; for (;;) a.push({ a })", long, "SANDBOX_MEMORY"),
            ("return new ArrayBuffer(2 ** 30).byteLength", long, "SANDBOX_MEMORY"),
            ("const f = () => f(); f()", long, "SANDBOX_FAILED"),
            ("await new Promise(() => {})", long, "SANDBOX_FAILED"),
            ("return 'x'.repeat(2000)", long, "SANDBOX_TOO_LARGE"),
            ("return ][", long, "SANDBOX_FAILED"),
            ("throw undefined", long, "SANDBOX_FAILED"),
            ("throw null", long, "SANDBOX_FAILED"),
            ("return 1n", long, "SANDBOX_FAILED"),
        ];
        for (body, time, code) in table {
            let strict = Sandbox::new().time(time).memory(16 << 20).output(1_000);
            let (data, message) = called(strict, body, "null");
            assert_eq!(data, format!("{{\"code\":\"{code}\"}}"), "{body}: {message:?}");
        }
    }

    #[test]
    fn a_call_that_is_let_go_of_ends_its_engine() {
        let (finished, ends) = channel::<()>();
        let mut call = Call::begin(
            Sandbox::new().time(Duration::from_secs(600)),
            "export default () => { console.log('runs'); for (;;); }".to_owned(),
            "null".to_owned(),
            Credentials::default(),
        );
        assert_eq!(block_on(call.messages.next()).unwrap().text, "runs");
        // The engine holds what it says with, until it ends.
        let incoming = std::mem::replace(&mut call.messages, unbounded().1);
        drop(call);
        std::thread::spawn(move || {
            block_on(incoming.for_each(|_| std::future::ready(())));
            drop(finished);
        });
        let ended = ends.recv_timeout(Duration::from_secs(20));
        assert_eq!(ended, Err(std::sync::mpsc::RecvTimeoutError::Disconnected), "it still runs");
    }

    /// What nothing ends on a thread for some seconds: the engine looks at the time after thousands of such rounds.
    const STUBBORN: &str =
        "export default () => { console.log('runs'); for (let i = 0; i < 12; i++) 'x'.repeat(3e7) }";

    #[test]
    fn the_time_holds_for_a_call_whose_engine_runs_on_and_no_other_begins_beside_too_many() {
        static OWN: LeakedEngines = LeakedEngines::new();
        let begin = |code: &str| {
            Call::begin_beside(
                Sandbox::new().time(Duration::from_secs(600)),
                code.to_owned(),
                "null".to_owned(),
                Credentials::default(),
                &OWN,
            )
        };
        let code_of = |call: Call| match block_on(call.outcome()) {
            ToolOutcome::Returned { result, .. } => result.data.as_str().to_owned(),
            other => panic!("{other:?}"),
        };
        let calls: Vec<Call> = (0..MAX_LEAKED).map(|_| begin(STUBBORN)).collect();
        for mut call in calls {
            assert_eq!(block_on(call.messages.next()).unwrap().text, "runs");
        }
        let all = || {
            (0..1_000).any(|_| {
                std::thread::sleep(Duration::from_millis(5));
                OWN.is_full()
            })
        };
        assert!(all());
        assert_eq!(code_of(begin("export default () => 1")), r#"{"code":"SANDBOX_EXHAUSTED"}"#);
        let until = Instant::now() + Duration::from_secs(240);
        while OWN.count() > 0 {
            assert!(Instant::now() < until, "{} run on", OWN.count());
            std::thread::sleep(Duration::from_millis(20));
        }
        // One that ends by itself is none of them.
        for _ in 0..20 {
            assert_eq!(code_of(begin("export default () => 1")), "1");
        }
        assert_eq!(OWN.count(), 0);
    }

    #[test]
    fn an_engine_that_runs_on_after_it_asked_for_too_much_is_counted() {
        static OWN: LeakedEngines = LeakedEngines::new();
        let sandbox = Sandbox::new().time(Duration::from_secs(600)).memory(16 << 20);
        let sandbox = sandbox.files(MemoryWorkspace::new()).mount("task", MountRight::Read).unwrap();
        // Some seconds of the engine's own, in which it looks at nothing.
        let code = "export default () => {
            const path = 'x'.repeat(2e6);
            for (let i = 0; i < 10; i++) files.read(path);
            Array.prototype.indexOf.call({ length: 2e7 }, 1);
        }";
        let call =
            Call::begin_beside(sandbox, code.to_owned(), "null".to_owned(), Credentials::default(), &OWN);
        match block_on(call.outcome()) {
            ToolOutcome::Returned { result, .. } => {
                assert_eq!(result.data.as_str(), r#"{"code":"SANDBOX_MEMORY"}"#);
            }
            other => panic!("{other:?}"),
        }
        let counts = |wanted: usize, until: Duration| {
            let until = Instant::now() + until;
            while OWN.count() != wanted {
                assert!(Instant::now() < until, "{} of {wanted} run on", OWN.count());
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        counts(1, Duration::from_secs(30));
        counts(0, Duration::from_secs(240));
    }

    #[test]
    fn files_are_reached_below_the_mounts_alone() {
        let files =
            MemoryWorkspace::new().with("task/a.md", "A").unwrap().with("progress/state.json", "{}").unwrap();
        let granted = || {
            let sandbox = Sandbox::new().files(files.clone()).mount("task", MountRight::Read).unwrap();
            sandbox.mount("progress/artifacts", MountRight::Write).unwrap()
        };
        let body = "await files.write('progress/artifacts/o.md', 'made');
            return [await files.read('task/a.md'), await files.read('progress/artifacts/o.md'), (await files.list('task')).length]";
        assert_eq!(called(granted(), body, "null"), (r#"["A","made",1]"#.to_owned(), None));
        for refused in [
            "read('progress/state.json')",
            "read('task/../progress/state.json')",
            "read('/task/a.md')",
            "read('tasks/x')",
            "list('progress')",
            "write('task/a.md', 'x')",
            "write('progress/STOP', 'x')",
            "write('progress/artifacts', 'x')",
            "write('./progress//artifacts/', 'x')",
            "write('progress/artifacts2/x', 'x')",
        ] {
            let (_, message) = called(granted(), &format!("return await files.{refused}"), "null");
            let message = message.unwrap();
            assert!(
                ["is not granted", "leads out", "is absolute"].iter().any(|words| message.contains(words)),
                "{refused}: {message}"
            );
        }
        assert!(Sandbox::new().mount("progress", MountRight::Write).is_err());
        assert!(Sandbox::new().mount("../x", MountRight::Read).is_err());
        assert_eq!(plain("return typeof files").0, "\"undefined\"");
    }
}

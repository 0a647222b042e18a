//! One call of sandboxed code as its tool sees it: what the engine asks is done here, and what it says in the end is the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;

use super::engine::{self, Answer, Job, THREAD_STACK, Told};
use super::fetch::Fetch;
use super::grants::{Mount, MountRight, Sandbox};
use crate::json::{self, Json};
use crate::message::ToolResultData;
use crate::ports::{Credentials, IntoOutcome};
use crate::run::input::ToolOutcome;
use crate::task::WorkspacePath;
use crate::task_runtime::Workspace;

const MOST_LOGGED: usize = 20_000;
const MOST_WRITTEN: usize = 5_000_000;
/// More questions than that are nobody's work.
const MOST_ASKED: usize = 1_000;

/// Dropping it ends the engine.
pub(super) struct Call {
    sandbox: Sandbox,
    stopped: Arc<AtomicBool>,
    told: UnboundedReceiver<Told>,
    answers: Sender<Answer>,
    fetch: Option<Fetch>,
    log: String,
    started: bool,
}

impl Call {
    pub(super) fn begin(sandbox: Sandbox, code: String, input: String, given: Credentials) -> Self {
        let (told, hears) = unbounded();
        let (answers, answered) = channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let fetch = Fetch::of(&sandbox, given);
        let mut grants = Vec::new();
        if sandbox.files.is_some() && !sandbox.mounts.is_empty() {
            grants.push("files");
        }
        if fetch.is_some() {
            grants.push("fetch");
        }
        let job = Job {
            code,
            input,
            grants,
            memory: sandbox.memory,
            output: sandbox.output,
            until: Instant::now() + sandbox.time,
            stopped: Arc::clone(&stopped),
            told,
            answers: answered,
        };
        let thread = std::thread::Builder::new().name("glove-sandbox".to_owned()).stack_size(THREAD_STACK);
        let started = thread.spawn(move || engine::run(&job)).is_ok();
        Call { sandbox, stopped, told: hears, answers, fetch, log: String::new(), started }
    }

    pub(super) async fn outcome(mut self) -> ToolOutcome {
        if !self.started {
            return self.failed(
                "SANDBOX_UNAVAILABLE",
                "the system gave no thread for the sandbox; close programs and try again",
            );
        }
        let (mut asked, (sandbox, fetch)) = (0, (self.sandbox.clone(), self.fetch.take()));
        let mut working = FuturesUnordered::new();
        loop {
            // What the code asks is done side by side, and it may end while some of it is on its way.
            let told = match working.is_empty() {
                true => self.told.next().await,
                false => match select(self.told.next(), working.next()).await {
                    Either::Left((told, _)) => told,
                    Either::Right((answer, _)) => {
                        let _ = answer.map(|answer| self.answers.send(answer));
                        continue;
                    }
                },
            };
            let Some(told) = told else { break };
            match (told.id, told.name.as_str()) {
                (0, "log") => {
                    if self.log.len() < MOST_LOGGED {
                        self.log.extend(told.text.chars().take(MOST_LOGGED));
                        self.log.push('\n');
                    }
                }
                (0, "done") => return self.done(&told.text),
                (0, name) => {
                    let (code, message) = self.failure(name, &told.text);
                    return self.failed(code, &message);
                }
                _ => {
                    asked += 1;
                    if asked > MOST_ASKED {
                        let message = format!(
                            "the sandboxed code asked for files or pages more than {MOST_ASKED} times"
                        );
                        return self.failed("SANDBOX_FAILED", &message);
                    }
                    let (sandbox, fetch) = (&sandbox, &fetch);
                    working.push(async move {
                        let Told { id, name, text } = told;
                        let done = match (name.as_str(), fetch) {
                            ("fetch", Some(fetch)) => fetch.ask(&text).await,
                            _ => file_work(sandbox, &name, &text).await,
                        };
                        let json = match done {
                            Ok(value) => serde_json::json!({ "ok": value }),
                            Err(why) => serde_json::json!({ "error": why }),
                        };
                        Answer { id, json: json.to_string() }
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
            _ => ("SANDBOX_FAILED", format!("the sandboxed code failed: {text}")),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// Does what the code asks of files; what goes wrong the code reads.
async fn file_work(sandbox: &Sandbox, name: &str, given: &str) -> Result<serde_json::Value, String> {
    let given: Vec<String> = serde_json::from_str(given).map_err(|error| error.to_string())?;
    let asked = given.first().map(String::as_str).unwrap_or_default();
    let files: &dyn Workspace = sandbox.files.as_deref().ok_or("no files are granted")?;
    let path = WorkspacePath::parse(asked).map_err(|error| error.to_string())?;
    let right = right_to(&path, &sandbox.mounts);
    if right.is_none() || (name == "write" && right != Some(MountRight::Write)) {
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
            let content = given.get(1).cloned().unwrap_or_default();
            if content.len() > MOST_WRITTEN {
                return Err(format!("at most {MOST_WRITTEN} bytes are written at once"));
            }
            files.write(&path, content.into_bytes()).await.map_err(|error| error.to_string())?;
            Ok(serde_json::Value::Null)
        }
        _ => Err(format!("`{name}` is not granted")),
    }
}

/// That of the innermost mount.
fn right_to(path: &WorkspacePath, mounts: &[Mount]) -> Option<MountRight> {
    let around = mounts.iter().filter(|mount| path.is_below(mount.folder.as_str()));
    around.max_by_key(|mount| mount.folder.as_str().len()).map(|mount| mount.right)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_executor::block_on;

    use super::*;
    use crate::task_runtime::MemoryWorkspace;

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

    #[test]
    fn what_never_ends_is_ended_with_a_code() {
        let strict = || Sandbox::new().time(Duration::from_millis(1_500)).memory(16 << 20).output(1_000);
        let table = [
            ("for (;;);", "SANDBOX_TIMEOUT"),
            ("try { for (;;); } finally { for (;;); }", "SANDBOX_TIMEOUT"),
            ("/(a+)+$/.test('a'.repeat(40) + 'b')", "SANDBOX_TIMEOUT"),
            ("const f = () => queueMicrotask(f); f(); await new Promise(() => {})", "SANDBOX_TIMEOUT"),
            ("const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))", "SANDBOX_MEMORY"),
            ("const a = []; for (;;) a.push({ a })", "SANDBOX_MEMORY"),
            ("return new ArrayBuffer(2 ** 30).byteLength", "SANDBOX_MEMORY"),
            ("const f = () => f(); f()", "SANDBOX_FAILED"),
            ("await new Promise(() => {})", "SANDBOX_FAILED"),
            ("return 'x'.repeat(2000)", "SANDBOX_TOO_LARGE"),
            ("return ][", "SANDBOX_FAILED"),
            ("throw undefined", "SANDBOX_FAILED"),
            ("throw null", "SANDBOX_FAILED"),
            ("return 1n", "SANDBOX_FAILED"),
        ];
        for (body, code) in table {
            let (data, message) = called(strict(), body, "null");
            assert_eq!(data, format!("{{\"code\":\"{code}\"}}"), "{body}: {message:?}");
        }
    }

    #[test]
    fn a_call_that_is_let_go_of_ends_its_engine() {
        let call = Call::begin(
            Sandbox::new().time(Duration::from_secs(600)),
            "for (;;);".to_owned(),
            "null".to_owned(),
            Credentials::default(),
        );
        let stopped = Arc::downgrade(&call.stopped);
        drop(call);
        let until = Instant::now() + Duration::from_secs(20);
        while stopped.strong_count() > 0 {
            assert!(Instant::now() < until, "the engine still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
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

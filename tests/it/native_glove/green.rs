//! A failing project goes green, in the terminal and as a task, with the program killed on the way: nothing of what was said is lost, and no
//! command runs that was not called for anew. `GLOVE_LONG=1` kills at each of the ten points.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::tmux::Screen;
use super::{Home, json_lines};

const PATIENCE: Duration = Duration::from_secs(120);
const MESSAGE: &str = "Make the tests pass.";
const DONE: &str = "The tests pass now.";

/// When the program is killed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Moment {
    /// The model is asked for the nth time, and has not answered.
    Asked(usize),
    /// It has answered for the nth time.
    Answered(usize),
    /// The tests run.
    Running,
    /// They have run, and nobody knows yet.
    Ran,
}

const IN_TERMINAL: [Moment; 10] = [
    Moment::Answered(3),
    Moment::Running,
    Moment::Asked(1),
    Moment::Asked(2),
    Moment::Asked(3),
    Moment::Asked(4),
    Moment::Answered(1),
    Moment::Answered(2),
    Moment::Answered(4),
    Moment::Ran,
];

const IN_TASK: [Moment; 10] = [
    Moment::Answered(5),
    Moment::Running,
    Moment::Asked(2),
    Moment::Asked(4),
    Moment::Asked(6),
    Moment::Asked(8),
    Moment::Answered(2),
    Moment::Answered(3),
    Moment::Answered(6),
    Moment::Ran,
];

/// All of them, or the first two.
fn moments(all: &[Moment; 10]) -> &[Moment] {
    if env::var("GLOVE_LONG").is_ok_and(|long| long == "1") { all } else { &all[..2] }
}

/// A project whose only test fails.
struct Project {
    file: &'static str,
    broken: &'static str,
    others: &'static [(&'static str, &'static str)],
    /// What its tests are run by.
    command: String,
}

impl Project {
    fn rust() -> Project {
        let cargo = Path::new(env!("CARGO"));
        let tools = cargo.parent().unwrap().display();
        Project {
            file: "src/lib.rs",
            broken: "pub fn add(a: u32, b: u32) -> u32 {\n    a - b\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 1), 3);\n}\n",
            others: &[(
                "Cargo.toml",
                "[package]\nname = \"adds\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
            )],
            command: format!("PATH='{tools}':\"$PATH\" cargo test --offline --quiet"),
        }
    }

    /// Nothing where what TypeScript is compiled by is not installed.
    fn typescript() -> Option<Project> {
        let tsc = concat!(env!("CARGO_MANIFEST_DIR"), "/../node_modules/.bin/tsc");
        if !fs::exists(tsc).unwrap() {
            eprintln!("not run: `npm ci` has not been run");
            return None;
        }
        Some(Project {
            file: "add.ts",
            broken: "export function add(a: number, b: number): number {\n  return a - b;\n}\n",
            others: &[
                ("package.json", "{ \"type\": \"module\" }\n"),
                (
                    "add.test.mjs",
                    "import { equal } from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { add } from './out/add.js';\ntest('adds', () => equal(add(2, 1), 3));\n",
                ),
            ],
            command: format!(
                "'{tsc}' add.ts --outDir out --module nodenext --target es2022 && node --test add.test.mjs"
            ),
        })
    }

    fn fixed(&self) -> String {
        self.broken.replace("a - b", "a + b")
    }

    fn write_to(&self, folder: &Path) {
        for (name, text) in self.others.iter().chain([&(self.file, self.broken)]) {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    /// Its tests in a folder, with a line for each time that they begin and end.
    fn tests(&self, home: &Home, folder: &str) -> String {
        format!(
            "echo began >> '{}'; cd '{folder}' && {{ {}; }} > /dev/null 2>&1 && says='all is GREEN' || says='it is RED'; echo ended >> '{}'; echo \"$says\"; test \"$says\" = 'all is GREEN'",
            home.file("began").display(),
            self.command,
            home.file("ended").display()
        )
    }
}

/// A model that answers by what it is asked, whoever asks; and says when.
struct Model {
    url: String,
    moments: Receiver<Moment>,
}

type Answers = dyn Fn(&Asked) -> Value + Send + Sync;

/// What was said last, and what came of the last call.
struct Asked {
    prompt: String,
    /// The last call since, and its result.
    last: Option<(String, String)>,
}

impl Asked {
    fn of(body: &Value) -> Asked {
        let messages = body["messages"].as_array().unwrap();
        let from = messages.iter().rposition(|message| message["role"] == "user").unwrap();
        let since = &messages[from..];
        let last = since.iter().rev().find(|message| message["role"] == "tool").map(|result| {
            let mut calls = since.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
            let call = calls.rfind(|call| call["id"] == result["tool_call_id"]).unwrap();
            (call["function"]["name"].as_str().unwrap().to_owned(), words(&result["content"]))
        });
        Asked { prompt: words(&messages[from]["content"]), last }
    }
}

/// A content as a text, or as its parts.
fn words(content: &Value) -> String {
    match content.as_array() {
        Some(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        None => content.as_str().unwrap_or_default().to_owned(),
    }
}

impl Model {
    fn start(answers: impl Fn(&Asked) -> Value + Send + Sync + 'static) -> Model {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (tell, moments) = channel();
        let answers: Arc<Answers> = Arc::new(answers);
        let count = Arc::new(AtomicUsize::new(0));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answers, count, tell) = (Arc::clone(&answers), Arc::clone(&count), tell.clone());
                thread::spawn(move || {
                    let Some(body) = body_of(&stream) else { return };
                    let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                    let _ = tell.send(Moment::Asked(number));
                    // Whoever is to die now has time for it.
                    thread::sleep(Duration::from_millis(100));
                    let answer = answers(&Asked::of(&body));
                    let sent = send(stream, &answer);
                    if sent.is_ok() {
                        let _ = tell.send(Moment::Answered(number));
                    }
                });
            }
        });
        Model { url, moments }
    }

    /// Waits until the moment has come.
    fn wait_for(&self, home: &Home, moment: Moment) {
        let file = match moment {
            Moment::Running => "began",
            Moment::Ran => "ended",
            Moment::Asked(_) | Moment::Answered(_) => {
                let next = || {
                    self.moments.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{moment:?} never came"))
                };
                while next() != moment {}
                return;
            }
        };
        let until = Instant::now() + PATIENCE;
        while !fs::exists(home.file(file)).unwrap() {
            assert!(Instant::now() < until, "{moment:?} never came");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

fn body_of(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).ok()? > 2 {
        if let Some(said) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = said.trim().parse().ok()?;
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn send(mut stream: TcpStream, message: &Value) -> std::io::Result<()> {
    let reason = if message.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    let piece = json!({ "id": "1", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": message, "finish_reason": reason }] });
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {piece}\n\ndata: [DONE]\n\n"
    )
}

fn says(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

fn calls(tool: &str, input: &Value) -> Value {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let id = format!("call{}", COUNT.fetch_add(1, Ordering::Relaxed));
    json!({ "role": "assistant", "content": "", "tool_calls": [
        { "index": 0, "id": id, "type": "function", "function": { "name": tool, "arguments": input.to_string() } }] })
}

fn count(home: &Home, file: &str) -> usize {
    fs::read_to_string(home.file(file)).unwrap_or_default().lines().count()
}

fn goes_green_in_the_terminal(project: &Project, moment: Moment) {
    let home = Home::new();
    project.write_to(&home.file("work"));
    let tests = json!({ "command": project.tests(&home, "."), "seconds": 300 });
    let file = project.file;
    let model = Model::start(move |asked| match &asked.last {
        None => calls("read_file", &json!({ "path": file })),
        Some((_, result)) if result.contains("GREEN") => says(DONE),
        Some((_, result)) if result.contains("RED") => {
            calls("edit_file", &json!({ "path": file, "old": "a - b", "new": "a + b" }))
        }
        Some(_) => calls("bash", &tests),
    });
    let args = format!("--model ollama:m --base-url {} --allow bash --allow edit_file", model.url);
    let pid = home.file("pid");
    let Some(screen) = Screen::start_as(&home, &format!("chat {args}"), &pid) else { return };
    screen.ends("\n>");
    screen.says(MESSAGE);
    model.wait_for(&home, moment);
    let killed: i32 = fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    kill_process(Pid::from_raw(killed).unwrap(), Signal::KILL).unwrap();
    screen.until(|text| text.contains("ended with 137"));
    drop(screen);
    let Some(screen) = Screen::start(&home, &format!("resume {args}")) else { return };
    loop {
        let shown = screen
            .until(|text| text.ends_with("\nAnswer:") || (text.contains(DONE) && text.ends_with("\n>")));
        if !shown.ends_with("\nAnswer:") {
            break;
        }
        // Whatever was cut off is looked at, and not run again.
        screen.says("n");
        screen.until(|text| text.matches("Answer: n").count() == shown.matches("Answer: n").count() + 1);
    }
    screen.says("/exit");
    screen.until(|text| text.contains("ended with 0"));
    assert_eq!(fs::read_to_string(home.file("work").join(file)).unwrap(), project.fixed(), "{moment:?}");
    let exported: Value = serde_json::from_str(&home.prints(&["export"])).unwrap();
    let messages = exported["messages"].as_array().unwrap();
    let said = messages.iter().filter(|message| message["text"] == MESSAGE).count();
    assert_eq!(said, 1, "{moment:?}: {exported}");
    let called = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let called = called.filter(|call| call["tool_name"] == "bash").count();
    let began = count(&home, "began");
    assert!((2..=called).contains(&began), "{moment:?}: the tests ran {began} times for {called} calls");
    assert!(began + 1 >= called, "{moment:?}: of {called} calls {began} ran");
}

/// Until it ends. Whether what was cut off runs again is asked whatever else is approved: here it does not.
fn goes_on(home: &Home, args: &[&str], folder: &Path) -> String {
    for _ in 0..5 {
        let out = home.prints(&[args, &["--leave"]].concat());
        let Some((_, waits)) = out.split_once("waits for progress/") else { return out };
        let (decision, _) = waits.split_once(".json").unwrap();
        let denied = r#"{"decision": "denied", "approved_by": "ada", "reason": "Look first."}"#;
        fs::write(folder.join(format!("progress/{decision}.json")), denied).unwrap();
    }
    panic!("it asks again and again");
}

fn goes_green_as_a_task(project: &Project, moment: Moment) {
    let home = Home::new();
    let folder = home.file("work/job");
    fs::create_dir_all(folder.join("task")).unwrap();
    fs::write(folder.join("task/brief.md"), "The tests of the project pass.").unwrap();
    project.write_to(&folder.join("task/project"));
    let tests = project.tests(&home, "progress/artifacts/project");
    let path = format!("progress/artifacts/project/{}", project.file);
    let fixed = project.fixed();
    let model = Model::start(move |asked| {
        let is = |phase: &str| asked.prompt.contains(&format!("Phase: {phase}."));
        let copy = || calls("shell", &json!({ "command": "cp -r task/project progress/artifacts/" }));
        match &asked.last {
            _ if is("gather") => says("Its test fails."),
            _ if is("plan") => says(r#"{"objective": "Green", "steps": [{"id": "s1", "title": "Mend it"}]}"#),
            Some((_, result)) if result.contains("GREEN") && is("verify") => says(r#"{"pass": true}"#),
            Some((_, result)) if result.contains("GREEN") => says("It is mended."),
            Some((_, result)) if result.contains("RED") => {
                calls("fs_write", &json!({ "path": path, "content": fixed }))
            }
            None if is("act") => copy(),
            _ => calls("test_runner", &json!({})),
        }
    });
    let run = ["run", "job", "--approve", "automatic", "--shell", "--model", "ollama:m"];
    let with = ["--base-url", &model.url, "--test", &tests];
    let args = [&run[..], &with[..]].concat();
    let mut child = home.glove(&args).spawn().unwrap();
    model.wait_for(&home, moment);
    child.kill().unwrap();
    let first = child.wait_with_output().unwrap();
    assert_eq!(first.status.code(), None, "{moment:?}: {}", super::stdout(&first));
    let out = goes_on(&home, &args, &folder);
    assert!(out.contains("Ended: completed"), "{moment:?}: {out}");
    let mended = folder.join("progress/artifacts/project").join(project.file);
    assert_eq!(fs::read_to_string(mended).unwrap(), project.fixed(), "{moment:?}");
    let events = json_lines(&fs::read_to_string(folder.join("progress/events.ndjson")).unwrap());
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event["id"], format!("ev_{:06}", at + 1), "{moment:?}: {event}");
    }
    let called =
        events.iter().filter(|event| event["type"] == "tool.call" && event["message"] == "test_runner");
    let (called, began) = (called.count(), count(&home, "began"));
    assert!((3..=called).contains(&began), "{moment:?}: the tests ran {began} times for {called} calls");
    let finished = events.iter().filter(|event| event["type"] == "finish").count();
    assert_eq!(finished, 1, "{moment:?}");
}

#[test]
fn a_failing_rust_project_goes_green_in_a_terminal_that_dies_on_the_way() {
    for moment in moments(&IN_TERMINAL) {
        goes_green_in_the_terminal(&Project::rust(), *moment);
    }
}

#[test]
fn a_failing_typescript_project_goes_green_in_a_terminal_that_dies_on_the_way() {
    let Some(project) = Project::typescript() else { return };
    for moment in moments(&IN_TERMINAL) {
        goes_green_in_the_terminal(&project, *moment);
    }
}

#[test]
fn a_failing_rust_project_goes_green_as_a_task_that_dies_on_the_way() {
    for moment in moments(&IN_TASK) {
        goes_green_as_a_task(&Project::rust(), *moment);
    }
}

#[test]
fn a_failing_typescript_project_goes_green_as_a_task_that_dies_on_the_way() {
    let Some(project) = Project::typescript() else { return };
    for moment in moments(&IN_TASK) {
        goes_green_as_a_task(&project, *moment);
    }
}

//! Without a terminal.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::{Home, ended, stderr, stdout};

/// A program that reads and writes JSON lines.
struct Talk {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Talk {
    fn start(home: &Home, args: &[&str]) -> Talk {
        let mut child = home.glove(args).stdin(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Talk { child, lines }
    }

    fn say(&mut self, order: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{order}").unwrap();
    }

    /// The data of the next line of this type.
    fn next(&mut self, kind: &str) -> Value {
        loop {
            let line = self.lines.next().unwrap_or_else(|| panic!("it ended before a `{kind}`")).unwrap();
            let mut value: Value = serde_json::from_str(&line).unwrap();
            if value["type"] == kind {
                return value["data"].take();
            }
        }
    }

    /// With the end of its input.
    fn end(mut self) -> Option<i32> {
        drop(self.child.stdin.take());
        ended(&mut self.child).code()
    }
}

#[test]
fn a_message_is_answered_and_the_session_is_kept() {
    let home = Home::new();
    let said = home.prints(&["chat", "--model", "scripted", "-p", "hello"]);
    assert!(said.starts_with("I am a **script**"), "{said}");
    let sessions = home.sessions();
    assert_eq!(sessions.len(), 1);
    assert_eq!((&sessions[0]["title"], &sessions[0]["messages"]), (&json!("hello"), &json!(2)));
    assert_eq!(sessions[0]["folder"], json!(home.file("work").canonicalize().unwrap()));
}

#[test]
fn each_line_is_a_message_and_answers_what_is_asked() {
    let home = Home::new();
    let mut child = home.glove(&["chat", "--model", "scripted"]).stdin(Stdio::piped()).spawn().unwrap();
    let lines = b"run echo one > a\ny\nrun echo two > b\nn not now\n";
    child.stdin.take().unwrap().write_all(lines).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let shown = "$ echo one > a\n? Run this command?\n  1  y  Allow once\n  2  a  Always allow exactly this\n  3  n  Deny\n  4  x  Never allow exactly this\n";
    assert!(stdout(&output).contains(shown), "{}", stdout(&output));
    assert_eq!(fs::read_to_string(home.file("work/a")).unwrap(), "one\n");
    assert!(!home.file("work/b").exists(), "it was denied");
}

#[test]
fn each_message_that_fails_is_told() {
    let home = Home::new();
    let script = home.write("script", "{\"text\": \"one\"}\n");
    let model = format!("scripted:{}", script.display());
    let mut child = home.glove(&["chat", "--model", &model]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"a\nb\nc\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let why = "the script of this model has no answers left (MODEL_CONFIG)";
    assert_eq!(stdout(&output), format!("one\n! {why}\n"));
    assert_eq!(stderr(&output), format!("glove: {why}\n"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_line_that_is_not_utf_8_ends_nothing() {
    let home = Home::new();
    let said = |args: &[&str], lines: &[u8]| {
        let mut child = home.glove(args).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let lines = b"run touch a\n\xff\ny\r\ncaf\xe9\nrun touch b\ny";
    let told = said(&["chat", "--model", "scripted"], lines);
    assert_eq!(told.matches("! a line of the input is not UTF-8").count(), 2, "{told}");
    assert!(home.file("work/a").exists() && home.file("work/b").exists(), "{told}");
    let export = home.prints(&["export", home.sessions()[0]["id"].as_str().unwrap()]);
    assert!(export.contains("caf\u{fffd}"), "{export}");
    let orders = b"{\"type\":\"message\",\"text\":\"caf\xe9\"}\n{\"type\":\"message\",\"text\":\"hello\"}\n";
    let told = said(&["chat", "--model", "scripted", "--json"], orders);
    assert!(told.contains("this line is not UTF-8") && told.contains("\"completed\""), "{told}");
}

#[test]
fn neither_an_empty_line_nor_words_allow_a_call_and_always_is_asked_again() {
    let home = Home::new();
    let talk = |lines: &str| {
        let mut child = home.glove(&["chat", "--model", "scripted"]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        stdout(&child.wait_with_output().unwrap())
    };
    let said = talk("run touch a\n\nyes\nAllow once\nal\nw\nx\n");
    assert_eq!(said.matches("! answer with y, a, n, x, or a number from 1 to 4").count(), 5, "{said}");
    assert!(!home.file("work/a").exists());
    let said = talk("run touch a\n2\na\nn\n\u{1b}\n");
    assert_eq!(said.matches("y if you are sure").count(), 2, "{said}");
    assert!(!home.file("work/a").exists(), "Escape is no");
    talk("run touch a\na\ny\n");
    assert!(home.file("work/a").exists(), "always");
}

#[test]
fn all_of_a_call_stands_in_plain_lines_whatever_its_length() {
    let home = Home::new();
    let content = format!("{}deleteEverything()\n", "line\n".repeat(3_000));
    let call =
        json!({ "calls": [{ "tool": "write_file", "input": { "path": "a.txt", "content": content } }] });
    home.write("work/script", &format!("{call}\n{{\"text\": \"Done.\"}}\n"));
    let shown = stderr(&home.run(&["chat", "--model", "scripted:script", "-p", "write"]));
    assert!(shown.contains("a.txt (a new file)") && shown.contains("\n+deleteEverything()\n? Write a.txt?"));
    assert_eq!(shown.matches("\n+line").count(), 3_000);
}

#[test]
fn where_nobody_answers_nothing_is_allowed_but_what_the_call_says() {
    let home = Home::new();
    for format in ["--plain", "--json"] {
        let denied = home.run(&["chat", "--model", "scripted", format, "-p", "run touch a"]);
        assert_eq!(denied.status.code(), Some(3), "{}", stdout(&denied));
        assert_eq!(stderr(&denied).contains("`--allow bash`"), format == "--plain", "{}", stderr(&denied));
    }
    assert!(!home.file("work/a").exists());
    let asked = home.run(&["chat", "--model", "scripted", "-p", "ask confirm"]);
    assert_eq!(asked.status.code(), Some(3), "nobody answered: {}", stdout(&asked));
    home.prints(&["chat", "--model", "scripted", "--allow", "bash", "-p", "run touch a"]);
    assert!(home.file("work/a").exists());
}

#[test]
fn json_lines_carry_events_questions_and_answers() {
    let home = Home::new();
    let mut talk = Talk::start(&home, &["chat", "--model", "scripted", "--json"]);
    let id = talk.next("session")["id"].clone();
    talk.say(&json!({ "type": "message", "text": "ask input" }));
    let asked = talk.next("slot");
    assert_eq!((&asked["renderer"], &asked["input"]["default"]), (&json!("input"), &json!("glove")));
    talk.say(&json!({ "type": "answer", "id": "nothing", "value": "x" }));
    assert_eq!(talk.next("error")["code"], "INPUT_INVALID");
    talk.say(&json!({ "type": "answer", "id": asked["id"], "value": "mitten" }));
    assert_eq!(talk.next("tool_use_result")["result"]["data"], "mitten");
    assert_eq!(talk.next("response")["status"], "completed");
    talk.say(&json!("what?"));
    assert_eq!(talk.next("error")["code"], "INPUT_INVALID");
    assert_eq!(talk.end(), Some(0));
    assert_eq!(home.sessions()[0]["id"], id);
}

#[test]
fn a_run_is_stopped_and_its_command_with_it() {
    let home = Home::new();
    let mut talk = Talk::start(&home, &["chat", "--model", "scripted", "--json", "--allow", "bash"]);
    talk.say(&json!({ "type": "message", "text": "run echo $$ > pid; sleep 1000" }));
    let pid = super::first_line(&home, "work/pid");
    talk.say(&json!({ "type": "stop" }));
    assert_eq!(talk.next("response")["status"], "aborted");
    assert!(super::ends(&pid), "the command still runs");
    talk.say(&json!({ "type": "message", "text": "hello" }));
    assert_eq!(talk.next("response")["status"], "completed");
    assert_eq!(talk.end(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_that_goes_away_ends_the_command_and_the_session_goes_on() {
    use rustix::process::{Pid, Signal, kill_process};
    let home = Home::new();
    let mut talk = Talk::start(&home, &["chat", "--model", "scripted", "--json", "--allow", "bash"]);
    talk.say(&json!({ "type": "message", "text": "run echo $$ > pid; sleep 1000" }));
    let pid = super::first_line(&home, "work/pid");
    kill_process(Pid::from_raw(talk.child.id().try_into().unwrap()).unwrap(), Signal::HUP).unwrap();
    assert_eq!(ended(&mut talk.child).code(), Some(129));
    assert!(super::ends(&pid), "the command still runs");

    let mut talk = Talk::start(&home, &["resume", "--model", "scripted", "--json"]);
    let asked = talk.next("slot");
    assert_eq!(asked["renderer"], "interrupted_call", "nobody knows how far it came");
    talk.say(&json!({ "type": "answer", "id": asked["id"], "value": false }));
    assert_eq!(talk.next("request_finished")["outcome"], "completed");
    assert_eq!(talk.next("response")["status"], "completed", "whoever goes on is told how it ends");
    assert_eq!(talk.end(), Some(0));
}

#[test]
fn keys_that_others_can_read_are_not_used() {
    let home = Home::new();
    let config = home.write("config", "ANTHROPIC_API_KEY=sk-secret\n");
    let call = ["chat", "--config", config.to_str().unwrap(), "--model", "scripted", "-p", "hello"];
    fs::set_permissions(&config, fs::Permissions::from_mode(0o644)).unwrap();
    let refused = home.run(&call);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("chmod 600"), "{}", stderr(&refused));
    fs::set_permissions(&config, fs::Permissions::from_mode(0o600)).unwrap();
    home.prints(&call);
    home.write("config", "sk-secret\n");
    let refused = home.run(&call);
    assert!(
        stderr(&refused).contains("line 1") && !stderr(&refused).contains("sk-secret"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn what_is_missing_is_said_in_a_sentence() {
    let home = Home::new();
    for (args, sentence) in [
        (&["chat", "-p", "hello"][..], "no model is chosen"),
        (&["chat", "--model", "anthropic", "-p", "hello"], "No API key for provider"),
        (&["chat", "--model", "nobody", "-p", "hello"], "Unknown provider \"nobody\""),
        (&["chat", "nowhere", "--model", "scripted", "-p", "hello"], "`nowhere`: No such file"),
        (&["resume", "--model", "scripted"], "there is no session yet"),
        (&["resume", "abc", "--model", "scripted"], "there is no session `abc`"),
        (&["chat", "--database", "/proc/none/s.db", "--model", "scripted"], "`/proc/none`"),
    ] {
        let output = home.run(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(stderr(&output).contains(sentence), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn a_script_is_played_from_a_file() {
    let home = Home::new();
    home.write("work/a.txt", "one two\n");
    home.write(
        "work/script",
        r#"{"calls":[{"tool":"edit_file","input":{"path":"a.txt","old":"two","new":"three"}}]}
{"text":"Done."}"#,
    );
    let said =
        home.prints(&["chat", "--model", "scripted:script", "--allow", "edit_file", "-p", "change it"]);
    assert!(said.ends_with("Done.\n"), "{said}");
    assert_eq!(fs::read_to_string(home.file("work/a.txt")).unwrap(), "one three\n");
}

#[test]
fn what_an_answer_costs_is_counted_by_the_prices_of_the_configuration() {
    let home = Home::new();
    let script = home.write("script", "{\"text\": \"Hello.\", \"tokens\": [1000, 100]}\n");
    let model = format!("scripted:{}", script.display());
    let with = |prices: &str| {
        let config = home.write("config", &format!("GLOVE_PRICES={prices}\n"));
        fs::set_permissions(&config, fs::Permissions::from_mode(0o600)).unwrap();
        home.run(&["chat", "--config", config.to_str().unwrap(), "--model", &model, "--json", "-p", "hello"])
    };
    let told = stdout(&with(r#"{"*": {"input": 2, "output": 10}}"#));
    assert!(told.contains("\"cost\":0.003"), "{told}");
    for (prices, sentence) in [
        ("2", "GLOVE_PRICES is not a table of prices"),
        (r#"{"*": {"input": 2}}"#, "missing field `output`"),
        (r#"{"*": {"input": 2, "output": 8, "cached": 1}}"#, "unknown field `cached`"),
        (r#"{"*": {"input": -2, "output": 8}}"#, "a price of `*` is negative"),
    ] {
        let refused = with(prices);
        assert_eq!(refused.status.code(), Some(1), "{prices}");
        assert!(stderr(&refused).contains(sentence), "{prices}: {}", stderr(&refused));
    }
}

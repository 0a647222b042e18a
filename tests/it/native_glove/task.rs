//! `glove run`: a task in a folder.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::{Home, json_lines, stderr, stdout};
use crate::native_web::Servers;
use crate::support::server::whole;

/// Finds out, plans one step, writes a file, and looks at it.
const SCRIPT: &str = r##"{"text":"The brief wants one page."}
{"text":"{\"steps\": [{\"id\": \"s1\", \"title\": \"Write the page\"}]}"}
{"calls":[{"tool":"fs_write","input":{"path":"progress/artifacts/page.md","content":"# Page\n"}}]}
{"text":"The page is written."}
{"text":"{\"pass\": true}"}
"##;

pub fn with_brief() -> Home {
    let home = Home::new();
    fs::create_dir_all(home.file("work/page/task")).unwrap();
    home.write("work/page/task/brief.md", "One page.");
    home.write("work/script", SCRIPT);
    home
}

#[test]
fn a_task_is_worked_through_in_a_folder() {
    let home = with_brief();
    let out = home.prints(&["run", "page", "--approve", "automatic", "--model", "scripted:script"]);
    assert!(out.contains("\nAct: s1\n  ● fs_write\n"), "{out}");
    assert!(
        out.ends_with("Ended: completed\n\nThe page is written.\n\nprogress/artifacts/page.md (7 bytes)\n"),
        "{out}"
    );
    assert_eq!(fs::read_to_string(home.file("work/page/progress/artifacts/page.md")).unwrap(), "# Page\n");
    // It is finished, and needs no model for that.
    let again = home.prints(&["run", "page", "--model", "scripted:script", "--json"]);
    assert_eq!(json_lines(&again).last().unwrap()["finish_reason"], "completed");
}

#[test]
fn what_a_person_should_know_of_a_task_is_told_at_its_end() {
    let home = with_brief();
    let run = ["run", "page", "--approve", "automatic", "--model", "scripted:script"];
    assert!(!home.prints(&run).contains("\n! "));
    fs::write(home.file("work/page/progress/state.json"), "{").unwrap();
    home.write("work/script", SCRIPT.lines().last().unwrap());
    let told = home.run(&run);
    let told = stdout(&told);
    assert!(
        told.contains("\n! progress/state.json could not be read and is kept as progress/recovered/"),
        "{told}"
    );
}

/// Runs this code in a sandbox instead.
pub fn script_of(code: &str) -> String {
    let call = serde_json::json!({ "calls": [{ "tool": "sandbox_exec", "input": { "code": code } }] });
    format!("{}\n{}\n{call}\n{}\n{}\n", line(0), line(1), line(3), line(4))
}

#[test]
fn code_of_the_model_runs_in_a_sandbox_when_a_person_has_approved_it() {
    let home = with_brief();
    let code = "const brief = await files.read('task/brief.md'); await files.write('progress/artifacts/size.txt', String(brief.length)); return brief.length";
    home.write("work/script", &script_of(code));
    let run = ["run", "page", "--sandbox", "--leave", "--approve", "automatic", "--model", "scripted:script"];
    let out = home.prints(&run);
    assert!(
        out.contains("\n  ● sandbox_exec\n") && out.contains("\n  ? Approval of sandbox_exec\n"),
        "{out}"
    );
    assert!(out.ends_with("progress/artifacts/size.txt (1 bytes)\n"), "{out}");
    assert_eq!(fs::read_to_string(home.file("work/page/progress/artifacts/size.txt")).unwrap(), "9");
}

#[test]
fn a_task_that_its_steps_ended_says_so_and_goes_on_with_more() {
    let home = with_brief();
    let plan = r#"{"text":"{\"steps\": [{\"id\": \"s1\", \"title\": \"Begin\"}, {\"id\": \"s2\", \"title\": \"End\"}]}"}"#;
    home.write("work/script", &[line(0), plan, line(3), line(4)].join("\n"));
    let run = ["run", "page", "--approve", "automatic", "--model", "scripted:script", "--json", "--steps"];
    let output = home.run(&[&run[..], &["4"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(
        said.contains(
            "its steps are used up before all of it was done (the verification of what is there passed)"
        ) && said.contains("`--steps`"),
        "{said}"
    );
    let result = json_lines(&stdout(&output)).pop().unwrap();
    assert_eq!(
        (result["status"].as_str(), result["finish_reason"].as_str()),
        (Some("paused"), Some("budget_steps"))
    );
    let state: Value =
        serde_json::from_str(&fs::read_to_string(home.file("work/page/progress/state.json")).unwrap())
            .unwrap();
    assert_eq!((&state["status"], &state["finish_reason"]), (&result["status"], &result["finish_reason"]));
    home.write("work/script", &[line(3), line(4)].join("\n"));
    let result = json_lines(&home.prints(&[&run[..], &["20"]].concat())).pop().unwrap();
    assert_eq!(
        (result["status"].as_str(), result["finish_reason"].as_str()),
        (Some("finished"), Some("completed"))
    );
    assert!(home.file("work/page/progress/steps/act-1-s2/report.json").is_file());
}

#[test]
fn a_skill_of_a_folder_goes_along_and_its_tool_runs() {
    let home = with_brief();
    fs::create_dir_all(home.file("work/brief")).unwrap();
    let tool = r#"{"name":"size","description":"Says a size.","inputSchema":{"type":"object"},"code":"size.js","mounts":{"task":"read"}}"#;
    home.write(
        "work/brief/skill.json",
        &format!(r#"{{"name":"brief","description":"Writes briefs.","tools":[{tool}]}}"#),
    );
    home.write("work/brief/instructions.md", "Keep to one page.");
    home.write(
        "work/brief/size.js",
        "export default async () => 'it has ' + (await files.read('task/brief.md')).length + ' letters';",
    );
    let call = r#"{"calls":[{"tool":"size","input":{}}]}"#;
    home.write("work/script", &format!("{}\n{}\n{call}\n{}\n{}\n", line(0), line(1), line(3), line(4)));
    let run = ["run", "page", "--skill", "brief", "--approve", "automatic", "--model", "scripted:script"];
    let out = home.prints(&run);
    assert!(out.contains("\n  ● size\n") && out.contains("Ended: completed"), "{out}");
    let read = |path: &str| fs::read_to_string(home.file(path)).unwrap();
    assert!(read("work/page/progress/steps/act-1-s1/session.ndjson").contains("it has 9 letters"));
    assert!(read("work/page/progress/steps/gather-1/prompt.json").contains("Keep to one page."));
}

#[test]
fn the_web_is_searched_and_read_and_code_names_a_credential_that_it_never_has() {
    let servers = Servers::start();
    let home = with_brief();
    let origin = &servers.origin;
    let call = |tool: &str, input: Value| serde_json::json!({ "calls": [{ "tool": tool, "input": input }] });
    let code = format!(
        "const r = await fetch('{origin}/echo', {{ headers: {{ authorization: 'Bearer {{{{OWN_TOKEN}}}}' }} }}); return r.text()"
    );
    let script = [
        call("web_search", serde_json::json!({ "query": "warm gloves" })).to_string(),
        call("url_extract", serde_json::json!({ "url": format!("{origin}/html") })).to_string(),
        line(0).to_owned(),
        line(1).to_owned(),
        call("sandbox_exec", serde_json::json!({ "code": code })).to_string(),
        line(3).to_owned(),
        call("links_check", serde_json::json!({ "urls": [format!("{origin}/gone")] })).to_string(),
        line(4).to_owned(),
    ];
    home.write("work/script", &script.join("\n"));
    let config = home.write("work/config", "OWN_TOKEN=planted-4711\n");
    fs::set_permissions(config, fs::Permissions::from_mode(0o600)).unwrap();
    let credential = format!("OWN_TOKEN={origin}");
    let run =
        ["run", "page", "--approve", "automatic", "--model", "scripted:script", "--sandbox", "--web", origin];
    let more = ["--search", origin, "--credential", &credential, "--config", "config"];
    let out = home.prints(&[&run[..], &more[..]].concat());
    assert!(out.contains("Ended: completed"), "{out}");
    assert_eq!(servers.authorizations(), ["Bearer planted-4711"]);
    let read = |step: &str| {
        fs::read_to_string(home.file(&format!("work/page/progress/steps/{step}/session.ndjson"))).unwrap()
    };
    let gathered = read("gather-1");
    assert!(gathered.contains("https://example.com/2") && gathered.contains("# Gloves"), "{gathered}");
    assert!(!gathered.contains("no()") && !gathered.contains("<b>"), "{gathered}");
    let acted = read("act-1-s1");
    assert!(acted.contains("Bearer [redacted]") && !acted.contains("planted"), "{acted}");
    assert!(read("verify-1").contains("410"));
    let refused = |more: &[&str]| {
        let run = ["run", "page", "--model", "scripted:script"];
        let output = home.run(&[&run[..], more].concat());
        assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
        stderr(&output)
    };
    assert!(refused(&["--web", "localhost"]).contains("write it as an origin"));
    assert!(refused(&["--credential", "sk-4711"]).contains("`NAME=HOST`"));
    assert!(refused(&["--credential", "NO_TOKEN=a.example.com"]).contains("`NO_TOKEN` is set neither"));
    assert!(refused(&["--credential", "PATH=a.example.com"]).contains("is for sandboxed code"));
    assert!(refused(&["--sandbox", "--credential", "PATH=*"]).contains("must name the hosts"));
}

fn line(at: usize) -> &'static str {
    SCRIPT.lines().nth(at).unwrap()
}

#[test]
fn a_strict_task_is_left_while_it_waits_and_goes_on_with_decisions_in_files() {
    let home = with_brief();
    let left = home.prints(&["run", "page", "--leave", "--json", "--model", "scripted:script"]);
    let result = json_lines(&left).pop().unwrap();
    assert_eq!(
        (&result["status"], &result["approvals"][0]["type"]),
        (&Value::from("waiting"), &Value::from("plan"))
    );
    let decisions = home.file("work/page/progress/approvals/decisions");
    fs::create_dir_all(&decisions).unwrap();
    let approved = r#"{"decision": "approved", "approved_by": "ada"}"#;
    // The script of another process begins where the one before was left.
    let from = |line: usize| SCRIPT.lines().skip(line).map(|line| format!("{line}\n")).collect::<String>();
    fs::write(decisions.join("req_0001.json"), approved).unwrap();
    home.write("work/rest", &from(2));
    let left = home.prints(&["run", "page", "--leave", "--model", "scripted:rest"]);
    let waits = "waits for progress/approvals/decisions/req_0002.json";
    assert!(left.contains("Plan approved\n") && left.contains(waits), "{left}");
    fs::write(decisions.join("req_0002.json"), approved).unwrap();
    home.write("work/rest", &from(3));
    let out = home.prints(&["run", "page", "--leave", "--model", "scripted:rest"]);
    assert!(out.ends_with("progress/artifacts/page.md (7 bytes)\n"), "{out}");
}

#[test]
fn what_cannot_be_run_is_refused_with_a_sentence() {
    let home = Home::new();
    let refused = |args: &[&str]| {
        let output = home.run(&[args, &["--model", "scripted:script"][..]].concat());
        assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
        stderr(&output)
    };
    home.write("work/script", SCRIPT);
    assert!(refused(&["run", "empty"]).contains("--goal TEXT"));
    assert!(!home.file("work/empty").exists(), "a name that was mistyped makes no folder");
    assert!(refused(&["run", "other", "--goal", " "]).contains("TASK_GOAL_INVALID"));
    home.prints(&[
        "run",
        "done",
        "--goal",
        "A page",
        "--approve",
        "permissive",
        "--model",
        "scripted:script",
    ]);
    assert!(refused(&["run", "done", "--goal", "Another"]).contains("already"));
    let out = refused(&["run", "short", "--goal", "A page", "--steps", "1", "--approve", "permissive"]);
    assert!(out.contains("--steps"), "{out}");
    fs::write(home.file("work/done/progress/state.json"), "{").unwrap();
    fs::remove_file(home.file("work/done/progress/state.previous.json")).unwrap();
    assert!(refused(&["run", "done"]).contains("TASK_STATE_BROKEN"));
}

#[test]
fn a_task_that_a_page_exported_is_imported_and_goes_on() {
    let home = Home::new();
    // A page has gathered and planned; what is left is to act and to verify.
    let rest: Vec<&str> = SCRIPT.lines().skip(2).collect();
    home.write("work/script", &rest.join("\n"));
    home.write("work/export.json", include_str!("../../fixtures/tasks/begun-in-a-page.json"));
    let run =
        ["run", "page", "--import", "export.json", "--approve", "automatic", "--model", "scripted:script"];
    let out = home.prints(&run);
    assert!(out.contains("Ended: completed"), "{out}");
    assert_eq!(fs::read(home.file("work/page/task/logo.png")).unwrap(), [0x89, b'P', b'N', 0xff]);
    assert_eq!(fs::read_to_string(home.file("work/page/progress/artifacts/page.md")).unwrap(), "# Page\n");
    let events = fs::read_to_string(home.file("work/page/progress/events.ndjson")).unwrap();
    let starts: Vec<String> = json_lines(&events)
        .iter()
        .filter(|event| event["type"] == "phase.start")
        .map(|event| event["step"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(starts, ["gather-1", "plan-1", "act-1-s1", "verify-1"]);
    assert!(stderr(&home.run(&run)).contains("there is a task in this workspace already"));
    // With the state before it the task can be resumed, too.
    fs::remove_file(home.file("work/page/progress/state.json")).unwrap();
    assert!(stderr(&home.run(&run)).contains("there is a task in this workspace already"));
    for (bad, why) in [
        ("{", "not an exported workspace"),
        (r#"{"format":"zip","version":1,"files":{}}"#, "its `format` is not"),
        (r#"{"format":"glove-task-workspace","version":2,"files":{}}"#, "its version is 2"),
        (r#"{"format":"glove-task-workspace","version":1,"files":{"task/../../x":""}}"#, "leads out"),
        (r#"{"format":"glove-task-workspace","version":1,"files":{".ssh/config":""}}"#, "neither below"),
        (r#"{"format":"glove-task-workspace","version":1,"files":{"task":""}}"#, "neither below"),
        (
            r#"{"format":"glove-task-workspace","version":1,"files":{"task/a":"1","task//a":"2"}}"#,
            "there twice",
        ),
        (
            r#"{"format":"glove-task-workspace","version":1,"files":{"task/a":7}}"#,
            "neither a text nor base64",
        ),
    ] {
        home.write("work/export.json", bad);
        let error =
            stderr(&home.run(&["run", "other", "--import", "export.json", "--model", "scripted:script"]));
        assert!(error.contains(why), "{bad}: {error}");
        assert!(!home.file("work/other/task/a").exists());
    }
}

/// A file is written that the tests want, by a command, and looked at by the tests.
fn script_of_commands() -> String {
    let call = |tool: &str, input: Value| {
        serde_json::json!({ "calls": [{ "tool": tool, "input": input }] }).to_string()
    };
    let write =
        call("shell", serde_json::json!({ "command": "echo fixed > progress/artifacts/state && pwd" }));
    let tests = || call("test_runner", serde_json::json!({}));
    [line(0), line(1), &tests(), &write, &tests(), line(3), &tests(), line(4)].join("\n")
}

#[test]
fn a_task_goes_green_by_its_tests_and_each_command_is_written_down_as_approved() {
    let home = with_brief();
    home.write("work/script", &script_of_commands());
    let tests = "grep -q fixed progress/artifacts/state";
    let run =
        ["run", "page", "--approve", "automatic", "--model", "scripted:script", "--shell", "--test", tests];
    let out = home.prints(&run);
    assert!(out.contains("Ended: completed"), "{out}");
    let read = |path: &str| fs::read_to_string(home.file(&format!("work/page/progress/{path}"))).unwrap();
    let acted = read("steps/act-1-s1/session.ndjson");
    assert!(
        acted.contains("The tests failed (exit code 2).") && acted.contains("The tests passed."),
        "{acted}"
    );
    assert!(read("steps/verify-1/session.ndjson").contains("The tests passed."));
    let asked = read("events.ndjson").matches("approval.requested").count();
    assert_eq!(asked, 4 + 1, "the plan, and each of four commands");
}

#[test]
fn commands_and_tests_wait_for_a_person_also_where_nothing_else_does() {
    let home = with_brief();
    home.write("work/script", &script_of_commands());
    let run = ["run", "page", "--approve", "permissive", "--leave", "--json", "--model", "scripted:script"];
    let out = home.prints(&[&run[..], &["--shell", "--test", "true"]].concat());
    let result = json_lines(&out).pop().unwrap();
    assert_eq!(result["approvals"][0]["tool_name"], "test_runner", "{result}");
    assert!(!home.file("work/page/progress/artifacts/state").exists());
}

#[test]
fn an_agent_remembers_over_its_tasks_what_they_came_to() {
    let home = with_brief();
    let run = |folder: &str| {
        fs::create_dir_all(home.file(&format!("work/{folder}/task"))).unwrap();
        home.write(&format!("work/{folder}/task/brief.md"), "One page.");
        let run =
            ["run", folder, "--approve", "automatic", "--model", "scripted:script", "--memory", "memory.db"];
        home.prints(&run)
    };
    assert!(run("first").contains("Memory written"));
    run("second");
    let prompt = fs::read_to_string(home.file("work/second/progress/steps/gather-1/prompt.json")).unwrap();
    assert!(prompt.contains("Recalled (agent)") && prompt.contains("The brief wants one page."), "{prompt}");
}

#[test]
fn tasks_of_a_server_have_what_those_of_a_folder_have() {
    let home = with_brief();
    home.write("work/script", &script_of_commands());
    let mut command =
        home.glove(&["serve", "--listen", "127.0.0.1:0", "--tasks", "tasks", "--approve", "automatic"]);
    let tests = "grep -q fixed progress/artifacts/state";
    command.args(["--model", "scripted:script", "--shell", "--test", tests, "--memory", "memory.db"]);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let address =
        lines.find_map(|line| line.strip_prefix("glove serves at http://").map(str::to_owned)).unwrap();
    let body = r#"{"goal":"Write the page"}"#;
    let mut stream = TcpStream::connect(&address).unwrap();
    let head = format!(
        "POST /agent/tasks/do HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}",
        body.len()
    );
    write!(stream, "{head}\r\ncontent-type: application/json\r\n\r\n{body}").unwrap();
    let (status, _, told) = whole(stream);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(status, 200, "{told}");
    let result: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(result["finish_reason"], "completed", "{result}");
    let task = home.file(&format!("work/tasks/{}/progress", result["id"].as_str().unwrap()));
    let acted = fs::read_to_string(task.join("steps/act-1-s1/session.ndjson")).unwrap();
    assert!(acted.contains("The tests failed") && acted.contains("The tests passed."), "{acted}");
    assert!(fs::read_to_string(task.join("events.ndjson")).unwrap().contains("memory.write"));
}

#[test]
fn a_server_refuses_what_is_for_tasks_where_it_takes_none() {
    let home = with_brief();
    let output = home.run(&["serve", "--model", "scripted:script", "--shell", "--listen", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--tasks FOLDER"), "{}", stderr(&output));
}

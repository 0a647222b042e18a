//! `glove mcp`: the agent of a folder and its tools for a client of MCP on the standard input and output, here the official one for Rust.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, ErrorData, Implementation, JsonObject, ProgressNotificationParam,
    ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceExt};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::net::unix::pipe;

use super::{Home, ended, json_lines, stderr};

/// Who sits at the client.
#[derive(Clone, Default)]
struct Person {
    /// They look at the question, and say nothing.
    is_away: bool,
    /// `None`: this client can ask nobody.
    says: Option<Value>,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
    progress: Arc<Mutex<Vec<String>>>,
}

impl Person {
    fn saying(content: Value) -> Self {
        Person { says: Some(content), ..Person::default() }
    }

    fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let able = ClientCapabilities::builder();
        let able = if self.says.is_some() { able.enable_elicitation().build() } else { able.build() };
        ClientConfig::new(able, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            panic!("another kind of question");
        };
        self.asked.lock().unwrap().push((message, serde_json::to_value(requested_schema).unwrap()));
        if self.is_away {
            std::future::pending::<()>().await;
        }
        match self.says.clone().unwrap() {
            Value::Null => Ok(ElicitResult::new(ElicitationAction::Decline)),
            content => Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content)),
        }
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push(params.message.unwrap_or_default());
    }
}

struct Client {
    service: RunningService<RoleClient, Person>,
    child: Child,
}

#[derive(Clone, Copy, PartialEq)]
enum Era {
    Older,
    Newest,
}

impl Client {
    async fn start(home: &Home, args: &[&str], person: &Person, era: Era) -> Client {
        let mut child = home.glove(&[&["mcp"], args].concat()).stdin(Stdio::piped()).spawn().unwrap();
        let reads = pipe::Receiver::from_owned_fd(child.stdout.take().unwrap().into()).unwrap();
        let writes = pipe::Sender::from_owned_fd(child.stdin.take().unwrap().into()).unwrap();
        let person = person.clone();
        let service = match era {
            Era::Older => person.serve((reads, writes)).await.unwrap(),
            Era::Newest => {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                let mode = ClientLifecycleMode::Discover { preferred_versions };
                person.serve_with_lifecycle((reads, writes), mode).await.unwrap()
            }
        };
        Client { service, child }
    }

    async fn call(&self, tool: &str, input: Value) -> CallToolResult {
        self.service.call_tool(called(tool, input)).await.unwrap()
    }

    async fn says(&self, input: Value) -> Value {
        let result = self.call("ask_agent", input).await;
        assert_eq!(result.is_error, Some(false), "{result:?}");
        result.structured_content.unwrap()
    }

    async fn leave(mut self) {
        self.service.cancel().await.unwrap();
        assert!(ended(&mut self.child).success());
    }
}

fn called(tool: &str, input: Value) -> CallToolRequestParams {
    let Value::Object(input) = input else { panic!("{input}") };
    let input: JsonObject = input;
    CallToolRequestParams::new(tool.to_owned()).with_arguments(input)
}

fn text(result: &CallToolResult) -> String {
    let value = serde_json::to_value(&result.content).unwrap();
    value[0]["text"].as_str().unwrap().to_owned()
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(120), work).await.unwrap() })
}

const BOTH: [Era; 2] = [Era::Older, Era::Newest];
const AGENT: &[&str] = &["--model", "scripted"];
const TOOLS: &[&str] = &["--tools", "--no-agent"];

#[test]
fn a_client_talks_with_the_agent_in_a_conversation_that_glove_has_too() {
    for era in BOTH {
        let home = Home::new();
        home.write("work/a.txt", "one of a\n");
        let person = Person::default();
        let id = block_on(async {
            let client = Client::start(&home, AGENT, &person, era).await;
            let tools = client.service.list_all_tools().await.unwrap();
            assert_eq!(tools.iter().map(|tool| tool.name.as_ref()).collect::<Vec<_>>(), ["ask_agent"]);
            let first = client.says(json!({ "message": "read a.txt" })).await;
            assert!(first["answer"].as_str().unwrap().contains("one of a"), "{first}");
            let id = first["conversation"].as_str().unwrap().to_owned();
            let again = client.says(json!({ "message": "list", "conversation": id })).await;
            assert_eq!(again["conversation"], id.as_str());
            client.leave().await;
            // It is stored, and another process goes on with it.
            let client = Client::start(&home, AGENT, &person, era).await;
            client.says(json!({ "message": "list", "conversation": id })).await;
            client.leave().await;
            id
        });
        let sessions = home.sessions();
        assert_eq!(sessions.len(), 1);
        assert_eq!(sessions[0]["id"], id.as_str());
        assert!(sessions[0]["folder"].as_str().unwrap().ends_with("/work"));
        assert!(sessions[0]["messages"].as_u64().unwrap() >= 12, "{}", sessions[0]);
        let more = home.prints(&["resume", &id, "--model", "scripted", "-p", "list"]);
        assert!(more.contains("a.txt"), "{more}");
    }
}

#[test]
fn a_person_sees_at_the_client_what_would_run_and_it_runs_only_when_they_allow_it() {
    for era in BOTH {
        for (says, runs) in [
            (json!({ "approved": true }), true),
            (json!({ "approved": false, "reason": "not today" }), false),
            (json!({ "approved": "true" }), false),
            (json!({}), false),
            (Value::Null, false),
        ] {
            let home = Home::new();
            let person = Person::saying(says.clone());
            let answer = block_on(async {
                let client = Client::start(&home, AGENT, &person, era).await;
                let answer = client.says(json!({ "message": "run touch made" })).await;
                client.leave().await;
                answer
            });
            let asked = person.asked();
            assert_eq!(asked.len(), 1, "{says}");
            assert!(asked[0].0.contains("$ touch made"), "{}", asked[0].0);
            assert_eq!(asked[0].1["required"], json!(["approved"]));
            assert_eq!(home.file("work/made").exists(), runs, "{says}: {answer}");
            assert_eq!(answer.get("not_allowed").is_none(), runs, "{answer}");
            let reason = says.get("reason").is_some();
            assert_eq!(answer["answer"].as_str().unwrap().contains("not today"), reason, "{answer}");
        }
    }
}

#[test]
fn without_a_way_to_ask_nothing_runs_that_no_rule_and_no_option_allows() {
    let home = Home::new();
    let person = Person::default();
    block_on(async {
        for era in BOTH {
            let client = Client::start(&home, AGENT, &person, era).await;
            let answer = client.says(json!({ "message": "run touch made" })).await;
            let why = answer["not_allowed"][0].as_str().unwrap();
            assert!(why.contains("this client cannot be asked: it needs elicitation"), "{why}");
            client.leave().await;
            let client = Client::start(&home, TOOLS, &person, era).await;
            let result = client.call("bash", json!({ "command": "touch made" })).await;
            assert_eq!(result.is_error, Some(true));
            assert!(text(&result).contains("this client cannot be asked"), "{}", text(&result));
            client.leave().await;
        }
        assert!(!home.file("work/made").exists());
        let client = Client::start(&home, &[TOOLS, &["--allow", "bash"]].concat(), &person, Era::Older).await;
        let result = client.call("bash", json!({ "command": "touch made && echo did it" })).await;
        assert!(text(&result).contains("did it"), "{}", text(&result));
        client.leave().await;
    });
    assert!(home.file("work/made").exists());
}

#[test]
fn the_rules_of_a_project_hold_when_the_person_has_trusted_them_on_this_machine() {
    let home = Home::new();
    fs::create_dir(home.file("work/.glove")).unwrap();
    let rules = "command touch\n";
    home.write("work/.glove/allow", rules);
    let touches = async |name: &str| {
        let client = Client::start(&home, TOOLS, &Person::default(), Era::Older).await;
        let result = client.call("bash", json!({ "command": format!("touch {name}") })).await;
        client.leave().await;
        result.is_error == Some(false)
    };
    assert!(!block_on(touches("one")));
    let trusted = home.file(".local/share/glove/trusted");
    fs::create_dir_all(&trusted).unwrap();
    // As the terminal keeps it when a person trusts them: tried by the answer of `glove chat` itself.
    let Some(screen) = super::tmux::Screen::start(&home, "chat --model scripted") else { return };
    screen.ends("\nAnswer:");
    screen.says("y");
    screen.ends("\n>");
    drop(screen);
    assert!(block_on(touches("two")));
    assert!(!home.file("work/one").exists() && home.file("work/two").exists());
}

#[test]
fn tools_are_called_one_by_one_and_what_they_did_is_a_session() {
    for era in BOTH {
        let home = Home::new();
        home.write("work/a.txt", "one\n");
        let person = Person::saying(json!({ "approved": true }));
        block_on(async {
            let client = Client::start(&home, TOOLS, &person, era).await;
            let tools = client.service.list_all_tools().await.unwrap();
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
            assert_eq!(names, ["read_file", "list_dir", "search", "write_file", "edit_file", "bash"]);
            let reads = |name: &str| {
                let tool = tools.iter().find(|tool| tool.name == name).unwrap();
                tool.annotations.as_ref().unwrap().read_only_hint
            };
            assert_eq!((reads("search"), reads("bash")), (Some(true), Some(false)));
            assert!(text(&client.call("read_file", json!({ "path": "a.txt" })).await).contains("one"));
            let edited =
                client.call("edit_file", json!({ "path": "a.txt", "old": "one", "new": "two" })).await;
            assert_eq!(edited.is_error, Some(false), "{edited:?}");
            for wrong in
                [json!({ "path": "../../etc/passwd" }), json!({ "pat": 1 }), json!({ "path": "none" })]
            {
                let result = client.call("read_file", wrong.clone()).await;
                assert_eq!(result.is_error, Some(true), "{wrong}");
                assert!(!text(&result).is_empty());
            }
            let unknown = client.service.call_tool(called("ask_user", json!({}))).await;
            assert!(unknown.unwrap_err().to_string().contains("There is no tool `ask_user`"));
            client.leave().await;
        });
        let asked = person.asked();
        assert_eq!(asked.len(), 1);
        assert!(asked[0].0.contains("-one\n+two"), "{}", asked[0].0);
        assert_eq!(fs::read_to_string(home.file("work/a.txt")).unwrap(), "two\n");
        assert_eq!(home.sessions().len(), 1);
    }
}

#[test]
fn calls_at_once_have_a_session_each() {
    let home = Home::new();
    block_on(async {
        let client =
            Client::start(&home, &[TOOLS, &["--allow", "bash"]].concat(), &Person::default(), Era::Older)
                .await;
        // Each ends when the other has begun.
        let waits = |own: &str, other: &str| {
            let command = format!("touch {own}; until [ -e {other} ]; do sleep 0.01; done; echo both");
            client.call("bash", json!({ "command": command }))
        };
        let (first, second) = tokio::join!(waits("x", "y"), waits("y", "x"));
        assert!(text(&first).contains("both") && text(&second).contains("both"));
        client.leave().await;
    });
    assert_eq!(home.sessions().len(), 2);
}

#[test]
fn what_a_tool_asks_is_asked_at_the_client_and_secrets_are_not() {
    for era in BOTH {
        let home = Home::new();
        for (kind, says, heard) in [
            ("select", json!({ "answer": "the second" }), "the second"),
            ("confirm", json!({ "answer": "Yes" }), "yes"),
            ("input", json!({ "answer": "mitten" }), "mitten"),
            ("select", json!({ "answer": "the third" }), "The person gave no answer."),
            ("secret", json!({ "answer": "hunter2" }), "a client of MCP cannot show"),
        ] {
            let person = Person::saying(says.clone());
            let answer = block_on(async {
                let client = Client::start(&home, AGENT, &person, era).await;
                let answer = client.says(json!({ "message": format!("ask {kind}") })).await;
                client.leave().await;
                answer
            });
            assert!(answer["answer"].as_str().unwrap().contains(heard), "{kind}: {answer}");
            assert_eq!(person.asked().len(), usize::from(kind != "secret"));
        }
    }
}

#[test]
fn a_client_is_told_what_runs() {
    let home = Home::new();
    home.write("work/a.txt", "one\n");
    let person = Person::default();
    block_on(async {
        let client = Client::start(&home, AGENT, &person, Era::Older).await;
        client.says(json!({ "message": "read a.txt" })).await;
        client.leave().await;
    });
    assert_eq!(*person.progress.lock().unwrap(), ["Read a.txt"]);
}

#[test]
fn stop_reaches_the_command_and_the_conversation_goes_on() {
    let home = Home::new();
    let slow = "run touch begun; sleep 100; touch late";
    block_on(async {
        let allows = [AGENT, &["--allow", "bash"]].concat();
        let client = Client::start(&home, &allows, &Person::default(), Era::Older).await;
        let id = client.says(json!({ "message": "list" })).await["conversation"].clone();
        let said = called("ask_agent", json!({ "message": slow, "conversation": id }));
        {
            let call = client.service.call_tool(said);
            let begun = async {
                while !home.file("work/begun").exists() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            // A call that is dropped is cancelled.
            tokio::select! { _ = call => panic!("it does not end by itself"), () = begun => {} }
        }
        let answer = loop {
            let result = client.call("ask_agent", json!({ "message": "list", "conversation": id })).await;
            match result.structured_content {
                Some(answer) => break answer,
                None => assert!(text(&result).contains("is being answered"), "{result:?}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        assert!(answer["answer"].as_str().unwrap().contains("begun"), "{answer}");
        client.leave().await;
    });
    assert!(!home.file("work/late").exists());
    let exported = home.prints(&["export"]);
    assert!(exported.contains("aborted"), "it is written that it was stopped: {exported}");
}

#[test]
fn a_client_that_goes_away_in_mid_call_stops_it_and_nothing_runs_again() {
    let home = Home::new();
    let slow = "run echo once >> runs; sleep 100; touch late";
    let id = block_on(async {
        let allows = [AGENT, &["--allow", "bash"]].concat();
        let mut client = Client::start(&home, &allows, &Person::default(), Era::Older).await;
        let id = client.says(json!({ "message": "list" })).await["conversation"].clone();
        let said = called("ask_agent", json!({ "message": slow, "conversation": id }));
        let call = tokio::spawn({
            let peer = client.service.peer().clone();
            async move { peer.call_tool(said).await }
        });
        while !home.file("work/runs").exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        client.service.cancel().await.unwrap();
        let _ = call.await;
        assert!(ended(&mut client.child).success());
        id
    });
    block_on(async {
        let client = Client::start(&home, AGENT, &Person::default(), Era::Older).await;
        let answer = client.says(json!({ "message": "list", "conversation": id })).await;
        assert!(answer["answer"].as_str().unwrap().contains("runs"), "{answer}");
        client.leave().await;
    });
    assert_eq!(fs::read_to_string(home.file("work/runs")).unwrap(), "once\n");
    assert!(!home.file("work/late").exists());
}

#[test]
fn a_question_that_nobody_answers_is_no_yes_when_the_client_goes_away_or_the_program_is_ended() {
    for ends in [None, Some(Signal::TERM)] {
        let home = Home::new();
        let person = Person { is_away: true, ..Person::saying(json!({ "approved": true })) };
        block_on(async {
            let mut client = Client::start(&home, TOOLS, &person, Era::Older).await;
            let peer = client.service.peer().clone();
            let said = called("bash", json!({ "command": "touch made" }));
            let call = tokio::spawn(async move { peer.call_tool(said).await });
            while person.asked().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            match ends {
                None => drop(client.service.cancel().await.unwrap()),
                Some(signal) => kill_process(Pid::from_child(&client.child), signal).unwrap(),
            }
            assert!(ended(&mut client.child).success());
            let _ = call.await;
        });
        assert!(!home.file("work/made").exists());
        let exported = home.prints(&["export"]);
        assert!(exported.contains("\"aborted\"") || exported.contains("rejected"), "{exported}");
        assert_eq!(home.sessions()[0]["phase"], "idle");
    }
}

#[test]
fn after_a_kill_nothing_runs_again_before_a_person_has_said_so() {
    let home = Home::new();
    let slow = "run echo once >> runs; sleep 100";
    let allows = [AGENT, &["--allow", "bash"]].concat();
    let id = block_on(async {
        let mut client = Client::start(&home, &allows, &Person::default(), Era::Older).await;
        let id = client.says(json!({ "message": "list" })).await["conversation"].clone();
        let peer = client.service.peer().clone();
        let said = called("ask_agent", json!({ "message": slow, "conversation": id }));
        let call = tokio::spawn(async move { peer.call_tool(said).await });
        while !home.file("work/runs").exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        client.child.kill().unwrap();
        client.child.wait().unwrap();
        assert!(call.await.unwrap().is_err());
        id
    });
    block_on(async {
        let client = Client::start(&home, &allows, &Person::default(), Era::Older).await;
        let result = client.call("ask_agent", json!({ "message": "list", "conversation": id })).await;
        assert_eq!(result.is_error, Some(true));
        assert!(text(&result).contains("was left before its end"), "{}", text(&result));
        client.leave().await;
    });
    assert_eq!(fs::read_to_string(home.file("work/runs")).unwrap(), "once\n");
    // As the sentence says.
    let id = id.as_str().unwrap();
    let more = home.run(&["resume", id, "--model", "scripted", "--allow", "bash", "-p", "list"]);
    assert!(stderr(&more).contains("interrupted"), "{}", stderr(&more));
    assert_eq!(fs::read_to_string(home.file("work/runs")).unwrap(), "once\n");
}

#[test]
fn a_conversation_is_of_one_program_at_a_time_and_of_its_folder() {
    let home = Home::new();
    fs::create_dir(home.file("work/other")).unwrap();
    block_on(async {
        let person = Person::default();
        let allows = [AGENT, &["--allow", "bash"]].concat();
        let first = Client::start(&home, &allows, &person, Era::Older).await;
        let second = Client::start(&home, AGENT, &person, Era::Older).await;
        let elsewhere = Client::start(&home, &[&["other"], AGENT].concat(), &person, Era::Older).await;
        let id = first.says(json!({ "message": "list" })).await["conversation"].clone();
        let holds = "run touch begun; until [ -e go ]; do sleep 0.01; done";
        let running = first.says(json!({ "message": holds, "conversation": id }));
        let asked = async {
            while !home.file("work/begun").exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let other = second.call("ask_agent", json!({ "message": "list", "conversation": id })).await;
            assert_eq!(other.is_error, Some(true), "{other:?}");
            let same = first.call("ask_agent", json!({ "message": "list", "conversation": id })).await;
            assert!(text(&same).contains("is being answered"), "{same:?}");
            home.write("work/go", "");
            text(&other)
        };
        let (_, refused) = tokio::join!(running, asked);
        assert!(refused.contains("STORE_"), "{refused}");
        // It is free now.
        second.says(json!({ "message": "list", "conversation": id })).await;
        for (client, id) in [(&elsewhere, id), (&first, json!("made-up"))] {
            let result = client.call("ask_agent", json!({ "message": "list", "conversation": id })).await;
            assert!(text(&result).contains("There is no such conversation"), "{result:?}");
        }
        for client in [first, second, elsewhere] {
            client.leave().await;
        }
    });
}

#[test]
fn an_answer_counts_for_the_call_that_was_asked_about_alone() {
    let home = Home::new();
    let person = Person::saying(json!({ "approved": true }));
    block_on(async {
        let client = Client::start(&home, TOOLS, &person, Era::Newest).await;
        let call = called("bash", json!({ "command": "touch made" }));
        let rmcp::model::CallToolResponse::InputRequired(asked) =
            client.service.call_tool_once(call.clone()).await.unwrap()
        else {
            panic!("it is to be asked about")
        };
        let state = asked.request_state.unwrap();
        let yes = json!({ "action": "accept", "content": { "approved": true } });
        let answer = |mut call: CallToolRequestParams| {
            call.request_state = Some(state.clone());
            call.input_responses = Some([("answer".to_owned(), yes.clone())].into());
            call
        };
        let other =
            client.service.call_tool(answer(called("bash", json!({ "command": "touch other" })))).await;
        assert!(text(&other.unwrap()).contains("other arguments"));
        assert!(!home.file("work/made").exists() && !home.file("work/other").exists());
        let result = client.service.call_tool(answer(call.clone())).await.unwrap();
        assert_eq!(result.is_error, Some(false), "{result:?}");
        fs::remove_file(home.file("work/made")).unwrap();
        let again = client.service.call_tool(answer(call)).await.unwrap();
        assert!(text(&again).contains("Nothing is known of this call any more"), "{again:?}");
        client.leave().await;
    });
    assert!(!home.file("work/made").exists());
}

#[test]
fn bad_input_is_refused_and_the_standard_output_has_the_protocol_alone() {
    let home = Home::new();
    let mut child = home
        .glove(&["mcp", "--tools", "--model", "scripted", "--allow", "bash"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut read = String::new();
    let mut send = |line: &str| {
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    };
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "raw", "version": "1" } } });
    send(&hello.to_string());
    output.read_line(&mut read).unwrap();
    send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
    send("this is no JSON");
    send("{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": 1}");
    send("[1, 2]");
    send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/list" }).to_string());
    let call = |id: u32, name: &str, arguments: Value| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": arguments } })
            .to_string()
    };
    send(&call(2, "ask_agent", json!({ "message": " " })));
    send(&call(3, "ask_agent", json!({ "message": "list", "more": 1 })));
    send(&call(4, "ask_agent", json!({ "message": 7 })));
    send(&call(5, "no\u{1b}[2Jne", json!({})));
    send(&call(6, "bash", json!({ "command": "echo to the tool; echo and its errors >&2" })));
    send(&format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"{}\"}}", "x".repeat(17 << 20)));
    send(&call(8, "list_dir", json!({})));
    let mut answers = Vec::new();
    while !(2..=8).all(|id| id == 7 || answers.iter().any(|answer: &Value| answer["id"] == id)) {
        let mut line = String::new();
        assert!(output.read_line(&mut line).unwrap() > 0, "{answers:?}");
        answers.extend(json_lines(&line));
    }
    drop(input);
    assert!(ended(&mut child).success());
    let of = |id: u32| answers.iter().find(|answer| answer["id"] == id).unwrap();
    for id in [2, 3, 4] {
        assert_eq!(of(id)["result"]["isError"], true, "{}", of(id));
    }
    assert!(of(5)["error"]["message"].as_str().unwrap().contains("no\\u001B[2Jne"), "{}", of(5));
    assert!(of(6)["result"]["content"][0]["text"].as_str().unwrap().contains("to the tool"));
    assert_eq!(of(8)["result"]["isError"], false, "{}", of(8));
}

#[test]
fn the_lines_of_the_guide_start_it() {
    let guide = include_str!("../../../docs/guides/connect-mcp.md");
    let lines = guide.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let lines: Value = serde_json::from_str(lines).unwrap();
    let server = &lines["mcpServers"]["project"];
    assert_eq!(server["command"], "glove");
    let args: Vec<&str> =
        server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let ["mcp", folder] = args[..] else { panic!("{args:?}") };
    assert!(folder.starts_with('/'), "clients start it in a folder of their own");
    assert_eq!(server["env"].as_object().unwrap().keys().collect::<Vec<_>>(), ["ANTHROPIC_API_KEY"]);
    let home = Home::new();
    home.write("work/a.txt", "one of a\n");
    let folder = home.file("work");
    block_on(async {
        let args = [folder.to_str().unwrap(), "--model", "scripted"];
        let client = Client::start(&home, &args, &Person::default(), Era::Older).await;
        let answer = client.says(json!({ "message": "read a.txt" })).await;
        assert!(answer["answer"].as_str().unwrap().contains("one of a"), "{answer}");
        client.leave().await;
    });
}

//! Credentials of calls: given to one call, and in no file and no request of a model.

use std::sync::{Arc, Mutex};

use crate::support::wait::block_on;
use glove_wasm::message::SideOutput;
use glove_wasm::ports::{Credentials, Tool, ToolContext, ToolFailure};
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_task::runtime::{CredentialRequest, Workspace};
use glove_wasm_task::{FinishReason, ResultView, WorkspacePath};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{asked, builder, spec, worker, working_model, workspace};

type Answer = fn() -> Result<Credentials, ToolFailure>;

/// What a call may do with a secret that it must not keep.
const WAYS: [&str; 9] =
    ["return", "key", "number", "error", "step", "step error", "output", "file", "encoded"];

fn leaky(files: Arc<dyn Workspace>) -> Tool {
    Tool::new(
        "leak",
        "Says what it knows",
        json!({ "type": "object", "properties": { "way": { "type": "string" } } }),
        move |input: Value, context: ToolContext| {
            let files = Arc::clone(&files);
            async move {
                let secret = context.credential("TOKEN").unwrap_or("none").to_owned();
                let way = input["way"].as_str().unwrap_or_default();
                let nested = json!({ "deep": [secret, { "text": format!("<{secret}>") }] });
                Ok::<Value, ToolFailure>(match way {
                    "return" => nested,
                    "key" => json!({ (secret.clone()): 1, "inner": nested.to_string() }),
                    "number" => serde_json::from_str(&secret).unwrap_or(nested),
                    "error" => return Err(ToolFailure::new(format!("401 for {secret}"))),
                    "step" => {
                        let name = format!("ask {secret}");
                        context.step(&name, async || Ok::<_, ToolFailure>(nested)).await?
                    }
                    "step error" => {
                        let failing = async || Err::<Value, _>(ToolFailure::new(format!("no {secret}")));
                        context.step("ask", failing).await?
                    }
                    "output" => {
                        let data = serde_json::from_value::<Value>(nested)?.into();
                        context.output(SideOutput {
                            kind: "own".to_owned(),
                            data,
                            ..SideOutput::default()
                        })?;
                        context.file(format!("file of {secret}"), json!(secret).into())?;
                        json!("done")
                    }
                    "file" => {
                        let path = WorkspacePath::parse("progress/artifacts/log.txt")?;
                        files.write(&path, format!("GET /?key={secret}\n").into_bytes()).await?;
                        files.append(&path, nested.to_string().into_bytes()).await?;
                        json!("done")
                    }
                    _ => json!(format!("{} {nested}", json!(nested.to_string()))),
                })
            }
        },
    )
}

/// A task whose steps call the tool in each of these ways.
fn leaking_model(ways: &'static [&'static str]) -> ScriptedModel {
    ScriptedModel::by(move |_, seen| {
        let (request, rounds) = asked(seen);
        match ways.get(rounds) {
            Some(way) if request.contains("(s1)") => {
                Line::call("leak", &format!("c{rounds}"), json!({ "way": way }))
            }
            _ if request.contains("(s1)") => Line::text("Done."),
            _ => worker(seen),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12)
    ))]

    #[test]
    fn a_planted_secret_is_in_no_file_and_no_request(secret in r#"([!-~ünr]{6,20}|[1-9][0-9]{7}|n[a-z]{6}\\[nt"]x|tr"ue\{\}1)"#) {
        let asked_for = Arc::new(Mutex::new(Vec::new()));
        let (known, given) = (Arc::clone(&asked_for), secret.clone());
        let model = leaking_model(&WAYS);
        let agent = builder(&model)
            .tool_of_files(["act"], leaky)
            .credentials(move |request: CredentialRequest| {
                known.lock().unwrap().push(request);
                let own = Credentials::new([("TOKEN", given.clone())]);
                std::future::ready(Ok::<_, ToolFailure>(own))
            })
            .build()
            .unwrap();
        let files = workspace();
        let result = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap();
        prop_assert_eq!(result.finish_reason, Some(FinishReason::Completed));
        let calls: Vec<_> = result.steps.iter().flat_map(|step| &step.tool_calls).filter(|call| call.tool == "leak").collect();
        prop_assert_eq!(calls.len(), WAYS.len());
        let quoted = serde_json::to_string(&secret).unwrap();
        let quoted = &quoted[1..quoted.len() - 1];
        let inner = serde_json::to_string(quoted).unwrap();
        let forms = [secret.as_str(), quoted, &inner[1..inner.len() - 1]];
        let mut texts: Vec<(String, String)> = files
            .files()
            .into_iter()
            .map(|(path, content)| (path, String::from_utf8(content).unwrap()))
            .collect();
        texts.push(("the result".to_owned(), format!("{result:?}")));
        for seen in model.seen() {
            texts.push(("a request".to_owned(), format!("{} {}", seen.system_prompt, seen.texts().join(" "))));
            texts.push(("a request".to_owned(), serde_json::to_string(&seen.messages.iter().map(|message| format!("{message:?}")).collect::<Vec<_>>()).unwrap()));
        }
        for (place, text) in &texts {
            for form in forms {
                // The words of the tests themselves may stand in it.
                prop_assert!(!text.contains(form), "{place} has {form}: {text}");
            }
        }
        let files = files.text("progress/artifacts/log.txt").unwrap();
        prop_assert!(files.contains("GET /?key=[redacted]"), "{files}");
        // The record can still be read, and says which tool asked for what.
        let requests = asked_for.lock().unwrap();
        let leak = requests.iter().find(|request| request.tool == "leak").unwrap();
        prop_assert_eq!((leak.task_id.as_str(), leak.call_id.as_str()), ("t1", "c0"));
        prop_assert_eq!(requests.iter().filter(|request| request.tool == "leak").count(), WAYS.len());
    }
}

#[test]
fn only_the_call_that_asked_has_its_credentials() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let tool = |name: &'static str| {
        let seen = Arc::clone(&seen);
        Tool::new(name, "Looks", json!({ "type": "object" }), move |_: Value, context: ToolContext| {
            let of = |key: &str| context.credential(key).map(str::to_owned);
            seen.lock().unwrap().push((name, of("ONE"), of("TWO"), format!("{context:?}")));
            std::future::ready("done")
        })
    };
    let model = ScriptedModel::by(|_, seen| match asked(seen) {
        (request, 0) if request.contains("(s1)") => Line::call("one", "c1", json!({})),
        (request, 1) if request.contains("(s1)") => Line::call("two", "c2", json!({})),
        _ => worker(seen),
    });
    let agent = builder(&model)
        .tool(tool("one"))
        .tool(tool("two"))
        .credentials(async |request: CredentialRequest| {
            let all = [("one", "ONE", "secret-1"), ("two", "TWO", "secret-2")];
            let own = all.into_iter().filter(|(tool, ..)| *tool == request.tool);
            Ok::<_, ToolFailure>(Credentials::new(own.map(|(_, name, value)| (name, value))))
        })
        .build()
        .unwrap();
    block_on(agent.do_task(workspace(), spec(), ResultView::Minimal)).unwrap();
    let seen = seen.lock().unwrap();
    let own = |at: usize| (seen[at].0, seen[at].1.as_deref(), seen[at].2.as_deref());
    assert_eq!([own(0), own(1)], [("one", Some("secret-1"), None), ("two", None, Some("secret-2"))]);
    assert!(seen.iter().all(|(.., context)| !context.contains("secret")));
    assert!(!format!("{:?}", Credentials::new([("A", "secret-3")])).contains("secret"));
}

#[test]
fn a_call_without_its_credentials_does_not_run() {
    let ran = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&ran);
    let table: [(&str, Answer); 2] = [
        ("there are no credentials", || Err(ToolFailure::new("vault says hunter2-hunter2"))),
        ("shorter than 6 bytes", || Ok(Credentials::new([("PIN", "12345")]))),
    ];
    for (words, answer) in table {
        let counted = Arc::clone(&counted);
        let tool =
            Tool::new("leak", "Looks", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
                *counted.lock().unwrap() += 1;
                std::future::ready("done")
            });
        let agent = builder(&leaking_model(&["return"]))
            .tool(tool)
            .credentials(move |request: CredentialRequest| {
                std::future::ready(if request.tool == "leak" { answer() } else { Ok(Credentials::default()) })
            })
            .build()
            .unwrap();
        let files = workspace();
        block_on(agent.do_task(files.clone(), spec(), ResultView::Minimal)).unwrap();
        let record = files.text("progress/steps/act-1-s1/session.ndjson").unwrap();
        assert!(record.contains(words) && record.contains("TASK_CREDENTIALS_FAILED"), "{record}");
        assert!(!record.contains("hunter2") && !record.contains("12345"), "{record}");
    }
    assert_eq!(*ran.lock().unwrap(), 0);
}

#[test]
fn an_agent_without_a_broker_gives_nothing_and_strikes_nothing() {
    let model = leaking_model(&["return"]);
    let agent = builder(&model).tool_of_files(["act"], leaky).build().unwrap();
    let files = workspace();
    block_on(agent.do_task(files.clone(), spec(), ResultView::Minimal)).unwrap();
    assert!(files.text("progress/steps/act-1-s1/session.ndjson").unwrap().contains("<none>"));
    assert!(working_model().seen().is_empty());
}

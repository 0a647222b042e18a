//! What a person decides: permissions, approvals, questions on the display stack, and leaving meanwhile.

use crate::support::runtime::*;
use futures_util::future::join;
use glove_wasm::display::{DisplayError, Slot, SlotStatus};
use glove_wasm::json::Json;
use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
use glove_wasm::run::PhaseName;
use glove_wasm::run::input::Answer;
use glove_wasm::runtime::{Glove, Prompt, Renderer, Response};
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{Gate, Line, ScriptedModel};
use serde_json::{Value, json};

const DENIED: &str =
    "Permission denied for tool \"rm\". The user has not granted permission to run this tool.";

/// What a person does with a slot.
type Act = fn(&Glove, &str);

fn json(value: Value) -> Json {
    Json::from(value)
}

/// A model that calls `rm` in every request.
fn remover() -> ScriptedModel {
    ScriptedModel::by(|_, seen| match seen.messages.last().unwrap().tool_results {
        None => Line::call("rm", "", json!({ "path": "/tmp" })),
        Some(_) => Line::text("done"),
    })
}

/// Drives a request until something is on the display stack, and answers it.
async fn answered(agent: &Glove, prompt: &str, answer: impl FnOnce(&Slot)) -> Vec<String> {
    let mut request = held(agent.process_request(prompt));
    assert!(request.stays_open(), "nothing was asked");
    answer(agent.display().stack().last().unwrap());
    request.await.unwrap();
    assert_eq!(agent.display().stack(), []);
    transcript(&agent.messages())
}

#[test]
fn a_permission_is_asked_as_a_slot_and_remembered() {
    let notes = Notes::default();
    let model = remover();
    let agent = builder(&model, MemoryStore::new("s"))
        .fold(noting("rm", &notes).requires_permission())
        .build()
        .unwrap();
    block_on(async {
        answered(&agent, "one", |slot| {
            assert_eq!(slot.renderer, "permission_request");
            let shown = json!({ "renderer": "permission_request", "toolName": "rm", "toolInput": { "path": "/tmp" } });
            assert_eq!(slot.input.read::<Value>().unwrap(), shown);
            assert_eq!(agent.questions()[0].id, slot.id);
            assert_eq!(agent.display().resolve(&slot.id, json(json!(true))), Ok(true));
            assert_eq!(agent.display().resolve(&slot.id, json(json!(false))), Ok(false), "it is answered");
        })
        .await;
        agent.process_request("two").await.unwrap();
    });
    assert_eq!(notes.all(), ["rm", "rm"]);
}

#[test]
fn a_permission_is_denied_dismissed_or_given_once() {
    let answers: [(&str, Act, &str, bool); 5] = [
        (
            "denied",
            |agent, id| assert!(agent.display().resolve(id, json(json!(false))).unwrap()),
            DENIED,
            false,
        ),
        ("dismissed", |agent, id| assert!(agent.display().reject(id, None)), DENIED, true),
        (
            "dismissed, and why",
            |agent, id| assert!(agent.display().reject(id, Some("Not on a Friday.".to_owned()))),
            "Permission denied for tool \"rm\". The user has not granted permission to run this tool. They say: Not on a Friday.",
            true,
        ),
        ("removed", |agent, id| assert!(agent.display().remove_slot(id)), DENIED, true),
        (
            "once",
            |agent, id| assert!(agent.display().resolve(id, json(json!("once"))).unwrap()),
            "rm done",
            true,
        ),
    ];
    for (name, decide, result, asked_again) in answers {
        let notes = Notes::default();
        let model = remover();
        let agent = builder(&model, MemoryStore::new("s"))
            .fold(noting("rm", &notes).requires_permission())
            .build()
            .unwrap();
        block_on(async {
            let record = answered(&agent, "one", |slot| decide(&agent, &slot.id)).await;
            let said = record[2].split_once(' ').unwrap().1.split_once(' ').unwrap().1.replace("error: ", "");
            assert_eq!(said, result, "{name}");
            let mut second = held(agent.process_request("two"));
            assert_eq!(second.stays_open(), asked_again, "{name}");
        });
    }
}

#[test]
fn what_is_no_answer_is_refused_and_the_question_stays() {
    let notes = Notes::default();
    let agent = builder(&remover(), MemoryStore::new("s"))
        .fold(noting("rm", &notes).requires_permission())
        .build()
        .unwrap();
    block_on(answered(&agent, "one", |slot| {
        let refused = agent.display().resolve(&slot.id, json(json!("yes")));
        assert!(matches!(refused, Err(DisplayError::WrongOutput { .. })));
        assert_eq!(agent.display().resolve("no such slot", json(json!(true))), Ok(false));
        assert!(!agent.display().reject("__proto__", None));
        assert!(agent.display().resolve(&slot.id, json(json!(true))).unwrap());
    }));
}

#[test]
fn a_gate_by_input_asks_for_each_input_and_fails_closed() {
    #[derive(serde::Deserialize)]
    struct Path {
        path: String,
    }
    let notes = Notes::default();
    let call = |path: Value| Line::call("rm", "", json!({ "path": path }));
    let model = ScriptedModel::new([
        call(json!("/home")),
        Line::text("1"),
        call(json!("/home")),
        Line::text("2"),
        call(json!("/tmp")),
        Line::text("3"),
        call(json!("/etc")),
        Line::text("4"),
        call(json!(7)),
        Line::text("5"),
    ]);
    let rm = noting("rm", &notes).permission_if(|input: &Path| input.path != "/tmp");
    let agent = builder(&model, MemoryStore::new("s")).fold(rm).build().unwrap();
    let allow = |slot: &Slot| assert!(agent.display().resolve(&slot.id, json(json!(true))).unwrap());
    block_on(async {
        answered(&agent, "first time", allow).await;
        agent.process_request("remembered for this input").await.unwrap();
        agent.process_request("not needed").await.unwrap();
        answered(&agent, "another input", allow).await;
        answered(&agent, "cannot be read", |slot| assert!(agent.display().reject(&slot.id, None))).await;
    });
    assert_eq!(notes.all().len(), 4);
}

#[test]
fn an_approval_is_left_and_continued_by_another_session_over_the_same_store() {
    for approves in [true, false] {
        let (notes, store) = (Notes::default(), MemoryStore::new("s"));
        let calls = || {
            Line::call("a", "c1", json!({})).and_call("pay", "c2", json!({ "to": "Ann" })).and_call(
                "b",
                "c3",
                json!({}),
            )
        };
        let pay = |notes: &Notes| noting("pay", notes).requires_approval("It costs money.");
        let build = |model: &ScriptedModel, prefix: &str| {
            let tools = numbered(model, store.clone(), prefix);
            tools.fold(noting("a", &notes)).fold(pay(&notes)).fold(noting("b", &notes)).build().unwrap()
        };
        block_on(async {
            let first = build(&ScriptedModel::new([calls()]), "first");
            let left = first.process_request(Prompt::new("go").leave_when_waiting(true)).await.unwrap();
            let Response::Waiting { questions } = left else { panic!("{left:?}") };
            assert_eq!(questions[0].reason.as_deref(), Some("It costs money."));
            drop(first);

            let model = ScriptedModel::new([Line::text("done")]);
            let second = build(&model, "second");
            second.session().opened().await.unwrap();
            assert_eq!(second.session().phase(), PhaseName::Waiting);
            assert_eq!(second.questions(), questions);
            let unknown = second.approve("someone else's").await.unwrap_err();
            assert_eq!(unknown.code(), "APPROVAL_CLOSED");
            let response = match approves {
                true => second.approve("c2").await,
                false => second.reject(&questions[0].id, Some("too dear".to_owned())).await,
            };
            assert_eq!(response.unwrap().text(), "done");
            assert_eq!(second.display().stack(), []);
            let pay = if approves { "pay done" } else { "error: The user rejected this: too dear" };
            assert_eq!(
                transcript(&second.messages())[2],
                format!("results: c1 a done | c2 {pay} | c3 b done")
            );
        });
        let ran: &[&str] = if approves { &["a", "pay", "b"] } else { &["a", "b"] };
        assert_eq!(notes.all(), ran);
    }
}

#[test]
fn whoever_resumes_until_it_is_done_is_told_the_end_and_not_that_it_waits() {
    let (notes, store) = (Notes::default(), MemoryStore::new("s"));
    let build = |model: &ScriptedModel, prefix: &str| {
        let pay = noting("pay", &notes).requires_approval("It costs money.");
        numbered(model, store.clone(), prefix).fold(pay).build().unwrap()
    };
    block_on(async {
        let first = build(&ScriptedModel::new([Line::call("pay", "c1", json!({}))]), "first");
        let left = first.process_request(Prompt::new("go").leave_when_waiting(true)).await.unwrap();
        assert!(matches!(left, Response::Waiting { .. }));
        drop(first);

        let second = build(&ScriptedModel::new([Line::text("done")]), "second");
        let done = second.session().resume_until_done();
        let waits = second.session().resume();
        let Ok(Response::Waiting { questions }) = waits.await else { panic!("it had asked") };
        let answer = Answer::Allow { remember: false };
        assert!(second.session().answer(&questions[0].id, answer));
        assert_eq!(done.await.unwrap().text(), "done");
    });
    assert_eq!(notes.all(), ["pay"]);
}

#[test]
fn of_answers_that_are_given_at_once_the_first_counts_and_the_others_are_told() {
    let yes = || Answer::Allow { remember: false };
    type Way = fn(&Glove, &str) -> bool;
    let ways: [Way; 3] = [
        |agent, id| agent.session().answer(id, Answer::Deny { remember: false, reason: None }),
        |agent, _| {
            let call = agent.questions()[0].call_id.clone().unwrap();
            agent.session().answer(&call, Answer::Deny { remember: false, reason: None })
        },
        |agent, id| agent.session().answer_slot(id, Ok(json(json!(false)))).unwrap(),
    ];
    for second in ways {
        let notes = Notes::default();
        let agent = builder(&remover(), MemoryStore::new("s"))
            .fold(noting("rm", &notes).requires_permission())
            .build()
            .unwrap();
        block_on(answered(&agent, "one", |slot| {
            // What is no answer leaves the question open.
            assert!(agent.session().answer_slot(&slot.id, Ok(json(json!("perhaps")))).is_err());
            assert!(agent.session().answer(&slot.id, yes()));
            assert!(!second(&agent, &slot.id));
            assert!(!agent.session().answer("another", yes()));
        }));
        assert_eq!(notes.all(), ["rm"]);
    }
    let notes = Notes::default();
    let agent = builder(&remover(), MemoryStore::new("s"))
        .fold(noting("rm", &notes).requires_permission())
        .build()
        .unwrap();
    block_on(answered(&agent, "one", |slot| {
        assert!(agent.session().answer_slot(&slot.id, Ok(json(json!(false)))).unwrap());
        assert!(!agent.session().answer(&slot.id, yes()));
    }));
    assert_eq!(notes.all(), [""; 0]);
}

#[test]
fn an_answer_through_the_session_takes_the_slot_away() {
    let notes = Notes::default();
    let agent = builder(&remover(), MemoryStore::new("s"))
        .fold(noting("rm", &notes).requires_permission())
        .build()
        .unwrap();
    block_on(answered(&agent, "one", |slot| {
        agent.session().answer(&slot.id, Answer::Allow { remember: true });
    }));
    assert_eq!(notes.all(), ["rm"]);
}

fn greeter() -> Tool {
    Tool::new("greet", "Greets", json!({}), |input: Value, context: ToolContext| async move {
        let style: String =
            context.display.push_and_wait("select", &json!({ "options": ["formal", "casual"] })).await?;
        let name = input.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok::<_, ToolFailure>(format!("{}, {name}!", if style == "formal" { "Good day" } else { "Hey" }))
    })
}

fn greeting() -> ScriptedModel {
    ScriptedModel::new([Line::call("greet", "c1", json!({ "name": "Don" })), Line::text("greeted")])
}

#[test]
fn a_tool_asks_waits_and_goes_on_with_the_answer() {
    let agent = builder(&greeting(), MemoryStore::new("s")).fold(greeter()).build().unwrap();
    block_on(async {
        let mut request = held(agent.process_request("greet Don"));
        assert!(request.stays_open());
        let slot = agent.display().stack().remove(0);
        assert_eq!((slot.owner.as_deref(), slot.waits, slot.created_at), (Some("c1"), true, 1_000));
        let wrong = agent.display().resolve(&slot.id, json(json!(7)));
        assert!(matches!(wrong, Err(DisplayError::WrongOutput { .. })), "the tool waits for a text");
        assert!(agent.display().resolve(&slot.id, json(json!("formal"))).unwrap());
        assert!(!agent.display().resolve(&slot.id, json(json!("casual"))).unwrap());
        request.await.unwrap();
        assert_eq!(transcript(&agent.messages())[2], "results: c1 Good day, Don!");
        let stays = agent.display().stack();
        assert_eq!((stays.len(), stays[0].status), (1, SlotStatus::Resolved));
    });
}

#[test]
fn a_question_that_is_turned_down_or_taken_away_ends_the_call_once() {
    let ends: [(Act, &str); 3] = [
        (
            |agent, id| assert!(agent.display().reject(id, Some("no time".to_owned()))),
            "The user rejected this: no time",
        ),
        (
            |agent, id| assert!(agent.display().remove_slot(id)),
            "The user rejected this: the question was removed before it was answered",
        ),
        (
            |agent, _| agent.display().clear_stack(),
            "The user rejected this: the display was cleared before the question was answered",
        ),
    ];
    for (end, said) in ends {
        // Even a tool that may be repeated does not ask again.
        let agent =
            builder(&greeting(), MemoryStore::new("s")).fold(greeter().idempotent(3)).build().unwrap();
        block_on(async {
            let mut request = held(agent.process_request("greet Don"));
            assert!(request.stays_open());
            end(&agent, &agent.display().stack()[0].id);
            request.await.unwrap();
        });
        assert_eq!(transcript(&agent.messages())[2], format!("results: c1 error: {said}"));
    }
}

#[test]
fn a_listener_that_answers_from_inside_notify_does_not_block() {
    let agent = builder(&greeting(), MemoryStore::new("s")).fold(greeter()).build().unwrap();
    let display = agent.display().clone();
    agent.display().subscribe(move |stack: &[Slot]| {
        for slot in stack.iter().filter(|slot| slot.waits) {
            display.resolve(&slot.id, json(json!("casual"))).unwrap();
        }
    });
    block_on(agent.process_request("greet Don")).unwrap();
    assert_eq!(transcript(&agent.messages())[2], "results: c1 Hey, Don!");
}

#[test]
fn a_renderer_refuses_inputs_and_answers_that_do_not_fit() {
    #[derive(serde::Deserialize)]
    #[allow(dead_code)]
    struct Options {
        options: Vec<String>,
    }
    let agent = builder(&greeting(), MemoryStore::new("s")).fold(greeter()).build().unwrap();
    agent.display().register_renderer(Renderer::new("select").input::<Vec<u8>>());
    block_on(agent.process_request("greet Don")).unwrap();
    let told = transcript(&agent.messages())[2].clone();
    assert!(told.contains("the input does not match the schema of the renderer `select`"), "{told}");

    let agent = builder(&greeting(), MemoryStore::new("s")).fold(greeter()).build().unwrap();
    agent.display().register_renderer(Renderer::new("select").input::<Options>().output::<char>());
    block_on(async {
        let mut request = held(agent.process_request("greet Don"));
        assert!(request.stays_open());
        let id = agent.display().stack()[0].id.clone();
        assert!(agent.display().resolve(&id, json(json!("formal"))).is_err());
        assert!(agent.display().resolve(&id, json(json!("f"))).unwrap());
        request.await.unwrap();
    });
}

#[test]
fn what_a_call_shows_stays_after_it_and_goes_when_it_is_cancelled() {
    let gate = Gate::new();
    let shows = |name: &'static str, gate: Option<Gate>| {
        Tool::new(name, "", json!({}), move |_: Value, context: ToolContext| {
            let gate = gate.clone();
            async move {
                context.display.push_and_forget("card", &json!({ "of": context.tool_name }))?;
                if let Some(gate) = gate {
                    gate.pass().await;
                }
                Ok::<_, ToolFailure>(())
            }
        })
    };
    let model = ScriptedModel::new([Line::call("a", "c1", json!({})).and_call("b", "c2", json!({}))]);
    let agent = builder(&model, MemoryStore::new("s"))
        .fold(shows("a", None))
        .fold(shows("b", Some(gate.clone())))
        .build()
        .unwrap();
    block_on(async {
        let mut request = held(agent.process_request("go"));
        request.until(gate.reached()).await;
        assert_eq!(agent.display().stack().len(), 2);
        agent.abort();
        request.await.unwrap_err();
    });
    let owners: Vec<_> = agent.display().stack().into_iter().map(|slot| slot.owner.unwrap()).collect();
    assert_eq!(owners, ["c1"]);
}

#[test]
fn a_budget_pauses_or_asks_and_goes_on() {
    use glove_wasm::run::settings::Budgets;
    for asks in [false, true] {
        let notes = Notes::default();
        let model = ScriptedModel::new([
            Line::call("a", "c1", json!({})),
            Line::call("a", "c2", json!({ "n": 2 })),
            Line::text("done"),
        ]);
        let budgets = Budgets { turns: Some(2), ask: asks, ..Budgets::default() };
        let agent = builder(&model, MemoryStore::new("s"))
            .fold(noting("a", &notes))
            .budgets(budgets)
            .build()
            .unwrap();
        block_on(async {
            if asks {
                let mut request = held(agent.process_request("go"));
                assert!(request.stays_open());
                let slot = agent.display().stack().remove(0);
                assert_eq!(slot.renderer, "budget_reached");
                assert!(agent.display().resolve(&slot.id, json(json!(true))).unwrap());
                assert_eq!(request.await.unwrap().text(), "done");
            } else {
                let paused = agent.process_request("go").await.unwrap();
                assert!(matches!(paused, Response::Paused { .. }), "{paused:?}");
                assert_eq!(agent.resume().await.unwrap().text(), "done");
            }
        });
        assert_eq!(agent.messages().len(), 6);
    }
}

#[test]
fn someone_who_waits_and_someone_who_answers_both_hear_of_the_end() {
    let notes = Notes::default();
    let agent = builder(&remover(), MemoryStore::new("s"))
        .fold(noting("rm", &notes).requires_approval("why"))
        .build()
        .unwrap();
    block_on(async {
        let mut request = held(agent.process_request("go"));
        assert!(request.stays_open());
        let question = agent.questions().remove(0);
        let (approved, asked) = join(agent.approve(&question.id), request).await;
        assert_eq!(approved.unwrap().text(), "done");
        assert_eq!(asked.unwrap().text(), "done");
    });
}

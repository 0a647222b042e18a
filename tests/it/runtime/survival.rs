//! A whole session whose process dies before and after every write, taken up by another one over what was stored.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::runtime::*;
use glove_wasm::display::{Slot, SlotStatus};
use glove_wasm::error::StoreError;
use glove_wasm::json::Json;
use glove_wasm::message::Message;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Durability, Loaded, PermissionStatus, StoreAdapter, Tool, ToolContext, ToolFailure};
use glove_wasm::run::PhaseName;
use glove_wasm::run::checkpoint::Unsaved;
use glove_wasm::run::settings::Compaction;
use glove_wasm::runtime::{Glove, Prompt};
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{Gate, Line, ScriptedModel, Seen};
use serde_json::{Value, json};

/// A store that a process loses at its `n`-th write, before that is done or after.
#[derive(Debug, Clone)]
struct Dying {
    inner: MemoryStore,
    at: usize,
    stored: bool,
    writes: Arc<AtomicUsize>,
    dead: Arc<AtomicBool>,
}

impl Dying {
    fn new(inner: &MemoryStore, at: usize, stored: bool) -> Self {
        let (writes, dead) = (Arc::default(), Arc::default());
        Dying { inner: inner.clone(), at, stored, writes, dead }
    }

    fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }
}

impl StoreAdapter for Dying {
    fn identifier(&self) -> String {
        self.inner.identifier()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        self.inner.load()
    }

    fn append(&self, step: Unsaved<'_>, how: Durability) -> BoxFuture<'static, Result<(), StoreError>> {
        let was_dead = self.is_dead();
        let dies = self.writes.fetch_add(1, Ordering::Relaxed) + 1 == self.at;
        self.dead.fetch_or(dies, Ordering::Relaxed);
        let writes = !was_dead && (!dies || self.stored);
        let written = writes.then(|| self.inner.append(step, how));
        written.filter(|_| !dies).unwrap_or_else(|| Box::pin(std::future::pending()))
    }

    fn permission(
        &self,
        tool: &str,
        input: Option<&Json>,
    ) -> BoxFuture<'static, Result<PermissionStatus, StoreError>> {
        self.inner.permission(tool, input)
    }

    fn set_permission(
        &self,
        tool: &str,
        input: Option<&Json>,
        granted: bool,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        self.inner.set_permission(tool, input, granted)
    }
}

/// What the tools did, over all processes.
#[derive(Clone, Default)]
struct Work {
    ran: Notes,
    /// Whether the person was asked about a call that was cut off.
    asked: Notes,
    /// Model requests that no provider would take.
    refused: Notes,
}

fn script(work: &Work) -> ScriptedModel {
    let refused = work.refused.clone();
    ScriptedModel::by(move |_, seen: &Seen| {
        if let Some(why) = wrong(&seen.messages) {
            refused.add(&why);
        }
        if seen.tools.is_empty() {
            return Line::text("a summary").tokens(20, 5);
        }
        let has = |tool: &str| seen.messages.iter().any(|m| m.results().iter().any(|r| r.tool_name == tool));
        let summed = seen.messages.iter().any(|message| message.is_compaction);
        if has("pay") {
            return Line::text("all done");
        }
        if has("order") {
            return Line::call("pay", "c6", json!({}));
        }
        if summed {
            return Line::call("order", "c5", json!({}));
        }
        if has("rm") {
            return Line::call("note", "c4", json!({})).tokens(5_000, 5);
        }
        if has("look") {
            return Line::call("rm", "c3", json!({}));
        }
        Line::call("look", "c1", json!({ "n": 1 })).and_call("look", "c2", json!({ "n": 2 }))
    })
}

/// What a provider would say against these messages.
fn wrong(messages: &[Message]) -> Option<String> {
    let mut after = messages.iter().skip(1).map(Some).chain([None]);
    for message in messages {
        let next = after.next().flatten();
        let calls: Vec<&str> = message.calls().iter().map(|call| call.id()).collect();
        let results = next.map(Message::results).unwrap_or_default();
        let answered: Vec<&str> = results.iter().filter_map(|result| result.call_id.as_deref()).collect();
        if calls != answered {
            return Some(format!("{calls:?} were answered by {answered:?}"));
        }
    }
    None
}

fn agent(store: impl StoreAdapter + 'static, work: &Work, process: usize) -> Glove {
    let schema = || json!({ "type": "object" });
    let simple = |name: &'static str| {
        let ran = work.ran.clone();
        Tool::new(name, "", schema(), move |_: Value, _: ToolContext| {
            ran.add(name);
            async move { format!("{name} done") }
        })
    };
    let ran = work.ran.clone();
    // Neither idempotent nor to be run again: a form of two questions with a step between.
    let order = Tool::new("order", "", schema(), move |_: Value, context: ToolContext| {
        let ran = ran.clone();
        async move {
            let display = &context.display;
            display.push_and_forget("card", &"order")?;
            let street: String = display.push_and_wait("form", &"where").await?;
            let reserve = ran.clone();
            let number: u32 = context
                .step("reserve", || async move {
                    reserve.add("reserve");
                    Ok::<_, ToolFailure>(7)
                })
                .await?;
            let day: String = display.push_and_wait("form", &"when").await?;
            ran.add("order");
            Ok::<_, ToolFailure>(format!("{street} {number} {day}"))
        }
    });
    let prefix = format!("process{process}");
    numbered(&script(work), store, &prefix)
        .compaction(Compaction { context_limit: 1_000, ..Compaction::default() })
        .fold(simple("look").parallel())
        .fold(simple("rm").requires_permission())
        .fold(simple("note"))
        .fold(order)
        .fold(simple("pay").requires_approval("It costs money."))
        .build()
        .unwrap()
}

/// A person who answers whatever is on the display.
fn answer_all(agent: &Glove, work: &Work) {
    for slot in agent.display().stack().into_iter().filter(|slot| slot.waits) {
        let said = match slot.renderer.as_str() {
            "form" if slot.input.as_str() == "\"where\"" => json!("Main Street"),
            "form" => json!("Monday"),
            "interrupted_call" => {
                let tool: Value = slot.input.read().unwrap();
                work.asked.add(tool["toolName"].as_str().unwrap());
                json!(true)
            }
            _ => json!(true),
        };
        agent.display().resolve(&slot.id, Json::from(said)).unwrap();
    }
}

/// Plays one process until it is through or dead.
fn play(agent: &Glove, dead: impl Fn() -> bool, work: &Work) {
    block_on(agent.session().opened()).unwrap();
    let begun = !agent.messages().is_empty();
    let mut request = match begun {
        true => held(agent.session().resume()),
        false => {
            let prompt = Prompt { id: Some("r1".to_owned()), ..Prompt::new("Do it all") };
            held(agent.process_request(prompt))
        }
    };
    for _ in 0..200 {
        let open = request.stays_open();
        if dead() || agent.session().phase() == PhaseName::Idle && begun {
            return;
        }
        if !open {
            if agent.session().phase() == PhaseName::Idle {
                return;
            }
            // It left because it waits for a person.
            request = held(agent.session().resume());
        }
        answer_all(agent, work);
    }
    panic!("it does not end: {:?} {:?}", agent.session().phase(), transcript(&agent.messages()));
}

fn whole() -> (Vec<String>, usize) {
    let (work, inner) = (Work::default(), MemoryStore::new("s"));
    let store = Dying::new(&inner, usize::MAX, false);
    let agent = agent(store.clone(), &work, 0);
    play(&agent, || false, &work);
    assert_eq!(work.ran.all(), ["look", "look", "rm", "note", "reserve", "order", "pay"]);
    assert_eq!((work.asked.all(), work.refused.all()), (vec![], vec![]));
    assert!(agent.messages().iter().any(|message| message.is_compaction));
    assert_eq!(inner.messages(), agent.messages());
    (transcript(&inner.messages()), store.writes.load(Ordering::Relaxed))
}

#[test]
fn a_session_that_dies_at_any_write_ends_as_if_it_had_not() {
    let (transcript_of_all, writes) = whole();
    assert!(writes >= 25, "{writes}");
    let mut went_on = 0;
    for at in 1..=writes {
        for stored in [false, true] {
            let (work, inner) = (Work::default(), MemoryStore::new("s"));
            let first = Dying::new(&inner, at, stored);
            {
                let agent = agent(first.clone(), &work, 1);
                play(&agent, || first.is_dead(), &work);
            }
            assert!(first.is_dead() || at == writes, "{at}");
            let again = agent(inner.clone(), &work, 2);
            play(&again, || false, &work);
            let place = format!("{at} {stored}");
            assert_eq!(transcript(&inner.messages()), transcript_of_all, "{place}");
            assert_eq!(work.refused.all(), [""; 0], "{place}");
            let (ran, asked) = (work.ran.all(), work.asked.all());
            let count = |names: &[String], name: &str| names.iter().filter(|other| *other == name).count();
            for (tool, once) in
                [("look", 2), ("rm", 1), ("note", 1), ("order", 1), ("pay", 1), ("reserve", 1)]
            {
                let about = if tool == "reserve" { "order" } else { tool };
                let times = count(&ran, tool);
                assert!(
                    times >= once && times <= once + count(&asked, about),
                    "{place}: {tool} {times} {asked:?}"
                );
            }
            // In the middle of the form nothing is asked but the form.
            went_on += usize::from(asked.is_empty() && at > 1);
        }
    }
    assert!(went_on > writes, "{went_on} of {}", 2 * writes);
}

#[test]
fn a_form_is_there_again_with_its_slot_and_the_answers_that_were_given() {
    let (work, store) = (Work::default(), MemoryStore::new("s"));
    let until = |agent: &Glove, input: &str| {
        let prompt = Prompt { id: Some("r1".to_owned()), ..Prompt::new("go") };
        let mut request = match agent.messages().is_empty() {
            true => held(agent.process_request(prompt)),
            false => held(agent.session().resume()),
        };
        for _ in 0..60 {
            request.stays_open();
            let stack = agent.display().stack();
            if stack.iter().any(|slot| slot.waits && slot.input.as_str() == input) {
                return stack;
            }
            answer_all(agent, &work);
        }
        panic!("it did not ask {input}")
    };
    let open = |process| {
        let agent = agent(store.clone(), &work, process);
        block_on(agent.session().opened()).unwrap();
        agent
    };
    let first = open(1);
    let shown = until(&first, "\"when\"");
    assert_eq!(first.session().phase(), PhaseName::Waiting);
    drop(first);
    for process in 2..4 {
        let next = open(process);
        let again = until(&next, "\"when\"");
        assert_eq!(again, shown, "the card, the answered question and the open one, as they were");
        assert_eq!(next.session().phase(), PhaseName::Waiting);
    }
    let states: Vec<(SlotStatus, bool)> = shown.iter().map(|slot| (slot.status, slot.waits)).collect();
    use SlotStatus::{Pending, Resolved};
    assert_eq!(states, [(Pending, false), (Resolved, false), (Pending, true)]);
    assert_eq!(work.ran.all(), ["look", "look", "rm", "note", "reserve"]);
    let last = open(4);
    play(&last, || false, &work);
    assert!(transcript(&store.messages()).contains(&"results: c5 Main Street 7 Monday".to_owned()));
    // What stayed on the display stays over a reload too.
    let left = open(5).display().stack();
    assert_eq!(
        left.iter().map(|slot| &slot.id).collect::<Vec<_>>(),
        shown.iter().map(|slot| &slot.id).collect::<Vec<_>>()
    );
    assert!(last.display().remove_slot(&left[0].id));
    let mut request = held(last.session().resume());
    request.stays_open();
    assert_eq!(open(6).display().stack().len(), 2);
}

/// A tool that asks, does what `between` does, and asks again; and what a second process comes to while it waits.
fn second_time(
    beside: bool,
    between: impl Fn(Gate) -> BoxFuture<'static, ()> + Send + Sync + Clone + 'static,
) -> Vec<Slot> {
    let (store, asks) = (MemoryStore::new("s"), Arc::new(Mutex::new(0)));
    let gate = Gate::new();
    let build = |process: &str| {
        let (between, gate, asks) = (between.clone(), gate.clone(), Arc::clone(&asks));
        let tool =
            Tool::new("form", "", json!({ "type": "object" }), move |_: Value, context: ToolContext| {
                let (between, gate, asks) = (between.clone(), gate.clone(), Arc::clone(&asks));
                async move {
                    let sure = context.display.push_and_wait::<bool>("confirm", &1);
                    let sure = if beside {
                        // It waits for both, and who knows what the other one does.
                        futures_util::future::join(sure, between(gate)).await.0
                    } else {
                        let sure = sure.await;
                        between(gate).await;
                        sure
                    };
                    sure?;
                    *asks.lock().unwrap() += 1;
                    let _: bool = context.display.push_and_wait("confirm", &2).await?;
                    Ok::<_, ToolFailure>("done")
                }
            });
        let model = ScriptedModel::new([Line::call("form", "c1", json!({})), Line::text("done")]);
        numbered(&model, store.clone(), process).fold(tool).build().unwrap()
    };
    let first = build("one");
    let mut request = held(first.process_request("go"));
    assert!(request.stays_open());
    let id = first.display().stack()[0].id.clone();
    if beside {
        gate.open();
        assert!(request.stays_open());
    }
    assert!(first.display().resolve(&id, Json::from(json!(true))).unwrap());
    if !beside {
        assert!(request.stays_open());
    }
    gate.open();
    assert!(request.stays_open());
    assert_eq!(*asks.lock().unwrap(), 1);
    drop((request, first));
    let second = build("two");
    block_on(second.session().opened()).unwrap();
    let mut resumed = held(second.session().resume());
    resumed.stays_open();
    second.display().stack().into_iter().filter(|slot| slot.waits).collect()
}

#[test]
fn a_tool_that_waited_for_anything_else_between_its_questions_is_asked_about() {
    let at_once = second_time(false, |_| Box::pin(async {}));
    assert_eq!((at_once.len(), at_once[0].renderer.as_str(), at_once[0].input.as_str()), (1, "confirm", "2"));
    for beside in [false, true] {
        let elsewhere = second_time(beside, |gate| Box::pin(async move { gate.pass().await }));
        assert_eq!((elsewhere.len(), elsewhere[0].renderer.as_str()), (1, "interrupted_call"), "{beside}");
    }
}

#[test]
fn a_secret_is_written_nowhere_and_is_asked_for_again() {
    let store = MemoryStore::new("s");
    let build = |process: &str| {
        let tool = Tool::new(
            "connect",
            "",
            json!({ "type": "object" }),
            |_: Value, context: ToolContext| async move {
                let key: String = context.display.push_and_wait("secret", &"the key").await?;
                let sure: bool = context.display.push_and_wait("confirm", &"sure?").await?;
                Ok::<_, ToolFailure>(format!("{} {sure}", key.len()))
            },
        );
        let model = ScriptedModel::new([Line::call("connect", "c1", json!({})), Line::text("done")]);
        numbered(&model, store.clone(), process).fold(tool).build().unwrap()
    };
    let stored = || format!("{:?}", block_on(store.load()).unwrap());
    let waiting = |agent: &Glove| -> Vec<(String, String)> {
        let open = agent.display().stack().into_iter().filter(|slot| slot.waits);
        open.map(|slot| (slot.id, slot.renderer)).collect()
    };
    let first = build("one");
    let mut request = held(first.process_request("go"));
    assert!(request.stays_open());
    let secret = waiting(&first)[0].0.clone();
    assert!(first.display().resolve(&secret, Json::from(json!("hunter2"))).unwrap());
    assert!(request.stays_open());
    assert_eq!(waiting(&first)[0].1, "confirm");
    assert!(stored().contains("connect") && !stored().contains("hunter2"), "{}", stored());
    drop((request, first));

    let second = build("two");
    block_on(second.session().opened()).unwrap();
    let mut resumed = held(second.session().resume());
    assert!(resumed.stays_open());
    let again = waiting(&second);
    assert_eq!((again[0].0.as_str(), again[0].1.as_str()), (secret.as_str(), "secret"));
    for (id, renderer) in again {
        let answer = if renderer == "secret" { json!("hunter22") } else { json!(true) };
        assert!(second.display().resolve(&id, Json::from(answer)).unwrap());
        resumed.stays_open();
    }
    assert!(transcript(&store.messages()).contains(&"results: c1 8 true".to_owned()));
    assert!(!stored().contains("hunter2"));
}

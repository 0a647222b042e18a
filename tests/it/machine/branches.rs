//! Branches: messages in the place of earlier ones, going back to what was left, and sessions made of a part of another.

use std::sync::Arc;

use std::collections::HashMap;
use std::time::Duration;

use crate::support::machine::*;
use crate::support::work_time::work_time;
use glove_wasm::message::{ContentPart, ContentSource, Message};
use glove_wasm::run::input::{Input, Request, WhenBusy};
use glove_wasm::run::settings::Settings;
use glove_wasm::run::views::timeline::{Timeline, TimelineEntry};
use glove_wasm::run::{Alternatives, OutOfProtocol, PhaseName, Run};
use proptest::prelude::*;

fn again(id: &str) -> Input {
    Input::Request(Box::new(Request { regenerate: true, ..request(id, "", WhenBusy::Queue) }))
}

fn edit(id: &str, message: &str, text: &str) -> Input {
    let edits = Some(message.to_owned());
    Input::Request(Box::new(Request { edits, ..request(id, text, WhenBusy::Interrupt) }))
}

fn switch(message: &str) -> Input {
    Input::Switch { request: "s".to_owned(), message: message.to_owned() }
}

/// The id of the last message with this text.
fn id(run: &Run, text: &str) -> String {
    run.messages()
        .iter()
        .rfind(|message| message.text == text)
        .and_then(|message| message.id.clone())
        .unwrap()
}

fn timeline(run: &Run) -> Timeline {
    let mut whole = Timeline::default();
    whole.follow(run);
    whole
}

fn text_of(entry: &TimelineEntry<'_>) -> String {
    match entry {
        TimelineEntry::User { text, .. } | TimelineEntry::AgentText { text, .. } => (*text).to_owned(),
        TimelineEntry::Compaction { text, .. } => {
            text.split("summary").next().map_or_else(String::new, |_| "S".into())
        }
        TimelineEntry::Tool(tool) => format!("{}{}", tool.id, if tool.undone { " undone" } else { "" }),
    }
}

fn shown(run: &Run) -> Vec<String> {
    timeline(run).entries(run).iter().map(text_of).collect()
}

fn branches_of(run: &Run, text: &str) -> Option<(usize, Vec<String>)> {
    let name = |id: &String| {
        let message = run.messages().iter().find(|message| message.id.as_ref() == Some(id)).unwrap();
        message.calls().first().map_or_else(|| message.text.clone(), |call| call.id().to_owned())
    };
    timeline(run).entries(run).iter().find(|entry| text_of(entry) == text).and_then(|entry| {
        let branches = match entry {
            TimelineEntry::User { branches, .. } | TimelineEntry::AgentText { branches, .. } => branches,
            TimelineEntry::Tool(tool) => &tool.branches,
            TimelineEntry::Compaction { .. } => &None,
        };
        branches.as_ref().map(|Alternatives { index, ids }| (*index, ids.iter().map(name).collect()))
    })
}

/// Two questions with their answers.
fn talk() -> World {
    let mut world = World::with_tools([undoable("add"), tool("pay")]);
    for (request, (question, answer)) in ["r1", "r2"].into_iter().zip([("one", "1"), ("two", "2")]) {
        world.ask(request, question);
        world.model_says(answer);
    }
    world
}

#[test]
fn an_edited_message_takes_the_place_of_the_old_one_which_can_be_shown_again() {
    let mut world = talk();
    world.step(edit("r3", &id(&world.run, "one"), "uno"));
    assert_eq!(world.model_requests.last().unwrap()[..], ["user: uno"]);
    world.model_says("I");
    assert_eq!(shown(&world.run), ["uno", "I"]);
    assert_eq!(branches_of(&world.run, "uno"), Some((1, vec!["one".into(), "uno".into()])));
    world.step(switch(&id(&world.run, "one")));
    assert_eq!(world.last_outcome(), "switched");
    assert_eq!(shown(&world.run), ["one", "1", "two", "2"]);
    assert_eq!(branches_of(&world.run, "one"), Some((0, vec!["one".into(), "uno".into()])));
    world.ask("r4", "three");
    assert_eq!(
        world.model_requests.last().unwrap()[..],
        ["user: one", "agent: 1", "user: two", "agent: 2", "user: three"]
    );
    world.model_says("3");
    for _ in 0..2 {
        world.step(switch(&id(&world.run, "I")));
        assert_eq!(shown(&world.run), ["uno", "I"]);
        world.step(switch(&id(&world.run, "1")));
        assert_eq!(shown(&world.run), ["one", "1", "two", "2", "three", "3"]);
    }
    let lines = world.run.messages().len();
    world.step(switch(&id(&world.run, "two")));
    assert_eq!(world.run.messages().len(), lines, "what is shown already is not shown again");
    assert_eq!(shown(&world.restart().run), shown(&world.run));
    // A store of messages alone.
    assert_eq!(shown(&Run::new(Settings::default(), world.run.messages().to_vec())), shown(&world.run));
}

#[test]
fn an_answer_that_was_given_again_is_one_of_several() {
    let mut world = talk();
    for (request, answer) in [("r3", "zwei"), ("r4", "deux")] {
        world.step(again(request));
        world.model_says(answer);
    }
    let all = vec!["2".to_owned(), "zwei".to_owned(), "deux".to_owned()];
    assert_eq!(branches_of(&world.run, "deux"), Some((2, all.clone())));
    world.step(switch(&id(&world.run, "zwei")));
    assert_eq!(shown(&world.run), ["one", "1", "two", "zwei"]);
    assert_eq!(branches_of(&world.run, "zwei"), Some((1, all)));
    assert_eq!(branches_of(&world.run, "two"), None);
}

#[test]
fn an_answer_that_was_to_be_given_again_and_was_stopped_before_its_first_word_stays() {
    let mut world = talk();
    world.step(again("r3"));
    assert_eq!(shown(&world.run), ["one", "1", "two"]);
    world.abort();
    assert_eq!(shown(&world.run), ["one", "1", "two", "2"]);
    world.step(again("r4"));
    world.model_fails("");
    world.ask("r5", "three");
    assert_eq!(shown(&world.run), ["one", "1", "two", "2", "three"]);
    // Nor is it lost with the run, by a store of messages alone.
    world.model_says("3");
    world.step(again("r6"));
    let run = Run::new(Settings::default(), world.run.messages().to_vec());
    assert_eq!(shown(&run), ["one", "1", "two", "2", "three", "3"]);
}

#[test]
fn what_is_unknown_or_comes_during_a_run_is_refused_with_a_code_and_changes_nothing() {
    let mut world = talk();
    let answer = id(&world.run, "1");
    let before = world.run.clone();
    for (input, code) in [
        (edit("r3", "gone", "x"), "MESSAGE_UNKNOWN"),
        (edit("r3", &answer, "x"), "MESSAGE_UNKNOWN"),
        (switch("gone"), "MESSAGE_UNKNOWN"),
        (switch("entry_1"), "MESSAGE_UNKNOWN"),
    ] {
        assert_eq!(world.try_step(input).unwrap_err().code(), code);
    }
    assert!(world.run.fork("gone").is_none());
    assert_eq!(world.run, before);
    world.ask("r3", "three");
    assert_eq!(world.try_step(switch(&answer)), Err(OutOfProtocol::BusyOnBranch));
    assert_eq!(OutOfProtocol::BusyOnBranch.code(), "SESSION_BUSY");
    // An edit stops what runs, unless it is to wait.
    let old = id(&world.run, "three");
    world.step(edit("r4", &old, "drei"));
    assert_eq!((world.last_outcome(), world.run.request()), ("aborted", Some("r4")));
    let edits = Some(id(&world.run, "two"));
    world.step(Input::Request(Box::new(Request { edits, ..request("r5", "zwei", WhenBusy::Steer) })));
    world.model_says("3");
    assert_eq!(world.model_requests.last().unwrap()[..], ["user: one", "agent: 1", "user: zwei"]);
}

#[test]
fn a_failed_run_gives_way_to_another_branch() {
    let mut world = talk();
    world.step(edit("r3", &id(&world.run, "two"), "zwei"));
    world.model_fails("");
    assert_eq!(world.run.phase(), PhaseName::Paused);
    world.step(switch(&id(&world.run, "2")));
    assert_eq!((world.run.phase(), shown(&world.run).len()), (PhaseName::Idle, 4));
}

#[test]
fn words_alone_keep_the_pictures_and_the_fields_of_the_message_they_replace() {
    let mut world = World::with_tools([]);
    let part = |kind: &str, text: Option<&str>| ContentPart {
        kind: kind.to_owned(),
        text: text.map(str::to_owned),
        source: text.is_none().then(ContentSource::default),
        ..ContentPart::default()
    };
    let mut asked = request("r1", "What is it?", WhenBusy::Queue);
    asked.message.content = Some(vec![part("image", None), part("text", Some("What is it?"))]);
    asked.message.extra.0.push(("metadata".to_owned(), json("{\"from\":\"phone\"}")));
    world.step(Input::Request(Box::new(asked)));
    world.model_says("A cat.");
    world.step(edit("r2", &id(&world.run, "What is it?"), "Who is it?"));
    let edited: &Message = world.run.messages().last().unwrap();
    assert_eq!(edited.content, Some(vec![part("image", None), part("text", Some("Who is it?"))]));
    assert_eq!(edited.extra.0.len(), 1);
}

#[test]
fn actions_are_taken_back_on_their_own_branch_and_are_taken_back_on_all() {
    let mut world = World::with_tools([undoable("add")]);
    world.ask("r1", "one");
    world.model_calls(&[("add", "c1", "{}")]);
    world.tool_returns("c1", "1");
    world.model_says("1");
    world.ask("r2", "two");
    world.model_calls(&[("add", "c2", "{}")]);
    world.tool_returns("c2", "2");
    world.model_says("2");
    let undoable = |world: &World| -> Vec<String> {
        world.run.undo_stack().iter().map(|entry| entry.call_id.clone()).collect()
    };
    world.step(edit("r3", &id(&world.run, "two"), "zwei"));
    world.model_says("-");
    assert_eq!((undoable(&world), world.began.len()), (vec!["c1".to_owned()], 2));
    world.step(Input::Undo { request: "u1".to_owned(), steps: 1 });
    world.undo_ends("c1", None);
    assert_eq!(shown(&world.run), ["one", "c1 undone", "1", "zwei", "-"]);
    world.step(switch(&id(&world.run, "2")));
    // The first call is taken back here too, and the model is told.
    assert_eq!(shown(&world.run), ["one", "c1 undone", "1", "two", "c2", "2"]);
    assert_eq!(undoable(&world), ["c2"]);
    assert_eq!(undoable(&world.restart()), ["c2"]);
    world.ask("r4", "three");
    let request = world.model_requests.last().unwrap().join("\n");
    assert!(request.contains("add") && request.matches("c1").count() >= 2, "{request}");
    world.model_says("3");
    let lines = world.run.messages().len();
    world.step(switch(&id(&world.run, "zwei")));
    world.step(switch(&id(&world.run, "two")));
    assert_eq!(world.run.messages().len(), lines + 2, "it is told once on each branch");
}

#[test]
fn what_the_model_took_back_is_told_on_a_branch_that_has_not_asked_it_to() {
    let mut world = World::with_tools([undoable("add")]);
    world.ask("r1", "Add it");
    world.model_calls(&[("add", "c1", r#"{"item":"jam"}"#)]);
    world.tool_returns("c1", "1");
    world.model_says("Added.");
    world.ask("r2", "Take it back");
    world.model_calls(&[("undo_last_action", "u1", "")]);
    world.undo_ends("c1", None);
    world.model_says("Done.");
    world.step(edit("r3", &id(&world.run, "Take it back"), "What is there?"));
    let sent = world.model_requests.last().unwrap();
    let told =
        r#"user: [Undo. What was taken back holds no more: 1 action was taken back: add({"item":"jam"}).]"#;
    assert_eq!(sent[sent.len() - 2..], [told, "user: What is there?"], "{sent:?}");
    assert!(!sent.join("\n").contains("u1"), "a result without its call: {sent:?}");
    assert_eq!(shown(&world.run), ["Add it", "c1 undone", "Added.", "What is there?"]);
}

#[test]
fn an_undo_that_failed_on_the_way_is_told_with_its_reason_on_a_branch_without_it() {
    let mut world = World::with_tools([undoable("add")]);
    world.ask("r1", "Add both");
    world.model_calls(&[("add", "c1", "{}"), ("add", "c2", "{}")]);
    world.tool_returns("c1", "1");
    world.tool_returns("c2", "2");
    world.model_says("Added.");
    world.ask("r2", "Take both back");
    world.model_calls(&[("undo_last_action", "u1", r#"{"steps":2}"#)]);
    world.undo_ends("c2", None);
    world.undo_ends("c1", Some("it is sold"));
    world.model_says("One is sold.");
    world.step(edit("r3", &id(&world.run, "Take both back"), "What is there?"));
    let sent = world.model_requests.last().unwrap();
    let told = "user: [Undo. What was taken back holds no more: Error: 1 action was taken back: add({}); the next one could not be: it is sold]";
    assert_eq!(sent[sent.len() - 2..], [told, "user: What is there?"], "{sent:?}");
    assert_eq!(shown(&world.run), ["Add both", "c1", "c2 undone", "Added.", "What is there?"]);
}

#[test]
fn a_summary_of_one_branch_is_not_read_on_another() {
    let mut world = World::with_tools([]);
    world.ask("r1", "one");
    world.model_says("1");
    world.configure(|settings| settings.compaction.every_turns = Some(1));
    world.ask("r2", "two");
    world.model_says("the sum of one");
    world.model_says("2");
    world.configure(|settings| settings.compaction.every_turns = None);
    world.step(edit("r3", &id(&world.run, "two"), "zwei"));
    assert_eq!(world.model_requests.last().unwrap()[..], ["user: one", "agent: 1", "user: zwei"]);
    world.model_says("II");
    world.step(switch(&id(&world.run, "two")));
    world.ask("r4", "three");
    let request = world.model_requests.last().unwrap();
    assert!(request[0].contains("the sum of one"), "{request:?}");
    assert_eq!(request[1..], ["user: two", "agent: 2", "user: three"]);
    world.model_says("3");
    // Nothing is older than a first message that was edited, so there is nothing to summarise.
    world.configure(|settings| settings.compaction.every_turns = Some(1));
    world.step(edit("r5", &id(&world.run, "one"), "uno"));
    assert_eq!(world.model_requests.last().unwrap()[..], ["user: uno"]);
}

#[test]
fn a_fork_is_a_record_of_the_path_alone_and_of_what_has_ended() {
    let mut world = World::with_tools([tool("pay")]);
    world.ask("r1", "one");
    world.model_says("1");
    world.step(edit("r2", &id(&world.run, "one"), "uno"));
    world.model_says("I");
    world.configure(|settings| settings.compaction.every_turns = Some(1));
    world.ask("r3", "due");
    world.model_says("the sum of uno");
    world.model_calls(&[("pay", "c1", "{}")]);
    let forked = |world: &World, id: &str| world.run.fork(id).unwrap().iter().map(line).collect::<Vec<_>>();
    assert_eq!(forked(&world, &id(&world.run, "1")), ["user: one", "agent: 1"]);
    let open = world.run.fork("c1").unwrap();
    assert_eq!((open.len(), open.iter().any(|message| !message.calls().is_empty())), (4, false));
    world.tool_returns("c1", "5");
    let whole: Vec<_> = world.run.fork("c1").unwrap().into_iter().map(Arc::new).collect();
    assert_eq!((whole.len(), line(whole.last().unwrap())), (6, "results: c1=5".to_owned()));
    assert!(whole.iter().all(|message| message.replaces.is_none()));
    // What the summary keeps is the same, at another distance.
    let mut other = World::over(Run::new(Settings::default(), whole.clone()), Store::default());
    other.store.messages = whole;
    other.ask("f1", "go on");
    let request = other.model_requests.last().unwrap();
    assert!(request[0].contains("the sum of uno"), "{request:?}");
    assert_eq!(request[1..], ["user: due", "agent: [pay({})#c1]", "results: c1=5", "user: go on"]);
}

#[test]
fn messages_without_ids_can_be_edited_and_shown_again() {
    let messages = [Message::user("one"), Message::agent("1"), Message::user("two"), Message::agent("2")];
    let messages: Vec<_> = messages.into_iter().map(Arc::new).collect();
    let mut world = World::over(Run::new(Settings::default(), messages.clone()), Store::default());
    world.store.messages = messages;
    let ids: Vec<String> = timeline(&world.run)
        .entries(&world.run)
        .iter()
        .map(|entry| match entry {
            TimelineEntry::User { id, .. } | TimelineEntry::AgentText { id, .. } => id.clone(),
            _ => String::new(),
        })
        .collect();
    world.step(edit("r1", &ids[2], "zwei"));
    world.model_says("II");
    world.step(switch(&ids[3]));
    assert_eq!(shown(&world.run), ["one", "1", "two", "2"]);
}

#[test]
fn a_path_costs_what_its_branches_are_and_not_what_the_record_is_long() {
    // 10,000 messages, of which each hundredth was edited.
    let mut messages = Vec::new();
    for n in 0..10_000 {
        let mut message = if n % 2 == 0 { Message::user("q") } else { Message::agent("a") };
        message.id = Some(format!("m{n}"));
        messages.push(Arc::new(message));
        if n % 100 == 99 {
            let mut mark = Message::user("");
            mark.framework_context = Some("branch".to_owned());
            mark.replaces = Some(2);
            messages.push(Arc::new(mark));
        }
    }
    let mut world = World::over(Run::new(Settings::default(), messages.clone()), Store::default());
    world.store.messages = messages;
    let mut timeline = Timeline::default();
    timeline.follow(&world.run);
    let took = work_time(|| {
        for n in 0..20 {
            world.step(switch(if n % 2 == 0 { "m98" } else { "m100" }));
            timeline.follow(&world.run);
        }
    });
    // About a tenth of that, unoptimised; one look at the record for each of its messages takes far longer.
    let each = took / 20;
    assert!(each < Duration::from_secs(1), "{each:?}");
}

// ---- against a tree ------------------------------------------------------------------------------------------------

/// What a conversation with branches is, as simply as it can be said.
#[derive(Default)]
struct Tree {
    /// Each with its parent.
    nodes: Vec<(Option<usize>, String)>,
    head: Option<usize>,
    /// Where each node was last read up to.
    last: HashMap<usize, usize>,
}

impl Tree {
    fn add(&mut self, text: &str) {
        self.nodes.push((self.head, text.to_owned()));
        self.show(self.nodes.len() - 1);
    }

    fn show(&mut self, head: usize) {
        self.head = Some(head);
        let mut at = Some(head);
        while let Some(node) = at {
            self.last.insert(node, head);
            at = self.nodes[node].0;
        }
    }

    fn path(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = self.head;
        while let Some(node) = at {
            path.push(node);
            at = self.nodes[node].0;
        }
        path.reverse();
        path
    }

    fn siblings(&self, node: usize) -> Vec<String> {
        let parent = self.nodes[node].0;
        self.nodes.iter().filter(|other| other.0 == parent).map(|other| other.1.clone()).collect()
    }
}

struct Player {
    world: World,
    tree: Tree,
    followed: Timeline,
    requests: usize,
    undone: Vec<String>,
}

impl Player {
    fn new() -> Self {
        let mut world = World::with_tools([undoable("add")]);
        world.configure(|settings| settings.compaction.every_turns = Some(4));
        Player {
            world,
            tree: Tree::default(),
            followed: Timeline::default(),
            requests: 0,
            undone: Vec::new(),
        }
    }

    fn fresh(&mut self) -> String {
        self.requests += 1;
        format!("r{}", self.requests)
    }

    /// The answer to a request: a summary where one is due, a call where it is to have one, and a text.
    fn answer(&mut self, calls: bool) {
        let n = self.requests;
        if self.world.run.phase() == PhaseName::Compacting {
            self.world.model_says("short");
            self.tree.add("S");
        }
        if calls {
            let id = format!("c{n}");
            self.world.model_calls(&[("add", &id, "{}")]);
            self.world.tool_returns(&id, "1");
            self.tree.add(&id);
            if self.world.run.phase() == PhaseName::Compacting {
                self.world.model_says("short");
                self.tree.add("S");
            }
        }
        self.world.model_says(&format!("a{n}"));
        self.tree.add(&format!("a{n}"));
    }

    fn is_person(&self, node: usize) -> bool {
        self.tree.nodes[node].1.starts_with('u')
    }

    fn id_of(&self, node: usize) -> String {
        let text = &self.tree.nodes[node].1;
        if text.starts_with('c') { text.clone() } else { id(&self.world.run, text) }
    }

    /// One with a text of its own; summaries look all alike.
    fn pick(&self, x: u8, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let all: Vec<usize> = (0..self.tree.nodes.len())
            .filter(|node| self.tree.nodes[*node].1 != "S" && fits(*node))
            .collect();
        (!all.is_empty()).then(|| all[usize::from(x) % all.len()])
    }

    fn act(&mut self, (kind, x): (u8, u8)) {
        match kind % 10 {
            0..=2 => {
                let request = self.fresh();
                let text = format!("u{}", self.requests);
                self.world.ask(&request, &text);
                self.tree.add(&text);
                self.answer(x.is_multiple_of(3));
            }
            3 | 4 => {
                let Some(node) = self.pick(x, |node| self.is_person(node)) else { return };
                let (request, target) = (self.fresh(), self.id_of(node));
                let text = format!("u{}", self.requests);
                self.world.step(edit(&request, &target, &text));
                self.tree.head = self.tree.nodes[node].0;
                self.tree.add(&text);
                self.answer(x.is_multiple_of(3));
            }
            5 => {
                // Only answers without an action, whose summary of parts is another matter.
                let path = self.tree.path();
                let Some(at) = path.iter().rposition(|node| self.is_person(*node)) else { return };
                let behind = &path[at..];
                if behind.iter().any(|node| self.tree.nodes[*node].1.starts_with('c')) {
                    return;
                }
                let keeps = behind.iter().rposition(|node| self.tree.nodes[*node].1 == "S").unwrap_or(0);
                let request = self.fresh();
                self.world.step(again(&request));
                if x.is_multiple_of(5) && self.world.run.phase() == PhaseName::Model {
                    // It is stopped, and the old answer stands again, where there was one.
                    self.world.abort();
                    return;
                }
                self.tree.head = Some(behind[keeps]);
                self.answer(false);
            }
            6 | 7 => {
                let Some(node) = self.pick(x, |_| true) else { return };
                let target = self.id_of(node);
                self.world.step(switch(&target));
                self.tree.show(self.tree.last[&node]);
            }
            8 => {
                let path = self.tree.path();
                let next = path.iter().rev().map(|node| self.tree.nodes[*node].1.clone());
                let next = next.filter(|text| text.starts_with('c')).find(|text| !self.undone.contains(text));
                let request = self.fresh();
                self.world.step(Input::Undo { request, steps: 1 });
                if let Some(call) = next {
                    self.world.undo_ends(&call, None);
                    self.undone.push(call);
                }
            }
            _ => {
                self.world = self.world.restart();
                if x.is_multiple_of(2) {
                    self.followed = Timeline::default();
                }
            }
        }
        self.check();
    }

    fn check(&mut self) {
        let run = &self.world.run;
        self.followed.follow(run);
        assert_eq!(self.followed.entries(run), timeline(run).entries(run));
        let (path, mut expected) = (self.tree.path(), Vec::new());
        for node in &path {
            let text = self.tree.nodes[*node].1.clone();
            expected.push(if self.undone.contains(&text) { format!("{text} undone") } else { text });
        }
        assert_eq!(shown(run), expected);
        for (node, entry) in path.iter().zip(timeline(run).entries(run)) {
            let (text, siblings) = (&self.tree.nodes[*node].1, self.tree.siblings(*node));
            if text == "S" || siblings.contains(&"S".to_owned()) {
                continue;
            }
            let own = siblings.iter().position(|sibling| sibling == text).unwrap();
            let expected = (siblings.len() > 1).then_some((own, siblings));
            assert_eq!(branches_of(run, &text_of(&entry)), expected, "{text}");
        }
        // Nothing of another branch is read by a model, and without a summary all of this one is.
        let sent = lines(run.model_request());
        let said: Vec<&String> =
            sent.iter().filter(|line| line.starts_with("user: u") || line.starts_with("agent: a")).collect();
        let on_path: Vec<String> = path
            .iter()
            .map(|node| &self.tree.nodes[*node].1)
            .filter(|text| text.starts_with(['u', 'a']))
            .map(|text| format!("{}: {text}", if text.starts_with('u') { "user" } else { "agent" }))
            .collect();
        assert!(said.iter().all(|line| on_path.contains(line)), "{sent:?} {on_path:?}");
        if !path.iter().any(|node| self.tree.nodes[*node].1 == "S") {
            assert_eq!(said, on_path.iter().collect::<Vec<_>>());
        }
        assert!(self.world.restart().run == *run);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_said_edited_and_shown_again_the_path_is_that_of_a_tree(moves in prop::collection::vec(any::<(u8, u8)>(), 1..40)) {
        let mut player = Player::new();
        for step in moves {
            player.act(step);
        }
    }
}

#[test]
fn an_edited_message_of_the_queue_keeps_its_place_and_its_pictures_and_stops_nothing() {
    let mut world = talk();
    world.ask("r3", "three");
    let mut with_picture = request("q1", "first", WhenBusy::Queue);
    let picture = ContentPart {
        kind: "image".to_owned(),
        source: Some(ContentSource::default()),
        ..ContentPart::default()
    };
    with_picture.message.content = Some(vec![picture.clone()]);
    world.step(Input::Request(Box::new(with_picture)));
    world.ask("q2", "second");
    world.step(edit("q3", "q1", "before it"));
    assert_eq!(world.last_outcome(), "aborted");
    let queue = |run: &Run| {
        run.queued().map(|waiting| (waiting.id.clone(), waiting.message.text.clone())).collect::<Vec<_>>()
    };
    let waiting = [("q3", "before it"), ("q2", "second")].map(|(id, text)| (id.to_owned(), text.to_owned()));
    assert_eq!((world.run.phase(), queue(&world.run)), (PhaseName::Model, waiting.to_vec()));
    assert_eq!(queue(&world.restart().run), waiting);
    world.model_says("3");
    let heard = world.run.messages().last().unwrap();
    assert_eq!(heard.text, "before it");
    assert_eq!(heard.content.as_ref().unwrap().first(), Some(&picture));
    // Its turn has come: the message takes its place in the record, under the id that it waited under.
    world.step(edit("q4", "q3", "after all"));
    world.model_says("4");
    assert_eq!(branches_of(&world.run, "after all").map(|(at, _)| at), Some(1));
    assert_eq!(shown(&world.run)[4..], ["three", "3", "after all", "4", "second"]);
    assert_eq!(world.try_step(edit("q5", "q9", "x")).unwrap_err().code(), "MESSAGE_UNKNOWN");
}

//! What is shown of a run: the timeline as patches, and the prompt record.

use std::sync::Arc;

use crate::support::machine::{parallel, request, used};
use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::json::Json;
use glove_wasm::message::{Message, SideOutput, ToolCall, ToolResult, ToolResultData};
use glove_wasm::run::Run;
use glove_wasm::run::effect::Effect;
use glove_wasm::run::input::{
    AbortReason, Answer, ApprovalVerdict, Input, Reply, Request, ToolOutcome, WhenBusy,
};
use glove_wasm::run::settings::Settings;
use glove_wasm::run::views::timeline::{EntryStatus, Timeline, TimelineEntry};
use glove_wasm::tool::{Gate, ToolSpec};
use serde_json::{Value, json};

/// A run with a timeline that follows it, and the timeline as a screen keeps it from the patches alone.
struct Screen {
    run: Run,
    timeline: Timeline,
    drawn: Vec<Value>,
    effects: Vec<Effect>,
    patched: Vec<usize>,
}

impl Screen {
    fn new(tools: Vec<ToolSpec>, messages: Vec<Message>) -> Self {
        let messages = messages.into_iter().map(Arc::new).collect();
        let run = Run::new(Settings { tools, ..Settings::default() }, messages);
        let mut screen = Screen {
            run,
            timeline: Timeline::default(),
            drawn: Vec::new(),
            effects: Vec::new(),
            patched: Vec::new(),
        };
        screen.draw();
        screen
    }

    fn step(&mut self, input: Input) {
        self.effects = self.run.step(1, input).unwrap();
        self.draw();
    }

    fn draw(&mut self) {
        self.patched.clear();
        if let Some(patch) = self.timeline.follow(&self.run) {
            self.drawn.truncate(patch.len());
            // As it is written: entries that follow each other behind the place of the first.
            for part in json!(patch)["set"].as_array().unwrap() {
                let from = part[0].as_u64().unwrap() as usize;
                for (at, entry) in (from..).zip(part[1].as_array().unwrap()) {
                    self.patched.push(at);
                    match self.drawn.get_mut(at) {
                        Some(drawn) => *drawn = entry.clone(),
                        None => self.drawn.push(entry.clone()),
                    }
                }
            }
            assert_eq!(self.patched, patch.set().map(|(at, _)| at).collect::<Vec<_>>());
        }
        assert_eq!(self.drawn, drawn(&self.entries()), "the patches leave a screen with something else");
        let mut whole = Timeline::default();
        whole.follow(&self.run);
        assert_eq!(self.drawn, drawn(&whole.entries(&self.run)), "a timeline read in one go is another one");
    }

    fn entries(&self) -> Vec<TimelineEntry<'_>> {
        self.timeline.entries(&self.run)
    }

    fn ask(&mut self, text: &str) {
        let id = format!("r{}", self.run.messages().len());
        self.step(Input::Request(Box::new(request(&id, text, WhenBusy::Queue))));
    }

    fn ask_with(&mut self, message: Message) {
        let id = format!("r{}", self.run.messages().len());
        let request = Request { message, ..request(&id, "", WhenBusy::Queue) };
        self.step(Input::Request(Box::new(request)));
    }

    fn answer(&mut self, message: Message) {
        let call = self.effects.iter().find_map(|effect| match effect {
            Effect::CallModel { call } => Some(*call),
            _ => None,
        });
        let reply = Reply { messages: vec![message], usage: used(10, 2), ..Reply::default() };
        self.step(Input::ModelFinished { call: call.unwrap(), reply });
    }

    fn returns(&mut self, call_id: &str, data: Value, outputs: Vec<SideOutput>) {
        let result = ToolResultData::success(Json::from(data));
        let outcome = ToolOutcome::Returned { result, outputs };
        self.step(Input::ToolFinished { call_id: call_id.to_owned(), outcome });
    }

    fn kinds(&self) -> Vec<String> {
        let short = |entry: &TimelineEntry<'_>| match entry {
            TimelineEntry::User { text, .. } => format!("user:{text}"),
            TimelineEntry::AgentText { text, partial, stopped, .. } => {
                let cut = if *stopped { " (stopped)" } else { "…" };
                format!("agent:{text}{}", if *partial { cut } else { "" })
            }
            TimelineEntry::Tool(tool) => format!("{}:{:?}", tool.name, tool.status),
            TimelineEntry::Compaction { .. } => "summary".to_owned(),
        };
        self.entries().iter().map(short).collect()
    }
}

fn drawn(entries: &[TimelineEntry<'_>]) -> Vec<Value> {
    entries.iter().map(|entry| json!(entry)).collect()
}

fn call(name: &str, id: &str) -> ToolCall {
    ToolCall { id: Some(id.to_owned()), ..ToolCall::new(name, Json::parse("{\"n\":1}").unwrap()) }
}

#[test]
fn an_answer_that_was_stopped_is_told_from_one_that_broke_off_also_after_a_reload() {
    let mut screen = Screen::new(Vec::new(), Vec::new());
    let call = |screen: &Screen| {
        screen.effects.iter().find_map(|effect| match effect {
            Effect::CallModel { call } => Some(*call),
            _ => None,
        })
    };
    let writes = |screen: &mut Screen, text: &str| {
        let call = call(screen).unwrap();
        screen.step(Input::ModelPartial { call, text: text.to_owned(), from: 0 });
        call
    };
    screen.ask("one");
    writes(&mut screen, "Once");
    screen.step(Input::Aborted { why: AbortReason::User });
    assert_eq!(screen.kinds(), ["user:one", "agent:Once (stopped)"]);
    screen.ask("two");
    let asked = writes(&mut screen, "Twice");
    let error = ModelError::new(ModelErrorKind::Network, "gone");
    screen.step(Input::ModelFailed { call: asked, error, partial: "Twice".to_owned() });
    assert_eq!(screen.kinds()[1..], ["agent:Once (stopped)", "user:two", "agent:Twice…"]);
    // Somebody asks something else, and the broken answer is still not what they have stopped.
    screen.ask("three");
    writes(&mut screen, "Thrice");
    screen.step(Input::Request(Box::new(request("r9", "four", WhenBusy::Interrupt))));
    let all = ["user:two", "agent:Twice…", "user:three", "agent:Thrice (stopped)", "user:four"];
    assert_eq!(screen.kinds()[2..], all);
    let marked: Vec<_> = screen
        .run
        .messages()
        .iter()
        .filter(|message| message.broke_off)
        .map(|message| message.text.clone())
        .collect();
    assert_eq!(marked, ["three"]);
}

#[test]
fn an_answer_that_is_stopped_after_another_try_is_not_told_as_broken_off() {
    let mut screen = Screen::new(Vec::new(), Vec::new());
    let writes = |screen: &mut Screen, text: &str| {
        let calls = screen.effects.iter().rev().find_map(|effect| match effect {
            Effect::CallModel { call } => Some(*call),
            _ => None,
        });
        let call = calls.unwrap();
        screen.step(Input::ModelPartial { call, text: text.to_owned(), from: 0 });
        call
    };
    screen.ask("one");
    let call = writes(&mut screen, "Once");
    let error = ModelError::new(ModelErrorKind::Network, "gone");
    screen.step(Input::ModelFailed { call, error, partial: "Once".to_owned() });
    let again = Request { regenerate: true, ..request("r2", "", WhenBusy::Queue) };
    screen.step(Input::Request(Box::new(again)));
    writes(&mut screen, "Twice");
    screen.step(Input::Aborted { why: AbortReason::User });
    assert_eq!(screen.kinds().last().unwrap(), "agent:Twice (stopped)");
    screen.ask("two");
    assert!(screen.run.messages().iter().all(|message| !message.broke_off));
}

#[test]
fn a_run_is_drawn_as_it_goes_and_only_what_changed_is_sent() {
    let mut screen = Screen::new(vec![parallel("a"), parallel("b")], Vec::new());
    screen.ask("Hi");
    screen.answer(Message::agent("Looking").with_calls(vec![call("a", "1"), call("b", "2")]));
    assert_eq!(screen.kinds(), ["user:Hi", "agent:Looking", "a:Running", "b:Running"]);
    screen.returns("2", json!({ "x": 1 }), Vec::new());
    assert_eq!((screen.kinds()[3].as_str(), screen.patched.as_slice()), ("b:Success", &[3][..]));
    screen.returns("1", json!("plain"), Vec::new());
    assert_eq!(screen.patched, [2]);
    screen.answer(Message::agent("Done"));
    assert_eq!(screen.kinds(), ["user:Hi", "agent:Looking", "a:Success", "b:Success", "agent:Done"]);
    let entries = screen.entries();
    let outputs = entries.iter().filter_map(|entry| match entry {
        TimelineEntry::Tool(tool) => tool.output.clone(),
        _ => None,
    });
    assert_eq!(outputs.collect::<Vec<_>>(), ["plain", "{\"x\":1}"]);
}

#[test]
fn a_call_that_waits_for_its_turn_is_queued_until_then() {
    let mut screen = Screen::new(vec![ToolSpec::new("a"), ToolSpec::new("b")], Vec::new());
    let queued = |screen: &Screen| {
        let entries = screen.entries();
        let calls = entries.iter().filter_map(|entry| match entry {
            TimelineEntry::Tool(tool) => Some(tool.queued),
            _ => None,
        });
        calls.collect::<Vec<_>>()
    };
    screen.ask("Hi");
    screen.answer(Message::agent("").with_calls(vec![call("a", "1"), call("b", "2")]));
    assert_eq!(queued(&screen), [false, true]);
    screen.returns("1", json!("x"), Vec::new());
    assert_eq!((queued(&screen), screen.patched.as_slice()), (vec![false, false], &[1, 2][..]));
    screen.step(Input::Aborted { why: AbortReason::User });
    assert_eq!(screen.kinds()[1..], ["a:Success", "b:Aborted"]);
}

#[test]
fn a_call_that_waits_for_a_person_is_pending_in_its_place() {
    let pay = ToolSpec { approval: Gate::Always, ..ToolSpec::new("pay") };
    let mut screen = Screen::new(vec![pay, ToolSpec::new("mail")], Vec::new());
    screen.ask("Pay and tell");
    screen.answer(Message::agent("").with_calls(vec![call("pay", "1"), call("mail", "2")]));
    let verdict = ApprovalVerdict::Needed { reason: Some("over 100".to_owned()) };
    screen.step(Input::ApprovalChecked { call_id: "1".to_owned(), verdict });
    assert_eq!(screen.kinds(), ["user:Pay and tell", "pay:Pending", "mail:Pending"]);
    let prompts = serde_json::to_value(screen.run.prompts()).unwrap();
    assert_eq!(
        (&prompts[0]["state"], &prompts[0]["outputs"][0]["result"]),
        (&json!("waiting_for_approval"), &json!({ "type": "pending", "reason": "over 100" }))
    );
    let question = screen.run.questions().next().unwrap().id.clone();
    let answer = Answer::Deny { remember: false, reason: Some("too much".to_owned()) };
    screen.step(Input::Answered { question, answer });
    assert_eq!(screen.kinds()[1], "pay:Error");
}

#[test]
fn stopping_leaves_nothing_running_on_the_screen() {
    let mut screen = Screen::new(vec![ToolSpec::new("a")], Vec::new());
    screen.ask("Hi");
    screen.answer(Message::agent("").with_calls(vec![call("a", "1")]));
    screen.step(Input::Aborted { why: AbortReason::User });
    assert_eq!(screen.kinds(), ["user:Hi", "a:Aborted"]);
    screen.ask("Again");
    let Some(Effect::CallModel { call }) =
        screen.effects.iter().find(|effect| matches!(effect, Effect::CallModel { .. })).cloned()
    else {
        panic!("the model is not asked")
    };
    screen.step(Input::ModelPartial { call, text: "Half an ans".to_owned(), from: 0 });
    screen.step(Input::Aborted { why: AbortReason::User });
    assert_eq!(screen.kinds()[2..], ["user:Again", "agent:Half an ans (stopped)"]);
}

#[test]
fn a_foreign_record_is_drawn_without_what_is_not_for_people() {
    let mut summary = Message::user("[Conversation summary from compaction]");
    summary.is_compaction = true;
    let mut skill = Message::user("[Skill: n]");
    skill.is_skill_injection = true;
    let mut inbox = Message::user("[Inbox: 1 item(s) resolved]");
    inbox.framework_context = Some("inbox".to_owned());
    let orphan = Message::agent("I try").with_calls(vec![call("gone", "1")]);
    let mut image: Message = serde_json::from_value(json!({
        "sender": "user", "text": "look",
        "content": [{ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } }],
    }))
    .unwrap();
    image.pre_modified_text = Some("/see look".to_owned());
    let screen = Screen::new(Vec::new(), vec![orphan, skill, inbox, summary, image, Message::agent("Nice")]);
    assert_eq!(screen.kinds(), ["agent:I try", "gone:Aborted", "summary", "user:/see look", "agent:Nice"]);
    assert!(
        matches!(&screen.entries()[3], TimelineEntry::User { images, .. } if images == &["data:image/png;base64,AAAA"])
    );
    assert!(matches!(&screen.entries()[1], TimelineEntry::Tool(tool) if tool.status == EntryStatus::Aborted));
}

#[test]
fn files_of_a_message_are_drawn_by_what_was_said_of_them_when_they_were_sent() {
    let message: Message = serde_json::from_value(json!({
        "sender": "user", "text": "read",
        "content": [
            { "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": "AAAAAA==" }, "file": { "name": "bill.pdf" } },
            { "type": "document", "source": { "type": "url", "media_type": "", "url": "https://h/a" } },
            { "type": "text", "text": "notes.txt:\nabc", "file": { "name": "notes.txt" } },
            { "type": "text", "text": "read" },
        ],
    }))
    .unwrap();
    let screen = Screen::new(Vec::new(), vec![message]);
    let TimelineEntry::User { images, files, left_out, .. } = &screen.entries()[0] else {
        panic!("{:?}", screen.entries())
    };
    assert!(images.is_empty() && !left_out);
    assert_eq!(files.as_ref().map(Json::as_str), Some(r#"[{"name":"bill.pdf"},{"name":"notes.txt"}]"#));
}

#[test]
fn an_error_is_shown_as_the_tool_said_it_and_told_to_the_model_as_ever() {
    for said in ["the disk is full", "No such file.", ""] {
        let mut screen = Screen::new(vec![ToolSpec::new("t")], Vec::new());
        screen.ask("go");
        screen.answer(Message::agent("").with_calls(vec![call("t", "1")]));
        let outcome = ToolOutcome::Threw(said.to_owned());
        screen.step(Input::ToolFinished { call_id: "1".to_owned(), outcome });
        let entries = screen.entries();
        let Some(TimelineEntry::Tool(tool)) = entries.last() else { panic!("no call is drawn") };
        assert_eq!(tool.output.as_deref(), Some(said));
        let results = screen.run.messages().last().and_then(|message| message.tool_results.as_ref()).unwrap();
        let told = format!("Failed to run tool successfully. Tool Errored out with {said}.");
        assert_eq!(results[0].result.message, Some(told));
    }
}

#[test]
fn outputs_beside_a_result_stand_where_their_tool_showed_them_and_only_files_reach_the_model() {
    let mut screen = Screen::new(vec![ToolSpec::new("forecast")], Vec::new());
    screen.ask("Weather?");
    screen.answer(Message::agent("").with_calls(vec![call("forecast", "1")]));
    let output = |kind: &str, summary: Option<&str>| SideOutput {
        kind: kind.to_owned(),
        summary: summary.map(str::to_owned),
        data: Json::from(json!({ "name": "week.pdf", "secret": "for people" })),
        ..SideOutput::default()
    };
    let outputs = vec![
        output("widget", Some("never told")),
        output("file", None),
        output("file", Some("A PDF with the week")),
        output("chart", None),
        output("note", Some("A note")),
    ];
    screen.returns("1", json!({ "mm": 3 }), outputs);
    let results: &[ToolResult] = screen.run.messages().last().unwrap().results();
    assert_eq!(results[0].text_for_model(), "{\"mm\":3}\n[File: week.pdf]\nA PDF with the week\nA note");
    screen.answer(Message::agent("It rains"));
    let prompts = serde_json::to_value(screen.run.prompts()).unwrap();
    let kinds: Vec<_> =
        prompts[0]["outputs"].as_array().unwrap().iter().map(|output| &output["type"]).collect();
    assert_eq!(kinds, ["tool", "widget", "file", "file", "chart", "note", "text"]);
    assert_eq!(
        (&prompts[0]["input"], &prompts[0]["state"], &prompts[0]["usage"]),
        (&json!("Weather?"), &json!("completed"), &json!({ "tokens_in": 20, "tokens_out": 4 }))
    );
}

#[test]
fn following_a_long_conversation_costs_what_is_new() {
    let mut messages = Vec::new();
    for n in 0..2_000 {
        messages.extend([Message::user(format!("q{n}")), Message::agent(format!("a{n}"))].map(Arc::new));
    }
    let mut run = Run::new(Settings::default(), messages);
    let mut timeline = Timeline::default();
    assert_eq!(timeline.follow(&run).map(|patch| patch.set().count()), Some(4_000));
    run.step(1, Input::Request(Box::new(request("r", "more", WhenBusy::Queue)))).unwrap();
    let patch = timeline.follow(&run).unwrap();
    assert_eq!((patch.len(), patch.set().count()), (4_001, 1));
    assert!(timeline.follow(&run).is_none());
}

#[test]
fn what_the_model_thought_stands_at_the_first_of_what_it_led_to() {
    let thinking =
        |message: Message, thought: &str| Message { reasoning_content: Some(thought.into()), ..message };
    let mut screen = Screen::new(vec![parallel("a"), parallel("b")], Vec::new());
    screen.ask("Hi");
    screen.answer(thinking(Message::agent("").with_calls(vec![call("a", "1"), call("b", "2")]), "calls"));
    screen.returns("1", json!(1), Vec::new());
    screen.returns("2", json!(2), Vec::new());
    screen.answer(thinking(Message::agent("Done"), "text"));
    screen.ask("Why?");
    screen.answer(thinking(Message::agent(""), "nothing to say"));
    let thoughts: Vec<Option<&str>> = screen
        .entries()
        .iter()
        .map(|entry| match entry {
            TimelineEntry::AgentText { reasoning, .. } => *reasoning,
            TimelineEntry::Tool(tool) => tool.reasoning.as_deref(),
            TimelineEntry::User { .. } | TimelineEntry::Compaction { .. } => None,
        })
        .collect();
    assert_eq!(thoughts, [None, Some("calls"), None, Some("text"), None, Some("nothing to say")]);
}

#[test]
fn blank_text_before_a_call_is_no_entry_and_stays_in_the_record() {
    let mut screen = Screen::new(vec![parallel("a")], Vec::new());
    screen.ask("Hi");
    let thinking = Message { reasoning_content: Some("calls".into()), ..Message::agent("\n\n") };
    screen.answer(thinking.with_calls(vec![call("a", "1")]));
    assert_eq!(screen.kinds(), ["user:Hi", "a:Running"]);
    screen.returns("1", json!(1), Vec::new());
    screen.answer(Message::agent(" \n\nDone"));
    assert_eq!(screen.kinds(), ["user:Hi", "a:Success", "agent: \n\nDone"]);
    let reasoning = screen.entries().iter().find_map(|entry| match entry {
        TimelineEntry::Tool(tool) => tool.reasoning.as_deref(),
        _ => None,
    });
    assert_eq!((screen.run.messages()[1].text.as_str(), reasoning), ("\n\n", Some("calls")));
}

#[test]
fn a_call_that_was_taken_back_says_so_and_one_that_did_not_run_says_why() {
    let mut screen = Screen::new(
        vec![
            ToolSpec { undo: true, ..ToolSpec::new("add") },
            ToolSpec { approval: Gate::Always, ..ToolSpec::new("pay") },
        ],
        Vec::new(),
    );
    screen.ask("Hi");
    let calls = ["1", "2"].map(|id| call("add", id));
    screen
        .answer(Message::agent("").with_calls([&calls[..], &[call("pay", "3"), call("gone", "4")]].concat()));
    screen.returns("1", json!(1), Vec::new());
    screen.returns("2", json!(2), Vec::new());
    screen.step(Input::ApprovalChecked { call_id: "3".into(), verdict: ApprovalVerdict::NotNeeded });
    let question = screen.run.questions().next().unwrap().id.clone();
    screen.step(Input::Answered { question, answer: Answer::Deny { remember: false, reason: None } });
    screen.answer(Message::agent("").with_calls(vec![call("undo_last_action", "5")]));
    screen.step(Input::UndoFinished { call_id: "2".into(), error: None });
    screen.answer(Message::agent("Done"));
    screen.step(Input::Undo { request: "u".into(), steps: 1 });
    screen.step(Input::UndoFinished { call_id: "1".into(), error: None });
    let tools: Vec<(&str, Option<&str>, bool)> = screen
        .entries()
        .iter()
        .filter_map(|entry| match entry {
            TimelineEntry::Tool(tool) => Some((tool.id.as_str(), tool.outcome.as_deref(), tool.undone)),
            _ => None,
        })
        .collect();
    assert_eq!(
        tools,
        [
            ("1", None, true),
            ("2", None, true),
            ("3", Some("rejected"), false),
            ("4", Some("unknown_tool"), false),
            ("5", None, false)
        ]
    );
}

#[test]
fn outputs_stand_on_the_entry_of_their_call_with_the_time_that_it_ended() {
    let mut screen = Screen::new(vec![ToolSpec::new("forecast")], Vec::new());
    screen.ask("Weather?");
    screen.answer(Message::agent("").with_calls(vec![call("forecast", "1")]));
    let widget = SideOutput {
        kind: "widget".to_owned(),
        widget: Some("forecast".to_owned()),
        data: Json::from(json!({ "mm": 3 })),
        fallback: Some("Rain".to_owned()),
        ..SideOutput::default()
    };
    assert!(!json!(screen.entries()).to_string().contains("outputs"));
    screen.returns("1", json!("Rain"), vec![widget]);
    let shown = |entry: &TimelineEntry<'_>| match entry {
        TimelineEntry::Tool(tool) => serde_json::to_value(tool.outputs.as_ref().unwrap()).unwrap(),
        other => panic!("{other:?}"),
    };
    let outputs = shown(&screen.entries()[1]);
    let at = outputs[0]["at"].as_u64().unwrap();
    assert_eq!(
        outputs,
        json!([{ "type": "widget", "widget": "forecast", "data": { "mm": 3 }, "fallback": "Rain", "at": at }])
    );
    screen.answer(Message::agent("It rains"));
    let stored = screen.run.messages().iter().flat_map(|message| message.results()).next().unwrap();
    assert_eq!(serde_json::to_value(&stored.outputs).unwrap(), outputs);

    let mut again = Timeline::default();
    let reloaded = Run::new(Settings::default(), screen.run.messages().to_vec());
    again.follow(&reloaded);
    assert_eq!(shown(&again.entries(&reloaded)[1]), outputs);

    let prompts = serde_json::to_value(screen.run.prompts()).unwrap();
    let call = &prompts[0]["outputs"][0];
    assert!(call["at"].as_u64().unwrap() <= at && call["duration_ms"].is_u64(), "{call}");
    assert_eq!(prompts[0]["outputs"][1], outputs[0]);
}

#[test]
fn a_prompt_that_nobody_wrote_shows_its_answer_alone_and_the_model_reads_why_it_began() {
    let mut screen = Screen::new(Vec::new(), Vec::new());
    screen.ask("Remind me");
    screen.answer(Message::agent("I will"));
    let mut message = Message::user("the reminder is due");
    message.framework_context = Some("trigger".to_owned());
    screen.ask_with(message);
    screen.answer(Message::agent("Your reminder: call Ann"));
    let entries = screen.entries();
    let texts = entries.iter().map(|entry| match entry {
        TimelineEntry::User { text, .. } | TimelineEntry::AgentText { text, .. } => *text,
        other => panic!("{other:?}"),
    });
    assert_eq!(texts.collect::<Vec<_>>(), ["Remind me", "I will", "Your reminder: call Ann"]);
    let told = &screen.run.messages()[2];
    assert_eq!(told.text, "[Not written by the user. This prompt began by itself: the reminder is due]");
    let prompts = serde_json::to_value(screen.run.prompts()).unwrap();
    assert_eq!((&prompts[1]["input"], &prompts[1]["reason"]), (&Value::Null, &json!("the reminder is due")));
    assert_eq!(prompts[1]["outputs"][0]["text"], "Your reminder: call Ann");
}

#[test]
fn prompts_from_one_on_are_the_end_of_all_and_an_unknown_one_gives_all() {
    let mut screen = Screen::new(Vec::new(), vec![Message::user("old"), Message::agent("without ids")]);
    for text in ["one", "two", "three"] {
        screen.ask(text);
        screen.answer(Message::agent("fine"));
    }
    let all = screen.run.prompts();
    for (at, prompt) in all.iter().enumerate().skip(1) {
        assert_eq!(screen.run.prompts_since(&prompt.id), all[at..], "{}", prompt.id);
    }
    assert_eq!(screen.run.prompts_since(""), all);
    assert_eq!(screen.run.prompts_since("nobody"), all);
}

/// The code and the words of the error that each entry is marked with.
fn marks(screen: &Screen) -> Vec<Value> {
    screen.drawn.iter().map(|entry| json!([entry["text"], entry["error"]["message"]])).collect()
}

fn fails(screen: &mut Screen, why: &str, partial: &str) {
    let call = screen.effects.iter().find_map(|effect| match effect {
        Effect::CallModel { call } => Some(*call),
        _ => None,
    });
    let error = ModelError::new(ModelErrorKind::Overloaded, why);
    screen.step(Input::ModelFailed { call: call.unwrap(), error, partial: partial.to_owned() });
}

#[test]
fn what_a_request_failed_with_stands_where_it_ended_when_others_follow_also_after_a_reload() {
    let mut screen = Screen::new(vec![], vec![]);
    screen.ask("one");
    let effects = screen.effects.clone();
    screen.step(Input::Request(Box::new(request("b", "two", WhenBusy::Queue))));
    screen.step(Input::Request(Box::new(request("c", "three", WhenBusy::Queue))));
    screen.effects = effects;
    fails(&mut screen, "busy", "");
    assert_eq!(marks(&screen), [json!(["one", "busy"]), json!(["two", null])]);
    assert_eq!(screen.drawn[0]["error"]["code"], "MODEL_OVERLOADED");
    // Where a part of the answer is shown, it is there that it ended.
    fails(&mut screen, "cut", "So far");
    let all =
        [json!(["one", "busy"]), json!(["two", null]), json!(["So far", "cut"]), json!(["three", null])];
    assert_eq!(marks(&screen), all);
    // The last one can be tried again, so nothing is said of it here.
    fails(&mut screen, "gone", "");
    assert_eq!(marks(&screen), all);
    let again = Run::restore(&screen.run.checkpoint(), screen.run.messages().to_vec(), Vec::new()).unwrap();
    assert_eq!(again, screen.run);
    let mut timeline = Timeline::default();
    timeline.follow(&again);
    assert_eq!(drawn(&timeline.entries(&again)), screen.drawn);
}

#[test]
fn so_many_failures_are_kept_and_no_more() {
    let mut screen = Screen::new(vec![], vec![]);
    screen.ask("first");
    for at in 0..40 {
        let effects = screen.effects.clone();
        screen.step(Input::Request(Box::new(request(&format!("q{at}"), "next", WhenBusy::Queue))));
        screen.effects = effects;
        fails(&mut screen, "busy", "");
    }
    let marked: Vec<_> = screen.drawn.iter().map(|entry| !entry["error"].is_null()).collect();
    assert_eq!((marked.len(), marked.iter().filter(|marked| **marked).count()), (41, 32));
    assert!(marked[8..40].iter().all(|marked| *marked));
}

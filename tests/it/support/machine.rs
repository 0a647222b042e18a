//! A small world for a run: it does what the machine asks for, at once and in memory, and keeps a note of all of it.
//!
//! Read it to learn the machine: `step` gives an input, `perform` does the effects in their order. What takes time
//! (a model call, a tool, a question, a timer) waits in `in_flight` until the test answers it.

use std::sync::Arc;

use glove_wasm::display::{Slot, SlotStatus};
use glove_wasm::error::{ModelError, ModelErrorKind, StoreError, StoreErrorKind};
use glove_wasm::event::{Event, QuestionKind};
use glove_wasm::json::Json;
use glove_wasm::message::{Message, Sender, ToolCall, ToolResultData, ToolStatus, Usage};
use glove_wasm::run::checkpoint::Unsaved;
use glove_wasm::run::effect::{Effect, Outcome};
use glove_wasm::run::input::{
    AbortReason, Answer, ApprovalVerdict, Input, PermissionVerdict, Reply, Request, ToolOutcome, WhenBusy,
};
use glove_wasm::run::journal::Record;
use glove_wasm::run::log::SlotAnswer;
use glove_wasm::run::settings::Settings;
use glove_wasm::run::views::model::View;
use glove_wasm::run::{OutOfProtocol, Run};
use glove_wasm::tool::{Gate, ToolSpec};

pub struct World {
    pub run: Run,
    pub store: Store,
    pub at: u64,
    /// Effects that were begun and have not ended.
    pub in_flight: Vec<Effect>,
    pub events: Vec<Event>,
    pub finishes: Vec<(String, Outcome)>,
    /// What each model call was sent, one line a message.
    pub model_requests: Vec<Vec<String>>,
    /// Tools and undos that were begun, in order.
    pub began: Vec<String>,
    /// What was remembered and consumed.
    pub noted: Vec<Effect>,
    /// The call ids of the tools that were begun, and the effects of each step.
    pub runs: Vec<String>,
    pub effects: Vec<Vec<Effect>>,
    pub store_is_broken: bool,
}

/// What a store keeps of a session. `write` is all or nothing.
#[derive(Debug, Clone, Default)]
pub struct Store {
    pub messages: Vec<Arc<Message>>,
    pub records: Vec<Record>,
    pub checkpoint: Option<String>,
    pub writes: usize,
}

impl Store {
    pub fn write(&mut self, unsaved: Unsaved<'_>) {
        assert_eq!(unsaved.first_message, self.messages.len(), "messages are only ever appended");
        let last = self.records.last().map_or(0, |record| record.seq);
        assert!(unsaved.records.first().is_none_or(|record| record.seq == last + 1), "no record is lost");
        self.messages.extend_from_slice(unsaved.messages);
        self.records.extend_from_slice(unsaved.records);
        if let Some(checkpoint) = unsaved.checkpoint {
            self.checkpoint = Some(checkpoint);
        }
        self.writes += 1;
    }

    /// The run as another process finds it.
    pub fn open(&self, settings: Settings) -> Run {
        match &self.checkpoint {
            Some(checkpoint) => {
                Run::restore(checkpoint, self.messages.clone(), self.records.clone()).unwrap()
            }
            None => Run::new(settings, self.messages.clone()),
        }
    }
}

impl World {
    pub fn new(settings: Settings) -> Self {
        World::over(Run::new(settings, Vec::new()), Store::default())
    }

    pub fn with_tools(tools: impl IntoIterator<Item = ToolSpec>) -> Self {
        World::new(Settings { tools: tools.into_iter().collect(), ..Settings::default() })
    }

    pub fn over(run: Run, store: Store) -> Self {
        World {
            run,
            store,
            at: 1_000,
            in_flight: Vec::new(),
            events: Vec::new(),
            finishes: Vec::new(),
            model_requests: Vec::new(),
            began: Vec::new(),
            noted: Vec::new(),
            runs: Vec::new(),
            effects: Vec::new(),
            store_is_broken: false,
        }
    }

    /// The same session in a new process, which has nothing but the store.
    pub fn restart(&self) -> World {
        let mut world = World::over(self.store.open(self.run.settings().clone()), self.store.clone());
        world.at = self.at;
        world
    }

    pub fn step(&mut self, input: Input) {
        let shown = format!("{input:?}");
        self.try_step(input).unwrap_or_else(|refused| panic!("{refused}: {shown}"));
    }

    pub fn try_step(&mut self, input: Input) -> Result<(), OutOfProtocol> {
        let effects = self.run.step(self.at, input)?;
        self.effects.push(effects.clone());
        self.perform(effects);
        Ok(())
    }

    pub fn perform(&mut self, effects: Vec<Effect>) {
        let mut refused = None;
        for effect in effects {
            match effect {
                Effect::Persist { .. } if self.store_is_broken => refused = Some(broken_store()),
                Effect::Persist { .. } => {
                    self.store.write(self.run.unsaved());
                    self.run.saved();
                }
                Effect::Emit(event) => self.events.push(event),
                Effect::Finish { request, outcome } => {
                    let outcome = refused.clone().map_or(outcome, Outcome::StoreFailed);
                    self.finishes.push((request, outcome));
                }
                _ if refused.is_some() => {}
                effect => self.begin(effect),
            }
        }
        if let Some(error) = refused {
            self.step(Input::StoreFailed { error });
        }
    }

    fn begin(&mut self, effect: Effect) {
        if self.in_flight.contains(&effect) {
            return;
        }
        match &effect {
            Effect::CallModel { .. } | Effect::Compact { .. } => {
                self.model_requests.push(lines(self.run.model_request()));
            }
            Effect::RunTool { call_id, .. } => {
                let call = self.run.call(call_id).expect("a call that runs can be looked at");
                self.began.push(call.tool_name.to_owned());
                self.runs.push(call_id.clone());
            }
            Effect::RunUndo { call_id } => {
                let entry = self.run.undo_entry(call_id).expect("an action that is taken back is known");
                self.began.push(format!("undo {}", entry.tool));
            }
            Effect::CancelModel { call } => {
                self.in_flight.retain(|other| !matches!(other, Effect::CallModel { call: c } | Effect::Compact { call: c } if c == call));
                return;
            }
            Effect::CancelTool { call_id } => {
                self.in_flight.retain(|other| id_of_call(other) != Some(call_id));
                return;
            }
            Effect::CancelQuestion { question } => {
                self.in_flight.retain(|other| !matches!(other, Effect::Ask { question: q } if q == question));
                return;
            }
            Effect::SetTimer { timer, .. } => {
                self.in_flight
                    .retain(|other| !matches!(other, Effect::SetTimer { timer: t, .. } if t == timer));
            }
            Effect::RememberPermission { .. } | Effect::ConsumeInbox { .. } | Effect::ResumeTool { .. } => {
                self.noted.push(effect);
                return;
            }
            Effect::CheckPermission { .. }
            | Effect::CheckApproval { .. }
            | Effect::Ask { .. }
            | Effect::Persist { .. }
            | Effect::Emit(_)
            | Effect::Finish { .. } => {}
        }
        self.in_flight.push(effect);
    }

    fn ended(&mut self, ended: impl Fn(&Effect) -> bool) {
        self.in_flight.retain(|effect| !ended(effect));
    }

    // ---- what people and programs do -----------------------------------------------------------------------------

    pub fn ask(&mut self, id: &str, text: &str) {
        self.request(id, text, WhenBusy::Queue);
    }

    pub fn request(&mut self, id: &str, text: &str, when_busy: WhenBusy) {
        self.step(Input::Request(Box::new(request(id, text, when_busy))));
    }

    pub fn answer(&mut self, answer: Answer) {
        let question = self.run.questions().next().expect("a question is open").id.clone();
        self.step(Input::Answered { question, answer });
    }

    pub fn allow(&mut self) {
        self.answer(Answer::Allow { remember: false });
    }

    pub fn deny(&mut self) {
        self.answer(Answer::Deny { remember: false, reason: None });
    }

    pub fn abort(&mut self) {
        self.step(Input::Aborted { why: AbortReason::User });
    }

    pub fn configure(&mut self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.run.settings().clone();
        change(&mut settings);
        self.step(Input::Configured { settings: Box::new(settings), before_recovered: false });
    }

    // ---- what comes of work --------------------------------------------------------------------------------------

    /// The number of the model call that is in flight.
    pub fn model_call(&self) -> u64 {
        let call = self.in_flight.iter().find_map(|effect| match effect {
            Effect::CallModel { call } | Effect::Compact { call } => Some(*call),
            _ => None,
        });
        call.expect("a model call is in flight")
    }

    pub fn model_answers(&mut self, reply: Reply) {
        let call = self.model_call();
        let compacts = self.in_flight.contains(&Effect::Compact { call });
        self.ended(|effect| matches!(effect, Effect::CallModel { call: c } | Effect::Compact { call: c } if *c == call));
        self.step(match compacts {
            true => Input::Compacted { call, reply, carry: Default::default() },
            false => Input::ModelFinished { call, reply },
        });
    }

    pub fn model_says(&mut self, text: &str) {
        self.model_answers(says(text));
    }

    pub fn model_calls(&mut self, calls: &[(&str, &str, &str)]) {
        self.model_answers(calls_tools(calls));
    }

    pub fn model_fails(&mut self, partial: &str) {
        let call = self.model_call();
        self.ended(|effect| matches!(effect, Effect::CallModel { .. } | Effect::Compact { .. }));
        let error = ModelError::new(ModelErrorKind::Network, "the line is dead");
        self.step(Input::ModelFailed { call, error, partial: partial.to_owned() });
    }

    pub fn tool_ends(&mut self, call_id: &str, outcome: ToolOutcome) {
        self.ended(|effect| matches!(effect, Effect::RunTool { call_id: id, .. } if id == call_id));
        self.step(Input::ToolFinished { call_id: call_id.to_owned(), outcome });
    }

    pub fn tool_returns(&mut self, call_id: &str, data: &str) {
        self.tool_ends(call_id, returned(data));
    }

    pub fn tool_throws(&mut self, call_id: &str, error: &str) {
        self.tool_ends(call_id, ToolOutcome::Threw(error.to_owned()));
    }

    /// A running tool shows something in the task in which it was told something.
    pub fn pushes(&mut self, call_id: &str, at: usize, slot: Slot) {
        self.step(Input::SlotPushed { call_id: call_id.to_owned(), at, slot, deterministic: true });
    }

    pub fn settles(&mut self, slot: &str, answer: SlotAnswer) {
        self.step(Input::SlotSettled { slot: slot.to_owned(), answer });
    }

    pub fn permission_is(&mut self, call_id: &str, verdict: PermissionVerdict) {
        self.ended(|effect| matches!(effect, Effect::CheckPermission { call_id: id } if id == call_id));
        self.step(Input::PermissionChecked { call_id: call_id.to_owned(), verdict });
    }

    pub fn approval_is(&mut self, call_id: &str, verdict: ApprovalVerdict) {
        self.ended(|effect| matches!(effect, Effect::CheckApproval { call_id: id } if id == call_id));
        self.step(Input::ApprovalChecked { call_id: call_id.to_owned(), verdict });
    }

    pub fn undo_ends(&mut self, call_id: &str, error: Option<&str>) {
        self.ended(|effect| matches!(effect, Effect::RunUndo { call_id: id } if id == call_id));
        self.step(Input::UndoFinished { call_id: call_id.to_owned(), error: error.map(str::to_owned) });
    }

    /// Lets the timer that is set run out, and says how long it was set for.
    pub fn timer_fires(&mut self) -> u64 {
        let at = self.in_flight.iter().position(|effect| matches!(effect, Effect::SetTimer { .. }));
        let Effect::SetTimer { timer, after_ms } = self.in_flight.remove(at.expect("a timer is set")) else {
            unreachable!()
        };
        self.at += after_ms;
        self.step(Input::TimerFired { timer });
        after_ms
    }

    // ---- what is to be seen --------------------------------------------------------------------------------------

    /// The record, one line a message.
    pub fn record(&self) -> Vec<String> {
        self.run.messages().iter().map(|message| line(message)).collect()
    }

    pub fn last_finish(&self) -> &(String, Outcome) {
        self.finishes.last().expect("a request has finished")
    }

    pub fn last_outcome(&self) -> &'static str {
        self.last_finish().1.name()
    }

    /// The results of the last batch: status and what the model reads.
    pub fn results(&self) -> Vec<(ToolStatus, String)> {
        let message = self.run.messages().iter().rev().find(|message| message.tool_results.is_some());
        let results = message.expect("results are in the record").results();
        results.iter().map(|result| (result.result.status, result.text_for_model())).collect()
    }

    pub fn question_kind(&self) -> Option<QuestionKind> {
        self.run.questions().next().map(|question| question.kind)
    }

    pub fn guards(&self) -> Vec<String> {
        let guard = |event: &Event| match event {
            Event::Guard { rule, .. } => Some(format!("{rule:?}")),
            _ => None,
        };
        self.events.iter().filter_map(guard).collect()
    }
}

// ---- short ways to write things ------------------------------------------------------------------------------------

pub fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

pub fn request(id: &str, text: &str, when_busy: WhenBusy) -> Request {
    Request {
        id: id.to_owned(),
        message: Message::user(text),
        when_busy,
        regenerate: false,
        edits: None,
        inbox: Vec::new(),
    }
}

pub fn used(tokens_in: u64, tokens_out: u64) -> Usage {
    Usage { tokens_in, tokens_out, ..Usage::default() }
}

pub fn says(text: &str) -> Reply {
    Reply { messages: vec![Message::agent(text)], usage: used(10, 5), ..Reply::default() }
}

/// An answer with calls: the tool's name, the call's id (empty for none) and the raw arguments.
pub fn calls_tools(calls: &[(&str, &str, &str)]) -> Reply {
    let call = |&(name, id, args): &(&str, &str, &str)| {
        ToolCall::from_model(name, (!id.is_empty()).then(|| id.to_owned()), args)
    };
    let message = Message::agent("").with_calls(calls.iter().map(call).collect());
    Reply { messages: vec![message], usage: used(10, 5), ..Reply::default() }
}

pub fn returned(data: &str) -> ToolOutcome {
    ToolOutcome::Returned { result: ToolResultData::success(json(data)), outputs: Vec::new() }
}

pub fn slot(id: &str, renderer: &str, input: &str, waits: bool) -> Slot {
    Slot {
        id: id.to_owned(),
        renderer: renderer.to_owned(),
        input: json(input),
        owner: None,
        waits,
        created_at: 1,
        status: SlotStatus::Pending,
        answer: None,
    }
}

pub fn tool(name: &str) -> ToolSpec {
    ToolSpec::new(name)
}

pub fn guarded(name: &str) -> ToolSpec {
    ToolSpec { permission: Gate::Always, ..ToolSpec::new(name) }
}

pub fn approved(name: &str) -> ToolSpec {
    ToolSpec { approval: Gate::Always, ..ToolSpec::new(name) }
}

pub fn parallel(name: &str) -> ToolSpec {
    ToolSpec { parallel: true, ..ToolSpec::new(name) }
}

pub fn idempotent(name: &str) -> ToolSpec {
    ToolSpec { idempotent: true, ..ToolSpec::new(name) }
}

pub fn undoable(name: &str) -> ToolSpec {
    ToolSpec { undo: true, ..ToolSpec::new(name) }
}

pub fn broken_store() -> StoreError {
    StoreError::new(StoreErrorKind::Quota, "the disk is full")
}

pub fn id_of_call(effect: &Effect) -> Option<&String> {
    match effect {
        Effect::RunTool { call_id, .. }
        | Effect::RunUndo { call_id }
        | Effect::CheckPermission { call_id }
        | Effect::CheckApproval { call_id } => Some(call_id),
        _ => None,
    }
}

pub fn lines(view: View<'_>) -> Vec<String> {
    view.iter().map(line).collect()
}

/// `user: text`, `agent: text [tool(args)#id]`, `results: id=text`.
pub fn line(message: &Message) -> String {
    if let Some(results) = &message.tool_results {
        let result = |result: &glove_wasm::message::ToolResult| {
            format!("{}={}", result.call_id.as_deref().unwrap_or("?"), result.text_for_model())
        };
        return format!("results: {}", results.iter().map(result).collect::<Vec<_>>().join(" | "));
    }
    let mut line = match message.sender {
        Sender::User => format!("user: {}", message.text),
        Sender::Agent => format!("agent: {}", message.text),
    };
    for call in message.calls() {
        line.push_str(&format!("[{}({})#{}]", call.tool_name, call.input_args, call.id()));
    }
    line
}

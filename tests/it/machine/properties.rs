//! Whatever happens in whatever order: the machine never panics, loses nothing, answers each call once, and can be
//! stored, restored and replayed at any point.

use std::collections::HashSet;

use crate::machine::prompt_record::{
    assert_no_model_reads_what_is_for_people, assert_prompts_are_the_record, assert_prompts_lose_nothing,
    said, shows,
};
use crate::support::machine::*;
use crate::support::script::assert_in_flight_is_outstanding;
use glove_wasm::display::Slot;
use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::event::{Event, QuestionKind};
use glove_wasm::message::{Message, ToolCall, ToolStatus, Usage};
use glove_wasm::run::effect::{Effect, Outcome};
use glove_wasm::run::input::{
    AbortReason, Answer, ApprovalVerdict, Input, PermissionVerdict, Reply, Request, ToolOutcome, WhenBusy,
};
use glove_wasm::run::log::{SlotAnswer, StepResult};
use glove_wasm::run::settings::{Budgets, Compaction, Limits, Settings};
use glove_wasm::run::{PhaseName, Run};
use glove_wasm::tool::{Gate, OnInterrupted, ToolSpec};
use proptest::prelude::*;

/// Three numbers that `Player::act` reads as something that happens.
type Move = (u8, u8, u8);

const TOOLS: [&str; 8] = ["look", "flaky", "rm", "pay", "add", "commit", "__proto__", "gone"];

fn kit(x: u8) -> Settings {
    let gate = |on: bool| if on { Gate::ByInput } else { Gate::Always };
    let mut tools = vec![
        ToolSpec { parallel: true, idempotent: x & 1 != 0, ..ToolSpec::new("look") },
        ToolSpec { parallel: x & 2 != 0, retries: 2, idempotent: true, ..ToolSpec::new("flaky") },
        ToolSpec { permission: gate(x & 4 != 0), ..ToolSpec::new("rm") },
        ToolSpec { approval: gate(x & 8 != 0), permission: gate(x & 16 != 0), ..ToolSpec::new("pay") },
        ToolSpec { undo: true, parallel: x & 32 != 0, ..ToolSpec::new("add") },
        ToolSpec { un_abortable: true, parallel: x & 64 != 0, ..ToolSpec::new("commit") },
        ToolSpec { on_interrupted: Some(OnInterrupted::Fail), ..ToolSpec::new("__proto__") },
    ];
    tools.truncate(7 - usize::from(x / 86));
    let mut settings = Settings { tools, ..Settings::default() };
    settings.compaction =
        Compaction { context_limit: 60, every_turns: (x & 2 != 0).then_some(5), ..Compaction::default() };
    settings.limits = Limits { turns: 12, calls_per_turn: 4, undo_steps: 3, ..Limits::default() };
    settings.budgets = match x % 7 {
        0 => Budgets { turns: Some(3), ask: x & 8 != 0, ..Budgets::default() },
        1 => Budgets { tool_calls: Some(2), ask: x & 8 != 0, ..Budgets::default() },
        2 => Budgets { wall_clock_ms: Some(2_000), cost: Some(0.5), ask: x & 8 != 0, ..Budgets::default() },
        3 => Budgets { tokens: Some(150), ..Budgets::default() },
        _ => Budgets::default(),
    };
    settings
}

struct Player {
    world: World,
    first: Settings,
    requests: usize,
    /// The request that runs, when its `Finish` has not come.
    running: Option<String>,
    /// Calls and what of them a check or a person has allowed.
    cleared: HashSet<(String, QuestionKindName)>,
    /// Calls that may run once more than they have.
    may_rerun: HashSet<String>,
    finished: usize,
    started: usize,
    ran: HashSet<String>,
    runs_seen: usize,
    checkpoints: Vec<(usize, String, usize)>,
}

type QuestionKindName = &'static str;

impl Player {
    fn new(x: u8) -> Self {
        let first = kit(x);
        Player {
            world: World::new(first.clone()),
            first,
            requests: 0,
            running: None,
            cleared: HashSet::new(),
            may_rerun: HashSet::new(),
            finished: 0,
            started: 0,
            ran: HashSet::new(),
            runs_seen: 0,
            checkpoints: Vec::new(),
        }
    }

    fn act(&mut self, (kind, x, y): Move) {
        self.world.at = (self.world.at + u64::from(y) * 7).saturating_sub(if x % 5 == 0 { 900 } else { 0 });
        match kind % 32 {
            0..=11 => self.answer(x, y),
            12..=17 => match deed(x, y, &self.world.run) {
                Some(deed) => self.take(&deed),
                None => self.answer(x, y),
            },
            18..=20 => {
                self.requests += usize::from(x % 7 != 0);
                let busy = [WhenBusy::Queue, WhenBusy::Drop, WhenBusy::Interrupt][usize::from(y) % 3];
                let mut asked = request(&format!("r{}", self.requests), "q", busy);
                asked.message = said("q", y);
                let edits = (y % 5 == 0).then(|| message_id(x, &self.world.run));
                self.take(&Input::Request(Box::new(Request { edits, regenerate: y % 11 == 1, ..asked })));
            }
            21 => {
                self.requests += 1;
                self.take(&Input::Undo { request: format!("r{}", self.requests), steps: u32::from(x % 4) });
            }
            22 => self.take(&Input::Aborted { why: AbortReason::User }),
            23 => {
                let _ = self.world.run.step(self.world.at, Input::Aborted { why: AbortReason::HostGone });
                self.die();
            }
            24 => self.take(&Input::Configured { settings: Box::new(kit(y)), before_recovered: false }),
            25 | 26 => self.take(&Input::Resumed),
            27 => {
                self.world.store_is_broken = true;
                self.act((x % 25, y, x));
                self.world.store_is_broken = false;
            }
            28 => {
                let call = u64::from(y % 16);
                self.take(&Input::ModelPartial { call, text: "so far".repeat(usize::from(x % 3)), from: 0 });
            }
            _ => {
                let input = stray(x, y, &self.world.run);
                self.take(&input);
            }
        }
        self.check(kind.wrapping_add(x) % 8 == 0);
    }

    /// What is in flight comes to an end, in one way or another.
    fn answer(&mut self, x: u8, y: u8) {
        if self.world.in_flight.is_empty() {
            return;
        }
        let effect = self.world.in_flight[usize::from(x) % self.world.in_flight.len()].clone();
        let failed = || ModelError::new(ModelErrorKind::Cut, "cut");
        let input = match &effect {
            Effect::CallModel { call } if y.is_multiple_of(9) => Input::ModelFailed {
                call: *call,
                error: failed(),
                partial: "half".repeat(usize::from(y % 2)),
            },
            Effect::CallModel { call } => Input::ModelFinished { call: *call, reply: reply(x, y) },
            Effect::Compact { call } if y.is_multiple_of(4) => {
                Input::ModelFailed { call: *call, error: failed(), partial: String::new() }
            }
            Effect::Compact { call } => {
                let reply = says(if y.is_multiple_of(5) { "" } else { "S" });
                Input::Compacted { call: *call, reply, carry: Default::default() }
            }
            Effect::CheckPermission { call_id } => {
                use PermissionVerdict::{Denied, Failed, Granted, NotNeeded, Unset};
                let verdict = [Granted, Unset, NotNeeded, Denied, Unset, Failed("no".into())]
                    [usize::from(y) % 6]
                    .clone();
                Input::PermissionChecked { call_id: call_id.clone(), verdict }
            }
            Effect::CheckApproval { call_id } => {
                use ApprovalVerdict::{Failed, Invalid, Needed, NotNeeded};
                let verdict = [
                    Needed { reason: None },
                    NotNeeded,
                    Needed { reason: Some("!".into()) },
                    Invalid(vec![]),
                    Failed("no".into()),
                ][usize::from(y) % 5]
                    .clone();
                Input::ApprovalChecked { call_id: call_id.clone(), verdict }
            }
            Effect::Ask { question } => {
                let remember = x.is_multiple_of(2);
                let answer = if y.is_multiple_of(3) {
                    Answer::Deny { remember, reason: None }
                } else {
                    Answer::Allow { remember }
                };
                Input::Answered { question: question.clone(), answer }
            }
            Effect::RunTool { call_id, .. } => {
                let outcome = match y % 8 {
                    0 | 1 => ToolOutcome::Threw("boom".into()),
                    2 => ToolOutcome::Invalid(vec![]),
                    3 => ToolOutcome::Rejected(None),
                    _ => shows(&y.to_string(), x),
                };
                Input::ToolFinished { call_id: call_id.clone(), outcome }
            }
            Effect::RunUndo { call_id } => Input::UndoFinished {
                call_id: call_id.clone(),
                error: y.is_multiple_of(3).then(|| "no".into()),
            },
            Effect::SetTimer { timer, .. } => Input::TimerFired { timer: *timer },
            other => panic!("{other:?} does not wait"),
        };
        self.world.in_flight.retain(|other| *other != effect);
        let refused = self.offer(&input);
        let unheard = matches!(effect, Effect::SetTimer { .. });
        assert!(!refused || unheard || self.world.run.phase() == PhaseName::Paused, "{effect:?} was refused");
    }

    fn take(&mut self, input: &Input) {
        self.offer(input);
    }

    /// True when the run refuses the input; then it must be what it was.
    fn offer(&mut self, input: &Input) -> bool {
        let before = self.world.run.clone();
        let note = self.what_it_allows(input, &before);
        let (mut reissued, halted) = (false, before.phase() == PhaseName::Paused);
        match input {
            Input::Resumed => reissued = true,
            Input::Recovered => {
                self.may_rerun.extend(reruns(&before));
                // The run is not told why: whoever reads its journal comes to the same.
                let records = self.world.store.records.iter().zip(&self.world.effects);
                let records: Vec<_> = records.map(|(record, effects)| (&record.input, effects)).collect();
                let whole = running(&before).into_iter().filter(|call_id| is_whole(call_id, &records));
                self.may_rerun.extend(whole);
            }
            _ => {}
        }
        let steps = self.world.effects.len();
        match self.world.try_step(input.clone()) {
            Err(_) => {
                assert_eq!(self.world.run, before, "{input:?} was refused and changed something");
                // Looking at what is unsaved writes a checkpoint, so not each time.
                if self.requests.is_multiple_of(4) {
                    let (now, then) = (self.world.run.unsaved(), before.unsaved());
                    assert_eq!(
                        (now.first_message, now.messages, now.records, now.seq),
                        (then.first_message, then.messages, then.records, then.seq)
                    );
                }
                return true;
            }
            Ok(()) => {
                self.cleared.extend(note.clone());
                if reissued {
                    self.running = before.request().map(str::to_owned);
                }
                let allowed_again = note.into_iter().filter(|(_, kind)| *kind == "again").map(|(id, _)| id);
                self.may_rerun.extend(allowed_again);
            }
        }
        let then = before.messages();
        assert_eq!(&self.world.run.messages()[..then.len()], then, "the record only grows");
        if halted && self.world.run.phase() == PhaseName::Paused {
            let begun = |effect: &&Effect| {
                use Effect::{CallModel, Compact, RunTool, RunUndo, SetTimer};
                matches!(effect, CallModel { .. } | Compact { .. } | RunTool { .. } | RunUndo { .. })
                    || matches!(effect, SetTimer { after_ms: 0, .. })
            };
            let requests = matches!(
                input,
                Input::Request(_) | Input::Resumed | Input::Undo { .. } | Input::Aborted { .. }
            );
            assert!(requests || !self.world.effects[steps].iter().any(|effect| begun(&effect)), "{input:?}");
        }
        self.follow_finishes();
        self.follow_runs();
        false
    }

    /// What a call may do after this input that it was not allowed before.
    fn what_it_allows(&self, input: &Input, run: &Run) -> Vec<(String, QuestionKindName)> {
        let always = |call_id: &str, gate: fn(&ToolSpec) -> Gate| {
            let name = run.call(call_id).map(|call| call.tool_name.to_owned());
            run.settings()
                .tools
                .iter()
                .any(|tool| Some(&tool.name) == name.as_ref() && gate(tool) == Gate::Always)
        };
        match input {
            Input::PermissionChecked { call_id, verdict: PermissionVerdict::Granted } => {
                vec![(call_id.clone(), "permission")]
            }
            Input::PermissionChecked { call_id, verdict: PermissionVerdict::NotNeeded }
                if !always(call_id, |tool| tool.permission) =>
            {
                vec![(call_id.clone(), "permission")]
            }
            Input::ApprovalChecked { call_id, verdict: ApprovalVerdict::NotNeeded }
                if !always(call_id, |tool| tool.approval) =>
            {
                vec![(call_id.clone(), "approval")]
            }
            Input::Answered { question, answer: Answer::Allow { .. } } => {
                let Some(question) = run.question(question) else { return Vec::new() };
                let kind = match question.kind {
                    QuestionKind::Permission => "permission",
                    QuestionKind::Approval => "approval",
                    QuestionKind::Interrupted => "again",
                    QuestionKind::Budget => return Vec::new(),
                };
                vec![(question.call_id.clone().unwrap(), kind)]
            }
            Input::ToolFinished { call_id, outcome: ToolOutcome::Threw(_) } => {
                let flaky = run.call(call_id).is_some_and(|call| call.tool_name == "flaky");
                if flaky { vec![(call_id.clone(), "again")] } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    /// `Finish` comes exactly once each time that a request runs.
    fn follow_finishes(&mut self) {
        let starts: Vec<String> = self.world.events[self.started..]
            .iter()
            .filter_map(|event| match event {
                Event::RequestStarted { request } => Some(request.clone()),
                _ => None,
            })
            .collect();
        self.started = self.world.events.len();
        let mut open: Vec<String> = self.running.take().into_iter().chain(starts).collect();
        for (request, outcome) in &self.world.finishes[self.finished..] {
            if let (Outcome::Dropped, false) = (outcome, open.contains(request)) {
                continue;
            }
            // A drop that could not be written is told as the store's failure.
            let at = open.iter().position(|id| id == request);
            match (at, outcome) {
                (Some(at), _) => drop(open.remove(at)),
                (None, Outcome::StoreFailed(_) | Outcome::Switched) => {}
                (None, _) => panic!("{request} finished, but it did not run"),
            }
        }
        self.finished = self.world.finishes.len();
        let runs = self.world.run.request().filter(|_| self.world.run.phase() != PhaseName::Paused);
        assert_eq!(open, runs.map(str::to_owned).into_iter().collect::<Vec<_>>());
        self.running = open.pop();
    }

    /// No tool runs unasked, and none twice in silence.
    fn follow_runs(&mut self) {
        for call_id in self.world.runs[self.runs_seen..].iter().cloned() {
            let answer =
                self.world.run.messages().iter().rev().find(|message| !message.calls().is_empty()).unwrap();
            assert!(answer.calls().iter().any(|call| call.id() == call_id) && !answer.partial);
            if !self.ran.insert(call_id.clone()) {
                assert!(self.may_rerun.remove(&call_id), "{call_id} ran again");
            }
            let call = answer.calls().iter().find(|call| call.id() == call_id).unwrap();
            for (name, gates) in [("rm", &["permission"][..]), ("pay", &["permission", "approval"])] {
                if call.tool_name == name {
                    assert!(
                        gates.iter().all(|gate| self.cleared.contains(&(call_id.clone(), *gate))),
                        "{call_id} ran unasked"
                    );
                }
            }
        }
        self.runs_seen = self.world.runs.len();
    }

    /// The process is gone; another one takes over with what the store has.
    fn die(&mut self) {
        let records = self.world.store.records.len();
        let effects = self.world.effects[..records].to_vec();
        let at = self.world.at;
        // A session of which nothing was written begins anew, with the settings that it began with.
        self.world = match self.world.store.checkpoint {
            Some(_) => self.world.restart(),
            None => World::new(self.first.clone()),
        };
        (self.world.at, self.world.effects) = (at, effects);
        (self.finished, self.started, self.runs_seen) = (0, 0, 0);
        self.running = self
            .world
            .run
            .request()
            .filter(|_| self.world.run.phase() != PhaseName::Paused)
            .map(str::to_owned);
        self.checkpoints.retain(|(steps, _, _)| *steps <= records);
        if self.world.run.phase() != PhaseName::Idle {
            self.take(&Input::Recovered);
        }
    }

    fn check(&mut self, deeply: bool) {
        let run = &self.world.run;
        assert_every_call_is_answered_once(run);
        if run.phase() != PhaseName::Paused {
            assert_in_flight_is_outstanding(&self.world);
        }
        if deeply {
            assert_prompts_lose_nothing(run);
            assert_prompts_are_the_record(run);
            assert_no_model_reads_what_is_for_people(run);
            let checkpoint = run.checkpoint();
            let again = Run::restore(&checkpoint, run.messages().to_vec(), Vec::new()).unwrap();
            assert_eq!(&again, run);
            assert_eq!((again.outstanding(), again.phase()), (run.outstanding(), run.phase()));
            assert!(again.model_request().iter().eq(run.model_request().iter()));
            self.checkpoints.push((self.world.effects.len(), checkpoint, run.messages().len()));
        }
    }

    /// The journal alone gives the same run and the same effects, from its start and from every checkpoint.
    fn replay(&self) {
        let mut records = self.world.store.records.clone();
        records.extend_from_slice(self.world.run.unsaved().records);
        assert_eq!(records.len(), self.world.effects.len());
        let start = (0, Run::new(self.first.clone(), Vec::new()));
        let messages = self.world.run.messages();
        let mut restored = self.checkpoints.iter().map(|(steps, checkpoint, known)| {
            (*steps, Run::restore(checkpoint, messages[..*known].to_vec(), Vec::new()).unwrap())
        });
        for (steps, mut run) in std::iter::once(start).chain(restored.next_back()) {
            for (record, effects) in records.iter().zip(&self.world.effects).skip(steps) {
                let written = serde_json::to_string(record).unwrap();
                let read: glove_wasm::run::journal::Record = serde_json::from_str(&written).unwrap();
                assert_eq!(&run.step(read.at, read.input).unwrap(), effects);
            }
            assert_eq!(run, self.world.run);
        }
    }
}

/// Calls that were running and whose tools may be run again when their process died.
fn reruns(run: &Run) -> Vec<String> {
    let again = |call_id: &String| {
        let tools = &run.settings().tools;
        let name = run.call(call_id).map(|call| call.tool_name);
        let tool = tools.iter().find(|tool| Some(tool.name.as_str()) == name);
        tool.is_some_and(|tool| tool.when_interrupted() == OnInterrupted::Rerun)
    };
    running(run).into_iter().filter(again).collect()
}

/// All that a tool did since it was entered first is in the journal, and it waits for a person.
fn is_whole(call_id: &str, records: &[(&Input, &Vec<Effect>)]) -> bool {
    let (mut gaps, mut waits) = (false, false);
    let (mut open, mut steps) = (HashSet::new(), HashSet::new());
    let told = |gaps: &mut bool, waits: &mut bool| {
        *gaps |= !*waits;
        *waits = false;
    };
    for (input, effects) in records {
        match input {
            Input::SlotPushed { call_id: of, slot, deterministic, .. } if of == call_id => {
                gaps |= !deterministic;
                if slot.waits {
                    open.insert(slot.id.as_str());
                    waits = true;
                }
            }
            Input::SlotSettled { slot, .. } if open.remove(slot.as_str()) => told(&mut gaps, &mut waits),
            Input::SlotsRemoved { slots } => {
                for _ in slots.iter().filter(|slot| open.remove(slot.as_str())) {
                    told(&mut gaps, &mut waits);
                }
            }
            Input::StepBegun { call_id: of, key, deterministic } if of == call_id => {
                gaps |= !deterministic;
                waits = true;
                steps.insert(key.as_str());
            }
            Input::StepDone { call_id: of, key, .. } if of == call_id => {
                steps.remove(key.as_str());
                told(&mut gaps, &mut waits);
            }
            Input::UntrackedWork { call_id: of } if of == call_id => gaps = true,
            Input::ReplayDiverged { call_id: of } | Input::ToolFinished { call_id: of, .. }
                if of == call_id =>
            {
                open.clear();
            }
            _ => {}
        }
        let enters = |effect: &Effect| matches!(effect, Effect::RunTool { call_id: of, .. } if of == call_id);
        // What goes on after a failure of the store was entered before; after a death it is entered, now or when it goes on.
        let enters = match input {
            Input::Recovered => true,
            Input::Resumed => false,
            _ => effects.iter().any(enters),
        };
        if enters {
            waits = false;
            if !matches!(input, Input::Recovered) {
                steps.clear();
            }
        }
    }
    !gaps && waits && !open.is_empty() && steps.is_empty()
}

/// Something that a running tool does.
fn deed(x: u8, y: u8, run: &Run) -> Option<Input> {
    let calls = running(run);
    let call_id = calls.get(usize::from(x) % calls.len().max(1))?.clone();
    let log = run.log(&call_id)?;
    let (deterministic, count) = (!y.is_multiple_of(6), log.slots.len());
    let id = |n: usize| format!("{call_id}.s{n}");
    let slot = |n: usize, waits: bool| Input::SlotPushed {
        call_id: call_id.clone(),
        at: n,
        slot: slot(&id(n), if y.is_multiple_of(2) { "a" } else { "b" }, &format!("[{n}]"), waits),
        deterministic,
    };
    let open: Vec<String> = log.open().map(|slot| slot.id.clone()).collect();
    let key = format!("1 {}", y % 3);
    Some(match y % 11 {
        0 => slot(count, false),
        1..=3 => slot(count, true),
        4 | 5 => {
            let slot = open.get(usize::from(x) % open.len().max(1))?.clone();
            use SlotAnswer::{Cleared, Rejected, Removed, Value};
            let answer = [Value(json("1")), Value(json("{}")), Rejected(None), Removed, Cleared]
                [usize::from(x) % 5]
                .clone();
            Input::SlotSettled { slot, answer }
        }
        // It is shown again, as it was.
        6 if count > 0 => {
            let at = usize::from(x) % count;
            let slot = log.slots[at].slot.clone();
            let asked = log.slots[at].slot.waits && log.open().any(|open| open.id == slot.id);
            let slot = Slot { waits: asked, ..slot };
            Input::SlotPushed { call_id, at, slot, deterministic }
        }
        7 => {
            if log.steps.iter().any(|step| step.key == key) {
                let result = StepResult::Returned(json("1"));
                Input::StepDone { call_id, key, result }
            } else {
                Input::StepBegun { call_id, key, deterministic }
            }
        }
        8 => Input::SlotsRemoved { slots: vec![id(usize::from(x) % 3), "unheard of".to_owned()] },
        9 => Input::UntrackedWork { call_id },
        _ => Input::ReplayDiverged { call_id },
    })
}

fn running(run: &Run) -> Vec<String> {
    let again = |effect: Effect| match effect {
        Effect::RunTool { call_id, .. } => Some(call_id),
        _ => None,
    };
    // Halted runs give out the work when they go on.
    let mut going = run.clone();
    let _ = going.step(0, Input::Resumed);
    run.outstanding().into_iter().chain(going.outstanding()).filter_map(again).collect()
}

fn reply(x: u8, y: u8) -> Reply {
    let usage = Usage { cost: Some(f64::from(x) / 300.0), ..used(u64::from(y), 5) };
    let calls = usize::from(x) % 7;
    if calls < 2 {
        return Reply { usage, ..says("done") };
    }
    let call = |n: usize| {
        let name = if (n + usize::from(y)).is_multiple_of(11) {
            "undo_last_action"
        } else {
            TOOLS[(n * 3 + usize::from(y)) % 8]
        };
        let args = ["{}", "", r#"{"steps":2}"#, r#"{"__proto__":1}"#, r#"{"a""#][(n + usize::from(x)) % 5];
        ToolCall::from_model(name, [None, Some("c".to_owned()), Some(format!("c{x}"))][n % 3].clone(), args)
    };
    let message = Message::agent("calling").with_calls((0..calls - 1).map(call).collect());
    Reply { messages: vec![message], usage, ..Reply::default() }
}

/// What nobody waits for, or what comes too late.
fn message_id(x: u8, run: &Run) -> String {
    let ids: Vec<&String> = run.messages().iter().filter_map(|message| message.id.as_ref()).collect();
    if ids.is_empty() { "none".to_owned() } else { ids[usize::from(x) % ids.len()].clone() }
}

fn stray(x: u8, y: u8, run: &Run) -> Input {
    let call_id = match run.messages().iter().flat_map(|message| message.calls()).nth(usize::from(y)) {
        Some(call) if x.is_multiple_of(2) => call.id().to_owned(),
        _ => "unheard of".to_owned(),
    };
    let call = 1_000 + u64::from(y);
    match x % 13 {
        11 | 12 => Input::Switch { request: format!("s{y}"), message: message_id(y, run) },
        8 => Input::SlotSettled { slot: call_id, answer: SlotAnswer::Removed },
        9 => Input::SlotsRemoved { slots: vec![call_id] },
        10 => Input::ReplayDiverged { call_id: format!("not {call_id}") },
        0 | 1 => Input::UndoFinished { call_id: format!("not {call_id}"), error: None },
        2 => Input::ModelFinished { call, reply: says("late") },
        3 => Input::Compacted { call, reply: says("late"), carry: Default::default() },
        4 => Input::TimerFired { timer: call },
        5 => Input::Answered { question: call_id, answer: Answer::Allow { remember: true } },
        6 => Input::PermissionChecked {
            call_id: format!("not {call_id}"),
            verdict: PermissionVerdict::Granted,
        },
        _ => Input::ToolFinished { call_id: format!("not {call_id}"), outcome: returned("1") },
    }
}

/// Results follow their answer at once, in its order, and nothing else holds results.
fn assert_every_call_is_answered_once(run: &Run) {
    let messages = run.messages();
    let mut ids = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        assert!(message.calls().iter().all(|call| ids.insert(call.id())), "an id is used twice");
        if message.calls().is_empty() {
            continue;
        }
        let asked: Vec<&str> = message.calls().iter().map(ToolCall::id).collect();
        match messages.get(index + 1) {
            None => assert!(run.has_open_calls()),
            Some(next) => {
                let answered: Vec<&str> =
                    next.results().iter().map(|result| result.call_id.as_deref().unwrap()).collect();
                assert_eq!(asked, answered);
                assert!(next.results().iter().all(|result| result.result.status != ToolStatus::Pending));
            }
        }
    }
    let batches = messages.iter().filter(|message| !message.calls().is_empty()).count();
    let results = messages.iter().filter(|message| message.tool_results.is_some()).count();
    assert_eq!(batches - usize::from(run.has_open_calls()), results);
}

fn play(first: u8, moves: Vec<Move>) {
    let mut player = Player::new(first);
    player.act((18, 1, 0));
    for one in moves {
        player.act(one);
    }
    player.replay();
}

/// `MORE_CASES=20` looks twenty times as far.
fn cases(cases: u32) -> ProptestConfig {
    let times = std::env::var("MORE_CASES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    ProptestConfig { cases: cases * times, failure_persistence: None, ..ProptestConfig::default() }
}

#[test]
fn a_tool_that_waits_while_the_store_fails_is_entered_again_after_its_process_died() {
    let fails = [(251, 166, 0), (121, 0, 0), (59, 65, 0), (0, 0, 0), (59, 0, 0), (215, 0, 0)];
    play(4, [&[(64, 109, 137)][..], &fails, &[(0, 0, 0); 5]].concat());
}

#[test]
fn what_a_call_took_back_is_so_on_a_branch_without_this_call() {
    let begins =
        [(114, 0, 2), (96, 203, 60), (50, 15, 91), (192, 0, 12), (32, 17, 1), (160, 0, 0), (64, 104, 28)];
    let undoes = [(0, 0, 0), (123, 49, 0), (18, 1, 26), (96, 72, 11), (96, 0, 4), (242, 157, 110)];
    play(59, [&begins[..], &undoes].concat());
}

#[test]
fn a_prompt_that_nobody_wrote_is_not_begun_again_by_an_edit_of_what_came_behind_it() {
    let moves = [(178, 0, 41), (210, 1, 0), (0, 7, 1), (146, 22, 191), (0, 5, 1), (82, 40, 105), (86, 0, 0)];
    play(0, [&moves[..], &[(0, 0, 0); 5]].concat());
}

// Ten thousand in all; two tests, so that they run at the same time.

proptest! {
    #![proptest_config(cases(8_500))]

    #[test]
    fn whatever_happens_in_a_short_life_the_run_keeps_its_promises(
        first: u8,
        moves in prop::collection::vec(any::<Move>(), 0..12),
    ) {
        play(first, moves);
    }
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn whatever_happens_in_a_long_life_the_run_keeps_its_promises(
        first: u8,
        moves in prop::collection::vec(any::<Move>(), 12..44),
    ) {
        play(first, moves);
    }
}

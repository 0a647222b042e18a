//! Where a run is: plain data, small, and all of it stored.

use crate::event::{Question, Rule};
use crate::json::Json;
use crate::json::codec::{record, through_codec, variants};
use crate::message::{KeptRange, SideOutput, ToolResultData, Usage};
use crate::run::input::{Request, Validated};
use crate::run::log::Log;
use crate::run::settings::Settings;

record! {
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct State {
        "settings" => required pub settings: Settings,
        "phase" => required pub phase: Phase,
        "current" => plain pub current: Option<Current>,
        /// Why nothing new is begun, although the phase would allow it.
        "halt" => optional pub halt: Halt,
        "queue" => skipped pub queue: Vec<Request>,
        "undo" => skipped pub undo: Vec<UndoEntry>,
        /// Calls that the answer being worked on has taken back.
        "undone" => skipped pub undone: Vec<String>,
        /// Model calls and timers are numbered, so that a late answer is known for what it is.
        "next_number" => required pub next_number: u64,
        /// Over the whole session.
        "usage" => required pub usage: Usage,
        "turns" => required pub turns: u64,
        /// Tokens of the last prompt: the size of the context. 0 while no model has told.
        "context_tokens" => required pub context_tokens: u64,
        /// A guess, for models that never tell.
        "estimated_tokens" => required pub estimated_tokens: u64,
        "turns_since_summary" => required pub turns_since_summary: u32,
        /// The last time that anything happened.
        "at" => required pub at: u64,
        /// Slots of calls in the record that were taken off the display since.
        "slots_gone" => skipped pub slots_gone: Vec<String>,
        /// Nothing that was left on the display before this message is still there.
        "slots_from" => skipped pub slots_from: usize,
        /// Media in messages before this one are not sent any more: they were too large.
        "media_from" => skipped pub media_from: usize,
        /// The same for media that were refused, by whatever address they are sent.
        "media_refused" => skipped pub media_refused: usize,
    }
}

variants! {
    #[derive(Debug, Clone, Default, PartialEq)]
    pub(crate) enum Phase {
        #[default]
        "idle" => Idle,
        /// About to call the model.
        "turn" => Turn,
        "model" => Model {
            "call" => required call: u64,
            "partial" => skipped partial: String,
        },
        "compacting" => Compacting {
            "call" => required call: u64,
            /// What stays word for word, counted from the end of the record.
            "keep" => required keep: KeptRange,
        },
        "tools" => Tools(Batch),
        /// A program asked to take actions back; no model is involved.
        "undoing" => Undoing(Undoing),
    }
}

record! {
    /// The request being served.
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct Current {
        "id" => required pub id: String,
        /// Requests that this one has come into: they end with it.
        "joined" => skipped pub joined: Vec<String>,
        /// How many ids were made from the request's id.
        "minted" => required pub minted: u64,
        "used" => required pub used: Used,
        /// What was used when a person last allowed to go on; budgets count from here.
        "granted" => skipped pub granted: Used,
        "error_rounds" => skipped pub error_rounds: u32,
        /// Signatures of the last rounds, to notice circles.
        "rounds" => skipped pub rounds: Vec<u64>,
        /// A rule has told the model to stop: no tool runs any more, the next answer is the last.
        "wrap_up" => optional pub wrap_up: Rule,
        /// After a summary that failed, the next one is tried at this turn.
        "summary_not_before" => skipped pub summary_not_before: u32,
        /// For the next model calls of this request only, never in the record.
        "reminder" => optional pub reminder: String,
    }
}

record! {
    #[derive(Debug, Clone, Copy, Default, PartialEq)]
    pub(crate) struct Used {
        "turns" => plain pub turns: u32,
        "tool_calls" => plain pub tool_calls: u32,
        "tokens" => plain pub tokens: u64,
        "cost" => plain pub cost: f64,
        "working_ms" => plain pub working_ms: u64,
    }
}

variants! {
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) enum Halt {
        /// Something could not be written.
        "store" => Store,
        /// The model gave no answer; a retry asks it again.
        "model" => Model,
        "budget" => Budget(Rule),
        /// Waits for a person to say whether to go on.
        "ask_budget" => AskBudget((Rule, Question)),
    }
}

record! {
    /// The calls of one answer, in its order.
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct Batch {
        /// The index of the answer in the record.
        "message" => required pub message: usize,
        "calls" => required pub calls: Vec<Call>,
        /// The user stopped the run; only what must not be cut off is still running.
        "stopped" => skipped pub stopped: bool,
    }
}

record! {
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct Call {
        "id" => required pub id: String,
        /// The tool's registered name; `None` when there is no such tool.
        "tool" => plain pub tool: Option<String>,
        /// Its arguments as its tool gets them, where they are not those that the model sent.
        "validated" => optional pub validated: Validated,
        "permitted" => skipped pub permitted: bool,
        "approved" => skipped pub approved: bool,
        /// Runs that failed and are to be repeated.
        "attempts" => skipped pub attempts: u32,
        "state" => required pub state: CallState,
        /// How long its tool has worked since it was entered.
        "worked_ms" => skipped pub worked_ms: u64,
        /// What the tool of a running call has returned, while its summary is made.
        "returned" => optional pub returned: Box<Finished>,
        "log" => skipped pub log: Log,
    }
}

variants! {
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) enum CallState {
        "queued" => Queued,
        "checking_permission" => CheckingPermission,
        "checking_approval" => CheckingApproval,
        "asking" => Asking(Question),
        "running" => Running {
            "since" => required since: u64,
            "attempt" => required attempt: u32,
        },
        /// Failed, and repeated when the timer fires.
        "waiting" => Waiting {
            "since" => required since: u64,
            "attempt" => required attempt: u32,
            "timer" => required timer: u64,
        },
        /// This call takes other calls back.
        "undoing" => Undoing(Undoing),
        "done" => Done(Box<Finished>),
    }
}

record! {
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct Finished {
        "result" => required pub result: ToolResultData,
        "outputs" => skipped pub outputs: Vec<SideOutput>,
        "duration_ms" => optional pub duration_ms: u64,
    }
}

record! {
    #[derive(Debug, Clone, Default, PartialEq)]
    pub(crate) struct Undoing {
        /// The action being taken back; `None` between two of them.
        "entry" => plain pub entry: Option<String>,
        "left" => required pub left: u32,
        "done" => required pub done: u32,
        /// What was taken back, the last action first.
        "taken" => skipped pub taken: Vec<UndoEntry>,
        /// Why no more can be taken back.
        "error" => optional pub error: String,
        /// The answer that the actions belong to is given again afterwards.
        "regenerates" => flag pub regenerates: bool,
    }
}

record! {
    /// An action that can be taken back.
    #[derive(Debug, Clone, PartialEq)]
    pub struct UndoEntry {
        "call_id" => required pub call_id: String,
        "tool" => required pub tool: String,
        "input" => required pub input: Json,
        "validated" => optional pub validated: Validated,
        "at" => required pub at: u64,
    }
}

through_codec! { UndoEntry }

impl State {
    pub(crate) fn new(settings: Settings) -> Self {
        State {
            settings: settings.complete(),
            phase: Phase::Idle,
            current: None,
            halt: None,
            queue: Vec::new(),
            undo: Vec::new(),
            undone: Vec::new(),
            next_number: 1,
            usage: Usage::default(),
            turns: 0,
            context_tokens: 0,
            estimated_tokens: 0,
            turns_since_summary: 0,
            at: 0,
            slots_gone: Vec::new(),
            slots_from: 0,
            media_from: 0,
            media_refused: 0,
        }
    }

    pub(crate) fn number(&mut self) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        number
    }

    pub(crate) fn batch(&self) -> Option<&Batch> {
        match &self.phase {
            Phase::Tools(batch) => Some(batch),
            Phase::Idle
            | Phase::Turn
            | Phase::Model { .. }
            | Phase::Compacting { .. }
            | Phase::Undoing(_) => None,
        }
    }

    pub(crate) fn batch_mut(&mut self) -> Option<&mut Batch> {
        match &mut self.phase {
            Phase::Tools(batch) => Some(batch),
            Phase::Idle
            | Phase::Turn
            | Phase::Model { .. }
            | Phase::Compacting { .. }
            | Phase::Undoing(_) => None,
        }
    }

    /// Everything that waits for a person.
    pub(crate) fn questions(&self) -> Vec<&Question> {
        let mut open = Vec::new();
        if let Some(Halt::AskBudget((_, question))) = &self.halt {
            open.push(question);
        }
        for call in self.batch().map_or(&[][..], |batch| &batch.calls) {
            if let CallState::Asking(question) = &call.state {
                open.push(question);
            }
        }
        open
    }
}

impl Call {
    pub(crate) fn waits_for_a_person(&self) -> bool {
        match self.state {
            CallState::Asking(_) => true,
            CallState::Running { .. } => self.log.waits_for_a_person(),
            _ => false,
        }
    }

    /// Its tool runs, and waits for nobody.
    pub(crate) fn is_working(&self) -> bool {
        matches!(self.state, CallState::Running { .. }) && !self.log.waits_for_a_person()
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.state, CallState::Done(_))
    }
}

impl Finished {
    /// A result made here, because the tool did not run.
    pub(crate) fn without_running(result: ToolResultData) -> Self {
        Finished { result, outputs: Vec::new(), duration_ms: None }
    }
}

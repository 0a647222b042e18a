//! Where a run is: plain data, small, and all of it stored.

use crate::error::ModelError;
use crate::event::{Question, Rule};
use crate::json::Json;
use crate::json::codec::{Read, Write, through_codec};
use crate::message::{KeptRange, SideOutput, ToolResultData, Usage};
use crate::run::input::{Request, Validated};
use crate::run::log::Log;
use crate::run::settings::{Settings, Settled};

#[derive(Debug, Clone, PartialEq, Read, Write)]
pub(crate) struct State {
    pub settings: Settled,
    pub phase: Phase,
    #[json(write_null)]
    pub current: Option<Current>,
    /// Why nothing new is begun, although the phase would allow it.
    pub halt: Option<Halt>,
    /// It was interrupted and is not taken up yet: nothing begins before that.
    #[json(skip_if_default)]
    pub held: bool,
    #[json(skip_if_default)]
    pub queue: Vec<Request>,
    #[json(skip_if_default)]
    pub undo: Vec<UndoEntry>,
    /// The same of other branches.
    #[json(skip_if_default)]
    pub undo_elsewhere: Vec<UndoEntry>,
    /// The line of an answer that broke off, whose request was given up then: nobody has stopped it.
    pub broke_off: Option<usize>,
    /// Calls that the answer being worked on has taken back.
    #[json(skip_if_default)]
    pub undone: Vec<String>,
    /// Model calls and timers are numbered, so that a late answer is known for what it is.
    pub next_number: u64,
    /// Over the whole session.
    pub usage: Usage,
    pub turns: u64,
    /// Tokens of the last prompt: the size of the context. 0 while no model has told.
    pub context_tokens: u64,
    /// A guess, for models that never tell.
    pub estimated_tokens: u64,
    pub turns_since_summary: u32,
    /// The last time that anything happened.
    pub at: u64,
    /// Slots of calls in the record that were taken off the display since.
    #[json(skip_if_default)]
    pub slots_gone: Vec<String>,
    /// Nothing that was left on the display before this message is still there.
    #[json(skip_if_default)]
    pub slots_from: usize,
    /// Media in messages before this one are not sent any more: they were too large.
    #[json(skip_if_default)]
    pub media_from: usize,
    /// The same for media that were refused, by whatever address they are sent.
    #[json(skip_if_default)]
    pub media_refused: usize,
    /// Requests that failed with others behind them, and were given up for those: the last ones.
    #[json(skip_if_default)]
    pub failed: Vec<Failed>,
    /// What plugins of the host keep; no decision reads it.
    pub plugins: Option<Json>,
}

/// Where a request ended with an error, and another one was served then.
#[derive(Debug, Clone, PartialEq, Read, Write)]
pub(crate) struct Failed {
    /// The last message that is shown of it.
    pub line: usize,
    pub error: ModelError,
}

#[derive(Debug, Clone, Default, PartialEq, Read, Write)]
pub(crate) enum Phase {
    #[default]
    Idle,
    /// About to call the model.
    Turn,
    Model {
        call: u64,
        #[json(skip_if_default)]
        partial: String,
    },
    Compacting {
        call: u64,
        /// What stays word for word, counted from the end of the record.
        keep: KeptRange,
    },
    Tools(Batch),
    /// A program asked to take actions back; no model is involved.
    Undoing(Undoing),
}

/// The request being served.
#[derive(Debug, Clone, PartialEq, Read, Write)]
pub(crate) struct Current {
    pub id: String,
    /// Requests that this one has come into: they end with it.
    #[json(skip_if_default)]
    pub joined: Vec<String>,
    /// How many ids were made from the request's id.
    pub minted: u64,
    pub used: Used,
    /// What was used when a person last allowed to go on; budgets count from here.
    #[json(skip_if_default)]
    pub granted: Used,
    #[json(skip_if_default)]
    pub error_rounds: u32,
    /// Signatures of the last rounds, to notice circles.
    #[json(skip_if_default)]
    pub rounds: Vec<u64>,
    /// A rule has told the model to stop: no tool runs any more, the next answer is the last.
    pub wrap_up: Option<Rule>,
    /// After a summary that failed, the next one is tried at this turn.
    #[json(skip_if_default)]
    pub summary_not_before: u32,
    /// For the next model calls of this request only, never in the record.
    pub reminder: Option<String>,
    /// What the page tells of itself; read behind the record, never in it.
    #[json(skip_if_default)]
    pub context: String,
    /// The schema of its answer, where it is to have one.
    pub answer: Option<Json>,
    /// The model answered in words, and was told.
    #[json(skip_if_default)]
    pub answered_in_words: bool,
    /// It gave an answer that does not fit its schema, and was told why.
    #[json(skip_if_default)]
    pub answer_did_not_fit: bool,
    /// No person sees what is written for it.
    #[json(skip_if_default)]
    pub hidden: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Read, Write)]
pub(crate) struct Used {
    #[json(default)]
    pub turns: u32,
    #[json(default)]
    pub tool_calls: u32,
    #[json(default)]
    pub tokens: u64,
    #[json(default)]
    pub cost: f64,
    #[json(default)]
    pub working_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Read, Write)]
pub(crate) enum Halt {
    /// Something could not be written.
    Store,
    /// The model gave no answer; a retry asks it again.
    Model,
    Budget(Rule),
    /// Waits for a person to say whether to go on.
    AskBudget((Rule, Question)),
}

/// The calls of one answer, in its order.
#[derive(Debug, Clone, PartialEq, Read, Write)]
pub(crate) struct Batch {
    /// The index of the answer in the record.
    pub message: usize,
    pub calls: Vec<CallRecord>,
    /// The user stopped the run; only what must not be cut off is still running.
    #[json(skip_if_default)]
    pub stopped: bool,
}

#[derive(Debug, Clone, PartialEq, Read, Write)]
pub(crate) struct CallRecord {
    pub id: String,
    /// The tool's registered name; `None` when there is no such tool.
    #[json(write_null)]
    pub tool: Option<String>,
    /// Its arguments as its tool gets them, where they are not those that the model sent.
    pub validated: Option<Validated>,
    /// What the decision about it rests on.
    pub judged: Option<Json>,
    #[json(skip_if_default)]
    pub permitted: bool,
    #[json(skip_if_default)]
    pub approved: bool,
    /// Runs that failed and are to be repeated.
    #[json(skip_if_default)]
    pub attempts: u32,
    pub state: CallState,
    /// How long its tool has worked since it was entered.
    #[json(skip_if_default)]
    pub worked_ms: u64,
    /// It was cut off while it ran, and what becomes of it is decided when its tool is there again.
    #[json(skip_if_default)]
    pub cut_off: bool,
    /// What the tool of a running call has returned, while its summary is made.
    pub returned: Option<Box<Finished>>,
    #[json(skip_if_default)]
    pub log: Log,
}

#[derive(Debug, Clone, PartialEq, Read, Write)]
pub(crate) enum CallState {
    Queued,
    CheckingPermission,
    CheckingApproval,
    Asking(Question),
    Running {
        since: u64,
        attempt: u32,
    },
    /// Failed, and repeated when the timer fires.
    Waiting {
        since: u64,
        attempt: u32,
        timer: u64,
    },
    /// This call takes other calls back.
    Undoing(Undoing),
    Done(Box<Finished>),
}

#[derive(Debug, Clone, PartialEq, Read, Write)]
pub(crate) struct Finished {
    pub result: ToolResultData,
    #[json(skip_if_default)]
    pub outputs: Vec<SideOutput>,
    pub duration_ms: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Read, Write)]
pub(crate) struct Undoing {
    /// The action being taken back; `None` between two of them.
    #[json(write_null)]
    pub entry: Option<String>,
    pub left: u32,
    pub done: u32,
    /// What was taken back, the last action first.
    #[json(skip_if_default)]
    pub taken: Vec<UndoEntry>,
    /// Why no more can be taken back.
    pub error: Option<String>,
    /// The answer that the actions belong to is given again afterwards.
    #[json(null_as_default, skip_if_default)]
    pub regenerates: bool,
}

/// An action that can be taken back. What it was called with is in the record: a hundred of these are in each checkpoint.
#[derive(Debug, Clone, PartialEq, Read, Write)]
pub struct UndoEntry {
    pub call_id: String,
    pub tool: String,
    /// Of the arguments as its tool got them.
    #[json(skip_if_default)]
    pub exact: bool,
    pub at: u64,
}

through_codec! { UndoEntry }

impl State {
    pub(crate) fn new(settings: Settings) -> Self {
        State {
            settings: settings.complete().into(),
            phase: Phase::Idle,
            current: None,
            halt: None,
            held: false,
            queue: Vec::new(),
            undo: Vec::new(),
            undo_elsewhere: Vec::new(),
            broke_off: None,
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
            failed: Vec::new(),
            plugins: None,
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

impl CallRecord {
    pub(crate) fn waits_for_a_person(&self) -> bool {
        match self.state {
            CallState::Asking(_) => true,
            CallState::Running { .. } => !self.cut_off && self.log.waits_for_a_person(),
            _ => false,
        }
    }

    /// Its tool runs, and waits for nobody.
    pub(crate) fn is_working(&self) -> bool {
        matches!(self.state, CallState::Running { .. }) && !self.cut_off && !self.log.waits_for_a_person()
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

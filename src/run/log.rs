//! What the tool of a call did with people and in steps, so that it can be entered again without doing it again.
//!
//! A call whose process died may go on by itself only if all that its tool did is known: it asked, and it did steps,
//! and each of them came in the same task as what it had been told before, so that no request of its own and no timer
//! lay between. Whoever runs the tool tells whether that was so (`deterministic`).

use crate::display::{DisplayError, Slot, SlotStatus};
use crate::json::Json;
use crate::json::codec::{Read, Ts, Write, through_codec};

/// What a call's tool did since it was first entered.
#[derive(Debug, Clone, Default, PartialEq, Read, Write)]
pub struct Log {
    /// In the order in which they were shown.
    #[json(skip_if_default)]
    pub slots: Vec<LoggedSlot>,
    #[json(skip_if_default)]
    pub steps: Vec<LoggedStep>,
    /// The last thing that the tool did is in here, and it was told nothing since.
    #[json(skip_if_default)]
    pub waits: bool,
    /// Something lay between that nobody knows of.
    #[json(skip_if_default)]
    pub gaps: bool,
    /// It was entered again without asking anybody, so it must ask again what is written here.
    #[json(skip_if_default)]
    pub strict: bool,
}

#[derive(Debug, Clone, PartialEq, Read, Write)]
pub struct LoggedSlot {
    /// As it was shown; `waits` says that it is a question.
    pub slot: Slot,
    pub answer: Option<SlotAnswer>,
    /// It is not on the display any more.
    #[json(skip_if_default)]
    pub gone: bool,
}

/// How a question of a tool ended.
#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(inline)]
pub enum SlotAnswer {
    Value(Json),
    /// What was said is a secret and is written nowhere: a tool that is entered again asks for it again.
    Withheld,
    Rejected(Option<String>),
    Removed,
    Cleared,
}

#[derive(Debug, Clone, PartialEq, Read, Write)]
pub struct LoggedStep {
    /// Its name, behind the number that tells it from others of that name.
    pub key: String,
    /// `None`: it was begun, and whether it took effect is not known.
    pub result: Option<StepResult>,
}

#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(inline)]
pub enum StepResult {
    Returned(Json),
    Threw(String),
}

through_codec! { SlotAnswer, StepResult }

/// Of a step or a question beside what it holds.
const FIELDS: usize = 100;

impl LoggedStep {
    fn size(&self) -> usize {
        let result = match &self.result {
            Some(StepResult::Returned(value)) => value.as_str().len(),
            Some(StepResult::Threw(error)) => error.len(),
            None => 0,
        };
        FIELDS + self.key.len() + result
    }
}

impl LoggedSlot {
    fn size(&self) -> usize {
        let answer = match &self.answer {
            Some(SlotAnswer::Value(value)) => value.as_str().len(),
            _ => 0,
        };
        FIELDS + self.slot.input.as_str().len() + answer
    }

    pub(super) fn is_open(&self) -> bool {
        self.slot.waits && self.answer.is_none() && !self.gone
    }

    fn is_withheld(&self) -> bool {
        matches!(self.answer, Some(SlotAnswer::Withheld))
    }
}

impl Log {
    /// Nothing can happen in this call before a person answers what its tool has asked.
    pub(super) fn waits_for_a_person(&self) -> bool {
        self.waits
            && self.slots.iter().any(LoggedSlot::is_open)
            && self.steps.iter().all(|step| step.result.is_some())
    }

    /// All that was done is written here and is not done again when the tool is entered again.
    pub(super) fn is_whole(&self) -> bool {
        !self.gaps && self.waits_for_a_person()
    }

    /// The questions that are still to be answered.
    pub fn open(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(|logged| logged.is_open()).map(|logged| &logged.slot)
    }

    /// What stays on the display when nobody runs the tool.
    pub(super) fn left(&self) -> Vec<Slot> {
        let mut left = Vec::new();
        for logged in &self.slots {
            if !logged.gone && !logged.is_open() {
                let answer = match &logged.answer {
                    Some(SlotAnswer::Value(value)) => Some(value.clone()),
                    _ => None,
                };
                left.push(Slot { waits: false, answer, ..logged.slot.clone() });
            }
        }
        left
    }

    /// Whether it takes so many bytes in a checkpoint, roughly.
    pub(super) fn is_at_least(&self, bytes: usize) -> bool {
        let slots = self.slots.iter().map(LoggedSlot::size);
        let steps = self.steps.iter().map(LoggedStep::size);
        let mut total = 0;
        slots.chain(steps).any(|size| {
            total += size;
            total >= bytes
        })
    }

    /// It is asked for again when the tool is entered again.
    pub(super) fn withholds(&self, id: &str) -> bool {
        self.slots.iter().any(|logged| logged.slot.id == id && logged.is_withheld())
    }

    /// The tool is entered. In a run of its own, a step that did not come to its end is done again.
    pub(super) fn enter(&mut self, strict: bool) {
        (self.waits, self.strict) = (false, strict);
        for logged in &mut self.slots {
            if logged.is_withheld() {
                (logged.answer, logged.slot.status) = (None, SlotStatus::Pending);
            }
        }
        if !strict {
            self.steps.retain(|step| matches!(step.result, Some(StepResult::Returned(_))));
        }
    }

    /// What the tool asks now has nothing to do with what it asked before. Steps that were done stay done.
    pub(super) fn forget_questions(&mut self) {
        self.slots.clear();
        self.enter(false);
    }

    pub(super) fn pushed(&mut self, at: usize, slot: &Slot, deterministic: bool) {
        self.gaps |= !deterministic;
        if self.slots.get(at).is_none_or(|known| known.slot.id != slot.id) {
            self.slots.truncate(at);
            self.slots.push(LoggedSlot { slot: slot.clone(), answer: None, gone: false });
        }
        self.waits |= self.slots.get(at).is_some_and(LoggedSlot::is_open);
    }

    pub(super) fn settled(&mut self, id: &str, answer: &SlotAnswer) {
        let Some(logged) = self.slots.iter_mut().find(|logged| logged.slot.id == id) else { return };
        logged.slot.status = match answer {
            SlotAnswer::Value(_) | SlotAnswer::Withheld => SlotStatus::Resolved,
            SlotAnswer::Rejected(_) => SlotStatus::Rejected,
            SlotAnswer::Removed | SlotAnswer::Cleared => SlotStatus::Pending,
        };
        logged.gone = logged.slot.status == SlotStatus::Pending;
        logged.answer = Some(answer.clone());
        self.resumed();
    }

    /// False when this slot is not of this call.
    pub(super) fn removed(&mut self, id: &str) -> bool {
        let Some(logged) = self.slots.iter_mut().find(|logged| logged.slot.id == id) else { return false };
        let was_open = logged.is_open();
        logged.gone = true;
        if was_open {
            logged.answer = Some(SlotAnswer::Removed);
            self.resumed();
        }
        true
    }

    pub(super) fn step_begun(&mut self, key: &str, deterministic: bool) {
        self.gaps |= !deterministic;
        self.waits = true;
        self.steps.push(LoggedStep { key: key.to_owned(), result: None });
    }

    pub(super) fn step_done(&mut self, key: &str, result: &StepResult) {
        if let Some(step) = self.steps.iter_mut().find(|step| step.key == key) {
            step.result = Some(result.clone());
        }
        self.resumed();
    }

    /// The tool goes on. If it had not come to wait since it was last told something, what it did then is not known.
    fn resumed(&mut self) {
        self.gaps |= !self.waits;
        self.waits = false;
    }
}

impl SlotAnswer {
    pub fn into_result(self) -> Result<Json, DisplayError> {
        match self {
            SlotAnswer::Value(value) => Ok(value),
            SlotAnswer::Rejected(reason) => Err(DisplayError::Rejected { reason }),
            SlotAnswer::Withheld | SlotAnswer::Removed => Err(DisplayError::Removed),
            SlotAnswer::Cleared => Err(DisplayError::Cleared),
        }
    }
}

/// What becomes of something that a tool shows.
#[derive(Debug, PartialEq)]
pub enum SlotReplay {
    /// It is new, and takes this place in the log. What was shown after that place goes.
    Anew { at: usize, gone: Vec<Slot> },
    /// It was shown before.
    Known { at: usize, logged: LoggedSlot },
    /// It is not what was shown before in this place, and that was relied on.
    Astray,
}

/// What becomes of a step that a tool comes to.
#[derive(Debug, PartialEq)]
pub enum StepReplay {
    /// It was done before.
    Done(StepResult),
    /// It is to be done, under this key.
    Begins(String),
    /// The tool was relied on to ask first what it had asked before.
    Astray,
}

/// A tool that is entered, held against what is known of it.
#[derive(Debug, Default)]
pub struct ReplayCursor {
    log: Log,
    met: usize,
    /// It was told something that it did not know before.
    resumed: bool,
    /// The names of the steps so far.
    names: Vec<String>,
}

impl ReplayCursor {
    pub fn new(log: Log) -> Self {
        ReplayCursor { log, ..ReplayCursor::default() }
    }

    /// It was entered because it would ask what it had asked before, and has not done so.
    pub fn is_behind(&self) -> bool {
        self.log.strict && self.met < self.log.slots.len()
    }

    pub fn shows(&mut self, renderer: &str, input: &Json, waits: bool) -> SlotReplay {
        let at = self.met;
        let Some(logged) = self.log.slots.get(at) else {
            self.met += 1;
            return SlotReplay::Anew { at, gone: Vec::new() };
        };
        let Slot { renderer: known, input: logged_input, waits: waited, .. } = &logged.slot;
        let same = known == renderer && *waited == waits && logged_input.canonical() == input.canonical();
        if same {
            self.met += 1;
            return SlotReplay::Known { at, logged: logged.clone() };
        }
        if self.log.strict {
            return SlotReplay::Astray;
        }
        self.met += 1;
        let mut gone = Vec::new();
        for logged in self.log.slots.split_off(at) {
            gone.push(logged.slot);
        }
        SlotReplay::Anew { at, gone }
    }

    pub fn step(&mut self, name: &str) -> StepReplay {
        self.names.push(name.to_owned());
        let used = self.names.iter().filter(|other| *other == name).count();
        let key = format!("{used} {name}");
        let known = self.log.steps.iter().find(|step| step.key == key);
        match known.and_then(|step| step.result.clone()) {
            Some(result) => StepReplay::Done(result),
            None if self.is_behind() || (self.log.strict && !self.resumed) => StepReplay::Astray,
            None => StepReplay::Begins(key),
        }
    }

    /// The tool is told an answer, or that a step is written.
    pub fn resumed(&mut self) {
        self.resumed = true;
    }
}

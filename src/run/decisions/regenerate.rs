//! Giving an answer again: another one takes the place of the last, in what a model reads and in what a chat shows. The
//! record keeps both. What tools did stays true: it is taken back where it can be, else it stays with its result.

use crate::ids::Ids;
use crate::message::{CallOutcome, Message, ToolResult};
use crate::run::effect::Effect;
use crate::run::state::{Phase, Undoing};
use crate::run::views::model::estimate;
use crate::run::{Effects, Run};
use crate::tool::find;

impl Run {
    /// Serves a request for another answer.
    pub(in crate::run) fn answer_again(&mut self, fx: &mut Effects) {
        let calls = self.calls_from(self.last_answer());
        let left = self.state.undo.iter().rev().take_while(|entry| calls.contains(&entry.call_id)).count();
        match u32::try_from(left) {
            Ok(left @ 1..) => {
                let undoing = Undoing { left, regenerates: true, ..Undoing::default() };
                self.state.phase = Phase::Undoing(undoing);
            }
            _ => self.replace_answer(fx),
        }
    }

    /// Its actions are taken back.
    pub(in crate::run) fn replace_answer(&mut self, fx: &mut Effects) {
        let from = self.last_answer();
        let calls = self.calls_from(from);
        let gone = self.messages.get(from..).unwrap_or_default();
        // That actions of earlier answers were taken back remains true.
        let mut news = Vec::new();
        for message in gone {
            if message.undone.iter().any(|id| !calls.contains(id)) {
                news.push(message.clone());
            }
            for call in message.calls() {
                // What it shows goes with it.
                fx.off.push(Effect::CancelTool { call_id: call.id().to_owned() });
            }
        }
        let mut mark = Message::user("");
        mark.framework_context = Some("regenerate".to_owned());
        mark.replaces = Some(gone.len());
        self.append(mark);
        for message in news {
            self.append(Message { id: None, ..message });
        }
        self.state.phase = Phase::Turn;
        self.state.estimated_tokens = self.model_request().iter().map(estimate).sum();
    }

    /// Where the last answer begins: after the message that it answers, or the last result that stays.
    fn last_answer(&self) -> usize {
        let mut undone = Ids::default();
        for (at, message) in self.messages.iter().enumerate().rev() {
            for id in &message.undone {
                undone.insert(id);
            }
            let mut results = message.results().iter();
            if message.is_from_person()
                || message.is_compaction
                || results.any(|result| self.result_stays(result, &undone))
            {
                return at + 1;
            }
        }
        0
    }

    /// Its tool did something that is still so, or may have done.
    fn result_stays(&self, result: &ToolResult, undone: &Ids) -> bool {
        let id = result.call_id.as_deref().unwrap_or_default();
        let never_ran =
            [CallOutcome::Denied, CallOutcome::Invalid, CallOutcome::NotRun, CallOutcome::UnknownTool]
                .map(CallOutcome::word);
        let ran = result.result.outcome.as_ref().is_none_or(|outcome| !never_ran.contains(&outcome.as_str()));
        let tool = find(&self.state.settings.tools, &result.tool_name);
        ran && !undone.contains(id)
            && self.undo_entry(id).is_none()
            && !tool.is_some_and(|tool| tool.idempotent)
    }

    fn calls_from(&self, from: usize) -> Ids {
        let mut calls = Ids::default();
        for message in self.messages.get(from..).unwrap_or_default() {
            for call in message.calls() {
                calls.insert(call.id());
            }
        }
        calls
    }

    /// Keeps the ranges of what was replaced in order and apart.
    pub(in crate::run) fn note_replaced(&mut self, at: usize) {
        let Some(back) = self.messages.get(at).and_then(|message| message.replaces) else { return };
        let mut from = at.saturating_sub(back);
        while let Some(last) = self.replaced.pop_if(|last| last.end > from) {
            from = from.min(last.start);
        }
        self.replaced.push(from..at + 1);
    }

    pub(in crate::run) fn is_replaced(&self, at: usize) -> bool {
        let behind = self.replaced.partition_point(|range| range.end <= at);
        self.replaced.get(behind).is_some_and(|range| range.contains(&at))
    }

    /// Where the answer begins whose place this message has taken.
    pub(in crate::run) fn replaced_from(&self, at: usize) -> Option<usize> {
        let is_its = |range: &&std::ops::Range<usize>| range.end == at + 1;
        self.messages.get(at)?.replaces?;
        self.replaced.iter().rfind(is_its).map(|range| range.start)
    }
}

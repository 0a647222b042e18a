//! Branches of the conversation: a message in the place of an earlier one, and going back to what was left. What tools did is
//! taken back by neither.

use std::sync::Arc;

use crate::ids::Ids;
use crate::message::{ContentPart, KeptRange, Message, SKILLS, Sender, SlotStatus, ToolResult};
use crate::run::branches::{Alternatives, next};
use crate::run::effect::{Effect, Outcome};
use crate::run::input::Request;
use crate::run::state::UndoEntry;
use crate::run::views::model::estimate;
use crate::run::{Effects, Run, texts};
use crate::tool::UNDO_TOOL;

/// What a chat shows of a message under, where nobody gave it an id.
fn id_of(message: &Message, at: usize) -> String {
    message.id.clone().unwrap_or_else(|| format!("entry_{at}"))
}

/// It stands in a chat. Results do with their calls.
fn is_shown(message: &Message) -> bool {
    match message.sender {
        Sender::Agent => {
            let has_thought = message.reasoning_content.as_ref().is_some_and(|text| !text.is_empty());
            has_thought || !message.calls().is_empty() || !message.text.trim_ascii().is_empty()
        }
        Sender::User => message.is_compaction || message.is_from_person(),
    }
}

/// Said to the model alone.
fn is_hidden(message: &Message) -> bool {
    !is_shown(message) && message.results().is_empty()
}

impl Run {
    /// The id under which a chat shows the message of this line.
    pub(in crate::run) fn shown_id(&self, at: usize) -> String {
        self.messages.get(at).map(|message| id_of(message, at)).unwrap_or_default()
    }

    /// The line of the message, or of the call, with this id.
    pub(in crate::run) fn line_of(&self, id: &str) -> Option<usize> {
        let has_id = |message: &Arc<Message>| {
            message.id.as_deref() == Some(id) || message.calls().iter().any(|call| call.id() == id)
        };
        self.messages.iter().rposition(has_id).or_else(|| {
            let at: usize = id.strip_prefix("entry_")?.parse().ok()?;
            self.messages.get(at).filter(|message| message.id.is_none())?;
            Some(at)
        })
    }

    /// The line of what a person said. A message that was queued keeps the id under which it waited.
    pub(crate) fn line_of_person(&self, id: &str) -> Option<usize> {
        let waited =
            |message: &Arc<Message>| message.is_from_person() && message.prompt_id.as_deref() == Some(id);
        let line = self.line_of(id).or_else(|| self.messages.iter().rposition(waited))?;
        self.messages.get(line)?.is_from_person().then_some(line)
    }

    /// Where the alternative with this line begins, in its own line and in the place that it takes.
    fn fork_of(&self, line: usize) -> (usize, usize) {
        let mut at = line;
        loop {
            if self.branches.has_others(at) {
                return (at, at);
            }
            if let Some(from) = self.branches.origin(at) {
                return (at, from);
            }
            match at.checked_sub(1).filter(|before| self.message(*before).is_some_and(is_hidden)) {
                Some(before) => at = before,
                None => return (line, line),
            }
        }
    }

    /// What else stands in the place of the message of this line, which begins an alternative.
    pub(in crate::run) fn alternatives(&self, line: usize) -> Option<Alternatives> {
        let (_, from) = self.fork_of(line);
        if !self.branches.has_others(from) {
            return None;
        }
        let (mut index, mut ids) = (0, Vec::new());
        for start in self.branches.starts(from) {
            let mut at = start;
            while !self.branches.is_mark(at)
                && let Some(message) = self.messages.get(at)
            {
                if is_shown(message) {
                    if at <= line {
                        index = ids.len();
                    }
                    ids.push(id_of(message, at));
                    break;
                }
                at += 1;
            }
        }
        (ids.len() > 1).then_some(Alternatives { index, ids })
    }

    /// From here on the record goes on in the place of this line. What only the left path has leaves the display.
    pub(in crate::run) fn branch(&mut self, from: usize, word: &str, fx: &mut Effects) {
        let (len, before) = (self.messages.len(), self.branches.gaps().to_vec());
        let mut mark = Message::user("");
        mark.framework_context = Some(word.to_owned());
        mark.replaces = Some(len - from);
        self.append(mark);
        let (mut known, mut calls) = (Ids::default(), Ids::default());
        for (at, message) in self.messages.iter().enumerate().take(len) {
            match (next(&before, at) == at, self.branches.is_read(at)) {
                (true, false) => {
                    for call in message.calls() {
                        fx.off.push(Effect::CancelTool { call_id: call.id().to_owned() });
                    }
                }
                (_, true) => {
                    for id in &message.undone {
                        known.insert(id);
                    }
                    for call in message.calls() {
                        calls.insert(call.id());
                    }
                }
                _ => {}
            }
        }
        // That an action was taken back is so on each branch that has it.
        for at in 0..len {
            let Some(message) = self.messages.get(at).filter(|message| !message.undone.is_empty()) else {
                continue;
            };
            let is_news = |id: &String| !known.contains(id) && calls.contains(id);
            if message.undone.iter().any(is_news) {
                let message = undone_again(message);
                for id in &message.undone {
                    known.insert(id);
                }
                self.append(message);
            }
        }
        self.settle_undo();
    }

    /// Only what stands on the path can be taken back.
    fn settle_undo(&mut self) {
        let mut all = std::mem::take(&mut self.state.undo_elsewhere);
        all.append(&mut self.state.undo);
        let mut placed: Vec<(usize, UndoEntry)> = Vec::new();
        for entry in all {
            let line = self.line_of(&entry.call_id).unwrap_or_default();
            let place = placed.partition_point(|(before, _)| *before <= line);
            placed.insert(place, (line, entry));
        }
        for (line, entry) in placed {
            match self.branches.is_read(line) {
                true => self.state.undo.push(entry),
                false => self.state.undo_elsewhere.push(entry),
            }
        }
        let most = self.state.settings.limits.undo_steps;
        let elsewhere = &mut self.state.undo_elsewhere;
        elsewhere.drain(..elsewhere.len().saturating_sub(most));
    }

    /// The path is another one: what is known of its size is counted anew.
    pub(in crate::run) fn settle_path(&mut self) {
        self.branches.settle(self.messages.len());
        let state = &mut self.state;
        (self.last_summary, state.context_tokens, state.turns_since_summary) = (None, 0, 0);
        let mut end = self.messages.len();
        while let Some(at) = self.branches.before(end)
            && let Some(message) = self.messages.get(at)
        {
            end = at;
            if message.is_compaction {
                self.last_summary = Some(at);
                break;
            }
            if let Some(usage) = &message.usage {
                state.turns_since_summary += 1;
                if state.context_tokens == 0 {
                    state.context_tokens = usage.tokens_in;
                }
            }
        }
        self.state.estimated_tokens = self.model_request().iter().map(estimate).sum();
    }

    /// A message in the place of another one of a person.
    pub(in crate::run) fn edit(&mut self, request: &mut Request, fx: &mut Effects) {
        let Some(line) = request.edits.as_deref().and_then(|id| self.line_of_person(id)) else { return };
        let (start, from) = self.fork_of(line);
        // What the model was told before the message stays, and begins nothing here; `branch` keeps what was taken back.
        let mut told = Vec::new();
        for message in self.messages.get(start..line).unwrap_or_default() {
            if message.undone.is_empty() {
                let mut message = said_again(message);
                if message.is_trigger() {
                    message.framework_context = Some("branch".to_owned());
                }
                told.push(message);
            }
        }
        if let Some(original) = self.messages.get(line) {
            keep_attachments(&mut request.message, original);
        }
        self.branch(from, "branch", fx);
        for message in told {
            self.append(message);
        }
    }

    pub(in crate::run) fn on_switch(&mut self, request: &str, message: &str, fx: &mut Effects) {
        let Some(line) = self.line_of(message) else { return };
        let leaf = self.branches.leaf(line, self.messages.len());
        if self.branches.head_before(self.messages.len()) != Some(leaf) {
            self.abandon(fx);
            self.branch(leaf + 1, "branch", fx);
        }
        fx.push(Effect::Finish { request: request.to_owned(), outcome: Outcome::Switched });
    }

    /// An answer that was to be given again, and was not begun, leaves the one that was there.
    pub(in crate::run) fn keep_old_answer(&mut self, fx: &mut Effects) {
        let Some((at, _)) = self.branches.mark_before(self.messages.len()) else { return };
        let mut lines = self.messages.iter().skip(at);
        let takes_place = lines.next().is_some_and(|mark| {
            mark.replaces.is_some_and(|back| back > 0)
                && mark.framework_context.as_deref() == Some("regenerate")
        });
        if takes_place
            && lines.all(|message| is_hidden(message))
            && let Some(head) = self.branches.head_before(at)
        {
            self.branch(head + 1, "branch", fx);
        }
    }

    /// The path to a message and what belongs to it, as a record of its own. Calls without a result are left out, and so is what
    /// waits for an answer.
    pub fn fork(&self, id: &str) -> Option<Vec<Message>> {
        let line = self.line_of(id)?;
        let has_calls = |at: usize| self.messages.get(at).is_some_and(|message| !message.calls().is_empty());
        let has_results =
            |at: usize| self.messages.get(at).is_some_and(|message| !message.results().is_empty());
        let end = match (has_calls(line), has_results(line + 1)) {
            (false, _) => line + 1,
            (true, true) => line + 2,
            (true, false) => line,
        };
        let gaps = self.branches.gaps_before(end);
        let (mut lines, mut at) = (Vec::new(), next(&gaps, 0));
        while at < end {
            lines.push(at);
            at = next(&gaps, at + 1);
        }
        let mut messages = Vec::new();
        for (index, at) in lines.iter().enumerate() {
            let Some(message) = self.messages.get(*at) else { continue };
            let mut message = Message::clone(message);
            if let Some(KeptRange { back, count }) = message.compaction_keeps {
                let start = at.saturating_sub(back);
                let place = |line: usize| lines.partition_point(|other| *other < line);
                let (first, behind) = (place(start), place(start.saturating_add(count).min(*at)));
                message.compaction_keeps = Some(KeptRange { back: index - first, count: behind - first });
            }
            for result in message.tool_results.iter_mut().flatten() {
                result.slots.retain(|slot| !(slot.waits && slot.status == SlotStatus::Pending));
            }
            messages.push(message);
        }
        Some(messages)
    }
}

/// The same under an id of its own.
fn said_again(message: &Message) -> Message {
    let mut message = Message::clone(message);
    message.id = None;
    message
}

/// That something was taken back. The call that did it, and with it its result, is of another branch.
fn undone_again(message: &Message) -> Message {
    let mut message = said_again(message);
    if let Some(results) = message.tool_results.take() {
        let told = results.iter().filter(|result| result.tool_name == UNDO_TOOL);
        message.text = texts::undone_elsewhere(told.map(ToolResult::text_for_model));
        message.framework_context = Some("undo".to_owned());
    }
    message
}

/// Words alone take the place of words alone.
pub(in crate::run) fn keep_attachments(message: &mut Message, original: &Message) {
    if message.extra.0.is_empty() {
        message.extra = original.extra.clone();
        message.take_hook_answer();
        message.take_stopped_answer();
        // Other words call other skills.
        message.extra.0.retain(|(key, _)| key != SKILLS);
    }
    if message.content.is_some() || original.content.is_none() {
        return;
    }
    let mut content = original.content.clone().unwrap_or_default();
    content.pop_if(|part| part.kind == "text" && part.text.as_deref() == Some(&original.text));
    let text = Some(message.text.clone());
    content.push(ContentPart { kind: "text".to_owned(), text, ..ContentPart::default() });
    message.content = Some(content);
}

//! What the model reads of the record: the last summary, what it keeps word for word, and all that came after.

use crate::message::{KeptRange, Message, Sender};

/// The messages of one model call, borrowed from the run.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    summary: &'a [Message],
    kept: &'a [Message],
    rest: &'a [Message],
    /// Not in the record: a reminder or the instructions for a summary.
    transient: &'a [Message],
}

impl<'a> View<'a> {
    pub(crate) fn of(messages: &'a [Message], transient: &'a [Message]) -> Self {
        let nothing = View { summary: &[], kept: &[], rest: messages, transient };
        let Some(at) = messages.iter().rposition(|message| message.is_compaction) else { return nothing };
        View::since(messages, at, transient)
    }

    /// The view when the index of the last summary is known.
    pub(crate) fn since(messages: &'a [Message], summary: usize, transient: &'a [Message]) -> Self {
        let (before, after) = messages.split_at(summary.min(messages.len()));
        let (summary, rest) = after.split_at(usize::from(!after.is_empty()));
        let kept = summary.first().and_then(|message| message.compaction_keeps).map_or(&[][..], |range| {
            let start = before.len().saturating_sub(range.back);
            let end = start.saturating_add(range.count).min(before.len());
            before.get(start..end).unwrap_or_default()
        });
        View { summary, kept, rest, transient }
    }

    /// Without the turn that a summary is to keep. Where it keeps only the question of that turn, the answers to be
    /// summarised make no sense without it, so it stays.
    pub(crate) fn to_summarise(self, keep: KeptRange) -> Self {
        if keep.count < keep.back {
            return self;
        }
        let keep = keep.back;
        let cut = |part: &'a [Message], drop: usize| {
            part.get(..part.len().saturating_sub(drop)).unwrap_or_default()
        };
        let rest = cut(self.rest, keep);
        let kept = cut(self.kept, keep.saturating_sub(self.rest.len()));
        View { summary: self.summary, kept, rest, transient: self.transient }
    }

    /// All messages in order. A cut-off answer is left out once another answer replaced it, and at the end of the
    /// record, where a provider would take it for the start of the answer it is asked for.
    pub fn iter(self) -> impl Iterator<Item = &'a Message> {
        let mut all = self.recorded();
        all.extend(self.transient);
        all.into_iter()
    }

    fn recorded(self) -> Vec<&'a Message> {
        let mut told: Vec<&Message> = Vec::new();
        for message in (View { transient: &[], ..self }).skip(0) {
            if message.sender == Sender::Agent {
                told.pop_if(|last| last.partial);
            }
            told.push(message);
        }
        told.pop_if(|last| last.partial);
        told
    }

    /// How many of the messages are in the record. Up to the next summary they stay at the front of every later
    /// request, so that what was written of them can be kept.
    pub fn settled(&self) -> usize {
        self.recorded().len()
    }

    /// The first message; a conversation and its last summary can be known by it.
    pub fn first(self) -> Option<&'a Message> {
        self.summary.first().or(self.kept.first()).or(self.rest.first())
    }

    /// All messages behind the first `count`, cut-off answers included. Passing over them costs nothing.
    pub fn skip(self, count: usize) -> Vec<&'a Message> {
        let (mut left, mut behind) = (count, Vec::new());
        for part in [self.summary, self.kept, self.rest, self.transient] {
            let passed = left.min(part.len());
            left -= passed;
            behind.extend(part.get(passed..).unwrap_or_default());
        }
        behind
    }

    /// How many of the messages that `skip` counts are in the record.
    pub fn recorded_len(&self) -> usize {
        self.summary.len() + self.kept.len() + self.rest.len()
    }
}

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
        self.recorded().chain(self.transient)
    }

    fn recorded(self) -> impl Iterator<Item = &'a Message> {
        let mut all = [self.summary, self.kept, self.rest].into_iter().flatten().peekable();
        std::iter::from_fn(move || {
            loop {
                let message = all.next()?;
                let replaced = all.peek().is_none_or(|next| next.sender == Sender::Agent);
                if !(message.partial && replaced) {
                    return Some(message);
                }
            }
        })
    }

    /// How many of the messages are in the record. Up to the next summary they stay at the front of every later
    /// request, so that what was written of them can be kept.
    pub fn settled(&self) -> usize {
        self.recorded().count()
    }

    /// The first message; a conversation and its last summary can be known by it.
    pub fn first(self) -> Option<&'a Message> {
        [self.summary, self.kept, self.rest].into_iter().flatten().next()
    }

    /// All messages behind the first `count`, cut-off answers included. Passing over them costs nothing.
    pub fn skip(self, count: usize) -> impl Iterator<Item = &'a Message> {
        let mut left = count;
        let mut rest = |part: &'a [Message]| {
            let passed = left.min(part.len());
            left -= passed;
            part.get(passed..).unwrap_or_default()
        };
        [rest(self.summary), rest(self.kept), rest(self.rest), rest(self.transient)].into_iter().flatten()
    }

    /// How many of the messages that `skip` counts are in the record.
    pub fn recorded_len(&self) -> usize {
        self.summary.len() + self.kept.len() + self.rest.len()
    }
}

//! What the model reads of the record: the last summary, what it keeps word for word, and all that came after.

use std::ops::Range;
use std::slice::from_ref;
use std::sync::Arc;

use crate::message::{KeptRange, Message, Sender};

/// The messages of one model call, borrowed from the run.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    messages: &'a [Arc<Message>],
    /// The summary, what it keeps, and what came after: from one index up to another.
    parts: [(usize, usize); 3],
    /// Not read: other answers have taken their place.
    replaced: &'a [Range<usize>],
    /// Read in the place of the messages there.
    instead: &'a [(usize, Arc<Message>)],
    /// Not in the record: a reminder, what the page tells, or the instructions for a summary.
    transient: &'a [Arc<Message>],
}

/// What of a view stays as it is in every later one, up to the next summary.
#[derive(Debug, Clone, Copy)]
pub struct Settled {
    /// So many messages of the record, cut-off answers included.
    pub passed: usize,
    /// So many messages are read of those behind the ones that were passed over.
    pub read: usize,
}

impl<'a> View<'a> {
    #[cfg(test)]
    pub(crate) fn of(messages: &'a [Arc<Message>], transient: &'a [Arc<Message>]) -> Self {
        match messages.iter().rposition(|message| message.is_compaction) {
            Some(at) => View::since(messages, at, transient),
            None => View::whole(messages, transient),
        }
    }

    pub(crate) fn whole(messages: &'a [Arc<Message>], transient: &'a [Arc<Message>]) -> Self {
        let parts = [(0, 0), (0, 0), (0, messages.len())];
        View { messages, parts, replaced: &[], instead: &[], transient }
    }

    /// The view when the index of the last summary is known.
    pub fn since(messages: &'a [Arc<Message>], summary: usize, transient: &'a [Arc<Message>]) -> Self {
        let end = messages.len();
        let (at, behind) = (summary.min(end), (summary + 1).min(end));
        let verbatim =
            messages.get(at).and_then(|message| message.compaction_keeps).map_or((0, 0), |range| {
                let start = at.saturating_sub(range.back);
                (start, start.saturating_add(range.count).min(at))
            });
        View {
            messages,
            parts: [(at, behind), verbatim, (behind, end)],
            replaced: &[],
            instead: &[],
            transient,
        }
    }

    pub(crate) fn without(self, replaced: &'a [Range<usize>], instead: &'a [(usize, Arc<Message>)]) -> Self {
        View { replaced, instead, ..self }
    }

    /// Without the turn that a summary is to keep. Where it keeps only the question of that turn, the answers to be
    /// summarised make no sense without it, so it stays.
    pub(crate) fn to_summarise(self, keep: KeptRange) -> Self {
        if keep.count < keep.back {
            return self;
        }
        let [summary, verbatim, rest] = self.parts;
        let cut = |(from, to): (usize, usize), drop: usize| (from, to.saturating_sub(drop).max(from));
        let more = keep.back.saturating_sub(rest.1 - rest.0);
        View { parts: [summary, cut(verbatim, more), cut(rest, keep.back)], ..self }
    }

    /// What is read of the record, in pieces.
    fn pieces(self) -> Vec<&'a [Arc<Message>]> {
        let mut pieces = Vec::with_capacity(self.parts.len());
        for (mut from, to) in self.parts {
            for gone in self.replaced {
                self.piece(from, gone.start.min(to), &mut pieces);
                from = from.max(gone.end);
            }
            self.piece(from, to, &mut pieces);
        }
        pieces
    }

    fn piece(self, mut from: usize, to: usize, pieces: &mut Vec<&'a [Arc<Message>]>) {
        for (at, message) in self.instead {
            if (from..to).contains(at) {
                pieces.extend(self.messages.get(from..*at));
                pieces.push(from_ref(message));
                from = at + 1;
            }
        }
        pieces.extend(self.messages.get(from..to));
    }

    /// All messages in order. A cut-off answer is left out once another answer replaced it, and at the end of the
    /// record, where a provider would take it for the start of the answer it is asked for.
    pub fn iter(self) -> impl Iterator<Item = &'a Message> {
        self.read_behind(0).0.into_iter()
    }

    /// The same behind the first `passed` messages of the record, for whoever has what is read of those. Passing over them costs nothing.
    pub fn read_behind(self, passed: usize) -> (Vec<&'a Message>, Settled) {
        let mut settled = Settled { passed, read: 0 };
        let mut read: Vec<&Message> = Vec::new();
        for (at, message) in self.recorded_behind(passed).into_iter().enumerate() {
            if message.sender == Sender::Agent {
                read.pop_if(|last| last.partial);
            }
            read.push(message);
            if !message.partial {
                settled = Settled { passed: passed + at + 1, read: read.len() };
            }
        }
        read.pop_if(|last| last.partial);
        for message in self.transient {
            read.push(message);
        }
        (read, settled)
    }

    /// How many of the messages are in the record.
    pub fn settled(&self) -> usize {
        self.iter().count() - self.transient.len()
    }

    /// The same for views of which the longer goes on where the shorter ends: a conversation and its last summary are
    /// known by the first message, as long as no answer is replaced and no media are left out.
    pub fn identity(self) -> Option<String> {
        let first = self.pieces().into_iter().find_map(<[Arc<Message>]>::first)?.id.as_deref()?;
        let replaced = self.replaced.last().map_or(0, |gone| gone.end);
        let instead = self.instead.last().map_or(0, |(at, _)| at + self.instead.len());
        Some(match replaced + instead {
            0 => first.to_owned(),
            _ => format!("{first}/{replaced}/{instead}"),
        })
    }

    /// All messages behind the first `count`, cut-off answers included. Passing over them costs nothing.
    pub fn skip(self, count: usize) -> Vec<&'a Message> {
        let past_the_record = count.saturating_sub(self.recorded_len());
        let mut behind = self.recorded_behind(count);
        for message in self.transient.get(past_the_record..).unwrap_or_default() {
            behind.push(message);
        }
        behind
    }

    fn recorded_behind(self, count: usize) -> Vec<&'a Message> {
        let mut left = count;
        let mut behind: Vec<&Message> = Vec::new();
        for piece in self.pieces() {
            let passed = left.min(piece.len());
            left -= passed;
            for message in piece.get(passed..).unwrap_or_default() {
                behind.push(message);
            }
        }
        behind
    }

    /// How many of the messages that `skip` counts are in the record.
    pub fn recorded_len(&self) -> usize {
        self.pieces().into_iter().map(<[Arc<Message>]>::len).sum()
    }
}

/// Four bytes a token, for models that do not tell what a prompt had.
pub(in crate::run) fn estimate(message: &Message) -> u64 {
    let calls: usize = message.calls().iter().map(|call| call.input_args.as_str().len()).sum();
    let results: usize = message.results().iter().map(|result| result.result.data.as_str().len()).sum();
    (message.text.len() + calls + results) as u64 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_keeps_what_is_settled_and_reads_what_is_behind_it_has_read_all() {
        let cut_off = |text: &str| Message { partial: true, ..Message::agent(text) };
        let kinds = [Message::user("said"), Message::agent("answered"), cut_off("cut off")];
        let reminder = [Arc::new(Message::user("remember"))];
        for order in 0..3_usize.pow(6) {
            let messages: Vec<_> =
                (0..6).map(|at| Arc::new(kinds[order / 3_usize.pow(at) % 3].clone())).collect();
            let (mut verbatim, mut passed): (Vec<&Message>, _) = (Vec::new(), 0);
            for end in 0..=messages.len() {
                let view = View::of(&messages[..end], if end % 2 == 0 { &reminder } else { &[] });
                let (read, settled) = view.read_behind(passed);
                let all: Vec<_> = verbatim.iter().copied().chain(read.iter().copied()).collect();
                assert_eq!(all, view.iter().collect::<Vec<_>>(), "{order} up to {end}");
                verbatim.extend(&read[..settled.read]);
                passed = settled.passed;
            }
        }
    }

    #[test]
    fn what_was_settled_is_not_read_again() {
        let messages: Vec<_> = (0..100).map(|_| Arc::new(Message::user("said"))).collect();
        let (_, settled) = View::of(&messages[..99], &[]).read_behind(0);
        assert_eq!(View::of(&messages, &[]).read_behind(settled.passed).0.len(), 1);
    }
}

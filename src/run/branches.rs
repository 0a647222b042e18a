//! Which lines of the record are read. A line that begins a branch (`Message::replaces`) goes on from an earlier line,
//! and what lies between is off the path from then on. The record stays one list that only grows, and its last line is the
//! end of the path that is shown.

use std::ops::Range;

use crate::json::codec::{Read, Ts, Write, through_codec};

/// What stands in the same place on different branches, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(name = "MessageBranches")]
pub struct Alternatives {
    /// Which of them is read.
    pub index: usize,
    /// The first message of each.
    pub ids: Vec<String>,
}

through_codec! { Alternatives }

#[derive(Debug, Clone, Default)]
pub(in crate::run) struct Branches {
    /// The lines that begin a branch, in order, each with the first line whose place it takes.
    marks: Vec<(usize, usize)>,
    /// The same pairs turned round and sorted.
    forks: Vec<(usize, usize)>,
    /// What is not read, in order and apart.
    gaps: Vec<Range<usize>>,
}

impl Branches {
    /// The line `at` takes the place of the `back` lines before it. `settle` makes it count.
    pub(in crate::run) fn mark(&mut self, at: usize, back: usize) {
        let from = at.saturating_sub(back);
        self.marks.push((at, from));
        let behind = self.forks.partition_point(|fork| *fork < (from, at));
        self.forks.insert(behind, (from, at));
    }

    /// Makes the path to the end of a record of this length the one that is read.
    pub(in crate::run) fn settle(&mut self, len: usize) {
        self.gaps = self.gaps_before(len);
    }

    pub(in crate::run) fn count_of_marks(&self) -> usize {
        self.marks.len()
    }

    pub(in crate::run) fn gaps(&self) -> &[Range<usize>] {
        &self.gaps
    }

    /// What is not on the path that ends before this line. The work is in its branches.
    pub(in crate::run) fn gaps_before(&self, mut end: usize) -> Vec<Range<usize>> {
        let mut gaps: Vec<Range<usize>> = Vec::new();
        while let Some((at, from)) = self.mark_before(end) {
            match gaps.last_mut() {
                Some(later) if later.start == at + 1 => later.start = from,
                _ => gaps.push(from..at + 1),
            }
            end = from;
        }
        gaps.reverse();
        gaps
    }

    /// The last line before this one that begins a branch, and whose place it takes.
    pub(in crate::run) fn mark_before(&self, end: usize) -> Option<(usize, usize)> {
        let behind = self.marks.partition_point(|(at, _)| *at < end);
        self.marks.get(behind.checked_sub(1)?).copied()
    }

    /// The first line of the path from this one on; beyond the record where there is none.
    pub(in crate::run) fn next(&self, at: usize) -> usize {
        next(&self.gaps, at)
    }

    pub(in crate::run) fn is_read(&self, at: usize) -> bool {
        self.next(at) == at
    }

    pub(in crate::run) fn is_mark(&self, at: usize) -> bool {
        self.mark_before(at + 1).is_some_and(|(mark, _)| mark == at)
    }

    /// Whose place the line behind a mark takes.
    pub(in crate::run) fn origin(&self, at: usize) -> Option<usize> {
        self.mark_before(at).filter(|(mark, _)| mark + 1 == at).map(|(_, from)| from)
    }

    pub(in crate::run) fn has_others(&self, from: usize) -> bool {
        let at = self.forks.partition_point(|fork| fork.0 < from);
        self.forks.get(at).is_some_and(|fork| fork.0 == from)
    }

    /// The lines with which the alternatives at this place begin, in order. Some may have nothing in them.
    pub(in crate::run) fn starts(&self, from: usize) -> Vec<usize> {
        let mut starts = vec![from];
        let first = self.forks.partition_point(|fork| fork.0 < from);
        for (_, at) in self.forks.iter().skip(first).take_while(|fork| fork.0 == from) {
            starts.push(at + 1);
        }
        starts
    }

    /// The last line of the path that ends before this one.
    pub(in crate::run) fn head_before(&self, end: usize) -> Option<usize> {
        last_before(&self.gaps_before(end), end)
    }

    /// The last line of the path that is read before this one.
    pub(in crate::run) fn before(&self, at: usize) -> Option<usize> {
        last_before(&self.gaps, at)
    }

    /// How many of these lines are read.
    pub(in crate::run) fn count(&self, lines: Range<usize>) -> usize {
        let mut count = lines.len();
        for gap in &self.gaps {
            count -= gap.end.min(lines.end).saturating_sub(gap.start.max(lines.start));
        }
        count
    }

    /// The end of the path through this line that was read last, in a record of this length.
    pub(in crate::run) fn leaf(&self, line: usize, len: usize) -> usize {
        let end_of = |mark: usize| self.marks.get(mark).map_or(len, |(at, _)| *at);
        let later = self.marks.partition_point(|(at, _)| *at <= line);
        let mut leaf = end_of(later).saturating_sub(1);
        // The stretches of the record that go through it.
        let mut through = Vec::new();
        through.push(line..leaf + 1);
        for (mark, (at, from)) in self.marks.iter().enumerate().skip(later) {
            let Some(parent) = from.checked_sub(1) else { continue };
            let before = through.partition_point(|stretch| stretch.start <= parent);
            let is_through = before.checked_sub(1).and_then(|last| through.get(last));
            if !is_through.is_some_and(|stretch| stretch.contains(&parent)) {
                continue;
            }
            let end = end_of(mark + 1);
            if at + 1 < end {
                leaf = end - 1;
            } else if *from >= len || self.is_mark(*from) {
                // Read again, and nothing came after it.
                leaf = parent;
            }
            through.push(at + 1..end);
        }
        leaf
    }
}

fn last_before(gaps: &[Range<usize>], at: usize) -> Option<usize> {
    let last = at.checked_sub(1)?;
    match gaps.get(gaps.partition_point(|gap| gap.end <= last)).filter(|gap| gap.contains(&last)) {
        Some(gap) => gap.start.checked_sub(1),
        None => Some(last),
    }
}

/// The first line from this one on that is in no gap.
pub(in crate::run) fn next(gaps: &[Range<usize>], at: usize) -> usize {
    let behind = gaps.partition_point(|gap| gap.end <= at);
    gaps.get(behind).filter(|gap| gap.contains(&at)).map_or(at, |gap| gap.end)
}

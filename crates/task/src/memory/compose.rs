//! What of the entries that were found stands in a prompt: each once, in the order of the channels, as far as there is room.

use crate::memory::{MemoryBinding, MemoryEntry, MemoryScope, MemoryStrategy, redacted};
use crate::prompt::Section;
use crate::text::sha256;

/// What was found in one channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    pub scope: MemoryScope,
    pub binding: MemoryBinding,
    pub entries: Vec<MemoryEntry>,
}

/// The pinned blocks. They stand in the order of their titles, so that the same memory gives the same prompt.
pub fn pinned(mut channels: Vec<Channel>) -> Vec<(MemoryScope, usize, Section)> {
    for channel in &mut channels {
        channel.entries.sort_by(|a, b| (&a.title, &a.id).cmp(&(&b.title, &b.id)));
        if channel.binding.strategy.redact {
            for entry in &mut channel.entries {
                entry.title = redacted(&entry.title);
                entry.text = redacted(&entry.text);
            }
        }
    }
    let title = |binding: &MemoryBinding, word: &str| binding.strategy.template.replace("{channel}", word);
    composed(channels, title, |binding| binding.strategy.pinned_tokens)
}

/// What a phase recalls, the best first.
pub fn recalled(channels: Vec<Channel>) -> Vec<(MemoryScope, usize, Section)> {
    composed(channels, |_, word| format!("Recalled ({word})"), |binding| binding.strategy.recall_tokens)
}

fn composed(
    mut channels: Vec<Channel>,
    title_of: impl Fn(&MemoryBinding, &str) -> String,
    tokens: impl Fn(&MemoryBinding) -> usize,
) -> Vec<(MemoryScope, usize, Section)> {
    // Who counts most chooses first; where two say the same, or something under the same title, the first one is read.
    channels.sort_by(|a, b| {
        let rank = |channel: &Channel| channel.scope.kind.precedence(false);
        b.binding.weight.total_cmp(&a.binding.weight).then(rank(b).cmp(&rank(a)))
    });
    let binding = bound_elsewhere(&channels);
    let (mut titles, mut hashes) = (Vec::new(), Vec::new());
    let mut found = Vec::new();
    for (at, channel) in channels.into_iter().enumerate() {
        let MemoryStrategy { dedupe_by_hash, dedupe_by_title, .. } = channel.binding.strategy;
        // A token has about four bytes; never more than that.
        let mut room = tokens(&channel.binding).saturating_mul(4);
        let mut lines = Vec::new();
        for entry in channel.entries {
            let (title, hash) = (entry.title.trim().to_lowercase(), sha256(entry.text.trim().as_bytes()));
            let same = (dedupe_by_hash && hashes.contains(&hash))
                || (dedupe_by_title && !title.is_empty() && titles.contains(&title));
            let bound = binding.iter().any(|(known, owner)| *known == title && *owner != at);
            if same || bound {
                continue;
            }
            let text = in_one_line(&entry.text);
            let line = match entry.title.trim() {
                "" => format!("- {text}"),
                title => format!("- {}: {text}", in_one_line(title)),
            };
            if line.len() + 1 > room {
                continue;
            }
            room -= line.len() + 1;
            titles.push(title);
            hashes.push(hash);
            lines.push(line);
        }
        if !lines.is_empty() {
            let title = title_of(&channel.binding, channel.scope.kind.word());
            found.push((channel.scope, lines.len(), Section::new(title, lines.join("\n"))));
        }
    }
    found.sort_by(|(a, ..), (b, ..)| (a.kind, &a.id).cmp(&(b.kind, &b.id)));
    found
}

/// The titles of what binds, each with the channel that says it: another one says nothing under this title, whatever it prefers.
fn bound_elsewhere(channels: &[Channel]) -> Vec<(String, usize)> {
    let mut binding: Vec<(String, usize)> = Vec::new();
    let rank = |at: usize| {
        let channel = channels.get(at)?;
        Some((channel.binding.weight, channel.scope.kind.precedence(true)))
    };
    for (at, channel) in channels.iter().enumerate() {
        for entry in channel.entries.iter().filter(|entry| entry.binds()) {
            let title = entry.title.trim().to_lowercase();
            if title.is_empty() {
                continue;
            }
            match binding.iter_mut().find(|(known, _)| *known == title) {
                Some(known) if rank(at) > rank(known.1) => known.1 = at,
                Some(_) => {}
                None => binding.push((title, at)),
            }
        }
    }
    binding
}

/// What is remembered opens no section of its own in a prompt.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

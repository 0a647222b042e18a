//! What a conversation has used, and how much more fits before older messages are summarised.

use glove_wasm::message::Usage;
use glove_wasm::runtime::Session;

use crate::modes::Mode;
use crate::terminal_text::{count, isolated_name};

/// In one line, once a model has said what it used. The mode comes first, where it is not the usual one. `limit` is how much fits, where
/// the session may not have heard of it yet.
pub(crate) fn status(session: &Session, mode: Mode, limit: Option<u64>) -> Option<String> {
    let usage = session.usage();
    let mode = mode.name().map(str::to_owned);
    if usage.tokens_in == 0 && usage.tokens_out == 0 {
        return Some(format!("{} · {}", mode?, isolated_name(&session.model_name())));
    }
    let left = session.with_run(|run| {
        let limit = limit.unwrap_or(run.settings().compaction.context_limit);
        limit.saturating_sub(run.context_tokens())
    });
    let left = match left {
        0 => "a summary is due".to_owned(),
        left => format!("{} until a summary", count(left)),
    };
    let model = isolated_name(&session.model_name());
    let used = format!("{} tokens in, {} out", count(usage.tokens_in), count(usage.tokens_out));
    let parts = [mode, Some(model), Some(used), usage.cost.map(money), Some(left)];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

/// All of it.
pub(crate) fn cost_lines(usage: &Usage) -> Vec<String> {
    let mut lines = vec![format!("{:>9} tokens of prompts", count(usage.tokens_in))];
    if usage.cache_read > 0 || usage.cache_creation > 0 {
        let (read, written) = (count(usage.cache_read), count(usage.cache_creation));
        lines.push(format!("{:>9} of them from a cache, {written} written to it", read));
    }
    lines.push(format!("{:>9} tokens of answers", count(usage.tokens_out)));
    if usage.reasoning > 0 {
        lines.push(format!("{:>9} of them thought", count(usage.reasoning)));
    }
    lines.push(match usage.cost {
        Some(cost) => format!("{:>9} in all", money(cost)),
        None => "what this costs is not known: GLOVE_PRICES in the configuration says it".to_owned(),
    });
    lines
}

/// Small amounts are not nothing.
fn money(cost: f64) -> String {
    match cost {
        0.0 => "$0".to_owned(),
        cost if cost < 0.01 => format!("${cost:.4}"),
        cost => format!("${cost:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_is_told_with_its_parts() {
        let usage = Usage { tokens_in: 12_345, tokens_out: 678, ..Usage::default() };
        let unknown = "what this costs is not known: GLOVE_PRICES in the configuration says it";
        assert_eq!(
            cost_lines(&usage),
            ["    12.3k tokens of prompts", "      678 tokens of answers", unknown]
        );
        let usage = Usage { cache_read: 1_000, reasoning: 70, cost: Some(0.0042), ..usage };
        assert_eq!(cost_lines(&usage)[1], "     1.0k of them from a cache, 0 written to it");
        assert_eq!(cost_lines(&usage)[3], "       70 of them thought");
        assert_eq!(cost_lines(&usage)[4], "  $0.0042 in all");
        assert_eq!([0.0, 1.5].map(money), ["$0", "$1.50"]);
    }
}

//! The colours of code in answers, by the grammars of syntect.

use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

/// A line that is longer is somebody's data. Grammars take long over it, and nobody reads it.
const LONGEST_LINE: usize = 1_000;

/// What has a colour of its own: the beginnings of the grammars' names for it. The first that fits is taken. The colours are read on the
/// background of code, which is the same whatever the terminal's own is.
const COLOURS: &[(&str, &str)] = &[
    ("comment", "\x1b[38;5;245m"),
    ("string", "\x1b[38;5;150m"),
    ("constant", "\x1b[38;5;216m"),
    ("markup.inserted", "\x1b[38;5;150m"),
    ("markup.deleted", "\x1b[38;5;210m"),
    ("meta.diff.range", "\x1b[38;5;117m"),
    ("entity.name.function", "\x1b[38;5;117m"),
    ("support.function", "\x1b[38;5;117m"),
    ("variable.function", "\x1b[38;5;117m"),
    ("entity.name", "\x1b[38;5;222m"),
    ("support.type", "\x1b[38;5;222m"),
    ("support.class", "\x1b[38;5;222m"),
    ("storage", "\x1b[38;5;183m"),
    ("keyword.operator", ""),
    ("keyword", "\x1b[38;5;183m"),
];

/// The names that people give languages which a grammar of another one reads well enough.
const LIKE: &[(&str, &str)] = &[
    ("ts", "js"),
    ("tsx", "js"),
    ("typescript", "js"),
    ("jsx", "js"),
    ("mjs", "js"),
    ("shell", "sh"),
    ("console", "sh"),
    ("jsonc", "json"),
    ("golang", "go"),
];

/// Code that is read line by line.
#[derive(Clone)]
pub(crate) struct Code {
    reads: Option<(ParseState, ScopeStack)>,
    /// The columns of the widest line so far.
    pub(crate) widest: usize,
}

impl Code {
    /// What stands behind the fence: a language first.
    pub(crate) fn of(info: &str) -> Self {
        let name = info.trim().split([' ', ',', '{']).next().unwrap_or_default().to_lowercase();
        let name = LIKE.iter().find(|(like, _)| *like == name).map_or(name.as_str(), |(_, name)| name);
        let known = if name.is_empty() { None } else { grammars().find_syntax_by_token(name) };
        Code { reads: known.map(|grammar| (ParseState::new(grammar), ScopeStack::new())), widest: 0 }
    }

    /// A line without its end, in parts with their colours.
    pub(crate) fn parts<'a>(&mut self, line: &'a str) -> Vec<(&'static str, &'a str)> {
        let mut parts = Vec::new();
        let mut from = 0;
        if line.len() > LONGEST_LINE {
            self.reads = None;
        }
        if let Some((state, scopes)) = &mut self.reads
            && let Ok(changes) = state.parse_line(&format!("{line}\n"), grammars())
        {
            for (at, change) in &changes {
                let at = (*at).min(line.len());
                if let Some(part) = line.get(from..at).filter(|part| !part.is_empty()) {
                    parts.push((colour(scopes), part));
                    from = at;
                }
                if scopes.apply(change).is_err() {
                    self.reads = None;
                    break;
                }
            }
        }
        if let Some(rest) = line.get(from..).filter(|rest| !rest.is_empty()) {
            let last = self.reads.as_ref().map_or("", |(_, scopes)| colour(scopes));
            parts.push((last, rest));
        }
        parts
    }
}

fn grammars() -> &'static SyntaxSet {
    static GRAMMARS: OnceLock<SyntaxSet> = OnceLock::new();
    GRAMMARS.get_or_init(SyntaxSet::load_defaults_newlines)
}

/// The innermost name decides.
fn colour(scopes: &ScopeStack) -> &'static str {
    static KINDS: OnceLock<Vec<(Scope, &str)>> = OnceLock::new();
    let kinds = KINDS.get_or_init(|| {
        let kind = |(name, colour): &(&str, &'static str)| Some((Scope::new(name).ok()?, *colour));
        COLOURS.iter().filter_map(kind).collect()
    });
    let of =
        |scope: &Scope| kinds.iter().find(|(kind, _)| kind.is_prefix_of(*scope)).map(|(_, colour)| *colour);
    scopes.as_slice().iter().rev().find_map(of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each part that has a colour, with a letter for it.
    fn read(language: &str, lines: &[&str]) -> Vec<String> {
        let mut code = Code::of(language);
        let line = |line: &&str| {
            let parts = code.parts(line);
            assert_eq!(parts.iter().map(|(_, part)| *part).collect::<String>(), *line);
            let coloured =
                parts.iter().filter(|(colour, part)| !colour.is_empty() && !part.trim().is_empty());
            coloured.map(|(_, part)| part.trim()).collect::<Vec<_>>().join(" ")
        };
        lines.iter().map(line).collect()
    }

    #[test]
    fn words_strings_and_comments_have_colours() {
        assert_eq!(read("rust", &["let a = 1; // one", "b(x)"]), ["let 1 // one", "b"]);
        assert_eq!(
            read("ts", &["const a = `x`", "/* one", "two */ if"]),
            ["const ` x `", "/* one", "two */ if"]
        );
        assert_eq!(read("", &["let a = 1;"]), [""]);
        assert_eq!(read("no-such-language", &["let a = 1;"]), [""]);
    }

    #[test]
    fn a_line_of_data_is_left_as_it_is() {
        let long = "1".repeat(5_000);
        assert_eq!(read("js", &[&long, "const a"]), ["", ""]);
    }
}

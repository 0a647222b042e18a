//! What a person reads before they decide, or because they asked for it: clean lines, and those of a change in its colours.

use std::ops::Range;

use crate::parts::pages;

const ADDED: &str = "\x1b[32m";
const REMOVED: &str = "\x1b[31m";
const PLACE: &str = "\x1b[36m";
const PLAIN: &str = "\x1b[0m";

#[derive(Debug, Default)]
pub struct Reading {
    lines: Vec<(String, Option<&'static str>)>,
}

impl Reading {
    pub fn plain(lines: impl IntoIterator<Item = String>) -> Self {
        Reading { lines: lines.into_iter().map(|line| (line, None)).collect() }
    }

    /// Of these lines, the ones in this range are of a change: their first letter says what becomes of each.
    pub fn with_change(lines: Vec<String>, changed: &Range<usize>) -> Self {
        Self::painted(lines, changed, has_colours())
    }

    fn painted(lines: Vec<String>, changed: &Range<usize>, has_colours: bool) -> Self {
        let line = |(at, line): (usize, String)| {
            let colour = if changed.contains(&at) && has_colours { colour_of(&line) } else { None };
            (line, colour)
        };
        Reading { lines: lines.into_iter().enumerate().map(line).collect() }
    }

    pub fn extend(&mut self, more: Reading) {
        self.lines.extend(more.lines);
    }

    /// Behind this in each line.
    pub fn indented(self, indent: &str) -> Self {
        let line = |(line, colour): (String, _)| (format!("{indent}{line}"), colour);
        Reading { lines: self.lines.into_iter().map(line).collect() }
    }

    /// Each line whole.
    pub fn lines(&self) -> Vec<String> {
        self.lines.iter().map(|(line, colour)| painted(line, *colour)).collect()
    }

    /// As it stands in a window of this width. The colours come last: nothing of a file is an order to a terminal.
    pub fn rows(&self, width: usize) -> Vec<String> {
        let rows = |(line, colour): &(String, Option<&'static str>)| {
            let colour = *colour;
            pages::rows(&[line], width).into_iter().map(move |row| painted(&row, colour))
        };
        self.lines.iter().flat_map(rows).collect()
    }
}

fn painted(text: &str, colour: Option<&str>) -> String {
    colour.map_or_else(|| text.to_owned(), |colour| format!("{colour}{text}{PLAIN}"))
}

fn colour_of(line: &str) -> Option<&'static str> {
    match line.chars().next()? {
        '+' => Some(ADDED),
        '-' => Some(REMOVED),
        '@' => Some(PLACE),
        _ => None,
    }
}

/// A person can turn them off, as for other programs.
pub fn has_colours() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_change_have_its_colours_in_each_row() {
        let lines = ["+ a name", "@@ -1 +1 @@", " same", "-old", "+abcdef", "+ not of it"].map(str::to_owned);
        assert_eq!(Reading::painted(lines.to_vec(), &(1..5), false).lines(), lines);
        let reading = Reading::painted(lines.to_vec(), &(1..5), true);
        assert_eq!(
            reading.rows(4)[2..],
            [
                "\x1b[36m@@ -\x1b[0m",
                "\x1b[36m1 +1\x1b[0m",
                "\x1b[36m @@\x1b[0m",
                " sam",
                "e",
                "\x1b[31m-old\x1b[0m",
                "\x1b[32m+abc\x1b[0m",
                "\x1b[32mdef\x1b[0m",
                "+ no",
                "t of",
                " it"
            ]
        );
        let lines = reading.indented("  ").lines();
        assert_eq!((lines[0].as_str(), lines[3].as_str()), ("  + a name", "\x1b[31m  -old\x1b[0m"));
    }
}

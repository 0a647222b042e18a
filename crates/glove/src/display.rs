//! The lower part of the screen: what is still being written is drawn again with each piece, and printed for good when it is whole.

use std::io::{self, Stdout, Write, stdout};

use termimad::{Alignment, MadSkin};
use unicode_width::UnicodeWidthChar;

use crate::pages::{self, size};
use crate::terminal_text::{clean, safe_text};

/// A block that is longer is printed in parts, so that drawing it again costs no more as it grows.
const LONGEST_BLOCK: usize = 4096;
const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

pub(crate) struct Display {
    out: Stdout,
    skin: MadSkin,
    /// What came of the answer and is not printed for good.
    pending: String,
    /// The widths of the rows that are drawn and will be again.
    drawn: Vec<usize>,
    /// Inside of a block of code, of which the first part is printed.
    in_code: bool,
}

impl Display {
    pub(crate) fn new() -> Self {
        let mut skin = MadSkin::default_dark();
        // In the middle of a wide window nobody looks for one.
        skin.headers.iter_mut().for_each(|header| header.align = Alignment::Left);
        Display { out: stdout(), skin, pending: String::new(), drawn: Vec::new(), in_code: false }
    }

    pub(crate) fn add(&mut self, text: &str) -> io::Result<()> {
        self.pending.push_str(&safe_text(text));
        let whole = whole_blocks(&self.pending);
        if whole > 0 {
            let blocks: String = self.pending.drain(..whole).collect();
            self.print_markdown(&blocks)?;
        } else if self.pending.len() > LONGEST_BLOCK
            && let Some(end) = self.pending.rfind('\n')
        {
            self.print_part(end + 1)?;
        }
        Ok(())
    }

    /// Draws what is not whole yet, and below it what is going on and what was typed meanwhile.
    pub(crate) fn draw(&mut self, status: &str, typed: &[String]) -> io::Result<()> {
        let (width, height) = size();
        let mut rows: Vec<String> = Vec::new();
        if !self.pending.trim().is_empty() {
            let text = if self.in_code { format!("```\n{}", self.pending) } else { self.pending.clone() };
            rows.extend(self.skin.text(&closed(&text), Some(width)).to_string().lines().map(str::to_owned));
        }
        rows.push(format!("{DIM}{status}{PLAIN}"));
        rows.extend(pages::rows(typed, width));
        // What is above the screen cannot be drawn again.
        let above = rows.len().saturating_sub(height.saturating_sub(1).max(1));
        self.erase()?;
        for row in rows.iter().skip(above) {
            writeln!(self.out, "{row}")?;
            self.drawn.push(visible(row));
        }
        self.out.flush()
    }

    /// Takes away what is not printed for good.
    fn erase(&mut self) -> io::Result<()> {
        let (width, _) = size();
        // In a window that has become narrower, a row is several.
        let rows: usize = self.drawn.drain(..).map(|row| row.div_ceil(width).max(1)).sum();
        if rows > 0 {
            write!(self.out, "\x1b[{rows}A\r\x1b[J")?;
        }
        Ok(())
    }

    /// Prints the rest of the answer, so that something else can follow.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.pending);
        if self.in_code || !rest.trim().is_empty() {
            self.print_markdown(&rest)?;
        }
        self.in_code = false;
        self.erase()?;
        self.out.flush()
    }

    /// Gives the screen to somebody else for a while: what was drawn and is not whole is drawn again later.
    pub(crate) fn leave(&mut self) -> io::Result<()> {
        self.erase()?;
        self.out.flush()
    }

    /// Takes away so many rows that were printed last, where nothing is drawn below them.
    pub(crate) fn take_back(&mut self, rows: usize) -> io::Result<()> {
        let (_, height) = size();
        write!(self.out, "\x1b[{}A\r\x1b[J", rows.min(height))?;
        self.out.flush()
    }

    /// Begins on an empty screen. What was on it can be scrolled back to.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.finish()?;
        let (_, height) = size();
        write!(self.out, "{}\x1b[H\x1b[2J", "\n".repeat(height))?;
        self.out.flush()
    }

    /// Prints lines for good, below the answer so far.
    pub(crate) fn lines<S: AsRef<str>>(&mut self, lines: &[S], dim: bool) -> io::Result<()> {
        self.print_lines(&lines.iter().map(|line| clean(line.as_ref())).collect::<Vec<_>>(), dim)
    }

    /// The same of lines that are clean: made of what `words` makes of the texts of others.
    pub(crate) fn print_lines(&mut self, lines: &[String], dim: bool) -> io::Result<()> {
        self.finish()?;
        for line in lines {
            match dim {
                true => writeln!(self.out, "{DIM}{line}{PLAIN}")?,
                false => writeln!(self.out, "{line}")?,
            }
        }
        self.out.flush()
    }

    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        self.lines(&[line], false)
    }

    pub(crate) fn markdown(&mut self, text: &str) -> io::Result<()> {
        self.finish()?;
        self.print_markdown(&safe_text(text))?;
        self.out.flush()
    }

    /// The first part of a long block: of code, as code.
    fn print_part(&mut self, end: usize) -> io::Result<()> {
        let part: String = self.pending.drain(..end).collect();
        let opens = is_in_code(&part, self.in_code);
        self.print_markdown(&part)?;
        self.in_code = opens;
        Ok(())
    }

    fn print_markdown(&mut self, text: &str) -> io::Result<()> {
        self.erase()?;
        let (width, _) = size();
        let text = if self.in_code { format!("```\n{text}") } else { text.to_owned() };
        self.in_code = false;
        // One empty line between blocks, and none within code that is printed in parts.
        let space = if text.ends_with("\n\n") && !is_in_code(&text, false) { "\n" } else { "" };
        write!(self.out, "{}{space}", self.skin.text(&closed(&text), Some(width)))
    }
}

/// Blocks end with an empty line outside of code. Where the last of them ends; 0 if none has.
fn whole_blocks(text: &str) -> usize {
    let (mut at, mut whole, mut in_code) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        at += line.len();
        in_code ^= is_fence(line);
        if !in_code
            && line.trim().is_empty()
            && line.ends_with('\n')
            && !text.get(..at).unwrap_or_default().trim().is_empty()
        {
            whole = at;
        }
    }
    whole
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

fn is_in_code(text: &str, before: bool) -> bool {
    text.lines().filter(|line| is_fence(line)).fold(before, |inside, _| !inside)
}

/// With the end of a block of code that is still open.
fn closed(text: &str) -> String {
    match is_in_code(text, false) {
        true => format!("{}\n```", text.trim_end_matches('\n')),
        false => text.trim_matches('\n').to_owned() + "\n",
    }
}

/// The columns of a row without its colours.
fn visible(row: &str) -> usize {
    let (mut width, mut in_escape) = (0, false);
    for c in row.chars() {
        match (in_escape, c) {
            (false, '\x1b') => in_escape = true,
            (true, c) if c.is_ascii_alphabetic() => in_escape = false,
            (true, _) => {}
            (false, c) => width += c.width().unwrap_or_default(),
        }
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_whole_after_an_empty_line_and_code_after_its_end() {
        assert_eq!(whole_blocks("one line"), 0);
        assert_eq!(whole_blocks("one\n\ntwo"), 5);
        assert_eq!(whole_blocks("```\na\n\nb\n"), 0);
        assert_eq!(whole_blocks("```\na\n\nb\n```\n\nx"), 14);
        assert_eq!(whole_blocks("\n\none"), 0);
    }

    #[test]
    fn a_row_is_as_wide_as_its_letters() {
        assert_eq!(visible("\x1b[1mbold\x1b[0m!"), 5);
        assert_eq!(visible("日本e\u{301}"), 5);
    }
}

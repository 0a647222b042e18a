//! The lower part of the screen: what is still being written is drawn again with each piece, and printed for good when it is whole.

use std::io::{self, Stdout, Write, stdout};

use termimad::{Alignment, MadSkin};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::code::Code;
use crate::pages::{self, size};
use crate::reading::has_colours;
use crate::terminal_text::{clean, safe_text};

/// A block that is longer is printed in parts, so that drawing it again costs no more as it grows.
const LONGEST_BLOCK: usize = 4096;
/// The same of code, whose colours cost more.
const LONGEST_CODE: usize = 1024;
const DIM: &str = "\x1b[2m";
pub(crate) const PLAIN: &str = "\x1b[0m";
pub(crate) const BOLD: &str = "\x1b[1m";
const CALL: &str = "\x1b[36m";
const BAD: &str = "\x1b[31m";
/// Code stands on a background of its own.
const CODE: &str = "\x1b[38;5;252m\x1b[48;5;237m";

/// What an empty row keeps apart on the screen.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Block {
    Head,
    /// Where a person types, and what is said of the session above it.
    Prompt,
    Person,
    Calls,
    Answer,
}

pub(crate) struct Display {
    last: Block,
    /// The last row that is printed for good is empty.
    is_apart: bool,
    out: Stdout,
    skin: MadSkin,
    /// What came of the answer and is not printed for good.
    pending: String,
    /// The widths of the rows that are drawn and will be again.
    drawn: Vec<usize>,
    /// The block of code of which the first part is printed.
    code: Option<Code>,
    has_colours: bool,
}

impl Display {
    pub(crate) fn new() -> Self {
        let mut skin = MadSkin::default_dark();
        // In the middle of a wide window nobody looks for one.
        skin.headers.iter_mut().for_each(|header| header.align = Alignment::Left);
        let (pending, drawn, has_colours) = (String::new(), Vec::new(), has_colours());
        Display {
            last: Block::Head,
            is_apart: false,
            out: stdout(),
            skin,
            pending,
            drawn,
            code: None,
            has_colours,
        }
    }

    /// An empty row, where the last block is another one.
    pub(crate) fn apart(&mut self, block: Block) -> io::Result<()> {
        if self.last != block {
            self.finish()?;
            if !std::mem::replace(&mut self.is_apart, true) {
                writeln!(self.out)?;
            }
        }
        self.last = block;
        Ok(())
    }

    /// A person has typed a line.
    pub(crate) fn typed(&mut self) {
        (self.last, self.is_apart) = (Block::Person, false);
    }

    fn coloured(&self, colour: &str, text: &str) -> String {
        if self.has_colours { format!("{colour}{text}{PLAIN}") } else { text.to_owned() }
    }

    /// The line of a call, which is clean.
    pub(crate) fn call(&mut self, line: &str, has_failed: bool) -> io::Result<()> {
        let sign = self.coloured(if has_failed { BAD } else { CALL }, "●");
        self.print_lines(&[format!("{sign} {line}")], false)
    }

    /// Why a call has no result, in clean rows.
    pub(crate) fn failed_rows(&mut self, rows: &[String]) -> io::Result<()> {
        let rows: Vec<String> = rows.iter().map(|row| self.coloured(BAD, row)).collect();
        self.print_lines(&rows, false)
    }

    /// What a person said, in clean lines.
    pub(crate) fn person(&mut self, lines: &[String]) -> io::Result<()> {
        self.apart(Block::Person)?;
        let lines: Vec<String> = lines.iter().map(|line| format!("{BOLD}{line}{PLAIN}")).collect();
        self.print_lines(&lines, false)
    }

    pub(crate) fn add(&mut self, text: &str) -> io::Result<()> {
        self.apart(Block::Answer)?;
        self.pending.push_str(&safe_text(text));
        let whole = whole_blocks(&self.pending);
        if whole > 0 {
            let blocks: String = self.pending.drain(..whole).collect();
            self.print_markdown(&blocks)?;
        } else if self.pending.len() > self.longest()
            && let Some(end) = self.pending.rfind('\n')
        {
            let part: String = self.pending.drain(..=end).collect();
            self.print_markdown(&part)?;
        }
        Ok(())
    }

    fn longest(&self) -> usize {
        let fences = self.pending.lines().filter(|line| is_fence(line)).count();
        match self.code.is_some() ^ (fences % 2 == 1) {
            true => LONGEST_CODE,
            false => LONGEST_BLOCK,
        }
    }

    /// Draws what is not whole yet, and below it what is going on and what was typed meanwhile.
    pub(crate) fn draw(&mut self, status: &str, typed: &[String]) -> io::Result<()> {
        let (width, height) = size();
        let mut rows: Vec<String> = Vec::new();
        if !self.pending.trim().is_empty() {
            let drawn = self.drawn(&self.pending, width, &mut self.code.clone());
            rows.extend(drawn.lines().map(str::to_owned));
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
        if !rest.trim().is_empty() {
            self.print_markdown(&rest)?;
        }
        self.code = None;
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
        (self.last, self.is_apart) = (Block::Head, true);
        self.out.flush()
    }

    /// Prints lines for good, below the answer so far.
    pub(crate) fn lines<S: AsRef<str>>(&mut self, lines: &[S], dim: bool) -> io::Result<()> {
        self.print_lines(&lines.iter().map(|line| clean(line.as_ref())).collect::<Vec<_>>(), dim)
    }

    /// The same of lines that are clean: made of what `words` makes of the texts of others.
    pub(crate) fn print_lines(&mut self, lines: &[String], dim: bool) -> io::Result<()> {
        self.finish()?;
        self.is_apart &= lines.is_empty();
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
        self.apart(Block::Answer)?;
        self.finish()?;
        self.print_markdown(&safe_text(text))?;
        self.out.flush()
    }

    fn print_markdown(&mut self, text: &str) -> io::Result<()> {
        self.erase()?;
        let mut code = self.code.take();
        let drawn = self.drawn(text, size().0, &mut code);
        // One empty line between blocks, and none within code that is printed in parts.
        let space = if text.ends_with("\n\n") && code.is_none() { "\n" } else { "" };
        self.code = code;
        self.is_apart = !space.is_empty();
        write!(self.out, "{drawn}{space}")
    }

    /// The rows of a text that begins inside of this code, and what code its end is inside of.
    fn drawn(&self, text: &str, width: usize, code: &mut Option<Code>) -> String {
        let (mut rows, mut words, mut lines) = (String::new(), String::new(), Vec::new());
        let mut is_first = code.is_none();
        for line in text.split_inclusive('\n') {
            let is_fence = is_fence(line);
            match code {
                Some(reader) if is_fence => {
                    rows.push_str(&self.code_rows(&std::mem::take(&mut lines), width, reader));
                    *code = None;
                }
                Some(_) => lines.push(line.trim_end_matches('\n')),
                None if is_fence => {
                    rows.push_str(&self.words(&std::mem::take(&mut words), width, is_first, false));
                    is_first = false;
                    *code = Some(Code::of(line.trim().trim_start_matches('`')));
                }
                None => words.push_str(line),
            }
        }
        match code {
            Some(reader) => rows.push_str(&self.code_rows(&lines, width, reader)),
            None => rows.push_str(&self.words(&words, width, is_first, true)),
        }
        rows
    }

    /// What is no code, with an empty row to the code beside it where there is one.
    fn words(&self, text: &str, width: usize, is_first: bool, is_last: bool) -> String {
        let words = text.trim_matches('\n');
        if words.trim().is_empty() {
            return if is_first || is_last || text.is_empty() { String::new() } else { "\n".to_owned() };
        }
        let above = if !is_first && text.starts_with('\n') { "\n" } else { "" };
        let below = if !is_last && text.ends_with("\n\n") { "\n" } else { "" };
        format!("{above}{}{below}", self.skin.text(&format!("{words}\n"), Some(width)))
    }

    /// All as wide as the widest of them and of those before, or as the window.
    fn code_rows(&self, lines: &[&str], window: usize, code: &mut Code) -> String {
        let lines: Vec<String> = lines.iter().map(|line| line.replace('\t', "    ")).collect();
        let width = lines.iter().map(|line| line.width()).max().unwrap_or_default().max(code.widest);
        code.widest = width.min(window);
        let mut rows = String::new();
        for line in &lines {
            rows.push_str(CODE);
            for (colour, part) in code.parts(line) {
                match colour {
                    "" => rows.push_str(part),
                    _ if !self.has_colours => rows.push_str(part),
                    colour => rows.extend([colour, part, CODE]),
                }
            }
            rows.extend([" ".repeat(code.widest.saturating_sub(line.width())).as_str(), PLAIN, "\n"]);
        }
        rows
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

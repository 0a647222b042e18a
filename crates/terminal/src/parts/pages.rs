//! What is longer than the screen: its first rows, and all of it on pages, in which a person goes up and down.

use std::io::{self, Write, stdout};
use std::iter::repeat_n;
use std::sync::atomic::{AtomicBool, Ordering};

use termimad::crossterm::cursor::{Hide, Show};
use termimad::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use termimad::crossterm::terminal::{self, EnterAlternateScreen, LeaveAlternateScreen};
use termimad::crossterm::{execute, queue, style};
use unicode_width::UnicodeWidthChar;

const TAB: &str = "    ";
/// What `words` puts around a text whose direction is its own.
const BEGIN: char = '\u{2068}';
const END: char = '\u{2069}';

/// So many columns and rows.
pub fn size() -> (usize, usize) {
    let (width, height) = terminal::size().unwrap_or((80, 24));
    (usize::from(width).max(20), usize::from(height).max(4))
}

/// As they stand in a window of this width.
pub fn rows<S: AsRef<str>>(lines: &[S], width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for line in lines {
        let (mut row, mut columns, mut inside) = (String::new(), 0, 0_usize);
        for c in line.as_ref().replace('\t', TAB).chars() {
            let wide = c.width().unwrap_or_default();
            if columns + wide > width {
                // A row is a paragraph of its own for the terminal: what keeps its direction does so in each.
                row.extend(repeat_n(END, inside));
                rows.push(std::mem::take(&mut row));
                row.extend(repeat_n(BEGIN, inside));
                columns = 0;
            }
            row.push(c);
            match c {
                BEGIN => inside += 1,
                END => inside = inside.saturating_sub(1),
                _ => {}
            }
            columns += wide;
        }
        rows.push(row);
    }
    rows
}

/// Whether the whole screen is taken: whoever ends the program gives it back.
static OPEN: AtomicBool = AtomicBool::new(false);

/// The screen behind this one, for as long as it is held.
struct Whole;

impl Whole {
    fn take() -> io::Result<Whole> {
        terminal::enable_raw_mode()?;
        OPEN.store(true, Ordering::SeqCst);
        let whole = Whole;
        execute!(stdout(), EnterAlternateScreen, Hide)?;
        Ok(whole)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        give_back();
        let _ = terminal::disable_raw_mode();
    }
}

/// Shows the conversation again.
pub fn give_back() {
    if OPEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), LeaveAlternateScreen, Show);
    }
}

/// Shows all of it until the person leaves: its rows in a window of each width.
pub fn open(rows: impl Fn(usize) -> Vec<String>) -> io::Result<()> {
    let _whole = Whole::take()?;
    let mut all: (usize, Vec<String>) = (0, Vec::new());
    let mut first = 0;
    loop {
        let (width, height) = size();
        if all.0 != width {
            all = (width, rows(width));
        }
        let (page, count) = (height - 1, all.1.len());
        let last = count.saturating_sub(page);
        first = first.min(last);
        draw(&all.1, first, page)?;
        let Event::Key(key) = event::read()? else { continue };
        first = match key {
            KeyEvent { kind: KeyEventKind::Release, .. } => first,
            KeyEvent { code: KeyCode::Char('c' | 'd'), modifiers: KeyModifiers::CONTROL, .. } => {
                return Ok(());
            }
            KeyEvent { code, .. } => match code {
                KeyCode::Esc | KeyCode::Char('q') => return Ok(()),
                KeyCode::Down | KeyCode::Enter | KeyCode::Char('j') => first + 1,
                KeyCode::Up | KeyCode::Char('k') => first.saturating_sub(1),
                KeyCode::PageDown | KeyCode::Char(' ') => first + page,
                KeyCode::PageUp | KeyCode::Char('b') => first.saturating_sub(page),
                KeyCode::Home | KeyCode::Char('g') => 0,
                KeyCode::End | KeyCode::Char('G') => last,
                _ => first,
            },
        };
    }
}

fn draw(rows: &[String], first: usize, page: usize) -> io::Result<()> {
    let mut out = stdout();
    queue!(out, terminal::Clear(terminal::ClearType::All))?;
    for (at, row) in rows.iter().skip(first).take(page).enumerate() {
        queue!(out, at_row(at), style::Print(row))?;
    }
    let until = (first + page).min(rows.len());
    let status = format!("{} to {until} of {} · space, b, arrows, g, G · q goes back", first + 1, rows.len());
    queue!(out, at_row(page), style::SetAttribute(style::Attribute::Dim), style::Print(status))?;
    queue!(out, style::SetAttribute(style::Attribute::Reset))?;
    out.flush()
}

fn at_row(row: usize) -> termimad::crossterm::cursor::MoveTo {
    termimad::crossterm::cursor::MoveTo(0, u16::try_from(row).unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_several_rows_and_loses_nothing() {
        assert_eq!(rows(&["abcdef", "", "日本語"], 4), ["abcd", "ef", "", "日本", "語"]);
        assert_eq!(rows(&["\tx"], 4), ["    ", "x"]);
    }

    #[test]
    fn what_keeps_its_direction_keeps_it_in_each_row() {
        assert_eq!(rows(&["a \u{2068}אבגד\u{2069} b"], 4), ["a \u{2068}אב\u{2069}", "\u{2068}גד\u{2069} b"]);
    }
}

//! Keys out of what a terminal sends, without ever waiting for the rest of one.
//!
//! `crossterm` waits for more bytes where a key is unfinished or unknown, so the thread that takes keys beside its work cannot use it.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How long a key that begins with Escape may take to arrive.
const ESCAPE: Duration = Duration::from_millis(50);
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Debug, PartialEq)]
pub enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    AltEnter,
    Tab,
    BackTab,
    Backspace,
    Escape,
    Up,
    AltUp,
    /// With line ends of one letter.
    Paste(String),
}

/// What was read and makes no key yet.
#[derive(Debug, Default)]
pub struct Keys {
    bytes: Vec<u8>,
    in_paste: bool,
    arrived: Option<Instant>,
}

/// How the bytes begin.
enum Begin {
    /// So many bytes are a key, or one that means nothing.
    Key(usize, Option<Key>),
    Paste(usize),
    Unfinished,
}

impl Keys {
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.arrived = Some(Instant::now());
    }

    pub fn next(&mut self, now: Instant) -> Option<Key> {
        loop {
            if self.in_paste {
                let end = self.bytes.windows(PASTE_END.len()).position(|bytes| bytes == PASTE_END)?;
                let text = text(self.bytes.get(..end)?);
                self.bytes.drain(..end + PASTE_END.len());
                self.in_paste = false;
                return Some(Key::Paste(text));
            }
            let first = *self.bytes.first()?;
            match begin(&self.bytes) {
                Begin::Key(length, key) => {
                    self.bytes.drain(..length);
                    if key.is_some() {
                        return key;
                    }
                }
                Begin::Paste(length) => {
                    self.bytes.drain(..length);
                    self.in_paste = true;
                }
                Begin::Unfinished if self.arrived.is_some_and(|at| now.duration_since(at) < ESCAPE) => {
                    return None;
                }
                // No more of it comes: Escape was pressed for itself, or the byte is of no letter.
                Begin::Unfinished => {
                    self.bytes.remove(0);
                    if first == 0x1b {
                        return Some(Key::Escape);
                    }
                }
            }
        }
    }

    /// Escape, of which nobody knows yet whether it begins another key.
    pub fn is_escape(&self) -> bool {
        !self.in_paste && self.bytes == [0x1b]
    }

    /// What was pasted, where its end has not come.
    pub fn pasted(&mut self) -> String {
        let is_pasted = std::mem::take(&mut self.in_paste);
        let bytes = std::mem::take(&mut self.bytes);
        if is_pasted { text(&bytes) } else { String::new() }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n")
}

fn begin(bytes: &[u8]) -> Begin {
    let key = |length, key| Begin::Key(length, Some(key));
    match bytes {
        [0x1b, rest @ ..] => after_escape(rest),
        [b'\r' | b'\n', ..] => key(1, Key::Enter),
        [b'\t', ..] => key(1, Key::Tab),
        [0x08 | 0x7f, ..] => key(1, Key::Backspace),
        [control @ 1..0x20, ..] => key(1, Key::Ctrl(char::from(control | 0x60))),
        [0, ..] | [] => Begin::Key(1, None),
        [first, ..] => {
            let length = match first {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
            let Some(letter) = bytes.get(..length) else { return Begin::Unfinished };
            match std::str::from_utf8(letter).ok().and_then(|letter| letter.chars().next()) {
                Some(letter) => key(length, Key::Char(letter)),
                None => Begin::Key(1, None),
            }
        }
    }
}

fn after_escape(rest: &[u8]) -> Begin {
    match rest {
        [] | [b'O' | 0x1b] => Begin::Unfinished,
        // Some terminals say Alt by a second Escape.
        [0x1b, b'[' | b'O', b'A', ..] => Begin::Key(4, Some(Key::AltUp)),
        [0x1b, ..] => Begin::Key(1, Some(Key::Escape)),
        [b'\r' | b'\n', ..] => Begin::Key(2, Some(Key::AltEnter)),
        [b'O', b'A', ..] => Begin::Key(3, Some(Key::Up)),
        [b'O', ..] => Begin::Key(3, None),
        [b'[', rest @ ..] => {
            let about = rest.iter().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
            match (rest.get(..about), rest.get(about)) {
                (_, None) => Begin::Unfinished,
                (Some(b"200"), Some(b'~')) => Begin::Paste(about + 3),
                (Some(b""), Some(b'A')) => Begin::Key(3, Some(Key::Up)),
                (Some(b""), Some(b'Z')) => Begin::Key(3, Some(Key::BackTab)),
                (_, Some(b'A')) => Begin::Key(about + 3, Some(Key::AltUp)),
                _ => Begin::Key(about + 3, None),
            }
        }
        // Alt and a letter, which has several bytes if it is none of ASCII: it means nothing here.
        [_, more @ ..] => {
            let letter = 2 + more.iter().take_while(|byte| matches!(byte, 0x80..=0xbf)).count();
            Begin::Key(letter, None)
        }
    }
}

/// Whether something was typed, within this time.
pub fn has_input(within: Duration) -> io::Result<bool> {
    let mut input = [PollFd::from_borrowed_fd(stdin_fd(), PollFlags::IN)];
    let within = Timespec { tv_sec: 0, tv_nsec: within.subsec_nanos().into() };
    match poll(&mut input, Some(&within)) {
        // A terminal that is gone has an end and nothing to read.
        Ok(_) => Ok(input[0].revents().contains(PollFlags::IN)),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// What was typed until now.
pub fn read_available() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    while has_input(Duration::ZERO)? {
        match rustix::io::read(stdin_fd(), &mut buffer) {
            // The terminal is gone, which its signal says too.
            Ok(0) => break,
            Ok(length) => bytes.extend_from_slice(buffer.get(..length).unwrap_or_default()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(bytes)
}

fn stdin_fd() -> rustix::fd::BorrowedFd<'static> {
    rustix::stdio::stdin()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(pieces: &[&[u8]]) -> Vec<Key> {
        let mut keys = Keys::default();
        let mut found = Vec::new();
        for piece in pieces {
            keys.add(piece);
            while let Some(key) = keys.next(Instant::now()) {
                found.push(key);
            }
        }
        let later = Instant::now() + 2 * ESCAPE;
        found.extend(std::iter::from_fn(|| keys.next(later)));
        found
    }

    #[test]
    fn keys_are_found_also_where_they_come_in_pieces() {
        use Key::{AltEnter, AltUp, BackTab, Backspace, Char, Ctrl, Enter, Escape, Paste, Tab, Up};
        let all: &[u8] = "aé日\r\t\u{1b}[Z\u{7f}\u{17}\u{1b}\r\u{1b}[A\u{1b}[1;3A\u{1b}OA\u{1b}[200~x\r\ny\u{1b}[A\u{1b}[201~z\u{1b}".as_bytes();
        let expected = [
            Char('a'),
            Char('é'),
            Char('日'),
            Enter,
            Tab,
            BackTab,
            Backspace,
            Ctrl('w'),
            AltEnter,
            Up,
            AltUp,
            Up,
            Paste("x\ny\u{1b}[A".to_owned()),
            Char('z'),
            Escape,
        ];
        assert_eq!(keys(&[all]), expected);
        let bytes: Vec<_> = all.chunks(1).collect();
        assert_eq!(keys(&bytes), expected);
    }

    #[test]
    fn a_key_that_is_not_known_or_not_finished_holds_nothing_up() {
        use Key::{Char, Escape};
        assert_eq!(keys(&[b"\x1b[E\x1b[15~\x1bOPa"]), [Char('a')]);
        assert_eq!(keys(&[b"\xffa\x1bn\x1b\xc3\xa9b"]), [Char('a'), Char('b')]);
        assert_eq!(keys(&[b"\x1b["]), [Escape, Char('[')]);
        assert_eq!(keys(&[b"\x1bO"]), [Escape, Char('O')]);
        assert_eq!(keys(&[b"\xe6\x97"]), []);
        assert_eq!(keys(&[b"\x1b\x1b"]), [Escape, Escape]);
    }

    #[test]
    fn what_is_pasted_is_kept_where_its_end_does_not_come() {
        let mut keys = Keys::default();
        keys.add(b"\x1b[200~one\rtwo");
        assert_eq!(keys.next(Instant::now() + 2 * ESCAPE), None);
        assert_eq!(keys.pasted(), "one\ntwo");
    }
}

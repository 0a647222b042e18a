//! Whether a text is JSON, and how deep it goes: judged on the text alone, without recursion.

use crate::scan::find_unquotable;
use crate::writer;

/// Deeper JSON than this is refused wherever a value is read (it is also serde_json's own limit).
pub const MAX_DEPTH: usize = 127;

/// The text is no JSON, or ends too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

/// Why a text is no JSON that the runtime accepts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    #[error("not JSON: {0}")]
    Syntax(String),
    #[error("JSON nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

/// Whether a text is one JSON value, nested no deeper than this. It takes what the grammar allows and nothing more,
/// without recursion.
pub fn check(text: &str, deepest: usize) -> Result<(), JsonError> {
    let mut checker = Checker { bytes: text.as_bytes(), at: 0 };
    match checker.value(deepest) {
        Ok(true) => Ok(()),
        Ok(false) => Err(JsonError::TooDeep),
        Err(Broken) => {
            let why = if checker.at >= text.len() { "it ends too early" } else { "unexpected text at byte " };
            let mut why = why.to_owned();
            if checker.at < text.len() {
                writer::whole(&mut why, checker.at as u64);
            }
            Err(JsonError::Syntax(why))
        }
    }
}

struct Checker<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Checker<'_> {
    /// One value and nothing after it; false when it goes too deep.
    fn value(&mut self, deepest: usize) -> Result<bool, Broken> {
        // The ends that are waited for.
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.next_token() {
                Some(byte @ (b'{' | b'[')) => {
                    if open.len() >= deepest {
                        return Ok(false);
                    }
                    self.at += 1;
                    // `{` and `[` have their ends two further on.
                    let end = byte + 2;
                    if self.next_token() == Some(end) {
                        self.at += 1;
                    } else {
                        open.push(end);
                        if byte == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b't') => self.word(b"true")?,
                Some(b'f') => self.word(b"false")?,
                Some(b'n') => self.word(b"null")?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                _ => return Err(Broken),
            }
            loop {
                let next = self.next_token();
                let Some(end) = open.last() else {
                    return if next.is_none() { Ok(true) } else { Err(Broken) };
                };
                match next {
                    Some(b',') => {
                        self.at += 1;
                        if *end == b'}' {
                            self.key()?;
                        }
                        break;
                    }
                    next if next == Some(*end) => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return Err(Broken),
                }
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next_token(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Broken> {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(Broken);
        }
        self.at += word.len();
        Ok(())
    }

    fn key(&mut self) -> Result<(), Broken> {
        if self.next_token() != Some(b'"') {
            return Err(Broken);
        }
        self.string()?;
        if self.next_token() != Some(b':') {
            return Err(Broken);
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Broken> {
        self.at += 1;
        loop {
            self.at += find_unquotable(self.bytes.get(self.at..).unwrap_or_default());
            let found = self.byte();
            if !matches!(found, None | Some(b'"' | b'\\')) {
                return Err(Broken);
            }
            self.at += 1;
            if found == Some(b'"') {
                return Ok(());
            }
            match self.byte() {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
                Some(b'u') => {
                    let digits = self.bytes.get(self.at + 1..self.at + 5).ok_or(Broken)?;
                    if !digits.iter().all(u8::is_ascii_hexdigit) {
                        return Err(Broken);
                    }
                    self.at += 5;
                }
                _ => return Err(Broken),
            }
        }
    }

    fn number(&mut self) -> Result<(), Broken> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Broken> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Broken) }
    }
}

/// Nesting is judged on the text, so that no parser recurses into a hostile one.
pub(super) fn is_deeper_than(text: &[u8], limit: usize) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for &byte in text {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

//! Server-sent events: bytes in, however they are cut, events out. The whole grammar of the WHATWG standard.

use std::borrow::Cow;

use crate::json::scan::find_line_end;

/// The largest line or event that is accepted unless the caller says otherwise.
pub const DEFAULT_LIMIT: usize = 16 * 1024 * 1024;

const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// One event, borrowed from the decoder for the time of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The `event` field; empty where the stream named none (the standard's `message`).
    pub name: &'a str,
    pub data: &'a str,
    /// The last `id` that the stream gave, also when an earlier event gave it.
    pub id: &'a str,
    /// The input ended before the blank line that would have finished this event. A browser drops such an event;
    /// real providers leave that line out after their last one, so the caller decides.
    pub unterminated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    #[error("a stream event exceeds {limit} bytes")]
    TooLarge { limit: usize },
}

/// What is told of each event.
pub type OnEvent<'f> = dyn FnMut(SseEvent<'_>) + 'f;

/// An incremental decoder. Time is linear in the input, for one huge event in small pieces too. After an error
/// every further call gives the same error.
#[derive(Debug)]
pub struct SseDecoder {
    limit: usize,
    failed: bool,
    start: Start,
    /// The last chunk ended with CR: a LF that comes now belongs to that line end.
    after_cr: bool,
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    event: Pending,
    retry: Option<u64>,
}

/// Where the decoder stands with the one byte order mark that may lead the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Matched(usize),
    Done,
}

/// The event that is being read.
#[derive(Debug, Default)]
struct Pending {
    name: String,
    data: Vec<u8>,
    has_data: bool,
    id: String,
}

impl Default for SseDecoder {
    fn default() -> Self {
        SseDecoder::new(DEFAULT_LIMIT)
    }
}

impl SseDecoder {
    /// A decoder that refuses lines and events of more than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        SseDecoder {
            limit,
            failed: false,
            start: Start::Matched(0),
            after_cr: false,
            line: Vec::new(),
            event: Pending::default(),
            retry: None,
        }
    }

    /// The reconnection time in milliseconds that the stream asked for last.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Reads one chunk and tells of every event that it finished.
    pub fn push(&mut self, chunk: &[u8], on_event: &mut OnEvent<'_>) -> Result<(), SseError> {
        let read = match self.failed {
            true => Err(SseError::TooLarge { limit: self.limit }),
            false => {
                let rest = self.skip_bom(chunk);
                self.lines(rest, on_event)
            }
        };
        self.failed = read.is_err();
        read
    }

    /// The input is over: an unfinished event is handed over, marked.
    pub fn finish(&mut self, on_event: &mut OnEvent<'_>) -> Result<(), SseError> {
        if self.failed {
            return Err(SseError::TooLarge { limit: self.limit });
        }
        if let Start::Matched(matched) = self.start {
            self.start = Start::Done;
            self.line.extend_from_slice(BOM.get(..matched).unwrap_or_default());
        }
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            let mut data_line = None;
            self.field(&line, &mut data_line)?;
            self.keep(data_line)?;
        }
        if self.event.has_data {
            self.event.dispatch(None, true, on_event);
        }
        Ok(())
    }

    /// Drops one leading byte order mark; bytes that only began like one are given back as text.
    fn skip_bom<'c>(&mut self, chunk: &'c [u8]) -> &'c [u8] {
        let Start::Matched(mut matched) = self.start else { return chunk };
        let mut rest = chunk;
        while let (Some(expected), Some((byte, tail))) = (BOM.get(matched), rest.split_first()) {
            if byte != expected {
                self.line.extend_from_slice(BOM.get(..matched).unwrap_or_default());
                self.start = Start::Done;
                return rest;
            }
            matched += 1;
            rest = tail;
        }
        self.start = if matched == BOM.len() { Start::Done } else { Start::Matched(matched) };
        rest
    }

    fn lines(&mut self, chunk: &[u8], on_event: &mut OnEvent<'_>) -> Result<(), SseError> {
        let mut rest = chunk;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        // The data of an event that lies in this chunk as one line is lent out from here, not copied.
        let mut data_line: Option<&[u8]> = None;
        loop {
            let (head, tail) = rest.split_at(find_line_end(rest));
            rest = match tail {
                [] => break,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
            };
            if self.line.is_empty() {
                self.line_end(head, &mut data_line, on_event)?;
            } else {
                self.room(self.line.len(), head.len())?;
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(head);
                let mut copied = None;
                self.keep(data_line.take())?;
                self.line_end(&line, &mut copied, on_event)?;
                self.keep(copied)?;
                line.clear();
                self.line = line;
            }
        }
        self.keep(data_line)?;
        self.room(self.line.len(), rest.len())?;
        self.line.extend_from_slice(rest);
        Ok(())
    }

    fn line_end<'c>(
        &mut self,
        line: &'c [u8],
        data_line: &mut Option<&'c [u8]>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), SseError> {
        if !line.is_empty() {
            return self.field(line, data_line);
        }
        if self.event.has_data || data_line.is_some() {
            self.event.dispatch(data_line.take(), false, on_event);
        }
        self.event.name.clear();
        Ok(())
    }

    /// One line that is not blank: `name: value`, `name`, or a comment.
    fn field<'c>(&mut self, line: &'c [u8], data_line: &mut Option<&'c [u8]>) -> Result<(), SseError> {
        self.room(0, line.len())?;
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => {
                let (name, value) = line.split_at(colon);
                let value = value.get(1..).unwrap_or_default();
                (name, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &b""[..]),
        };
        match name {
            b"data" if data_line.is_none() && !self.event.has_data => *data_line = Some(value),
            b"data" => {
                self.keep(data_line.take())?;
                self.keep(Some(value))?;
            }
            // llama.cpp tells of a failure so, in the middle of an answer.
            b"error" if value.starts_with(b"{") && data_line.is_none() && !self.event.has_data => {
                self.event.name.clear();
                self.event.name.push_str("error");
                *data_line = Some(value);
            }
            b"event" => {
                self.event.name.clear();
                self.event.name.push_str(&text_of(value));
            }
            b"id" if !value.contains(&0) => {
                self.event.id.clear();
                self.event.id.push_str(&text_of(value));
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry = std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
            }
            _ => {}
        }
        Ok(())
    }

    /// Copies a data line, because its event does not end in this chunk or has more lines.
    fn keep(&mut self, data_line: Option<&[u8]>) -> Result<(), SseError> {
        let Some(value) = data_line else { return Ok(()) };
        self.room(self.event.data.len(), value.len())?;
        if self.event.has_data {
            self.event.data.push(b'\n');
        }
        self.event.has_data = true;
        self.event.data.extend_from_slice(value);
        Ok(())
    }

    fn room(&self, used: usize, more: usize) -> Result<(), SseError> {
        match used.saturating_add(more) > self.limit {
            true => Err(SseError::TooLarge { limit: self.limit }),
            false => Ok(()),
        }
    }
}

impl Pending {
    fn dispatch(&mut self, data_line: Option<&[u8]>, unterminated: bool, on_event: &mut OnEvent<'_>) {
        // Line ends are ASCII, so replacing bad bytes here gives what decoding the whole stream would have given.
        let data = text_of(data_line.unwrap_or(&self.data));
        on_event(SseEvent { name: &self.name, data: &data, id: &self.id, unterminated });
        self.name.clear();
        self.data.clear();
        self.has_data = false;
    }
}

/// The same as `from_utf8_lossy` alone, which is slow where nothing is wrong.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(chunks: &[&[u8]]) -> Vec<(String, String, bool)> {
        let mut seen = Vec::new();
        let mut decoder = SseDecoder::default();
        let mut on = |e: SseEvent<'_>| seen.push((e.name.to_owned(), e.data.to_owned(), e.unterminated));
        for chunk in chunks {
            decoder.push(chunk, &mut on).unwrap();
        }
        decoder.finish(&mut on).unwrap();
        seen
    }

    #[test]
    fn an_event_in_one_chunk_is_lent_and_not_copied() {
        let chunk = b"data: abc\n\n".to_vec();
        let range = chunk.as_ptr_range();
        let mut inside = false;
        SseDecoder::default().push(&chunk, &mut |e| inside = range.contains(&e.data.as_ptr())).unwrap();
        assert!(inside);
    }

    #[test]
    fn a_line_end_split_over_chunks_is_one_line_end() {
        assert_eq!(
            decode(&[b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n"]),
            [(String::new(), "a\nb".to_owned(), false)]
        );
    }

    #[test]
    fn the_unfinished_last_event_is_marked() {
        assert_eq!(
            decode(&[b"data: a\n\nevent: x\ndata: b"]),
            [(String::new(), "a".to_owned(), false), ("x".to_owned(), "b".to_owned(), true)]
        );
    }

    #[test]
    fn the_limit_holds_however_the_event_is_cut() {
        for size in [1, 7, 4096] {
            let text = format!("data: {}\n\n", "x".repeat(2000));
            let mut decoder = SseDecoder::new(1000);
            let result: Result<(), SseError> =
                text.as_bytes().chunks(size).try_for_each(|c| decoder.push(c, &mut |_| panic!("too large")));
            assert_eq!(result, Err(SseError::TooLarge { limit: 1000 }));
            assert!(decoder.push(b"data: a\n\n", &mut |_| panic!("dead")).is_err());
        }
    }

    #[test]
    fn many_short_lines_of_one_event_count_together() {
        let mut decoder = SseDecoder::new(100);
        let text = "data: 12345678\n".repeat(20);
        assert!(decoder.push(text.as_bytes(), &mut |_| {}).is_err());
    }
}

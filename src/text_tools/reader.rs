//! A text in which a model thinks, calls tools and answers, read while it comes. What is not clear never becomes a call
//! that runs, and nothing that a model says behind a call counts: it has invented what came of it.

use super::quoting::Quoting;
use crate::json::scan::word_at;

/// Something to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Thought(String),
}

/// All that a text says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TextReading {
    pub(super) text: String,
    pub(super) thoughts: String,
    pub(super) calls: Vec<TextCall>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextCall {
    pub(super) name: String,
    /// `None`: there were none, where there should have been.
    pub(super) args: Option<String>,
}

#[derive(Debug)]
pub(super) struct TextReader {
    tools: Vec<String>,
    state: ReadState,
    /// The line so far, while it may still turn out to be a mark.
    line: String,
    /// The rest of this line is what its beginning was.
    continues_line: bool,
    quoting: Quoting,
    /// White space that is shown when something follows it.
    pending: String,
    held_thought: String,
    /// What an action was read from: given back as text when it is none.
    block: String,
    name: String,
    args: String,
    reading: TextReading,
    out: Vec<Piece>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadState {
    /// Between `<think>` and `</think>`.
    Think,
    Text,
    Thought,
    /// Behind `Final Answer:`, where no mark counts any more.
    Answer,
    /// Behind `Action:`, on its line.
    Name,
    /// The arguments have to follow.
    Seek,
    /// Behind `Action Input:`, before an object began.
    Input,
    /// In the object of the arguments.
    Object {
        depth: u32,
        quoted: bool,
        escaped: bool,
    },
    /// A call is whole. Only a further one may follow.
    After,
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Think,
    Thought,
    Action,
    Input,
    Observation,
    Answer,
}

const MARKS: [(&str, Mark); 5] = [
    ("thought", Mark::Thought),
    ("action input", Mark::Input),
    ("action", Mark::Action),
    ("observation", Mark::Observation),
    ("final answer", Mark::Answer),
];

/// What the beginning of a line is.
enum Look {
    /// A mark, and where the rest of the line begins.
    Mark(Mark, usize),
    /// It may become one.
    Open,
    Plain,
}

const THINK: &str = "<think>";
const THOUGHT: &str = "</think>";

/// What is longer than these is no decoration of a mark. Held lines are short for that, however they come.
const LONGEST_BEHIND: usize = 16;
const LONGEST_BEFORE: usize = 8;

impl TextReader {
    /// `tools` are the names that a call may have without being doubted.
    pub(super) fn new(tools: Vec<String>) -> Self {
        TextReader {
            tools,
            state: ReadState::Text,
            line: String::new(),
            continues_line: false,
            quoting: Quoting::default(),
            pending: String::new(),
            held_thought: String::new(),
            block: String::new(),
            name: String::new(),
            args: String::new(),
            reading: TextReading::default(),
            out: Vec::new(),
        }
    }

    /// Reads a piece, and gives what of it can be shown.
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        let mut rest = text;
        while !rest.is_empty() {
            rest = self.step(rest);
        }
        std::mem::take(&mut self.out)
    }

    /// The text is over. `cut`: before the model was done.
    pub(super) fn finish(&mut self, cut: bool) -> Vec<Piece> {
        // A line's end settles what its last words are.
        self.step("\n");
        match self.state {
            ReadState::Think => {
                let line = std::mem::take(&mut self.line);
                self.thought(&line);
            }
            ReadState::Seek => self.unclear(),
            ReadState::Input | ReadState::Object { .. } => self.call(cut),
            _ => {}
        }
        self.state = ReadState::Done;
        std::mem::take(&mut self.out)
    }

    pub(super) fn into_reading(self) -> TextReading {
        self.reading
    }

    /// Reads up to the end of the line at most, and gives what is left.
    fn step<'t>(&mut self, text: &'t str) -> &'t str {
        let end = text.find('\n').map_or(text.len(), |at| at + 1);
        let (piece, rest) = text.split_at(end);
        match self.state {
            ReadState::Done => return "",
            ReadState::Object { .. } => return self.object(text),
            ReadState::Think => return self.thinking(text),
            ReadState::Answer => {
                self.text(text);
                return "";
            }
            _ => {}
        }
        let is_line_end = piece.ends_with('\n');
        if self.continues_line {
            self.plain(piece);
            self.continues_line = !is_line_end;
            return rest;
        }
        // More blanks behind blanks settle nothing, so the line is not read again for them.
        let unsettled =
            !is_line_end && self.line.ends_with(char::is_whitespace) && piece.trim_start().is_empty();
        self.line.push_str(piece);
        if unsettled {
            return rest;
        }
        if self.state == ReadState::Name {
            if is_line_end {
                let line = std::mem::take(&mut self.line);
                self.named(&line);
            }
            return rest;
        }
        match look(&self.line) {
            _ if matches!(self.state, ReadState::Text | ReadState::Thought) && self.quoting.is_open() => {
                let line = std::mem::take(&mut self.line);
                self.plain(&line);
                self.continues_line = !is_line_end;
                rest
            }
            Look::Open if !is_line_end => rest,
            Look::Mark(Mark::Think, from) if self.counts(Mark::Think) => {
                // It ended in this piece.
                let behind = self.line.len() - from;
                self.line.clear();
                self.state = ReadState::Think;
                text.get(end - behind..).unwrap_or_default()
            }
            Look::Mark(mark, from) if self.counts(mark) => {
                let line = std::mem::take(&mut self.line);
                self.mark(mark, &line, line.get(from..).unwrap_or_default(), is_line_end);
                rest
            }
            _ => {
                if matches!(self.state, ReadState::Seek | ReadState::Input) {
                    return self.before_object(is_line_end, rest);
                }
                let line = std::mem::take(&mut self.line);
                self.plain(&line);
                self.continues_line = !is_line_end;
                rest
            }
        }
    }

    /// Whether a mark means anything here; elsewhere its line is text.
    fn counts(&self, mark: Mark) -> bool {
        match self.state {
            ReadState::Text | ReadState::Thought => {
                matches!(mark, Mark::Think | Mark::Thought | Mark::Action | Mark::Answer)
            }
            _ => mark != Mark::Think,
        }
    }

    fn mark(&mut self, mark: Mark, line: &str, rest: &str, is_line_end: bool) {
        match (self.state, mark) {
            (ReadState::Seek, Mark::Input) => {
                self.state = ReadState::Input;
                self.line = rest.to_owned();
                if !rest.trim().is_empty() || is_line_end {
                    self.before_object(is_line_end, "");
                }
                return;
            }
            (ReadState::Seek, _) => self.unclear(),
            (ReadState::Input, _) => self.call(false),
            _ => {}
        }
        match (self.state, mark) {
            (ReadState::After | ReadState::Text | ReadState::Thought, Mark::Action) => {
                self.block = line.get(..line.len() - rest.len()).unwrap_or_default().to_owned();
                self.state = ReadState::Name;
                self.line = rest.to_owned();
                if is_line_end {
                    let name = std::mem::take(&mut self.line);
                    self.named(&name);
                }
            }
            (ReadState::After | ReadState::Done, _) => self.state = ReadState::Done,
            (_, Mark::Thought) => {
                self.state = ReadState::Thought;
                self.plain(rest);
                self.continues_line = !is_line_end;
            }
            (_, Mark::Answer) => {
                self.state = ReadState::Answer;
                self.text(rest);
            }
            // An action that was none left these behind.
            (_, Mark::Think | Mark::Input | Mark::Observation | Mark::Action) => {
                self.plain(line);
                self.continues_line = !is_line_end;
            }
        }
    }

    /// A line, or a piece of one, that is no mark.
    fn plain(&mut self, text: &str) {
        if matches!(self.state, ReadState::Text | ReadState::Thought) {
            self.quoting.read(text);
        }
        match self.state {
            ReadState::Thought => self.thought(text),
            ReadState::Input => self.args.push_str(text),
            ReadState::After if text.trim().trim_matches('`').is_empty() => {}
            ReadState::After => self.state = ReadState::Done,
            ReadState::Done => {}
            _ => self.text(text),
        }
    }

    /// A line where arguments should begin: white space and the beginning of a code block are passed over.
    fn before_object<'t>(&mut self, is_line_end: bool, rest: &'t str) -> &'t str {
        let line = std::mem::take(&mut self.line);
        let body = line.trim_start();
        let behind = body.trim_start_matches('`');
        let fenced = (1..=LONGEST_BEFORE).contains(&(body.len() - behind.len()));
        let body = if fenced { behind } else { body };
        let body = if fenced { body.strip_prefix("json").unwrap_or(body).trim_start() } else { body };
        if body.starts_with('{') && self.args.trim().is_empty() {
            self.args.clear();
            self.state = ReadState::Object { depth: 0, quoted: false, escaped: false };
            let body = body.to_owned();
            let left = self.object(&body).len();
            // What stands behind the object on this line is looked at as any line.
            let behind = body.get(body.len() - left..).unwrap_or_default().to_owned();
            let mut again = behind.as_str();
            while !again.is_empty() {
                again = self.step(again);
            }
            return rest;
        }
        let open = fenced && !is_line_end && "json".starts_with(body);
        if open || body.trim().is_empty() && !is_line_end {
            self.line = line;
        } else if self.state == ReadState::Seek && !body.trim().is_empty() {
            self.unclear();
            self.plain(&line);
            self.continues_line = !is_line_end;
        } else {
            self.block.push_str(&line);
            if !body.trim().is_empty() {
                self.args.push_str(&line);
                self.continues_line = !is_line_end;
            }
        }
        rest
    }

    fn named(&mut self, line: &str) {
        let lower = line.to_ascii_lowercase();
        // Both on one line.
        let input = word_at(&lower, "action input").and_then(|at| {
            let colon = line.get(at..)?.find(':')?;
            Some((at, at + colon + 1))
        });
        let (name, input) = match input {
            Some((at, from)) => (line.get(..at), line.get(from..)),
            None => (Some(line), None),
        };
        let drop = |c: char| c.is_whitespace() || "`*\"'[]".contains(c);
        let name = name.unwrap_or_default().trim_matches(drop);
        self.name = name.strip_suffix("()").unwrap_or(name).to_owned();
        self.args.clear();
        self.block.push_str(line);
        self.state = ReadState::Seek;
        if let Some(input) = input {
            self.state = ReadState::Input;
            self.line = input.to_owned();
            self.before_object(line.ends_with('\n'), "");
        }
    }

    /// Reads the object of the arguments to its end, and gives what is behind it.
    fn object<'t>(&mut self, text: &'t str) -> &'t str {
        let ReadState::Object { mut depth, mut quoted, mut escaped } = self.state else { return text };
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                b'{' | b'[' if !quoted => depth += 1,
                b'}' | b']' if !quoted => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        let (object, rest) = text.split_at(at + 1);
                        self.args.push_str(object);
                        self.call(false);
                        return rest;
                    }
                }
                _ => {}
            }
        }
        self.args.push_str(text);
        self.state = ReadState::Object { depth, quoted, escaped };
        ""
    }

    fn thinking<'t>(&mut self, text: &'t str) -> &'t str {
        self.line.push_str(text);
        if let Some(at) = word_at(&self.line, THOUGHT) {
            let line = std::mem::take(&mut self.line);
            self.thought(line.get(..at).unwrap_or_default());
            self.state = ReadState::Text;
            let left = line.len() - at - THOUGHT.len();
            return text.get(text.len() - left..).unwrap_or_default();
        }
        // The end of it may have come in part.
        let open = (1..THOUGHT.len())
            .rev()
            .find(|n| THOUGHT.get(..*n).is_some_and(|part| self.line.ends_with(part)));
        let rest = self.line.split_off(self.line.len() - open.unwrap_or(0));
        let line = std::mem::replace(&mut self.line, rest);
        self.thought(&line);
        ""
    }

    /// The arguments are as whole as they get.
    fn call(&mut self, cut: bool) {
        let args = std::mem::take(&mut self.args);
        let word = args.trim().trim_matches('`').trim();
        let none = ["", "none", "null", "n/a"].iter().any(|none| word.eq_ignore_ascii_case(none));
        // Where it was cut short, "none" may mean "none yet".
        let args = match none {
            true if cut => None,
            true => Some("{}".to_owned()),
            false => Some(word.to_owned()),
        };
        self.reading.calls.push(TextCall { name: std::mem::take(&mut self.name), args });
        self.state = ReadState::After;
    }

    /// An action without arguments: a call that cannot run where a tool is named, and otherwise text.
    fn unclear(&mut self) {
        let name = std::mem::take(&mut self.name);
        if self.tools.iter().any(|tool| tool.eq_ignore_ascii_case(&name)) {
            self.reading.calls.push(TextCall { name, args: None });
            self.state = ReadState::Done;
        } else if self.reading.calls.is_empty() {
            self.state = ReadState::Text;
            let block = std::mem::take(&mut self.block);
            self.plain(&block);
        } else {
            self.state = ReadState::Done;
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(visible) = flow(&mut self.reading.text, &mut self.pending, text) {
            self.out.push(Piece::Text(visible));
        }
    }

    fn thought(&mut self, text: &str) {
        if let Some(visible) = flow(&mut self.reading.thoughts, &mut self.held_thought, text) {
            self.out.push(Piece::Thought(visible));
        }
    }
}

/// Adds to a text whose end is kept free of white space, and gives what is to be shown.
fn flow(whole: &mut String, pending: &mut String, text: &str) -> Option<String> {
    let body = text.trim_end();
    if body.is_empty() {
        pending.push_str(text);
        return None;
    }
    let mut visible = std::mem::take(pending);
    if whole.is_empty() {
        visible.clear();
        visible.push_str(body.trim_start());
    } else {
        visible.push_str(body);
    }
    pending.push_str(text.get(body.len()..).unwrap_or_default());
    whole.push_str(&visible);
    Some(visible)
}

/// Models like to decorate: `**Action:**`, `### Thought 1:`. A list, a comment, a quotation and what is indented as code
/// are no decoration: there a model shows what it was told or what one could write.
fn look(line: &str) -> Look {
    let body = line.trim_start_matches(' ');
    if line.len() - body.len() > 3 {
        return Look::Plain;
    }
    if let Some(rest) = body.strip_prefix(THINK) {
        return Look::Mark(Mark::Think, line.len() - rest.len());
    }
    let title = body.trim_start_matches('#');
    let level = body.len() - title.len();
    let title = if level > 0 { title.trim_start_matches(' ') } else { title };
    let word = title.trim_start_matches(['*', '_']);
    let emphasis = title.len() - word.len();
    if word.is_empty() || THINK.starts_with(body) {
        return if level.max(emphasis) > LONGEST_BEFORE { Look::Plain } else { Look::Open };
    }
    if level == 1 || level.max(emphasis) > LONGEST_BEFORE {
        return Look::Plain;
    }
    let mut open = false;
    for (name, mark) in MARKS {
        let Some(begin) = word.get(..name.len()) else {
            open |= name.get(..word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word));
            continue;
        };
        if !begin.eq_ignore_ascii_case(name) {
            continue;
        }
        let after = word.get(name.len()..).unwrap_or_default();
        let behind =
            after.trim_start_matches(|c: char| c.is_whitespace() && c != '\n' || "*#_0123456789".contains(c));
        if after.len() - behind.len() > LONGEST_BEHIND {
            continue;
        }
        open |= behind.is_empty();
        if let Some(rest) = behind.strip_prefix([':', '：']) {
            let mut rest = rest;
            for _ in 0..LONGEST_BEFORE {
                rest = rest.strip_prefix(['*', '_', ' ']).unwrap_or(rest);
            }
            // More decoration may follow.
            let settled = !rest.is_empty();
            return if settled { Look::Mark(mark, line.len() - rest.len()) } else { Look::Open };
        }
    }
    if open { Look::Open } else { Look::Plain }
}

#[cfg(test)]
mod tests;

//! An answer in the form of a schema that a model writes as its text: which part of the text it is.

/// What a piece of text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Words(String),
    /// A part of the object that is the answer.
    Answer(String),
    /// The object is closed.
    End,
}

/// Finds the one object in a text that comes in pieces. It begins its line or stands in a block of code: a brace within a sentence is no
/// answer.
#[derive(Debug, Default)]
pub(super) struct AnswerText {
    place: Place,
    /// White space and fence marks that may still turn out to be part of the text.
    pending: String,
    depth: usize,
    quoted: bool,
    escaped: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// Nothing but blanks stands on this line so far.
    #[default]
    LineStart,
    /// The mark of a block of code, up to the end of its line.
    Fence,
    Words,
    Answer,
    /// Behind it: its block is closed, or something is said.
    Behind,
}

const FENCE: char = '`';

impl AnswerText {
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for c in text.chars() {
            match self.place {
                Place::LineStart | Place::Fence if c == '{' => {
                    self.pending.clear();
                    self.place = Place::Answer;
                    self.answer(c, &mut pieces);
                }
                Place::LineStart if c == FENCE => {
                    self.pending.push(c);
                    self.place = Place::Fence;
                }
                Place::LineStart if c.is_whitespace() => self.pending.push(c),
                Place::Fence if c == '\n' => {
                    self.pending.push(c);
                    self.place = Place::LineStart;
                }
                // What stands behind the marks is the name of a language.
                Place::Fence if c == FENCE || c.is_ascii_alphanumeric() || c.is_whitespace() => {
                    self.pending.push(c);
                }
                Place::Answer => self.answer(c, &mut pieces),
                Place::Behind if c == FENCE || c.is_whitespace() => self.pending.push(c),
                Place::LineStart | Place::Fence | Place::Words | Place::Behind => self.words(c, &mut pieces),
            }
        }
        pieces
    }

    /// What is still held when the text is over: blanks and marks that led to nothing.
    pub(super) fn rest(&mut self) -> String {
        let pending = std::mem::take(&mut self.pending);
        if self.place == Place::Behind { String::new() } else { pending }
    }

    fn words(&mut self, c: char, pieces: &mut Vec<Piece>) {
        let mut said = std::mem::take(&mut self.pending);
        if self.place == Place::Behind {
            said = said.replace(FENCE, "");
        }
        // One answer is enough: behind it everything is words.
        if self.place != Place::Behind {
            self.place = if c == '\n' { Place::LineStart } else { Place::Words };
        }
        said.push(c);
        match pieces.last_mut() {
            Some(Piece::Words(words)) => words.push_str(&said),
            _ => pieces.push(Piece::Words(said)),
        }
    }

    fn answer(&mut self, c: char, pieces: &mut Vec<Piece>) {
        match pieces.last_mut() {
            Some(Piece::Answer(answer)) => answer.push(c),
            _ => pieces.push(Piece::Answer(c.to_string())),
        }
        match c {
            _ if self.escaped => self.escaped = false,
            '\\' if self.quoted => self.escaped = true,
            '"' => self.quoted = !self.quoted,
            _ if self.quoted => {}
            '{' | '[' => self.depth += 1,
            '}' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.place = Place::Behind;
                    pieces.push(Piece::End);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words, the answer, and whether it was closed.
    fn read<'t>(pieces: impl IntoIterator<Item = &'t str>) -> (String, String, bool) {
        let mut reader = AnswerText::default();
        let (mut words, mut answer, mut ended) = (String::new(), String::new(), false);
        for piece in pieces {
            for found in reader.push(piece) {
                match found {
                    Piece::Words(text) => words.push_str(&text),
                    Piece::Answer(text) => answer.push_str(&text),
                    Piece::End => ended = true,
                }
            }
        }
        words.push_str(&reader.rest());
        (words, answer, ended)
    }

    const TABLE: [(&str, &str, &str, bool); 14] = [
        (r#"{"a":1}"#, "", r#"{"a":1}"#, true),
        (" \n{\"a\":{}}\n", "", r#"{"a":{}}"#, true),
        (r#"{"a":"}\\\"{"}"#, "", r#"{"a":"}\\\"{"}"#, true),
        ("```json\n{\"a\":[1]}\n```", "", r#"{"a":[1]}"#, true),
        ("``` {\"a\":1}```\n", "", r#"{"a":1}"#, true),
        ("Here it is:\n\n```json\n{}\n```\nEnjoy!", "Here it is:\n\n\nEnjoy!", "{}", true),
        ("I need {more} of it.", "I need {more} of it.", "", false),
        ("Use `a` then", "Use `a` then", "", false),
        ("`a` is it", "`a` is it", "", false),
        (r#"{"a": [1, "#, "", r#"{"a": [1, "#, false),
        ("One.\nTwo.\n", "One.\nTwo.\n", "", false),
        ("{} {}", " {}", "{}", true),
        ("", "", "", false),
        ("```", "```", "", false),
    ];

    #[test]
    fn the_object_of_a_text_is_its_answer_and_a_brace_in_a_sentence_is_none() {
        for (text, words, answer, ended) in TABLE {
            assert_eq!(read([text]), (words.to_owned(), answer.to_owned(), ended), "{text:?}");
        }
    }

    #[test]
    fn a_cut_at_any_place_changes_nothing() {
        for (text, ..) in TABLE {
            for (at, _) in text.char_indices() {
                assert_eq!(read([&text[..at], &text[at..]]), read([text]), "{text:?} at {at}");
            }
        }
    }
}

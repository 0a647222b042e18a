//! The arguments of a call as a provider's model writes them, and as their tool takes them: some providers want other keys at the
//! root than a tool has, or one property around all of them.

use std::sync::Arc;

use crate::ids::Ids;
use crate::json::reader::unescape;
use crate::json::writer::string;

/// How the arguments of one tool differ on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentForm {
    /// They are the value of this one property.
    Within(String),
    /// Keys at the root are others.
    Renamed(KeyNames),
}

/// Keys that have other names on the wire.
#[derive(Debug, Clone)]
pub struct KeyNames {
    /// The name on the wire and the real one.
    pairs: Vec<(String, String)>,
    by_wire: Ids,
    by_real: Ids,
}

impl KeyNames {
    /// Of pairs of a name on the wire and the real one.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        let (mut by_wire, mut by_real) = (Ids::default(), Ids::default());
        for (at, (wire, real)) in pairs.iter().enumerate() {
            by_wire.add(wire, at);
            by_real.add(real, at);
        }
        KeyNames { pairs, by_wire, by_real }
    }

    pub fn wire(&self, key: &str) -> Option<&str> {
        Some(&self.pairs.get(self.by_real.get(key)?)?.0)
    }

    pub fn real(&self, key: &str) -> Option<&str> {
        Some(&self.pairs.get(self.by_wire.get(key)?)?.1)
    }
}

impl PartialEq for KeyNames {
    fn eq(&self, other: &Self) -> bool {
        self.pairs == other.pairs
    }
}

impl Eq for KeyNames {}

impl ArgumentForm {
    /// An object of arguments as the model would write it.
    pub fn on_wire(&self, object: &str) -> String {
        match self {
            ArgumentForm::Within(name) => {
                let mut out = String::from("{");
                string(&mut out, name);
                out.push(':');
                out.push_str(object);
                out.push('}');
                out
            }
            ArgumentForm::Renamed(_) => {
                ArgumentReader { is_real: true, ..ArgumentReader::new(Arc::new(self.clone())) }.push(object)
            }
        }
    }

    /// What a model wrote, as the tool takes it.
    pub fn real(&self, written: &str) -> String {
        ArgumentReader::new(Arc::new(self.clone())).push(written)
    }
}

/// Reads arguments piece by piece: the pieces that it gives are, joined, what the joined pieces that it got would give.
#[derive(Debug)]
pub struct ArgumentReader {
    form: Arc<ArgumentForm>,
    place: Place,
    /// What has come of something that is not decided yet.
    pending: String,
    /// Objects and lists that are open, those that are taken away not counted.
    depth: usize,
    string: Quote,
    /// The next text on the first level is a key.
    key_next: bool,
    /// What comes has the real keys, and is to have those of the wire.
    is_real: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In front of the first brace.
    Start,
    /// In front of the first key, or in it.
    FirstKey,
    /// Behind it.
    Colon,
    /// In front of the value that is to be unwrapped.
    Value,
    /// In it, if it is an object: what stands in it so far is blank, or is not.
    Object { blank: bool },
    /// In it, if it is anything else.
    Other,
    /// Behind it: what else there is beside it belongs into it.
    Behind { blank: bool },
    /// Keys on the first level are renamed, all else goes through.
    Keys,
    /// Nothing is changed any more.
    Through,
    /// Nothing is given any more.
    Dropped,
}

/// Where in a text of the JSON the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    Outside,
    Inside,
    Escaped,
}

impl ArgumentReader {
    pub fn new(form: Arc<ArgumentForm>) -> Self {
        let place = match *form {
            ArgumentForm::Within(_) => Place::Start,
            ArgumentForm::Renamed(_) => Place::Keys,
        };
        ArgumentReader {
            form,
            place,
            pending: String::new(),
            depth: 0,
            string: Quote::Outside,
            key_next: false,
            is_real: false,
        }
    }

    /// A further piece of what the model writes, and what it adds.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        for c in piece.chars() {
            if self.place == Place::Through {
                out.push(c);
            } else {
                self.read(c, &mut out);
            }
        }
        out
    }

    fn read(&mut self, c: char, out: &mut String) {
        let quoted = self.string != Quote::Outside;
        self.string = match (self.string, c) {
            (Quote::Inside, '"') => Quote::Outside,
            (Quote::Inside, '\\') => Quote::Escaped,
            (Quote::Outside, '"') | (Quote::Escaped, _) => Quote::Inside,
            (state, _) => state,
        };
        let ends = quoted && self.string == Quote::Outside;
        let is_blank = !quoted && c.is_ascii_whitespace();
        match self.place {
            Place::Start => self.hold(c, is_blank, c == '{', Place::FirstKey, out),
            Place::FirstKey => self.hold(c, is_blank || quoted || c == '"', ends, Place::Colon, out),
            Place::Colon if c == ':' && self.is_wrapper() => {
                self.pending.clear();
                self.place = Place::Value;
            }
            Place::Colon => self.hold(c, is_blank, false, Place::Colon, out),
            Place::Value | Place::Behind { .. } if is_blank => {}
            Place::Value => {
                out.push(c);
                self.depth = usize::from(matches!(c, '{' | '['));
                self.place = if c == '{' { Place::Object { blank: true } } else { Place::Other };
            }
            Place::Object { blank } => self.object(c, quoted, blank && is_blank, blank, out),
            Place::Other => self.other(c, quoted, ends, out),
            Place::Behind { blank } => {
                if c != ',' || !blank {
                    out.push(c);
                }
                self.place = Place::Through;
            }
            Place::Keys => self.keys(c, quoted, ends, out),
            Place::Through => out.push(c),
            Place::Dropped => {}
        }
    }

    /// Holds what comes while nothing is decided. What is not expected is no wrapper: it goes through as it is.
    fn hold(&mut self, c: char, waits: bool, found: bool, then: Place, out: &mut String) {
        self.pending.push(c);
        if found {
            self.place = then;
        } else if !waits {
            out.push_str(&self.pending);
            self.pending.clear();
            self.place = Place::Through;
        }
    }

    fn is_wrapper(&self) -> bool {
        let key = self.pending.trim().strip_prefix('{').map(str::trim).and_then(unquoted);
        match (&*self.form, key) {
            (ArgumentForm::Within(name), Some(key)) => unescape(key) == *name,
            _ => false,
        }
    }

    fn object(&mut self, c: char, quoted: bool, blank: bool, was_blank: bool, out: &mut String) {
        self.count(c, quoted);
        if self.depth == 0 {
            self.place = Place::Behind { blank: was_blank };
        } else {
            out.push(c);
            self.place = Place::Object { blank };
        }
    }

    fn other(&mut self, c: char, quoted: bool, ends: bool, out: &mut String) {
        let first = self.depth;
        self.count(c, quoted);
        // A number or a word has no end of its own.
        if first == 0 && !quoted && !ends && (c.is_ascii_whitespace() || c == ',' || c == '}') {
            self.place = Place::Dropped;
            return;
        }
        out.push(c);
        if self.depth == 0 && (ends || first > 0) {
            self.place = Place::Dropped;
        }
    }

    fn keys(&mut self, c: char, quoted: bool, ends: bool, out: &mut String) {
        let is_key = self.depth == 1 && self.key_next;
        if is_key && (quoted || c == '"') {
            self.pending.push(c);
            if ends {
                self.key_next = false;
                let key = std::mem::take(&mut self.pending);
                match self.renamed(&key) {
                    Some(real) => string(out, real),
                    None => out.push_str(&key),
                }
            }
            return;
        }
        if self.depth == 0 && c == '[' {
            self.place = Place::Through;
        }
        self.count(c, quoted);
        if !quoted && self.depth == 1 && matches!(c, '{' | ',') {
            self.key_next = true;
        }
        out.push(c);
    }

    fn renamed(&self, key: &str) -> Option<&str> {
        let ArgumentForm::Renamed(keys) = &*self.form else { return None };
        let key = unescape(unquoted(key)?);
        if self.is_real { keys.wire(&key) } else { keys.real(&key) }
    }

    fn count(&mut self, c: char, quoted: bool) {
        match c {
            _ if quoted => {}
            '{' | '[' => self.depth += 1,
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

fn unquoted(text: &str) -> Option<&str> {
    text.trim().strip_prefix('"')?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within() -> ArgumentForm {
        ArgumentForm::Within("input".to_owned())
    }

    fn renamed() -> ArgumentForm {
        let pair = |wire: &str, real: &str| (wire.to_owned(), real.to_owned());
        let pairs = vec![pair("gr__e", "größe"), pair("_top", "$top"), pair("a_b", "a \"b")];
        ArgumentForm::Renamed(KeyNames::new(pairs))
    }

    #[test]
    fn what_a_model_wrote_becomes_what_the_tool_takes() {
        let table = [
            (r#"{"input":{"a":1}}"#, r#"{"a":1}"#),
            (
                " {\n \"input\" :\t{\n \"a\": [1, {\"b\": \"}\\\"\"}]\n }\n}\n",
                "{\n \"a\": [1, {\"b\": \"}\\\"\"}]\n }\n",
            ),
            (r#"{"\u0069nput":{}}"#, "{}"),
            // The model wrote the arguments without what was to stand around them.
            (r#"{"a":{"input":1}}"#, r#"{"a":{"input":1}}"#),
            ("{}", "{}"),
            (r#"{ "inputs": 1 }"#, r#"{ "inputs": 1 }"#),
            // Or something beside it.
            (r#"{"input":{"a":1},"b":2}"#, r#"{"a":1,"b":2}"#),
            (r#"{"input": { } , "b":2}"#, r#"{  "b":2}"#),
            (r#"{"input":{"input":{"a":1}}}"#, r#"{"input":{"a":1}}"#),
            // What is no object.
            (r#"{"input":[1,{"a":"]"}]}"#, r#"[1,{"a":"]"}]"#),
            (r#"{"input":"a\"}b"}"#, r#""a\"}b""#),
            (r#"{"input":12.5}"#, "12.5"),
            (r#"{"input": true , "b":1}"#, "true"),
            ("[1]", "[1]"),
            ("", ""),
        ];
        for (written, real) in table {
            assert_eq!(within().real(written), real, "{written}");
        }
        let table = [
            (
                r#"{"gr__e":1,"x":{"gr__e":2},"_top":[{"gr__e":3}]}"#,
                r#"{"größe":1,"x":{"gr__e":2},"$top":[{"gr__e":3}]}"#,
            ),
            (r#"{ "a_b" : "gr__e", "größe":"\"_top\"" }"#, r#"{ "a \"b" : "gr__e", "größe":"\"_top\"" }"#),
            (r#"{"\u0067r__e":{}}"#, r#"{"größe":{}}"#),
            (r#"["gr__e","gr__e"]"#, r#"["gr__e","gr__e"]"#),
        ];
        for (written, real) in table {
            assert_eq!(renamed().real(written), real, "{written}");
        }
        assert_eq!(renamed().on_wire(r#"{"größe":1,"y":2}"#), r#"{"gr__e":1,"y":2}"#);
        assert_eq!(within().on_wire(r#"{"a":1}"#), r#"{"input":{"a":1}}"#);
    }

    #[test]
    fn a_cut_at_any_place_changes_nothing() {
        let texts = [
            "{ \"input\" : {\"a\\u00e9\": \"\\\"}é\", \"b\": [1, {}]} , \"c\": {\"d\": 1}}",
            r#"{"in\u0070ut":{"a":1}}"#,
            r#"{"input":"text \\\" more"}"#,
            r#"{"input":-1e5}"#,
            r#"{"größe":1,"gr__e":{"gr__e":[]},"_t\u006fp":"é"}"#,
            r#"{"a":1}"#,
        ];
        for form in [within(), renamed()] {
            for text in texts {
                let whole = form.real(text);
                for (at, _) in text.char_indices() {
                    let mut reader = ArgumentReader::new(Arc::new(form.clone()));
                    let (front, back) = text.split_at(at);
                    assert_eq!(reader.push(front) + &reader.push(back), whole, "{text} at {at}");
                }
                let mut reader = ArgumentReader::new(Arc::new(form.clone()));
                let pieces: String = text.chars().map(|c| reader.push(&c.to_string())).collect();
                assert_eq!(pieces, whole, "{text}");
            }
        }
    }
}

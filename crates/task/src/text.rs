//! JSON for people to read and edit, JSON inside of what a model wrote, and hashes.

use sha2::{Digest, Sha256};

use glove_wasm::json::codec::{Read, Write, from_text, to_text};
use glove_wasm::json::reader::Reader;

/// A value with one field to a line.
pub(crate) fn pretty(value: &dyn Write) -> String {
    let mut out = spaced(&to_text(value), true);
    out.push('\n');
    out
}

/// A value in one line, whatever spaces its parts were read with.
pub(crate) fn in_one_line(value: &dyn Write) -> String {
    spaced(&to_text(value), false)
}

/// JSON with line breaks, or with no spaces at all.
fn spaced(json: &str, lines: bool) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0usize;
    let (mut inside, mut escaped) = (false, false);
    // Nothing stands in the innermost brackets yet.
    let mut empty = false;
    let line = |out: &mut String, depth: usize| {
        if lines {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
    };
    for letter in json.chars() {
        if inside {
            out.push(letter);
            inside = escaped || letter != '"';
            escaped = letter == '\\' && !escaped;
            continue;
        }
        if letter.is_ascii_whitespace() {
            continue;
        }
        let ends = matches!(letter, '}' | ']');
        depth -= usize::from(ends && depth > 0);
        if empty != ends {
            line(&mut out, depth);
        }
        empty = matches!(letter, '{' | '[');
        depth += usize::from(empty);
        inside = letter == '"';
        match letter {
            ':' if lines => out.push_str(": "),
            _ => out.push(letter),
        }
        if letter == ',' {
            line(&mut out, depth);
        }
    }
    out
}

/// The value of a model's text: the whole of it, what stands in its first block of code, or between its first brace and its last.
pub(crate) fn value_in<T: Read>(text: &str) -> Result<T, String> {
    let text = text.trim();
    let block = text.split_once("```").and_then(|(_, rest)| {
        let rest = rest.split_once('\n').map_or(rest, |(_, rest)| rest);
        rest.split_once("```").map(|(block, _)| block.trim())
    });
    let braces = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let mut first = None;
    for candidate in [Some(text), block, braces].into_iter().flatten() {
        match from_text::<T>(candidate) {
            Ok(value) => return Ok(value),
            // What is JSON says best what is missing in it.
            Err(fault) => {
                let is_json = Reader::new(candidate).peek().is_ok_and(|byte| byte == b'{');
                if is_json || first.is_none() {
                    first = Some(fault.to_string());
                }
            }
        }
    }
    Err(first.unwrap_or_else(|| "there is no JSON in it".to_owned()))
}

/// In hexadecimal digits.
pub fn sha256(content: &[u8]) -> String {
    let hash = Sha256::digest(content);
    hash.iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

/// The first line, and at most so many letters of it.
pub(crate) fn first_line(text: &str, most: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    shortened(line, most)
}

pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glove_wasm::json::Json;

    #[test]
    fn json_for_people_is_the_same_value() {
        let text = r#"{"a":[],"b":{},"c":[1,{"d":"x:,{\"}\\"}],"e":"ü"}"#;
        let shown = spaced(text, true);
        assert_eq!(Json::parse(&shown).unwrap().canonical(), text);
        assert_eq!((spaced(&shown, true), spaced(&shown, false).as_str()), (shown.clone(), text));
        assert_eq!(
            spaced(r#"{"a":[1, 2],"b":{ }}"#, true),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}"
        );
    }

    #[test]
    fn a_hash_is_the_one_of_the_standard() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn it_gives_what_the_hash_of_tickets_gives() {
        for length in 0..300_u32 {
            let text: Vec<u8> = (0..length).map(|at| (at * 31 + length) as u8).collect();
            let own = glove_wasm::endpoint::sha256(&text);
            assert_eq!(sha256(&text), own.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        }
    }
}

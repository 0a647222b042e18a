//! The golden sessions, played natively: `tests/golden/play.ts` plays the same files in Node and in browsers, and what
//! the store was told and the model was asked has to be the same to the byte.

use std::fs;
use std::path::Path;

use crate::support::golden::{Scenario, play};

#[test]
fn golden_sessions_are_the_same_to_the_byte_natively() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/golden");
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    names.sort();
    assert!(names.len() >= 20);
    let mut wrong = Vec::new();
    for path in names {
        let scenario: Scenario = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let found = play(scenario);
        let expected = fs::read_to_string(path.with_extension("log")).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        wrong.extend(difference(&expected, &found).map(|what| format!("{name}, {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The first line that is another one, from a little before the place.
fn difference(expected: &str, found: &str) -> Option<String> {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    for number in 1.. {
        let (a, b) = (expected.next(), found.next());
        if a.is_none() && b.is_none() {
            return None;
        }
        let (a, b) = (a.unwrap_or("(nothing)"), b.unwrap_or("(nothing)"));
        if a != b {
            let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(60);
            let part = |text: &str| {
                String::from_utf8_lossy(text.as_bytes().get(same..).unwrap_or_default())
                    .chars()
                    .take(260)
                    .collect::<String>()
            };
            return Some(format!("line {number}:\nexpected {}\nfound    {}", part(a), part(b)));
        }
    }
    None
}

//! What holds for any input, as the fuzzer checks it: for real files, for these with a few changes, and for what it has found.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;

#[path = "../../fuzz/checks/mod.rs"]
mod checks;

type Check = fn(&[u8]);

/// A target, the folder of the files that it begins with, and what it checks.
const TARGETS: [(&str, &str, Check); 5] = [
    ("chat_request", "fuzz/seeds/chat_request", checks::chat_request::check),
    ("replay", "tests/fixtures/runs", checks::replay::check),
    ("session_import", "tests/fixtures/transcripts", checks::session_import::check),
    ("task_import", "tests/fixtures/tasks", checks::task_import::check),
    ("transcript", "tests/fixtures/transcripts", checks::transcript::check),
];

fn files_in(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn real_files_and_what_the_fuzzer_found_are_read_or_refused() {
    for (target, folder, check) in TARGETS {
        let files = files_in(folder);
        assert!(!files.is_empty(), "{folder}");
        files.iter().chain(&files_in(&format!("fuzz/found/{target}"))).for_each(|file| check(file));
    }
}

#[derive(Debug, Clone)]
enum Change {
    Cut(Index),
    Byte(Index, u8),
    Remove(Index, usize),
    Repeat(Index, usize),
    Number(Index, String),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<Index>();
    prop_oneof![
        place.prop_map(Change::Cut),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (any::<Index>(), 1..200_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<Index>(), 1..200_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        (any::<Index>(), "-?[0-9]{1,20}|null|\\[\\]|\\{\\}|\"\"")
            .prop_map(|(at, value)| Change::Number(at, value)),
    ]
}

fn changed(file: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut file = file.to_vec();
    for change in changes {
        if file.is_empty() {
            break;
        }
        match change {
            Change::Cut(at) => file.truncate(at.index(file.len())),
            Change::Byte(at, byte) => {
                let at = at.index(file.len());
                file[at] = *byte;
            }
            Change::Remove(at, length) => {
                let from = at.index(file.len());
                let to = (from + length).min(file.len());
                file.drain(from..to);
            }
            Change::Repeat(at, length) => {
                let from = at.index(file.len());
                let piece = file[from..(from + length).min(file.len())].to_vec();
                file.splice(from..from, piece);
            }
            // In the place of the number that comes next.
            Change::Number(at, value) => {
                let from = at.index(file.len());
                let Some(begin) = file[from..].iter().position(u8::is_ascii_digit) else { continue };
                let begin = from + begin;
                let length = file[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                file.splice(begin..begin + length, value.bytes());
            }
        }
    }
    file
}

/// `MORE_CASES=20` makes twenty times as many.
fn few() -> ProptestConfig {
    let times: u32 = std::env::var("MORE_CASES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    ProptestConfig { cases: 40 * times, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn a_file_with_a_few_changes_is_read_or_refused(
        file in any::<Index>(),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        for (_, folder, check) in TARGETS {
            let files = files_in(folder);
            check(&changed(&files[file.index(files.len())], &changes));
        }
    }
}

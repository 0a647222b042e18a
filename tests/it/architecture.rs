//! The arrows inside of the core: what each part of `src/` may know of. `crates.rs` has those between crates.

use std::fs;
use std::path::{Path, PathBuf};

/// What every part may use: the record, and how it is read and written as JSON.
const FOUNDATION: &[&str] =
    &["error", "json", "message", "result_parts", "portable", "event", "tool", "ids", "prices"];

/// The parts above it from the bottom up, each with the parts that it may use besides itself; `*` is all.
const ARROWS: &[(&str, &[&str])] = &[
    ("sse", &[]),
    ("visible_text", &[]),
    ("display", &[]),
    ("attachments", &[]),
    ("answer", &["sse"]),
    ("providers", &["sse", "answer"]),
    ("endpoint", &["answer", "providers"]),
    ("run", &["display", "answer"]),
    ("ports", &["run", "display", "attachments", "answer"]),
    ("http", &["ports", "run", "providers", "answer", "sse", "endpoint"]),
    ("text_tools", &["ports", "run"]),
    ("task_tool", &["ports", "run"]),
    ("store", &["ports", "run"]),
    ("testing", &["ports", "run", "display", "answer", "store"]),
    ("runtime", &["ports", "run", "display", "attachments", "answer", "store", "task_tool"]),
    ("system", &["ports", "runtime"]),
    ("components", &["ports", "run", "display", "runtime", "system"]),
    ("wire", &["*"]),
];

/// Parts that decide and never do: no host, no clock, no threads.
const PURE: &[&str] = &[
    "run",
    "display",
    "providers",
    "sse",
    "answer",
    "endpoint",
    "message",
    "event",
    "json",
    "tool",
    "ids",
    "prices",
    "visible_text",
];

const IMPURE: &[&str] = &["web_sys", "js_sys", "wasm_bindgen", "tokio", "SystemTime", "Instant::now"];

/// The only files that may ask which target they are compiled for.
const KNOW_THE_TARGET: &[&str] = &["lib.rs", "portable.rs"];

pub struct Source {
    /// The path below `src/`, with `/` between folders.
    pub path: String,
    pub lines: Vec<String>,
}

impl Source {
    /// The first folder below `src/`, or the file's name without its ending.
    fn part(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// Lines of code that contain one of the words, written as `file:line: code`.
    fn lines_with(&self, words: &[&str]) -> Vec<String> {
        self.lines_where(|line| words.iter().any(|word| line.contains(word)))
    }

    fn lines_where(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let numbered = self.lines.iter().enumerate();
        let code = numbered.filter(|(_, line)| !line.trim_start().starts_with("//"));
        code.filter(|(_, line)| wanted(line))
            .map(|(at, line)| format!("src/{}:{}: {}", self.path, at + 1, line.trim()))
            .collect()
    }
}

/// All files below `src/`, without their tests: those may look at a clock.
pub fn sources() -> Vec<Source> {
    sources_below("src")
}

/// Those of a folder of the repository.
pub fn sources_below(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut found = Vec::new();
    collect(&root, &mut |file| {
        let path = file.strip_prefix(&root).expect("a file below src").to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(file).expect("a readable source file");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        found.push(Source { path, lines: code.lines().map(str::to_owned).collect() });
    });
    found
}

/// All files of Rust in a folder but `tests.rs`.
pub fn collect(folder: &Path, found: &mut impl FnMut(&Path)) {
    let entries = fs::read_dir(folder).expect("a readable folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            found(&path);
        }
    }
}

/// Cargo compiles only the files that a `mod` names: another one would never run.
#[test]
fn every_test_file_is_a_module_of_the_one_program() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(tests, &mut |file| {
        let name = file.file_stem().expect("a name").to_string_lossy();
        let folder = file.parent().expect("a folder");
        let (name, folder) = match name.as_ref() {
            "mod" => {
                (folder.file_name().expect("a name").to_string_lossy(), folder.parent().expect("a folder"))
            }
            _ => (name, folder),
        };
        let root = if folder == tests.join("it") { "main.rs" } else { "mod.rs" };
        let parent = fs::read_to_string(folder.join(root)).unwrap_or_default();
        let named = parent.lines().any(|line| line.trim_start_matches("pub ") == format!("mod {name};"));
        if !named && !["main", "native_llama", "glove", "guides"].contains(&name.as_ref()) {
            found.push(file.display().to_string());
        }
    });
    expect_none(&found, "name these in the `mod.rs` of their folder");
}

/// The parts that a line names after `crate::`, in a list in braces too.
fn parts_named(line: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for rest in line.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => parts.extend(list.split([',', '}']).map(first_word)),
            None => parts.push(first_word(rest)),
        }
    }
    parts.retain(|part| has_a_place(part));
    parts
}

fn has_a_place(part: &str) -> bool {
    FOUNDATION.contains(&part) || ARROWS.iter().any(|(name, _)| *name == part)
}

fn first_word(text: &str) -> String {
    text.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

fn expect_none(found: &[String], rule: &str) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}

#[test]
fn the_parts_that_decide_know_no_host_and_no_clock() {
    let pure = sources().into_iter().filter(|source| PURE.contains(&source.part()));
    let tasks = sources_below("crates/task/src").into_iter().filter(|source| source.part() != "runtime");
    let pure = pure.chain(sources_below("crates/json/src")).chain(tasks);
    let found: Vec<String> = pure.flat_map(|source| source.lines_with(IMPURE)).collect();
    expect_none(&found, "a pure part reaches outside");
}

#[test]
fn arrows_between_the_parts_point_down_only() {
    let mut found = Vec::new();
    for source in sources().into_iter().filter(|source| source.part() != "lib") {
        let part = source.part();
        let below = ARROWS.iter().find(|(name, _)| *name == part).map_or(&[][..], |(_, below)| below);
        let allowed = |used: &str| {
            let anything_below = below.contains(&"*");
            used == part || FOUNDATION.contains(&used) || below.contains(&used) || anything_below
        };
        found.extend(source.lines_where(|line| parts_named(line).iter().any(|used| !allowed(used))));
    }
    expect_none(&found, "an arrow points up");
}

#[test]
fn every_part_has_its_place_in_the_architecture() {
    let homeless = |source: &Source| source.part() != "lib" && !has_a_place(source.part());
    let found: Vec<String> = sources().into_iter().filter(homeless).map(|source| source.path).collect();
    expect_none(&found, "name these in ARROWS and say what they may use");
}

#[test]
fn only_two_files_ask_for_the_target() {
    let others = sources().into_iter().filter(|source| !KNOW_THE_TARGET.contains(&source.path.as_str()));
    let others = others.chain(sources_below("crates/json/src"));
    let found: Vec<String> = others.flat_map(|source| source.lines_with(&["target_arch"])).collect();
    expect_none(&found, "a part asks for its target");
}

#[test]
fn javascript_values_stay_in_the_crates_of_pages() {
    let others = ["crates/json/src", "crates/task/src"].into_iter().flat_map(sources_below).chain(sources());
    let found: Vec<String> = others.flat_map(|source| source.lines_with(&["JsValue"])).collect();
    expect_none(&found, "a JavaScript value outside");
}

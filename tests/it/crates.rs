//! The arrows between the crates of the workspace, and that nothing of a program reaches a wasm file.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::architecture::collect;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Each crate, from the bottom up, with those of ours that it may use. Tests may use all.
const ARROWS: &[(&str, &[&str])] = &[
    ("json", &[]),
    ("macros", &[]),
    ("", &["json", "macros"]),
    ("task", &[""]),
    ("page", &[""]),
    ("page-sessions", &["", "page"]),
    ("page-providers", &["", "page"]),
    ("page-tasks", &["", "page", "task"]),
    ("page-decoders", &["", "page"]),
    ("native", &["", "task"]),
    ("sqlite", &["", "task", "native"]),
    ("postgres", &["", "task", "native"]),
    ("redis", &["", "task", "native"]),
    ("coding", &["", "native"]),
    ("sandbox", &["", "task", "native"]),
    ("terminal", &["", "coding"]),
    ("serve", &["", "task", "native", "sqlite", "postgres", "redis"]),
    ("cli", &["", "task", "native", "sqlite", "postgres", "redis", "coding", "sandbox", "serve", "terminal"]),
    ("tests", &["", "terminal", "cli"]),
];

/// What may be in a wasm file of the crates above.
const IN_PAGES: &[&str] =
    &["json", "", "task", "page", "page-sessions", "page-providers", "page-tasks", "page-decoders"];

/// The folders of `crates/`.
pub fn crates() -> Vec<String> {
    let entries = fs::read_dir(Path::new(ROOT).join("crates")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What comes behind `glove-wasm-`.
fn own(name: &str) -> Option<&str> {
    name.strip_prefix("glove-wasm").map(|rest| rest.strip_prefix('-').unwrap_or(rest))
}

fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(args).arg("--offline").current_dir(ROOT).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn named(value: &Value) -> &str {
    value["name"].as_str().unwrap()
}

#[test]
fn arrows_between_the_crates_point_down_only() {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps"])).unwrap();
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = own(named(package)).unwrap();
        let Some((_, below)) = ARROWS.iter().find(|(known, _)| *known == name) else {
            wrong.push(format!("{name}: say in ARROWS what it may use"));
            continue;
        };
        for dependency in package["dependencies"].as_array().unwrap() {
            if let Some(used) = own(named(dependency))
                && dependency["kind"].is_null()
                && !below.contains(&used)
            {
                wrong.push(format!("{name} → {used}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn nothing_of_a_program_reaches_a_wasm_file() {
    let list = fs::read_to_string(Path::new(ROOT).join("wasm-dependencies.txt")).unwrap();
    let allowed: Vec<&str> = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let mut wrong = Vec::new();
    for file in ["page-sessions", "page-providers", "page-tasks", "page-decoders"] {
        let package = format!("glove-wasm-{file}");
        let tree = cargo(&[
            "tree",
            "--package",
            &package,
            "--target",
            "wasm32-unknown-unknown",
            "--edges",
            "normal,no-proc-macro",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ]);
        for name in tree.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty()) {
            let known = own(name).map_or(allowed.contains(&name), |own| IN_PAGES.contains(&own));
            if !known && !wrong.contains(&format!("{file}: {name}")) {
                wrong.push(format!("{file}: {name}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Cargo compiles each crate once more for its tests, and looks for examples in it, unless told that there are none.
#[test]
fn a_crate_without_tests_or_examples_says_so_and_no_other() {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps"])).unwrap();
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        // The tests themselves are named one by one.
        if named(package) == "glove-wasm-tests" {
            continue;
        }
        for target in package["targets"].as_array().unwrap() {
            let source = Path::new(target["src_path"].as_str().unwrap());
            if !source.ends_with("src/lib.rs") {
                continue;
            }
            let mut text = String::new();
            collect(source.parent().unwrap(), &mut |file| text += &fs::read_to_string(file).unwrap());
            let has = |begins: &[&str]| {
                text.lines().any(|line| begins.iter().any(|word| line.trim().starts_with(word)))
            };
            for (what, found) in
                [("test", has(&["#[test]", "#[cfg(test)]"])), ("doctest", has(&["/// ```", "//! ```"]))]
            {
                if target[what].as_bool() != Some(found) {
                    wrong.push(format!("{}: {what} = {found}", named(package)));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0], "what [lib] in their Cargo.toml should say");
}

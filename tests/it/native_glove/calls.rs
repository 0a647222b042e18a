//! Calls and what came of them: each result stands under its call, in the order of the calls, and failures are told in a person's words.

use std::fs;

use serde_json::{Value, json};

use super::tmux::Screen;
use super::{Home, stderr};

fn two_at_once(home: &Home) {
    // There is much to search and little to read, and both begin at once.
    fs::create_dir(home.file("work/many")).unwrap();
    for number in 0..3_000 {
        home.write(&format!("work/many/{number}.txt"), "nothing to see here\n");
    }
    home.write("work/a.txt", "one\n");
    let calls = json!({ "calls": [
        { "tool": "search", "input": { "pattern": "never there" } },
        { "tool": "read_file", "input": { "path": "a.txt" } },
        { "tool": "read_file", "input": { "path": "many/7.txt" } }
    ] });
    home.write("work/script", &format!("{calls}\n{{\"text\": \"Done.\"}}\n"));
}

/// The calls and their results in order, without what the results say.
fn order(shown: &str, sign: &str) -> Vec<String> {
    let lines = shown.lines().filter(|line| line.starts_with(sign) || line.starts_with("  "));
    lines.map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn results_of_calls_that_ran_at_once_stand_under_their_calls() {
    let home = Home::new();
    two_at_once(&home);
    let output = home.run(&["chat", "--model", "scripted:script", "-p", "Look."]);
    let plain = order(&stderr(&output), "*");
    let [search, _, first, one, second, two] = plain.as_slice() else { panic!("{plain:?}") };
    assert_eq!((search.as_str(), first.as_str(), second.as_str()), ("* Search", "* Read", "* Read"));
    assert!(one.ends_with("one") && two.ends_with("nothing"), "{plain:?}");
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Look.");
    let shown = screen.ends("\nDone.\n>");
    let screen = order(&shown, "●");
    assert_eq!(screen.iter().filter(|line| line.starts_with('●')).count(), 3, "{shown}");
    assert!(screen.len() == 6 && screen.iter().step_by(2).all(|line| line.starts_with('●')), "{shown}");
}

#[test]
fn what_went_wrong_is_told_in_a_persons_words() {
    let home = Home::new();
    let call = |tool: &str, input: Value| json!({ "calls": [{ "tool": tool, "input": input }] });
    let script = [
        call("read_file", json!({ "path": "missing.txt" })),
        call("read_fil", json!({})),
        json!({ "text": "One." }),
        call("read_file", json!({ "pat": "a.txt" })),
        json!({ "text": "Two." }),
    ];
    home.write("work/script", &script.map(|line| format!("{line}\n")).concat());
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Look.");
    let shown = screen.ends("\nOne.\n>");
    assert!(shown.contains("● Read missing.txt\n  ✗ "), "{shown}");
    assert!(shown.contains("● read_fil\n  ✗ there is no tool of this name\n"), "{shown}");
    for model in ["Errored out", "Available tools", "Failed to run tool"] {
        assert!(!shown.contains(model), "what the model reads is not shown: {shown}");
    }
    screen.says("Again.");
    let shown = screen.ends("\nTwo.\n>");
    assert!(shown.contains("  ✗ the arguments do not fit: "), "{shown}");
    assert!(!shown.contains("{\"errors\"") && !shown.contains("INVALID"), "{shown}");
    screen.says("Once more.");
    let shown = screen.ends("\n>");
    assert!(shown.contains("/retry asks again"), "{shown}");
}

#[test]
fn a_call_that_is_not_allowed_says_so() {
    let home = Home::new();
    let call = json!({ "calls": [{ "tool": "bash", "input": { "command": "touch a" } }] });
    home.write("work/script", &format!("{call}\n{{\"text\": \"Well.\"}}\n"));
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Touch.");
    screen.ends("\nAnswer:");
    screen.says("n");
    let shown = screen.ends("\nWell.\n>");
    assert!(shown.contains("\n  ✗ not allowed\nWell."), "{shown}");
}

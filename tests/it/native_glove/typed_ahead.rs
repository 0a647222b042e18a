//! What is typed while the agent works.

use serde_json::json;

use super::Home;
use super::tmux::Screen;

/// Works until the file `go` is there.
fn works(home: &Home, answers: &[&str]) {
    let command = "until [ -f go ]; do sleep .05; done; echo went";
    let call = json!({ "calls": [{ "tool": "bash", "input": { "command": command } }] });
    let answers: String = answers.iter().map(|text| format!("{}\n", json!({ "text": text }))).collect();
    home.write("work/script", &format!("{call}\n{answers}"));
}

/// What the session has, in order: who said it, and its beginning.
fn record(home: &Home) -> Vec<String> {
    let exported = home.prints(&["export"]);
    let exported: serde_json::Value = serde_json::from_str(&exported).unwrap();
    let said = exported["messages"].as_array().unwrap().iter().map(|message| {
        let text = message["text"].as_str().unwrap_or_default();
        format!("{}: {text}", message["sender"].as_str().unwrap_or_default())
    });
    said.collect()
}

#[test]
fn a_message_that_is_sent_while_it_works_is_read_before_the_next_step() {
    let home = Home::new();
    works(&home, &["Both are done."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Do a.");
    screen.ends("s (ctrl-C stops)");
    screen.types("And b");
    screen.ends("s (ctrl-C stops)\n> And b");
    screen.presses("Enter");
    screen.ends("s (ctrl-C stops)\n↳ And b");
    home.write("work/go", "");
    let shown = screen.ends("\nBoth are done.\n>");
    assert!(shown.contains("\n  went\n> And b\nBoth are done.\n"), "{shown}");
    screen.presses("Up");
    screen.ends("\nBoth are done.\n> And b");
    screen.presses("C-u");
    screen.ends("\nBoth are done.\n>");
    screen.says("/exit");
    screen.ends("ended with 0");
    let record = record(&home);
    let [first, _, results, second, answer] = record.as_slice() else { panic!("{record:?}") };
    assert_eq!((first.as_str(), results.as_str()), ("user: Do a.", "user: tool results"));
    assert_eq!((second.as_str(), answer.as_str()), ("user: And b", "agent: Both are done."));
}

#[test]
fn escape_stops_and_what_was_typed_is_there_for_the_next_message() {
    let home = Home::new();
    works(&home, &["One.", "Two."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Do a.");
    screen.ends("s (ctrl-C stops)");
    screen.types("rather b");
    screen.ends("\n> rather b");
    screen.presses("Escape");
    let shown = screen.ends("\nstopped\n> rather b");
    assert!(shown.contains("\n  ✗ stopped\n"), "{shown}");
    screen.presses("Enter");
    screen.ends("\n> rather b\nOne.\n>");
}

#[test]
fn a_message_waits_for_the_end_with_tab_and_can_be_taken_back() {
    let home = Home::new();
    works(&home, &["First.", "Second."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Do a.");
    screen.ends("s (ctrl-C stops)");
    screen.types("then b");
    screen.presses("Tab");
    screen.ends("s (ctrl-C stops)\n↳ then b");
    screen.presses("Up");
    screen.ends("s (ctrl-C stops)\n> then b");
    screen.types(" and c");
    screen.presses("Tab");
    screen.ends("s (ctrl-C stops)\n↳ then b and c");
    home.write("work/go", "");
    let shown = screen.ends("\nSecond.\n>");
    assert!(shown.contains("\nFirst.\n> then b and c\nSecond.\n>"), "{shown}");
    assert!(!shown.contains("stopped"), "what was taken back is no request that was stopped: {shown}");
}

//! What a person finds of what was before: a session that is opened again, and what was summarised.

use serde_json::json;

use super::tmux::Screen;
use super::{Home, stderr, stdout};

#[test]
fn a_session_that_is_opened_again_shows_its_calls_and_their_results() {
    let home = Home::new();
    home.write("work/a.txt", "one\n");
    let calls = json!({ "text": "Let me look.", "calls": [
        { "tool": "read_file", "input": { "path": "a.txt" } },
        { "tool": "bash", "input": { "command": "touch b" } }
    ] });
    home.write("work/script", &format!("{calls}\n{{\"text\": \"It says one.\"}}\n"));
    home.run(&["chat", "--model", "scripted:script", "-p", "What is in it?"]);
    let Some(screen) = Screen::start(&home, "resume --model scripted") else { return };
    let shown = screen.ends("\nIt says one.\n>");
    let looks = "\n> What is in it?\nLet me look.\n● Read a.txt\n  ";
    assert!(shown.contains(looks), "{shown}");
    assert!(shown.contains("one\n● Run touch b\n  ✗ not allowed\nIt says one."), "{shown}");
}

#[test]
fn a_summary_is_told_with_what_it_saves() {
    let home = Home::new();
    let script = [
        json!({ "text": "Much was said.", "tokens": [200_000, 10] }),
        json!({ "text": "They said much." }),
        json!({ "text": "Yes." }),
    ];
    let script = script.map(|line| format!("{line}\n")).concat();
    home.write("work/script", &script);
    let mut child = home.glove(&["chat", "--model", "scripted:script"]);
    let mut child = child.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"Tell me.\nIs it so?\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = stdout(&output);
    let told = "! what was said before is summarised for the model: 200.0k tokens are now ";
    assert!(said.contains(told), "{said}{}", stderr(&output));
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Tell me.");
    screen.ends("Much was said.\nscripted · 200.0k tokens in, 10 out · a summary is due\n>");
    screen.says("Is it so?");
    let shown = screen.ends("until a summary\n>");
    assert_eq!(shown.matches("what was said before is summarised for the model").count(), 1, "{shown}");
}

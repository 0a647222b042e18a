//! What was changed in files can be taken back after the program was started again.

use std::fs;

use serde_json::json;

use super::tmux::Screen;
use super::{Home, mode};

fn edits(home: &Home) {
    let call = |tool: &str, input| json!({ "calls": [{ "tool": tool, "input": input }] });
    let script = [
        call("write_file", json!({ "path": "new.txt", "content": "made\n" })),
        call("edit_file", json!({ "path": "a.txt", "old": "two", "new": "2" })),
        json!({ "text": "Done." }),
    ];
    home.write("work/a.txt", "one\ntwo\n");
    home.write("work/script", &script.map(|line| format!("{line}\n")).concat());
    home.prints(&[
        "chat",
        "--model",
        "scripted:script",
        "--allow",
        "write_file",
        "--allow",
        "edit_file",
        "-p",
        "Change it.",
    ]);
    assert_eq!(fs::read_to_string(home.file("work/a.txt")).unwrap(), "one\n2\n");
}

#[test]
fn edits_are_taken_back_after_a_restart() {
    let home = Home::new();
    edits(&home);
    let Some(screen) = Screen::start(&home, "resume --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("/diff");
    let shown = screen.until(|text| text.contains("+made") && text.ends_with("\n>"));
    assert!(shown.contains("-two\n+2"), "{shown}");
    screen.says("/undo 2");
    screen.ends("\n2 actions were taken back\n>");
    assert_eq!(fs::read_to_string(home.file("work/a.txt")).unwrap(), "one\ntwo\n");
    assert!(!home.file("work/new.txt").exists());
}

#[test]
fn an_earlier_message_is_said_anew_and_what_was_done_since_is_taken_back() {
    let home = Home::new();
    edits(&home);
    home.write("work/script", "{\"text\": \"Anew.\"}\n");
    let Some(screen) = Screen::start(&home, "resume --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("/rewind");
    screen.ends("\n? Back to which message?\n  1  Change it.  (2 actions since)\nAnswer:");
    screen.says("1");
    screen.ends("say it anew; an empty line leaves the conversation as it was\n> Change it.");
    assert_eq!(fs::read_to_string(home.file("work/a.txt")).unwrap(), "one\ntwo\n");
    screen.says(" Or not.");
    screen.ends("\nAnew.\n>");
    screen.says("/rewind");
    screen.ends("\n  1  Change it. Or not.\nAnswer:");
    screen.presses("Escape");
    screen.until(|text| text.ends_with("\n>"));
    screen.says("/exit");
    screen.ends("ended with 0");
    let told = home.prints(&["export"]);
    assert!(
        told.contains("Change it. Or not.") && told.contains("\"Change it.\""),
        "all of it is still there: {told}"
    );
}

#[test]
fn in_plan_mode_nothing_is_taken_back_either() {
    let home = Home::new();
    edits(&home);
    let Some(screen) = Screen::start(&home, "resume --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("/plan");
    screen.ends("changes nothing\n>");
    screen.says("/undo");
    screen.ends("\nnothing was taken back: in plan mode nothing is changed; shift-tab leaves it\n>");
    assert!(home.file("work/new.txt").exists());
}

#[test]
fn a_file_that_has_changed_since_is_left_as_it_is() {
    let home = Home::new();
    edits(&home);
    home.write("work/a.txt", "one\n2\nmine\n");
    let Some(screen) = Screen::start(&home, "resume --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("/undo");
    let shown = screen.until(|text| text.contains("nothing was taken back: ") && text.ends_with("\n>"));
    assert!(shown.replace('\n', " ").contains("`a.txt` was changed since; undo it by hand"), "{shown}");
    assert_eq!(fs::read_to_string(home.file("work/a.txt")).unwrap(), "one\n2\nmine\n");
}

#[test]
fn what_was_in_files_is_the_users_alone_and_goes_with_the_session() {
    let home = Home::new();
    edits(&home);
    let all = home.file(".local/share/glove/undo");
    let own = fs::read_dir(&all).unwrap().next().unwrap().unwrap().path();
    assert_eq!(mode(&own), 0o700);
    let files: Vec<_> = fs::read_dir(&own).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 2);
    assert!(files.iter().all(|file| mode(file) == 0o600));
    let id = home.sessions()[0]["id"].as_str().unwrap().to_owned();
    home.prints(&["sessions", "--delete", &id]);
    assert!(!own.exists());
}

//! What a person can ask the program for, beside talking.

use serde_json::json;

use super::Home;
use super::tmux::Screen;

#[test]
fn what_was_used_stands_above_the_prompt_and_in_full_with_cost() {
    let home = Home::new();
    let answer = json!({ "text": "Hello.", "tokens": [12_345, 678] });
    home.write("work/script", &format!("{answer}\n{{\"text\": \"Again.\"}}\n"));
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("shift-tab: modes\n>");
    screen.says("Hello.");
    screen.ends("\nHello.\nscripted · 12.3k tokens in, 678 out · 87.6k until a summary\n>");
    screen.says("Again.");
    let shown = screen.ends("\nAgain.\n>");
    assert_eq!(
        shown.matches("until a summary").count(),
        1,
        "what has not changed is not told again: {shown}"
    );
    screen.says("/cost");
    screen.ends("    12.3k tokens of prompts\n      678 tokens of answers\nwhat this costs is not known: GLOVE_PRICES in the configuration says it\n>");
}

#[test]
fn a_person_asks_for_a_summary() {
    let home = Home::new();
    let script = [
        json!({ "text": "Much was said.", "tokens": [2_000, 10] }),
        json!({ "text": "They said much.", "tokens": [2_000, 10] }),
        json!({ "text": "Yes.", "tokens": [100, 10] }),
        json!({ "text": "Once more.", "tokens": [2_000, 10] }),
    ];
    home.write("work/script", &script.map(|line| format!("{line}\n")).concat());
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("/compact");
    screen.ends("\nthere is nothing to summarise yet\n>");
    screen.says("Tell me.");
    screen.ends("until a summary\n>");
    screen.says("/compact the names");
    screen.ends("\nwhat was said is summarised when you send the next message\n>");
    screen.says("Is it so?");
    let shown = screen.ends("\nYes.\nscripted · 4.1k tokens in, 30 out · 99.9k until a summary\n>");
    assert!(
        shown.contains("! what was said before is summarised for the model: 2.0k tokens are now "),
        "{shown}"
    );
    screen.says("More.");
    let shown = screen.ends("\n>");
    let shown = if shown.contains("Once more.") { shown } else { screen.ends("98.0k until a summary\n>") };
    assert_eq!(shown.matches("! what was said before").count(), 1, "it was asked for once: {shown}");
}

#[test]
fn another_session_is_chosen_from_a_list_and_clear_begins_on_an_empty_screen() {
    let home = Home::new();
    home.prints(&["chat", "--model", "scripted", "-p", "hello first"]);
    home.prints(&["chat", "--model", "scripted", "-p", "hello second"]);
    let Some(screen) = Screen::start(&home, "chat --model scripted") else { return };
    screen.ends("\n>");
    screen.says("/clear");
    let shown = screen.ends("shift-tab: modes\n>");
    assert!(shown.starts_with("glove · scripted · ") && shown.lines().count() == 3, "{shown}");
    screen.says("/resume");
    let asked = screen.ends("\nAnswer:");
    assert!(asked.contains("hello first") && asked.contains("hello second"), "{asked}");
    let first = asked.lines().find(|line| line.contains("hello first")).unwrap();
    screen.says(first.trim_start().get(..1).unwrap());
    let shown = screen.ends("\n>");
    let shown = if shown.contains("> hello first") { shown } else { screen.ends("scripted.\n>") };
    assert!(!shown.contains("> hello second"), "{shown}");
}

#[test]
fn what_was_changed_in_files_is_shown_as_one_change_of_each() {
    let home = Home::new();
    home.write("work/a.txt", "one\ntwo\nthree\n");
    let edit = |old: &str, new: &str| json!({ "calls": [{ "tool": "edit_file", "input": { "path": "a.txt", "old": old, "new": new } }] });
    let script = [edit("two", "2"), edit("2", "zwei"), json!({ "text": "Done." })];
    home.write("work/script", &script.map(|line| format!("{line}\n")).concat());
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow edit_file") else { return };
    screen.ends("\n>");
    screen.says("/diff");
    screen.ends("\nno file was changed by a tool for files in this session\n>");
    screen.says("Change it.");
    let done = screen.ends("\nDone.\n>");
    // Nobody was asked, so each change is shown with its call.
    let second = "  a.txt (+1 -1)\n  @@ -1,3 +1,3 @@\n   one\n  -2\n  +zwei\n   three\nDone.";
    assert!(done.contains("  -two\n  +2\n") && done.contains(second), "{done}");
    screen.says("/diff");
    let shown = screen.ends("\n three\n>");
    assert!(shown.contains("\na.txt (+1 -1)\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n"), "{shown}");
    let coloured = screen.coloured();
    assert!(coloured.contains("\x1b[31m-two") && coloured.contains("\x1b[32m+zwei"), "{coloured:?}");
}

#[test]
fn a_change_that_is_asked_about_has_its_colours_and_nothing_of_a_file_has_one() {
    let home = Home::new();
    home.write("work/a.txt", "one\ntwo\n");
    let hostile = "\u{1b}[31mone\n+ two\n";
    let call =
        json!({ "calls": [{ "tool": "write_file", "input": { "path": "a.txt", "content": hostile } }] });
    home.write("work/script", &format!("{call}\n{{\"text\": \"Done.\"}}\n"));
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Change it.");
    let asked = screen.ends("\nAnswer:");
    assert!(asked.contains("-one\n-two\n+\\u001B[31mone\n++ two\n"), "{asked}");
    let coloured = screen.coloured();
    let change = "\x1b[31m-one\n-two\n\x1b[32m+\\u001B[31mone\n++ two\n\x1b[39m";
    assert!(coloured.contains(change), "{coloured:?}");
    screen.says("y");
    let done = screen.ends("\nDone.\n>");
    assert_eq!(done.matches("++ two").count(), 1, "what was asked about is not shown again: {done}");
}

#[test]
fn another_model_is_chosen_from_a_list_of_those_whose_keys_are_there() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let config = home.write("config", "ANTHROPIC_API_KEY=planted-4711\n");
    std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o600)).unwrap();
    let args = format!("chat --model scripted --config '{}'", config.display());
    let Some(screen) = Screen::start(&home, &args) else { return };
    screen.ends("\n>");
    screen.says("/model");
    let asked = screen.ends("\nAnswer:");
    assert!(asked.contains("\nscripted\n? Which one?\n  1  anthropic:"), "{asked}");
    screen.presses("Escape");
    screen.ends("\n>");
    screen.says("/model");
    screen.ends("\nAnswer:");
    screen.says("1");
    let shown = screen.ends("\n>");
    let shown = if shown.contains("from now on") { shown } else { screen.ends("\n>") };
    assert!(shown.contains("\nfrom now on: claude"), "{shown}");
}

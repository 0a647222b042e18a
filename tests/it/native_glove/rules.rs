//! Rules of a project: what they let run, and who says so.

use std::fs;

use serde_json::{Value, json};

use super::Home;
use super::tmux::Screen;

fn runs(command: &str) -> Value {
    json!({ "calls": [{ "tool": "bash", "input": { "command": command } }] })
}

fn script(home: &Home, answers: &[Value]) {
    home.write("work/script", &answers.iter().map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn a_rule_is_written_at_a_question_and_holds_from_then_on_for_simple_commands() {
    let home = Home::new();
    let text = |text: &str| json!({ "text": text });
    script(
        &home,
        &[runs("echo hello one"), runs("echo hello two"), runs("echo hello; touch three"), text("First.")],
    );
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Go.");
    screen.ends("\n  5  p  Allow in this project: commands that begin with echo hello\nAnswer:");
    screen.says("p");
    let sure = screen.until(|text| text.matches("Answer:").count() == 2);
    assert!(
        sure.replace('\n', "").contains("! Write `command echo hello` to .glove/allow? Such calls then run"),
        "{sure}"
    );
    assert!(!home.file("work/.glove").exists(), "nothing is written before it is said twice");
    screen.says("y");
    let asked = screen.until(|text| {
        text.contains("$ echo hello; touch three\n? Run this command?") && text.ends_with("Answer:")
    });
    assert!(asked.contains(".glove/allow has the rule now: command echo hello"), "{asked}");
    assert!(
        asked.contains("● Run echo hello two\n  hello two\n"),
        "the second ran without a question: {asked}"
    );
    assert!(asked.ends_with("  4  x  Never allow exactly this\nAnswer:"), "no rule is offered: {asked}");
    screen.says("n");
    screen.ends("\nFirst.\n>");
    screen.says("/exit");
    screen.ends("ended with 0");
    assert!(!home.file("work/three").exists());
    assert!(fs::read_to_string(home.file("work/.glove/allow")).unwrap().ends_with("\ncommand echo hello\n"));

    // In another run it is trusted, as it was written here.
    let elsewhere = json!({ "command": "echo hello there", "cwd": ".." });
    let elsewhere = json!({ "calls": [{ "tool": "bash", "input": elsewhere }] });
    script(&home, &[runs("echo hello again"), elsewhere, text("Second.")]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    let begun = screen.ends("\n>");
    assert!(begun.contains("1 rule of .glove/allow"), "{begun}");
    screen.says("Go.");
    // A folder by another name is one all the same.
    let asked = screen.ends("\nAnswer:");
    assert!(asked.contains("$ echo hello there\nfolder: ..\n? Run this command?"), "{asked}");
    screen.says("n");
    screen.ends("\nSecond.\n>");
}

#[test]
fn rules_that_came_with_a_project_hold_only_when_they_are_trusted() {
    let home = Home::new();
    fs::create_dir(home.file("work/.glove")).unwrap();
    home.write("work/.glove/allow", "command touch\n");
    script(&home, &[runs("touch made"), json!({ "text": "Done." })]);
    let start = || Screen::start(&home, "chat --model scripted:script");
    let Some(screen) = start() else { return };
    let asked = screen.ends("\n  1  n  Don't use them\n  2  y  I trust them as they are\nAnswer:");
    assert!(asked.contains("\ncommand touch\n? Use these rules of .glove/allow?"), "{asked}");
    screen.says("n");
    screen.ends("\n.glove/allow is not used\n>");
    screen.says("Go.");
    screen.ends("\nAnswer:");
    assert!(!home.file("work/made").exists());
    screen.says("n");
    screen.ends("\nDone.\n>");
    drop(screen);
    let Some(screen) = start() else { return };
    screen.ends("\nAnswer:");
    screen.says("y");
    screen.ends("\n>");
    screen.says("Go.");
    screen.ends("\nDone.\n>");
    assert!(home.file("work/made").exists());
    drop(screen);
    // Plain lines ask nobody, and use what is trusted.
    fs::remove_file(home.file("work/made")).unwrap();
    assert!(home.run(&["chat", "--model", "scripted:script", "-p", "Go."]).status.success());
    assert!(home.file("work/made").exists());
    home.write("work/.glove/allow", "command touch\ntool bash\n");
    fs::remove_file(home.file("work/made")).unwrap();
    let output = home.run(&["chat", "--model", "scripted:script", "-p", "Go."]);
    assert_eq!(output.status.code(), Some(3));
    assert!(super::stderr(&output).contains("! .glove/allow is not used"), "{}", super::stderr(&output));
    assert!(!home.file("work/made").exists());
}

#[test]
fn who_said_never_is_not_overruled_by_a_rule() {
    let home = Home::new();
    script(
        &home,
        &[runs("touch made"), json!({ "text": "One." }), runs("touch made"), json!({ "text": "Two." })],
    );
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Go.");
    screen.ends("\nAnswer:");
    screen.says("x");
    screen.ends("\nOne.\n>");
    screen.says("/exit");
    screen.ends("ended with 0");
    fs::create_dir(home.file("work/.glove")).unwrap();
    home.write("work/.glove/allow", "command touch\n");
    script(&home, &[runs("touch made"), json!({ "text": "Two." })]);
    let Some(screen) = Screen::start(&home, "resume --model scripted:script") else { return };
    screen.ends("\nAnswer:");
    screen.says("y");
    screen.ends("\n>");
    screen.says("Go.");
    let shown = screen.ends("\nTwo.\n>");
    assert!(shown.contains("✗ not allowed") && !home.file("work/made").exists(), "{shown}");
}

#[test]
fn who_said_never_to_a_command_meant_it_with_any_limit_of_time_and_by_any_name_of_the_folder() {
    let home = Home::new();
    let call = |input: Value| json!({ "calls": [{ "tool": "bash", "input": input }] });
    let text = |text: &str| json!({ "text": text });
    let said = json!({ "command": "touch made", "seconds": 20 });
    script(&home, &[call(said), text("One.")]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Go.");
    screen.ends("\nAnswer:");
    screen.says("x");
    screen.ends("\nOne.\n>");
    screen.says("/exit");
    screen.ends("ended with 0");
    fs::create_dir(home.file("work/.glove")).unwrap();
    home.write("work/.glove/allow", "command touch\n");
    let again = [
        json!({ "command": "touch made", "seconds": 60 }),
        json!({ "command": "touch made", "folder": "." }),
        json!({ "command": "touch made", "cwd": "./", "timeout": 5000 }),
        json!({ "command": "touch made" }),
        json!({ "command": "touch other", "seconds": 60 }),
    ];
    let again = again.map(|input| json!({ "tool": "bash", "input": input }));
    script(&home, &[json!({ "calls": again }), text("Two.")]);
    let Some(screen) = Screen::start(&home, "resume --model scripted:script") else { return };
    screen.tmux(&["resize-window", "-x", "80", "-y", "60"]);
    screen.ends("\nAnswer:");
    screen.says("y");
    screen.ends("\n>");
    screen.says("Go.");
    let shown = screen.ends("\nTwo.\n>");
    // With the first one, which stands above.
    assert_eq!(shown.matches("✗ not allowed").count(), 5, "{shown}");
    assert!(!home.file("work/made").exists() && home.file("work/other").exists(), "{shown}");
}

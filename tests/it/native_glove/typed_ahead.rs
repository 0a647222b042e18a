//! What is typed while the agent works.

use serde_json::json;

use super::Home;
use super::screen::Terminal;
use super::tmux::Screen;
use crate::support::wait::until;

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
    screen.ends("s (esc stops)");
    screen.types("And b");
    screen.ends("s (esc stops)\n> And b");
    screen.presses("Enter");
    screen.ends("s (esc stops)\n↳ And b");
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
    screen.ends("s (esc stops)");
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
    screen.ends("s (esc stops)");
    screen.types("then b");
    screen.presses("Tab");
    screen.ends("s (esc stops)\n↳ then b");
    screen.presses("Up");
    screen.ends("s (esc stops)\n> then b");
    screen.types(" and c");
    screen.presses("Tab");
    screen.ends("s (esc stops)\n↳ then b and c");
    home.write("work/go", "");
    let shown = screen.ends("\nSecond.\n>");
    assert!(shown.contains("\nFirst.\n> then b and c\nSecond.\n>"), "{shown}");
    assert!(!shown.contains("stopped"), "what was taken back is no request that was stopped: {shown}");
}

#[test]
fn a_message_that_is_sent_as_the_run_is_stopped_is_read_or_in_the_next_line() {
    let home = Home::new();
    works(&home, &["One.", "Two."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Do a.");
    screen.ends("s (esc stops)");
    // Enter and Escape arrive together, behind the text; what follows says that no more of a key comes.
    screen.tmux(&["send-keys", "-l", "And b\r\x1b\x1bq"]);
    let read = |shown: &str| shown.ends_with("\n>") && shown.contains("\nOne.\n");
    let shown = screen.until(|shown| {
        shown.contains("\nstopped\n")
            && (shown.ends_with("\n> And b") || read(shown))
            && !shown.contains("(esc stops)")
    });
    assert!(!shown.contains('↳'), "nothing waits: {shown}");
    assert!(shown.contains("And b"), "{shown}");
}

#[test]
fn the_end_of_a_request_is_told_before_what_comes_of_the_message_that_waited() {
    let home = Home::new();
    works(&home, &["One.", "Two."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Do a.");
    screen.ends("s (esc stops)");
    screen.types("And b");
    screen.presses("Tab");
    screen.ends("s (esc stops)\n↳ And b");
    screen.presses("Escape");
    let shown = screen.until(|shown| shown.ends_with("\n>") || shown.ends_with("\n> And b"));
    assert_eq!(shown.matches("\nstopped\n").count(), 1, "{shown}");
    if let Some(answer) = shown.find("> And b\nOne.") {
        assert!(shown.find("\nstopped\n").is_some_and(|end| end < answer), "{shown}");
    }
}

#[test]
fn a_key_that_means_nothing_holds_nothing_up() {
    let home = Home::new();
    works(&home, &["One."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Do a.");
    screen.ends("s (esc stops)");
    for keys in [&["1b", "5b", "45"] as &[&str], &["ff"], &["e6", "97"], &["1b", "6e"]] {
        let args: Vec<_> = ["send-keys", "-H"].iter().chain(keys).copied().collect();
        screen.tmux(&args);
        // It still reads keys and draws.
        screen.types("x");
        screen.ends("s (esc stops)\n> x");
        screen.presses("C-u");
        screen.ends("s (esc stops)");
    }
    screen.presses("C-c");
    screen.ends("\nstopped\n>");
}

#[test]
fn what_waits_when_the_program_is_killed_is_followed_when_it_goes_on() {
    let home = Home::new();
    works(&home, &["First."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Do a.");
    screen.ends("s (esc stops)");
    screen.types("then b");
    screen.presses("Tab");
    screen.ends("s (esc stops)\n↳ then b");
    // It is in the record before the program is gone.
    until(|| {
        let exported = home.run(&["export"]);
        exported.status.success() && super::stdout(&exported).contains("Do a.")
    });
    screen.tmux(&["send-keys", "C-\\"]);
    drop(screen);
    let waits = json!({ "calls": [{ "tool": "bash", "input": { "command": "until [ -f on ]; do sleep .05; done; echo on" } }] });
    let answers = [json!({ "text": "First." }), waits, json!({ "text": "Second." })];
    home.write("work/script", &answers.map(|answer| format!("{answer}\n")).concat());
    home.write("work/go", "");
    let Some(screen) = Screen::start(&home, "resume --model scripted:script --allow bash") else { return };
    screen.ends("\n  1  n  Don't run\n  2  y  Run again\nAnswer:");
    screen.says("n");
    let shown = screen.ends("s (esc stops)");
    let shown =
        if shown.contains("> then b") { shown } else { screen.until(|shown| shown.contains("> then b")) };
    assert!(shown.contains("\nFirst.\n> then b"), "{shown}");
    home.write("work/on", "");
    screen.ends("\nSecond.\n>");
}

#[test]
fn two_requests_that_end_in_the_same_way_are_both_told() {
    let home = Home::new();
    works(&home, &[]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Do a.");
    screen.ends("s (esc stops)");
    screen.types("then b");
    screen.presses("Tab");
    screen.ends("s (esc stops)\n↳ then b");
    home.write("work/go", "");
    let shown =
        screen.until(|shown| shown.matches("/retry asks again").count() == 2 && shown.ends_with("\n>"));
    assert!(shown.contains("> then b"), "{shown}");
}

#[test]
fn the_end_of_a_word_is_no_answer_to_a_question_that_came_meanwhile() {
    let home = Home::new();
    let wait = json!({ "calls": [{ "tool": "read_file", "input": { "path": "a" } },
        { "tool": "bash", "input": { "command": "until [ -f go ]; do sleep .05; done" } }] });
    let writes = json!({ "calls": [{ "tool": "write_file", "input": { "path": "made", "content": "x" } }] });
    let answers = [wait, writes, json!({ "text": "Done." })];
    home.write("work/script", &answers.map(|answer| format!("{answer}\n")).concat());
    let mut terminal = Terminal::start(&home, &["chat", "--model", "scripted:script", "--allow", "bash"]);
    terminal.sees("> ");
    terminal.type_in("Do a.\r");
    terminal.sees("s (esc stops)");
    terminal.type_in("tr");
    terminal.sees("> tr");
    home.write("work/go", "");
    terminal.sees("4  x  Never allow");
    // Nobody can have read it.
    terminal.type_in("y\r");
    terminal.sees("Answer: ");
    assert!(!home.file("work/made").exists(), "it was allowed by the end of a word");
    terminal.type_in("n\r");
    terminal.sees("Done.");
    terminal.sees("> tr");
    assert!(!home.file("work/made").exists(), "it was turned down");
}

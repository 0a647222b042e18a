//! Modes: what goes without a question and what does not run.

use serde_json::json;

use super::Home;
use super::tmux::Screen;

fn call(tool: &str, input: &serde_json::Value) -> serde_json::Value {
    json!({ "calls": [{ "tool": tool, "input": input }] })
}

fn write(path: &str) -> serde_json::Value {
    call("write_file", &json!({ "path": path, "content": "new\n" }))
}

fn script(home: &Home, answers: &[serde_json::Value]) {
    home.write("work/script", &answers.iter().map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn edits_are_accepted_and_commands_are_asked_about() {
    let home = Home::new();
    let runs = call("bash", &json!({ "command": "touch by-bash" }));
    script(&home, &[write("a.txt"), runs, json!({ "text": "Done." }), write("b.txt")]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.types("Chang");
    screen.presses("BTab");
    let about = "\naccepts edits: edits go without a question, commands are asked about\n";
    let shown = screen.until(|text| text.ends_with("\n> Chang") && text.contains("accepts edits: "));
    assert!(shown.contains(about), "{shown}");
    screen.says("e.");
    let asked = screen.ends("\nAnswer:");
    assert!(
        asked.contains("$ touch by-bash\n? Run this command?"),
        "only the command is asked about: {asked}"
    );
    assert!(home.file("work/a.txt").exists());
    screen.says("n");
    screen.ends("\nDone.\n>");
    screen.says("/accept");
    screen.until(|text| {
        text.contains("normal mode: edits and commands are asked about") && text.ends_with("\n>")
    });
    screen.says("Change.");
    screen.ends("\nAnswer:");
    assert!(!home.file("work/b.txt").exists());
}

#[test]
fn in_plan_mode_nothing_is_changed_also_where_it_was_allowed() {
    let home = Home::new();
    home.write("work/seen.txt", "seen\n");
    let runs = call("bash", &json!({ "command": "touch by-bash" }));
    let reads = call("read_file", &json!({ "path": "seen.txt" }));
    script(
        &home,
        &[
            write("a.txt"),
            runs,
            reads,
            json!({ "text": "Planned." }),
            write("b.txt"),
            json!({ "text": "Done." }),
        ],
    );
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash --allow write_file")
    else {
        return;
    };
    screen.ends("\n>");
    screen.says("/plan");
    let about = "plan mode: the model reads and plans, and changes nothing\n>";
    screen.ends(about);
    screen.says("Change.");
    let shown = screen.until(|text| text.contains("\nPlanned.\n") && text.ends_with('>'));
    assert!(!home.file("work/a.txt").exists() && !home.file("work/by-bash").exists(), "{shown}");
    assert!(
        shown.contains("  ✗ not run: plan mode") && shown.contains("● Read seen.txt\n  1  seen"),
        "{shown}"
    );
    screen.presses("BTab");
    screen.ends("\nnormal mode: edits and commands are asked about\n>");
    screen.says("Change.");
    screen.until(|text| text.contains("\nDone.") && text.ends_with('>'));
    assert!(home.file("work/b.txt").exists());
}

#[test]
fn going_through_the_modes_leaves_one_line_about_the_last() {
    let home = Home::new();
    let Some(screen) = Screen::start(&home, "chat --model scripted") else { return };
    screen.ends("\n>");
    let long = format!("{} end", "many words ".repeat(12));
    screen.types(&long);
    let before = screen.until(|text| text.ends_with("end"));
    for mode in ["accepts edits:", "plan mode:", "normal mode:"] {
        screen.presses("BTab");
        let shown = screen.until(|text| text.contains(mode) && text.ends_with("end"));
        let said = ["accepts edits:", "plan mode:", "normal mode:"];
        assert_eq!(said.iter().map(|mode| shown.matches(mode).count()).sum::<usize>(), 1, "{shown}");
        assert_eq!(shown.matches("> many words").count(), 1, "{shown}");
        assert_eq!(shown.lines().next(), before.lines().next(), "nothing above was taken away: {shown}");
    }
}

#[test]
fn what_decides_about_later_calls_is_not_written_by_the_model_whatever_is_allowed() {
    let home = Home::new();
    let answers = [
        write(".glove/allow"),
        write("sub/../.GLOVE/allow"),
        write(".git/config"),
        json!({ "text": "Done." }),
    ];
    script(&home, &answers);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow write_file") else {
        return;
    };
    screen.ends("\n>");
    screen.presses("BTab");
    screen.until(|text| text.contains("accepts edits: ") && text.ends_with("\n>"));
    screen.says("Write.");
    let done = screen.ends("\nDone.\n>");
    assert!(
        done.contains("✗ files of .glove are not written")
            && done.contains("✗ files of .git are not written"),
        "{done}"
    );
    assert!(
        !home.file("work/.glove").exists()
            && !home.file("work/.GLOVE").exists()
            && !home.file("work/.git").exists()
    );
}

#[test]
fn a_file_that_is_not_written_is_offered_no_rule() {
    let home = Home::new();
    script(&home, &[write(".glove/allow"), json!({ "text": "Done." })]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Write.");
    screen.ends("\n  4  x  Never allow\nAnswer:");
}

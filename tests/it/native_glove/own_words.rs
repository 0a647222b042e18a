//! What a person brings along: notes of the project, files that they name, commands that they run.

use std::fs;

use serde_json::json;

use super::Home;
use super::tmux::Screen;

fn script(home: &Home, answers: &[&str]) {
    let lines = answers.iter().map(|text| format!("{}\n", json!({ "text": text })));
    home.write("work/script", &lines.collect::<String>());
}

/// All that was said in the session that was used last, and what the model was told before.
fn exported(home: &Home) -> String {
    home.prints(&["export"])
}

#[test]
fn notes_of_the_project_are_read_and_told_in_one_line() {
    let home = Home::new();
    fs::create_dir(home.file("work/.git")).unwrap();
    fs::create_dir(home.file("work/sub")).unwrap();
    home.write("work/AGENTS.md", "Planted rule of the root.\n");
    home.write("work/sub/AGENTS.md", "Planted rule of the folder.\n");
    script(&home, &["Done."]);
    let record = home.file("record");
    let args =
        format!("chat sub --model scripted:script --system 'Be planted.' --record '{}'", record.display());
    let Some(screen) = Screen::start(&home, &args) else { return };
    let begun = screen.ends("\n>");
    assert!(begun.contains("\nreads ../AGENTS.md (0.0 kB), AGENTS.md (0.0 kB)\n"), "{begun}");
    screen.says("Go.");
    screen.ends("\nDone.\n>");
    screen.says("/exit");
    screen.ends("ended with 0");
    let recorded = fs::read_to_string(record).unwrap();
    let system = recorded.find("Be planted.").unwrap();
    let rest = &recorded[system..];
    let (root, folder) = (rest.find("rule of the root").unwrap(), rest.find("rule of the folder").unwrap());
    assert!(root < folder, "what is nearer is said last");
}

#[test]
fn the_output_of_a_persons_command_goes_to_the_model_with_the_next_message_alone() {
    let home = Home::new();
    script(&home, &["First.", "Second."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("!echo planted-$((40 + 2)); echo \"\\033[31mred\"; exit 3");
    let shown = screen.ends("\nthe model reads this with your next message\n>");
    assert!(shown.contains("\n  planted-42\n  red\n  (exit code 3)\n"), "{shown}");
    screen.says("Why?");
    screen.ends("\nFirst.\n>");
    screen.says("And now?");
    screen.ends("\nSecond.\n>");
    let text = exported(&home);
    let command = "The user ran this command:\\n$ echo planted-$((40 + 2))";
    assert_eq!((text.matches(command).count(), text.matches("planted-42").count()), (1, 1), "{text}");
    // It is stopped, and what was typed meanwhile is no message.
    screen.says("!echo begun; sleep 1000");
    screen.until(|text| text.contains("running … "));
    screen.types("half");
    screen.until(|text| text.ends_with("> half"));
    screen.presses("C-c");
    let shown = screen.ends("\nthe model reads this with your next message\n> half");
    assert!(shown.contains("\n  begun\n") && shown.contains("  (stopped)\n"), "{shown}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_persons_command_ends_with_the_terminal() {
    let home = Home::new();
    script(&home, &["First."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("!echo $$ > ../pid; sleep 1000");
    let pid = super::first_line(&home, "pid");
    drop(screen);
    assert!(super::ends(&pid), "the command still runs");
}

#[test]
fn a_file_is_completed_by_tab_and_sent_with_the_message() {
    let home = Home::new();
    fs::create_dir(home.file("work/source")).unwrap();
    home.write("work/source/planted file.txt", "planted-text\n");
    home.write("work/picture.png", "");
    fs::write(home.file("work/picture.png"), b"\x89PNG\r\n\x1a\nxyz").unwrap();
    fs::write(home.file("work/data.bin"), b"a\0b").unwrap();
    script(&home, &["First.", "Second."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.types("See @sou");
    screen.presses("Tab");
    screen.ends("\n> See @source/");
    screen.presses("Tab");
    screen.ends("\n> See @\"source/planted file.txt\"");
    screen.says(" and @picture.png.");
    screen.ends("\nFirst.\n>");
    let text = exported(&home);
    assert!(
        text.contains("source/planted file.txt:\\nplanted-text\\n")
            && text.contains("\"media_type\":\"image/png\""),
        "{text}"
    );
    screen.says("See @data.bin");
    let shown = screen.ends("the message was not sent\n> See @data.bin");
    assert!(shown.contains("! @data.bin is neither text nor a picture"), "{shown}");
    assert!(!exported(&home).contains("data.bin"));
}

//! What a person brings along: notes of the project, files that they name, commands that they run.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread::spawn;
use std::time::Duration;

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

/// A provider that takes no request, and gives what it was sent.
fn refuses() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let (mut request, mut piece) = (Vec::new(), vec![0; 65_536]);
            connection.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
            while let Ok(length @ 1..) = connection.read(&mut piece) {
                request.extend_from_slice(&piece[..length]);
            }
            let _ = sender.send(String::from_utf8_lossy(&request).into_owned());
            let _ = connection
                .write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    (address, requests)
}

#[test]
fn notes_of_the_project_and_own_instructions_reach_the_model_in_each_session() {
    let home = Home::new();
    fs::create_dir(home.file("work/.git")).unwrap();
    fs::create_dir(home.file("work/sub")).unwrap();
    home.write("work/AGENTS.md", "Planted rule of the root.\n");
    home.write("work/sub/AGENTS.md", "Planted rule of the folder.\n");
    let (address, requests) = refuses();
    let args = format!("chat sub --model ollama:planted --base-url {address} --system 'Be planted.'");
    let Some(screen) = Screen::start(&home, &args) else { return };
    screen.tmux(&["resize-window", "-x", "80", "-y", "60"]);
    let begun = screen.ends("\n>");
    assert!(begun.contains("\nreads ../AGENTS.md (26 bytes), AGENTS.md (28 bytes)\n"), "{begun}");
    for number in 1..=2 {
        screen.says("Go.");
        screen.until(|text| text.matches("/retry asks again").count() == number && text.ends_with("\n>"));
        let request = requests.recv_timeout(Duration::from_secs(30)).unwrap();
        let at = |text: &str| request.find(text).unwrap_or_else(|| panic!("{text:?} is not in {request}"));
        let [own, root, folder] = ["Be planted.", "rule of the root", "rule of the folder"].map(at);
        assert!(own < root && root < folder, "what is nearer is said last");
        screen.says("/new");
        screen
            .until(|text| text.matches("reads ../AGENTS.md").count() == number + 1 && text.ends_with("\n>"));
    }
}

#[test]
fn a_skill_of_the_project_is_called_by_its_name() {
    let home = Home::new();
    let skill = "---\nname: deploy\ndescription: Deploys a service.\ndisable-model-invocation: true\n---\nPlanted steps.";
    fs::create_dir_all(home.file("work/.claude/skills/deploy")).unwrap();
    home.write("work/.claude/skills/deploy/SKILL.md", skill);
    script(&home, &["Deployed."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("/help");
    screen.until(|text| text.contains("Skills of this project:\n/deploy      Deploys a service.\n"));
    screen.types("/dep");
    screen.presses("Tab");
    screen.ends("> /deploy");
    screen.says(" api to staging");
    screen.until(|text| {
        text.contains("with .claude/skills/deploy/SKILL.md (text)") && text.contains("Deployed.")
    });
    screen.says("/exit");
    screen.until(|text| text.contains("ended with 0"));
    let said = exported(&home);
    assert!(said.contains("Do as the skill deploy says") && said.contains("api to staging"), "{said}");
    assert!(said.contains("Planted steps."), "its text goes along: {said}");
}

#[test]
fn a_session_that_cannot_be_opened_leaves_the_present_one_open() {
    let home = Home::new();
    home.prints(&["chat", "--model", "scripted", "-p", "hello first"]);
    let id = home.sessions()[0]["id"].as_str().unwrap().to_owned();
    let Some(other) = Screen::start(&home, &format!("resume {id} --model scripted")) else { return };
    other.ends("\n>");
    let Some(screen) = Screen::start(&home, "chat --model scripted") else { return };
    screen.ends("\n>");
    screen.says("hello second");
    screen.until(|text| text.contains("I am a script") && text.ends_with("\n>"));
    screen.says(&format!("/resume {id}"));
    let shown = screen.until(|text| text.ends_with("you are still in the session that was open\n>"));
    assert!(shown.contains("\n✗ "), "{shown}");
    screen.says("run echo $((40 + 2))");
    screen.ends("\nAnswer:");
    screen.says("y");
    screen.until(|text| text.contains("  42\n") && text.ends_with("\n>"));
    let messages = home.sessions().iter().map(|session| session["messages"].as_u64().unwrap()).max();
    assert!(messages > Some(4), "it went on in the session that was open: {messages:?}");
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
    let shown = screen.ends("s not sent\n> See @data.bin");
    assert!(shown.contains("! @data.bin is neither text nor a picture"), "{shown}");
    assert!(!exported(&home).contains("data.bin"));
}

#[test]
fn a_file_outside_of_the_folder_is_sent_only_when_a_person_says_so() {
    let home = Home::new();
    home.write("planted.txt", "planted-text\n");
    script(&home, &["First.", "Second.", "Third."]);
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Hello.");
    screen.ends("\nFirst.\n>");
    screen.says("See @../planted.txt");
    let asked = screen.ends("\n  1  n  Don't send the message\n  2  y  Send the file to the model\nAnswer:");
    assert!(asked.contains("/planted.txt\n? Send this file, which is not in the folder"), "{asked}");
    screen.says("");
    screen.ends("from 1 to 2\nAnswer:");
    screen.says("n");
    screen.ends("! @../planted.txt stays here; the message was not sent\n> See @../planted.txt");
    assert!(!exported(&home).contains("planted-text"));
    screen.presses("Enter");
    screen.ends("the model\nAnswer:");
    screen.says("y");
    let sent = screen.ends("\nSecond.\n>");
    assert!(sent.contains("\nwith ../planted.txt (text)\nSecond."), "{sent}");
    assert!(exported(&home).contains("planted-text"));
    screen.says("Again @../planted.txt");
    let again = screen.ends("\nThird.\n>");
    assert!(
        again.ends_with("> Again @../planted.txt\nwith ../planted.txt (text)\nThird.\n>"),
        "asked once: {again}"
    );
    screen.says("/exit");
    let left = screen.ends("ended with 0");
    assert!(left.contains("` goes on with this\n"), "{left}");
}

//! In a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::{Home, ended};

/// A program at one end of a terminal.
pub(super) struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    shown: String,
}

const PATIENCE: Duration = Duration::from_secs(30);

impl Terminal {
    pub(super) fn start(home: &Home, args: &[&str]) -> Terminal {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        tcsetwinsize(&keys, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&keys, Vec::new()).unwrap().into_string().unwrap();
        let end = || File::options().read(true).write(true).open(&name).unwrap();
        let child = home
            .glove(args)
            .env("TERM", "xterm-256color")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let keys = File::from(keys);
        let mut output = keys.try_clone().unwrap();
        let (pieces, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                if pieces.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Terminal { child, keys, screen, shown: String::new() }
    }

    pub(super) fn type_in(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the screen shows this after what was waited for before.
    pub(super) fn sees(&mut self, text: &str) {
        self.until(text);
    }

    /// And gives what came before.
    fn until(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.shown.find(text) {
                let before = self.shown[..at].to_owned();
                self.shown.drain(..at + text.len());
                return before;
            }
            let left = until.saturating_duration_since(Instant::now());
            let Ok(piece) = self.screen.recv_timeout(left) else {
                panic!("the screen does not show {text:?} but {:?}", self.shown);
            };
            // The terminal's own words for what it should do are no text.
            self.shown.push_str(&without_escapes(&String::from_utf8_lossy(&piece)));
        }
    }
}

fn without_escapes(text: &str) -> String {
    let (mut out, mut in_escape) = (String::new(), false);
    for c in text.chars() {
        match (in_escape, c) {
            (false, '\x1b') => in_escape = true,
            (false, c) => out.push(c),
            (true, c) => in_escape = !c.is_ascii_alphabetic(),
        }
    }
    out
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_command_is_allowed_and_its_result_is_drawn() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, &["chat", "--model", "scripted"]);
    terminal.sees("> ");
    terminal.type_in("run echo $((40 + 2))\r");
    terminal.sees("Run this command?");
    terminal.sees("1  y  Allow once");
    terminal.sees("Answer: ");
    terminal.type_in("1\r");
    terminal.sees("bash gave:");
    terminal.sees("42");
    terminal.sees("> ");
    terminal.type_in("/exit\r");
    assert!(ended(&mut terminal.child).success());
}

#[test]
fn only_what_is_documented_allows_a_command() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, &["chat", "--model", "scripted"]);
    terminal.sees("> ");
    // The last one is Escape and then y, which arrive together.
    for no in ["n\r", "3\r", "\x1b", "\x04", "n it is late\r", "\x1by\r", "\x1b1y\r"] {
        terminal.type_in("run touch denied\r");
        terminal.sees("Run this command?");
        for nothing in ["", "yes", "Y", "no", "Allow once", "al", "w", "ay", "ny", "+1", "01", "6", "12"] {
            terminal.sees("Answer: ");
            terminal.type_in(&format!("{nothing}\r"));
            terminal.sees("! answer with y, a, n, x");
        }
        terminal.sees("Answer: ");
        terminal.type_in(no);
        terminal.sees("Permission denied");
        terminal.sees("> ");
    }
    assert!(!home.file("work/denied").exists());
    terminal.type_in("run touch once\r");
    terminal.sees("Answer: ");
    terminal.type_in("a\r");
    terminal.sees("y if you are sure");
    terminal.sees("Answer: ");
    terminal.type_in("\r");
    terminal.sees("y if you are sure");
    terminal.sees("Answer: ");
    terminal.type_in("n\r");
    terminal.sees("! answer with y, a, n, x");
    terminal.sees("Answer: ");
    terminal.type_in("y\r");
    terminal.sees("bash gave:");
    terminal.sees("> ");
    assert!(home.file("work/once").exists());
    terminal.type_in("run touch again\r");
    terminal.sees("Answer: ");
    terminal.type_in("x\r");
    terminal.sees("Permission denied");
    terminal.sees("> ");
    terminal.type_in("/exit\r");
    assert!(ended(&mut terminal.child).success());
}

#[test]
fn what_was_typed_before_a_question_is_no_answer_to_it() {
    let home = Home::new();
    let calls: Vec<_> = ["sleep 1", "touch denied"]
        .map(|command| serde_json::json!({ "calls": [{ "tool": "bash", "input": { "command": command } }] }))
        .to_vec();
    home.write("work/script", &format!("{}\n{}\n{{\"text\": \"Done.\"}}\n", calls[0], calls[1]));
    let mut terminal = Terminal::start(&home, &["chat", "--model", "scripted:script"]);
    terminal.sees("> ");
    terminal.type_in("go\r");
    terminal.sees("Answer: ");
    terminal.type_in("y\ry\r");
    terminal.sees("running bash");
    terminal.type_in("y\r");
    terminal.sees("$ touch denied");
    terminal.sees("Answer: ");
    thread::sleep(Duration::from_millis(300));
    assert!(!home.file("work/denied").exists());
    terminal.type_in("n\r");
    terminal.sees("Done.");
}

#[test]
fn another_providers_key_is_not_sent_to_an_address_that_was_given_for_the_first() {
    use std::net::TcpListener;
    let home = Home::new();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", proxy.local_addr().unwrap());
    let (pieces, asked) = channel();
    thread::spawn(move || {
        for mut connection in proxy.incoming().flatten() {
            let mut head = vec![0; 16_384];
            let length = connection.read(&mut head).unwrap_or_default();
            let _ = pieces.send(String::from_utf8_lossy(&head[..length]).to_lowercase());
            let _ = connection
                .write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    home.write(
        "config",
        "OPENAI_API_KEY=planted-one-4711\nKIMI_API_KEY=planted-two-4711\nMOONSHOT_API_KEY=planted-two-4711\n",
    );
    std::fs::set_permissions(home.file("config"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .unwrap();
    let config = home.file("config");
    let args = ["chat", "--model", "openai", "--base-url", &address, "--config", config.to_str().unwrap()];
    let mut terminal = Terminal::start(&home, &args);
    terminal.sees("> ");
    terminal.type_in("hello\r");
    assert!(asked.recv_timeout(PATIENCE).unwrap().contains("planted-one-4711"));
    terminal.sees("/retry asks again");
    terminal.sees("> ");
    terminal.type_in("/model kimi\r");
    terminal.sees("from now on");
    terminal.sees("> ");
    terminal.type_in("hello\r");
    terminal.sees("thinking");
    let sent = asked.recv_timeout(Duration::from_secs(2));
    assert!(sent.is_err(), "{sent:?}");
}

#[test]
fn an_interrupt_stops_the_run_and_not_the_program() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, &["chat", "--model", "scripted", "--allow", "bash"]);
    terminal.sees("> ");
    terminal.type_in("run sleep 1000\r");
    terminal.sees("running bash");
    let pid = Pid::from_raw(terminal.child.id().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    terminal.sees("stopped");
    terminal.sees("> ");
    terminal.type_in("hello\r");
    terminal.sees("I am a script");
    terminal.sees("> ");
    terminal.type_in("\x03");
    terminal.sees("ctrl-C again leaves");
    terminal.sees("> ");
    terminal.type_in("\x03");
    assert!(ended(&mut terminal.child).success());
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_that_is_ended_ends_the_command_of_the_session_that_is_shown() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, &["chat", "--model", "scripted", "--allow", "bash"]);
    terminal.sees("> ");
    // The sessions before it are closed already, and must not end the program first.
    for _ in 0..5 {
        terminal.type_in("/new\r");
        terminal.sees("shift-tab");
        terminal.sees("> ");
    }
    terminal.type_in("run echo $$ > pid; sleep 1000\r");
    terminal.sees("running bash");
    let command = super::first_line(&home, "work/pid");
    let pid = Pid::from_raw(terminal.child.id().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(ended(&mut terminal.child).code(), Some(143));
    assert!(super::ends(&command), "the command still runs");
}

#[test]
fn a_secret_is_not_shown_and_not_stored() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, &["chat", "--model", "scripted", "--allow", "bash"]);
    terminal.sees("> ");
    terminal.type_in("ask secret\r");
    terminal.sees("The token of the service?");
    terminal.sees("The token of the service?");
    terminal.type_in("tops3cret\r");
    terminal.sees("The user set it");
    terminal.sees("> ");
    terminal.type_in("run echo got $SERVICE_TOKEN\r");
    terminal.sees("got [SERVICE_TOKEN]");
    terminal.sees("> ");
    terminal.type_in("/exit\r");
    assert!(ended(&mut terminal.child).success());
    for file in ["sessions.db", "history"] {
        let stored = std::fs::read(home.file(".local/share/glove").join(file)).unwrap();
        assert!(!String::from_utf8_lossy(&stored).contains("tops3cret"), "{file} has the secret");
    }
}

#[test]
fn a_secret_is_not_shown_in_plain_lines_either() {
    use rustix::termios::{LocalModes, tcgetattr};
    let home = Home::new();
    let mut terminal = Terminal::start(&home, &["chat", "--model", "scripted", "--plain"]);
    terminal.type_in("ask secret\r");
    terminal.sees("(not shown)");
    terminal.type_in("tops3cret\r");
    let shown = terminal.until("The user set it");
    assert!(!shown.contains("tops3cret"), "{shown}");
    assert!(
        tcgetattr(&terminal.keys).unwrap().local_modes.contains(LocalModes::ECHO),
        "the next line is seen"
    );
}

#[test]
fn a_message_of_several_lines_is_one_message() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, &["chat", "--model", "scripted", "--allow", "bash"]);
    terminal.sees("> ");
    terminal.type_in("run echo one; \\\recho two\r");
    terminal.sees("one\r\n  two");
    terminal.sees("> ");
    terminal.type_in("/exit\r");
    assert!(ended(&mut terminal.child).success());
    assert_eq!(home.sessions()[0]["messages"], 4);
}

#[test]
fn what_a_task_asks_for_is_shown_before_it_is_allowed_and_an_interrupt_leaves_the_question() {
    let home = Home::new();
    let plan = r#"{"steps": [{"id": "s1", "title": "Write\nAllow? yes", "instructions": "First this.\nThen rm -rf."}], "acceptance": [{"criterion": "It is there"}]}"#;
    let page = "line\n".repeat(60);
    let script = [
        serde_json::json!({ "text": "Gathered." }),
        serde_json::json!({ "text": plan }),
        serde_json::json!({ "calls": [{ "tool": "fs_write", "input": { "path": "progress/artifacts/page.md", "content": page } }] }),
    ];
    let script: String = script.iter().map(|line| format!("{line}\n")).collect();
    home.write("work/script", &script);
    let args = ["run", "page", "--goal", "A page", "--model", "scripted:script"];
    let mut terminal = Terminal::start(&home, &args);
    terminal.sees("  s1: Write\r\n      Allow? yes\r\n      First this.\r\n      Then rm -rf.\r\n");
    terminal.sees("  must hold: It is there");
    terminal.sees("? Go on with this plan?\r\n  1  y  Allow\r\n  2  n  Deny\r\n");
    terminal.sees("Answer: ");
    for nothing in ["\r", "yes\r"] {
        terminal.type_in(nothing);
        terminal.sees("! answer with y, n");
        terminal.sees("Answer: ");
    }
    terminal.type_in("y\r");
    terminal.sees("  progress/artifacts/page.md (a new file)\r\n");
    terminal.sees("  +line");
    terminal.sees("more rows; v shows all of it");
    terminal.sees("? Write progress/artifacts/page.md?");
    terminal.sees("Answer: ");
    terminal.type_in("y\r");
    terminal.sees("not all of it was shown");
    terminal.sees("Answer: ");
    let pid = Pid::from_raw(terminal.child.id().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    assert_eq!(ended(&mut terminal.child).code(), Some(130));
    let modes = rustix::termios::tcgetattr(&terminal.keys).unwrap();
    assert!(modes.local_modes.contains(rustix::termios::LocalModes::ECHO), "the terminal is as it was");
    let state = std::fs::read_to_string(home.file("work/page/progress/state.json")).unwrap();
    assert!(state.contains("\"req_0002\"") && state.contains("\"waiting\""), "the question waits: {state}");
}

#[test]
fn a_hidden_prompt_is_neither_recalled_nor_drawn_when_it_goes_on() {
    use glove_wasm::runtime::{Glove, Prompt};
    use glove_wasm::testing::{Gate, Line, ScriptedModel};
    use glove_wasm_sqlite::SqliteDatabase;

    let home = Home::new();
    let closed = Gate::new();
    let waits = closed.clone();
    let model = ScriptedModel::by(move |number, _| match number {
        0 => Line::text("An answer for all."),
        1 => Line::text("An answer for nobody."),
        _ => Line::text("never").after_gate(&waits),
    });
    {
        let database = SqliteDatabase::open(home.file("sessions.db")).unwrap();
        let agent = Glove::builder(model).store(database.store("s")).build().unwrap();
        let session = agent.session();
        crate::support::wait::block_on(agent.process_request("Good morning")).unwrap();
        let hidden = || Prompt::trigger("a secret reason").hidden();
        crate::support::wait::block_on(agent.process_request(hidden())).unwrap();
        // Its process ends in the middle of the next one.
        let asked = agent.process_request(hidden());
        let reached = closed.reached();
        crate::support::wait::block_on(futures_util::future::select(Box::pin(asked), Box::pin(reached)));
        session.close();
        crate::support::wait::block_on(session.drive());
    }
    let path = home.file("sessions.db");
    let args = ["resume", "s", "--model", "scripted", "--database", path.to_str().unwrap()];
    let mut terminal = Terminal::start(&home, &args);
    terminal.sees("> Good morning");
    terminal.sees("An answer for all.");
    let recalled = terminal.until("continuing what was not finished");
    // The message that is recalled looks like the place for one: what is typed before that is there would be lost.
    let drawn = recalled + &terminal.until("> ");
    for hidden in ["nobody", "secret", "I am a script"] {
        assert!(!drawn.contains(hidden), "{drawn}");
    }
    terminal.type_in("hello\r");
    terminal.sees("I am a script");
    terminal.sees("> ");
    terminal.type_in("/exit\r");
    assert!(ended(&mut terminal.child).success());
}

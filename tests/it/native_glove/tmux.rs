//! On a screen, which is tmux: what a person sees at the end is looked at, and not what was sent to the terminal.

use std::env;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::Home;

const PATIENCE: Duration = Duration::from_secs(30);

/// The way to its server. A second one in a home has another: the first one may still be ending.
pub struct Screen(String);

static SCREENS: AtomicUsize = AtomicUsize::new(0);

impl Screen {
    /// Nothing where there is no tmux: the test says that it is not run.
    pub fn start(home: &Home, args: &str) -> Option<Screen> {
        let glove = env!("CARGO_BIN_EXE_glove-tested");
        Screen::with(home, &format!("'{glove}' {args}; echo ended with $?; sleep 1000"))
    }

    /// The same, with the program's number in this file.
    pub fn start_as(home: &Home, args: &str, pid: &Path) -> Option<Screen> {
        let (glove, pid) = (env!("CARGO_BIN_EXE_glove-tested"), pid.display());
        let runs = format!("sh -c 'echo $$ > \"{pid}\"; exec \"{glove}\" {args}'");
        Screen::with(home, &format!("{runs}; echo ended with $?; sleep 1000"))
    }

    /// A shell that stops and calls back what runs in it, with the program as `$GLOVE`.
    pub fn shell(home: &Home) -> Option<Screen> {
        let glove = env!("CARGO_BIN_EXE_glove-tested");
        Screen::with(home, &format!("GLOVE='{glove}' PS1='$ ' ENV= sh -i"))
    }

    fn with(home: &Home, does: &str) -> Option<Screen> {
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("not run: tmux is not installed");
            return None;
        }
        let count = SCREENS.fetch_add(1, Ordering::Relaxed);
        let screen = Screen(home.file(&format!("tmux{count}")).display().to_string());
        let path = env::var("PATH").unwrap();
        let home = home.file("");
        let command = format!(
            "cd '{home}/work' && env -i HOME='{home}' PATH='{path}' TERM=tmux-256color LANG=C.UTF-8 {does}",
            home = home.display()
        );
        let begun = screen.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", &command]);
        assert!(begun.status.success(), "{}", String::from_utf8_lossy(&begun.stderr));
        Some(screen)
    }

    pub fn tmux(&self, args: &[&str]) -> Output {
        Command::new("tmux").args(["-S", &self.0]).args(args).env("LANG", "C.UTF-8").output().unwrap()
    }

    pub fn types(&self, text: &str) {
        self.tmux(&["send-keys", "-l", "--", text]);
    }

    pub fn presses(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    pub fn says(&self, text: &str) {
        self.types(text);
        self.presses("Enter");
    }

    /// Without empty rows, which keep blocks apart.
    pub fn text(&self) -> String {
        let rows = self.rows();
        rows.lines().filter(|row| !row.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// All rows, to the last one with a letter.
    pub fn rows(&self) -> String {
        let text = String::from_utf8(self.tmux(&["capture-pane", "-p"]).stdout).unwrap();
        let rows: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
        rows.join("\n")
    }

    /// With the orders for its colours.
    pub fn coloured(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p", "-e"]).stdout).unwrap()
    }

    /// Waits until the screen ends like this, and gives all of it.
    #[track_caller]
    pub fn ends(&self, end: &str) -> String {
        self.shows(&format!("ends with {end:?}"), |text| text.ends_with(end))
    }

    /// Waits until this is true of the screen.
    #[track_caller]
    pub fn until(&self, is: impl Fn(&str) -> bool) -> String {
        self.shows("is as it was waited for", is)
    }

    #[track_caller]
    fn shows(&self, what: &str, is: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let text = self.text();
            if is(&text) {
                return text;
            }
            assert!(Instant::now() < until, "the screen never {what}:\n{text}");
            sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
fn a_conversation_looks_as_it_should() {
    let home = Home::new();
    let answer = serde_json::json!({ "text": "# Gloves\n\nSome **bold** words:\n\n- one\n- `two`\n\n| a | 日本 |\n|---|---|\n| x | y |\n" });
    let ask = |input| serde_json::json!({ "calls": [{ "tool": "ask_user", "input": input }] });
    let form = ask(serde_json::json!({ "kind": "form", "message": "Where to?", "fields": [
        { "name": "street" }, { "name": "town", "options": ["Bern", "Oslo"] }] }));
    let secret = ask(serde_json::json!({ "kind": "secret", "message": "The token?", "variable": "TOKEN" }));
    let sleeps = serde_json::json!({ "calls": [{ "tool": "bash", "input": { "command": "sleep 1000" } }] });
    let done = serde_json::json!({ "text": "Thank you." });
    let script = [&answer, &form, &done, &secret, &done, &sleeps];
    home.write("work/script", &script.map(|line| format!("{line}\n")).concat());
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("shift-tab: modes\n>");
    screen.says("Tell me.");
    let drawn = screen.ends("│x  │y   │\n>");
    let looks = "Gloves\nSome bold words:\n• one\n• two\n│ a │日本│\n├───┼────┤\n│x  │y   │\n>";
    assert!(drawn.contains("\n> Tell me.\n") && drawn.ends_with(looks), "{drawn}");

    screen.says("Send it.");
    screen.ends("? Where to? (1 of 2) street:");
    screen.says("Main Street 1");
    screen.ends("\n? Where to? (2 of 2) town:\n  1  Bern\n  2  Oslo\nAnswer:");
    screen.says("b");
    screen.ends("! answer with a number from 1 to 2, or the words of a line\nAnswer:");
    screen.says("2");
    let sent = screen.ends("\nThank you.\n>");
    assert!(sent.contains("\nAnswer: 2\n  {\"street\":\"Main Street 1\",\"town\":\"Oslo\"}\n"), "{sent}");

    screen.says("Use a token.");
    screen.ends("? The token?");
    screen.types("tops3cret");
    screen.presses("Enter");
    let set = screen.ends("\nThank you.\n>");
    assert!(set.contains("The user set it") && !set.contains("tops3cret"), "{set}");

    screen.says("Rest.");
    screen.ends("s (esc stops)");
    for (width, height) in [("40", "12"), ("100", "30"), ("60", "20")] {
        screen.tmux(&["resize-window", "-x", width, "-y", height]);
        // It is drawn again ten times a second.
        let drawn = screen.ends("s (esc stops)");
        assert_eq!(drawn.matches("running bash").count(), 1, "{drawn}");
    }
    screen.presses("C-c");
    screen.ends("\nstopped\n>");
    screen.presses("Up");
    screen.ends("\nstopped\n> Rest.");
    screen.presses("Up");
    screen.ends("\nstopped\n> Use a token.");
    screen.presses("C-c");
    screen.ends("\nctrl-C again leaves\n>");
    screen.presses("C-c");
    screen.ends("\nended with 0");
}

#[test]
fn blocks_stand_apart_and_code_and_calls_have_colours() {
    let home = Home::new();
    let reads = serde_json::json!({ "text": "I look.", "calls": [
        { "tool": "read_file", "input": { "path": "script" } }, { "tool": "read_file", "input": { "path": "nothing" } }] });
    let answer =
        serde_json::json!({ "text": "So:\n\n```rust\nlet a = 1; // one\n\tb();\n```\n\nNo more.\n" });
    home.write("work/script", &format!("{reads}\n{answer}\n"));
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Why?");
    screen.ends("\nNo more.\n>");
    let rows = screen.rows();
    assert!(rows.contains("modes\n\n> Why?\n\nI look.\n\n● Read script\n  "), "{rows}");
    assert!(rows.contains("\n● Read nothing\n  ✗ `nothing` does not exist\n\nSo:\n\nlet a = 1;"), "{rows}");
    assert!(rows.ends_with("\n    b();\n\nNo more.\n\n>"), "{rows}");
    let coloured = screen.coloured();
    let row = |part: &str| coloured.lines().rev().find(|row| row.contains(part)).unwrap().to_owned();
    // A word of the language, a number and a comment; the background goes on to the end of the widest line.
    let code = row("let");
    assert!(["38;5;183", "38;5;216", "38;5;245"].iter().all(|colour| code.contains(colour)), "{code:?}");
    // The background begins before the first row of code, and ends behind the last one.
    assert!(code.contains("48;5;237") && !row("();").contains("[49m"), "{coloured:?}");
    assert!(row("No more").contains("[49m"), "{coloured:?}");
    assert!(row("> ").contains("1m"), "what a person says is bold: {coloured:?}");
    assert!(row("does not exist").contains("\u{1b}[31m"), "{coloured:?}");
    // That of a call which is printed with its failure is red.
    let signs = [row("Read script"), row("Read nothing")];
    assert!(signs.iter().all(|sign| sign.contains("\u{1b}[3")), "{coloured:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_that_is_closed_ends_what_ran_in_it_and_the_session_goes_on_in_another() {
    let home = Home::new();
    let sleeps = serde_json::json!({ "calls": [{ "tool": "bash", "input": { "command": "echo $$ > pid; sleep 1000" } }] });
    home.write("work/script", &format!("{sleeps}\n{{\"text\": \"Done.\"}}\n"));
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Rest.");
    screen.ends("s (esc stops)");
    let until = Instant::now() + PATIENCE;
    let pid = loop {
        match std::fs::read_to_string(home.file("work/pid")) {
            Ok(pid) if pid.ends_with('\n') => break pid.trim().to_owned(),
            _ => sleep(Duration::from_millis(20)),
        }
        assert!(Instant::now() < until, "the command does not say its number");
    };
    drop(screen);
    let until = Instant::now() + PATIENCE;
    while std::fs::exists(format!("/proc/{pid}/cwd")).unwrap_or(false) {
        assert!(Instant::now() < until, "the command still runs");
        sleep(Duration::from_millis(20));
    }
    home.write("work/script", "{\"text\": \"Done.\"}\n");
    let Some(screen) = Screen::start(&home, "resume --model scripted:script") else { return };
    let asked = screen.ends("\n  1  n  Don't run\n  2  y  Run again\nAnswer:");
    assert!(asked.contains("bash was interrupted, and may have taken effect. Run it again?"), "{asked}");
    screen.says("n");
    screen.ends("\nDone.\n>");
}

#[test]
fn a_long_change_is_read_on_pages_before_it_is_allowed() {
    let home = Home::new();
    let content = format!("{}deleteEverything()\n", "line\n".repeat(300));
    let call = serde_json::json!({ "calls": [{ "tool": "write_file", "input": { "path": "a.txt", "content": content } }] });
    home.write("work/script", &format!("{call}\n{{\"text\": \"Done.\"}}\n"));
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Write.");
    let asked = screen.ends("  4  x  Never allow\nAnswer:");
    assert!(
        asked.contains("a.txt (a new file)") && asked.contains("more rows; v shows all of it"),
        "{asked}"
    );
    screen.says("y");
    screen.ends("! not all of it was shown; v shows it, and then it can be allowed\nAnswer:");
    assert!(!home.file("work/a.txt").exists());
    screen.says("v");
    let first = screen.ends("arrows, g, G · q goes back");
    assert!(first.starts_with("a.txt (a new file)\n") && first.contains("1 to 23 of 30"), "{first}");
    screen.presses("Space");
    screen.ends("24 to 46 of 303 · space, b, arrows, g, G · q goes back");
    screen.types("G");
    let last = screen.ends("of 303 · space, b, arrows, g, G · q goes back");
    let last = if last.contains("deleteEverything()") {
        last
    } else {
        sleep(Duration::from_millis(500));
        screen.text()
    };
    assert!(last.contains("+deleteEverything()\n"), "{last}");
    screen.types("q");
    screen.ends("then it can be allowed\nAnswer: v\nAnswer:");
    screen.says("y");
    screen.ends("\nDone.\n>");
    assert!(home.file("work/a.txt").exists());
}

//! The terminal is as it was found where a shell gets it: after ctrl-Z, and after a panic.

use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use super::Home;
use super::tmux::Screen;

/// The settings of the terminal in which the screen is.
fn modes(screen: &Screen) -> String {
    let tty = String::from_utf8(screen.tmux(&["display-message", "-p", "#{pane_tty}"]).stdout).unwrap();
    let told = Command::new("stty").args(["-a", "-F", tty.trim()]).output().unwrap();
    String::from_utf8(told.stdout).unwrap()
}

fn is_usual(screen: &Screen) -> bool {
    let modes = modes(screen);
    modes.contains(" icanon") && modes.contains(" echo ") && modes.contains("susp = ^Z")
}

fn rests(home: &Home) {
    let sleeps = json!({ "calls": [{ "tool": "bash", "input": { "command": "sleep 2" } }] });
    home.write("work/script", &format!("{sleeps}\n{{\"text\": \"Done.\"}}\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_z_gives_the_terminal_to_the_shell_and_the_program_goes_on_when_it_is_called_back() {
    let home = Home::new();
    rests(&home);
    let Some(screen) = Screen::shell(&home) else { return };
    screen.until(|text| text.ends_with('$'));
    screen.says("$GLOVE chat --model scripted:script --allow bash");
    screen.ends("\n>");
    screen.says("Rest.");
    screen.until(|text| text.contains("running bash …"));
    screen.types("half a mess");
    screen.until(|text| text.ends_with("> half a mess"));
    assert!(!is_usual(&screen), "keys are taken one by one: {}", modes(&screen));
    screen.presses("C-z");
    screen.until(|text| text.ends_with("\n$") && text.contains("topped"));
    assert!(is_usual(&screen), "{}", modes(&screen));
    screen.says("echo here $((40 + 2))");
    screen.until(|text| text.contains("\nhere 42\n$"));
    sleep(Duration::from_millis(300));
    assert!(!screen.text().contains("Done."), "it is stopped");
    screen.says("fg");
    screen.ends("\nDone.\n> half a mess");
}

#[test]
#[cfg(target_os = "linux")]
fn a_panic_gives_the_terminal_back() {
    let home = Home::new();
    rests(&home);
    fs::create_dir(home.file("panics")).unwrap();
    let Some(screen) = Screen::start(&home, "chat --model scripted:script --allow bash") else { return };
    screen.ends("\n>");
    screen.says("Rest.");
    screen.until(|text| text.contains("running bash …"));
    assert!(!is_usual(&screen), "{}", modes(&screen));
    fs::write(home.file("panics/now"), "").unwrap();
    let shown = screen.ends("\nended with 134");
    assert!(shown.contains("planted"), "{shown}");
    assert!(is_usual(&screen), "{}", modes(&screen));
}

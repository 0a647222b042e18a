//! Commands: how they end, and that nothing of them stays.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use glove_wasm::ports::Clock;
use glove_wasm::store::MemoryStore;
use glove_wasm::system::SystemClock;
use glove_wasm::testing::Line;
use glove_wasm_coding::Workspace;
use serde_json::json;

use super::Place;
use crate::support::runtime::block_on;
use crate::support::wait::until;

#[test]
fn a_command_runs_in_the_folder_and_says_how_it_ended() {
    let place = Place::new("bash");
    assert_eq!(
        place.works("bash", json!({ "command": "ls; echo err >&2", "folder": "src" })),
        "main.rs\nerr\n"
    );
    assert_eq!(place.works("bash", json!({ "command": "true" })), "(no output)");
    assert_eq!(place.works("bash", json!({ "command": "echo no; exit 3" })), "no\n\n(exit code 3)");
    assert_eq!(place.works("bash", json!({ "command": "kill -9 $$" })), "\n(ended by signal 9)");
    // Nothing can be typed into it.
    assert_eq!(place.works("bash", json!({ "command": "cat" })), "(no output)");
}

#[test]
fn a_command_that_takes_too_long_or_writes_too_much_is_ended_with_all_that_it_started() {
    let place = Place::new("limits");
    let begun = Instant::now();
    let said =
        place.works("bash", json!({ "command": "sleep 300 & echo $! > child; sleep 300", "seconds": 1 }));
    assert!(said.contains("stopped after 1 seconds"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(5));
    ended(&place.work().join("child"));
    let said = place.works("bash", json!({ "command": "yes 0123456789" }));
    assert!(said.contains("stopped after 5 MB of output") && said.len() < 40_000, "{}", said.len());
    // What goes on behind it is ended too, and holds nothing up.
    let begun = Instant::now();
    let said = place.works("bash", json!({ "command": "sleep 300 & echo $! > child; echo begun" }));
    assert_eq!(said, "begun\n");
    assert!(begun.elapsed() < Duration::from_secs(5));
    ended(&place.work().join("child"));
}

#[test]
fn ten_gigabytes_of_output_are_cut_off_and_zeros_are_one_sign() {
    let place = Place::new("gigabytes");
    let said = place.works("bash", json!({ "command": "head -c 10000000000 /dev/zero; echo never" }));
    assert!(said.contains("stopped after 5 MB of output") && !said.contains("never"), "{}", said.len());
    assert!(said.starts_with('␀') && said.len() < 100, "{}", said.len());
    assert_eq!(place.works("bash", json!({ "command": "printf 'a\\0b\\0\\0\\0c\\0'" })), "a␀b␀c␀");
}

#[test]
fn a_command_that_does_not_want_to_end_is_ended() {
    let place = Place::new("stubborn");
    let command = "trap '' TERM INT HUP QUIT; echo $$ > child; while :; do sleep 300; done";
    let said = place.works("bash", json!({ "command": command, "seconds": 1 }));
    assert!(said.contains("stopped after 1 seconds"), "{said}");
    ended(&place.work().join("child"));
}

#[test]
#[cfg(target_os = "linux")]
fn what_left_the_group_of_its_command_is_ended_with_it() {
    let place = Place::new("strays");
    for (at, command) in [
        "setsid sleep 300 >&- 2>&- & echo $! > child; sleep 0.2; echo begun",
        "(setsid sh -c 'sleep 300 & echo $! > child' &); until [ -s child ]; do sleep 0.05; done; echo begun",
        "setsid sh -c 'trap \"\" TERM; cd /; sleep 300 & echo $! > '$PWD'/child; wait' & until [ -s child ]; do sleep 0.05; done; echo begun",
    ]
    .iter()
    .enumerate()
    {
        let child = place.work().join("child");
        let _ = fs::remove_file(&child);
        assert_eq!(place.works("bash", json!({ "command": command })), "begun\n", "{at}");
        ended(&child);
    }
    // Of others nothing is ended.
    let mut other = Command::new("sleep").arg("300").env("GLOVE_CALLS", "1-0 999999999-7").spawn().unwrap();
    place.works("bash", json!({ "command": "true" }));
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_command_that_closes_its_outputs_is_ended_in_time_all_the_same() {
    let place = Place::new("closed");
    let begun = Instant::now();
    let said =
        place.works("bash", json!({ "command": "echo $$ > shell; exec >&- 2>&-; sleep 20", "seconds": 1 }));
    assert!(said.contains("stopped after 1 seconds"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(5));
    ended(&place.work().join("shell"));
    let said = place.works("bash", json!({ "command": "exec > log 2>&1; echo logged; exit 3" }));
    assert_eq!(said, "\n(exit code 3)");
    assert_eq!(fs::read_to_string(place.work().join("log")).unwrap(), "logged\n");
}

#[test]
fn stopping_the_run_ends_a_command_that_has_closed_its_outputs() {
    ends_when_stopped("closed-stop", "exec > log 2>&1; sleep 20 & echo $! > child; wait");
}

#[test]
fn stopping_the_run_ends_the_command() {
    ends_when_stopped("stop", "sleep 300 & echo $! > child; wait");
}

/// The command says in the file `child` which process it has started.
#[track_caller]
fn ends_when_stopped(place: &str, command: &str) {
    let place = Place::new(place);
    let command = json!({ "command": command, "seconds": 600 });
    let agent = place.agent([Line::call("bash", "c1", command), Line::text("done")]);
    let stopping = agent.clone();
    let child = place.work().join("child");
    let watching = {
        let child = child.clone();
        std::thread::spawn(move || {
            until(|| !fs::read_to_string(&child).unwrap_or_default().is_empty());
            stopping.abort();
        })
    };
    assert_eq!(block_on(agent.process_request("go")).unwrap_err().code(), "ABORTED");
    watching.join().unwrap();
    ended(&child);
}

/// The process whose number is in the file is gone within a second.
#[track_caller]
fn ended(file: &Path) {
    let process = fs::read_to_string(file).unwrap();
    let status = PathBuf::from(format!("/proc/{}/status", process.trim()));
    let is_over = || fs::read_to_string(&status).map_or(true, |status| status.contains("State:\tZ"));
    for _ in 0..100 {
        if is_over() {
            return;
        }
        block_on(SystemClock.sleep(10));
    }
    panic!("process {} is still there", process.trim());
}

#[test]
fn a_command_gets_the_ordinary_variables_and_what_the_program_gives_it() {
    let place = Place::new("keys");
    // The one that runs tests sets it, and it is no name that every program needs.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let workspace = Workspace::open(place.work()).unwrap();
    workspace.set_variable("DEPLOY_TARGET", "staging");
    let command =
        "env | grep -c '^\\(HOME\\|PATH\\)='; echo $DEPLOY_TARGET; env | grep CARGO_MANIFEST_DIR; true";
    let script = [Line::call("bash", "c1", json!({ "command": command })), Line::text("done")];
    let agent = place.agent_over(&workspace, script, MemoryStore::new("one"));
    block_on(agent.process_request("go")).unwrap();
    let messages = agent.messages();
    let result = messages.iter().flat_map(|message| message.results()).next().unwrap();
    assert_eq!(result.result.data.to_text().unwrap(), "2\nstaging\n");
}

/// From an issue to a green test: the script is the model, everything else is real.
#[test]
fn a_failing_rust_project_is_mended() {
    let place = Place::new("cargo");
    let work = place.work();
    fs::write(
        work.join("Cargo.toml"),
        "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
    )
    .unwrap();
    let code = "pub fn sum(numbers: &[i64]) -> i64 {\n    numbers.iter().skip(1).sum()\n}\n\n#[test]\nfn all_are_added() {\n    assert_eq!(sum(&[1, 2]), 3);\n}\n";
    fs::write(work.join("src/lib.rs"), code).unwrap();
    fs::remove_file(work.join("src/main.rs")).unwrap();
    let test = json!({ "command": "cargo test --offline --quiet 2>&1", "seconds": 120 });
    let agent = place.agent([
        Line::call("bash", "c1", test.clone()),
        Line::call("search", "c2", json!({ "pattern": "fn sum", "glob": "*.rs" })),
        Line::call("read_file", "c3", json!({ "path": "src/lib.rs" })),
        Line::call("edit_file", "c4", json!({ "path": "src/lib.rs", "old": ".skip(1)", "new": "" })),
        Line::call("bash", "c5", test),
        Line::text("The sum left out the first number."),
    ]);
    block_on(agent.process_request("sum(&[1, 2]) is 2")).unwrap();
    let messages = agent.messages();
    let said: Vec<String> = messages
        .iter()
        .flat_map(|message| message.results())
        .map(|result| result.result.data.to_text().unwrap_or_default())
        .collect();
    assert!(said[0].contains("all_are_added") && said[0].contains("exit code 101"), "{}", said[0]);
    assert_eq!(said[1], "src/lib.rs:1: pub fn sum(numbers: &[i64]) -> i64 {");
    assert!(said[4].contains("1 passed") && !said[4].contains("exit code"), "{}", said[4]);
}

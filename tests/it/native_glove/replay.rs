//! Runs that are recorded and played again.

use std::fs;

use serde_json::Value;

use super::{Home, json_lines, mode, stderr};

const KEY: &str = "sk-ant-api03-0123456789abcdef";

/// A run with two tools, recorded in `run.json`.
fn recorded(home: &Home) -> String {
    home.write("work/a.txt", &format!("the key is {KEY}\n"));
    let script = r#"{"calls":[{"tool":"read_file","input":{"path":"a.txt"}},{"tool":"bash","input":{"command":"echo two"}}]}
{"text":"Two things were done."}"#;
    home.write("work/script", script);
    let file = home.file("run.json");
    let model = ["--model", "scripted:script", "--allow", "bash"];
    home.prints(&[&["chat", "--record", file.to_str().unwrap(), "-p", "go on"], &model[..]].concat());
    fs::read_to_string(file).unwrap()
}

#[test]
fn a_recorded_run_is_played_without_model_and_tools() {
    let home = Home::new();
    let text = recorded(&home);
    assert_eq!(mode(&home.file("run.json")), 0o600);
    fs::remove_dir_all(home.file("work")).unwrap();
    fs::create_dir(home.file("work")).unwrap();
    let file = home.file("run.json");
    let shown = home.prints(&["replay", file.to_str().unwrap()]);
    assert!(shown.contains("* Run echo two\n"), "{shown}");
    assert!(
        shown.ends_with("Two things were done.\n4 messages and 2 model requests, to the byte as recorded\n"),
        "{shown}"
    );
    let events = json_lines(&home.prints(&["replay", file.to_str().unwrap(), "--json"]));
    assert_eq!(events.last().unwrap()["type"], "request_finished");
    assert!(!text.contains(KEY) && text.contains("the key is [key]"), "{text}");
}

#[test]
fn a_run_that_comes_out_differently_is_named() {
    let home = Home::new();
    let text = recorded(&home);
    let changed = text.replacen("Two things were done.", "One thing was done.", 1);
    home.write("changed.json", &changed);
    let file = home.file("changed.json");
    let refused = home.run(&["replay", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    let why = stderr(&refused);
    assert!(why.contains("RECORDING_DIVERGED") && why.contains("message 3"), "{why}");

    let (before, requests) = text.trim_end().split_once(",\"requests\":").unwrap();
    assert_eq!(requests, r#"[{"same":0,"more":[0]},{"same":1,"more":[1,2]}]}"#);
    for (other, named) in [
        ("[2,1]", "message 1 of the model request 1"),
        (r#"[1,{"sender":"user","text":"something else"}]"#, "\"text\":\"something else\"}`"),
        ("[1]", "message 2 of the model request 1"),
    ] {
        home.write("changed.json", &format!("{before},\"requests\":{}", requests.replace("[1,2]", other)));
        let why = stderr(&home.run(&["replay", file.to_str().unwrap()]));
        assert!(why.contains("RECORDING_DIVERGED") && why.contains(named), "{why}");
    }
    home.write("changed.json", &format!("{before},\"requests\":7}}"));
    assert!(stderr(&home.run(&["replay", file.to_str().unwrap()])).contains("RECORDING_INVALID"));
    // One of before.
    home.write("changed.json", &format!("{before}}}"));
    let shown = home.prints(&["replay", file.to_str().unwrap()]);
    assert!(shown.ends_with("4 messages, to the byte as recorded\n"), "{shown}");

    let mut short: Value = serde_json::from_str(&text).unwrap();
    short["records"].as_array_mut().unwrap().remove(0);
    home.write("changed.json", &short.to_string());
    assert!(stderr(&home.run(&["replay", file.to_str().unwrap()])).contains("RECORDING_DIVERGED"));
    for (text, code) in [("{}", "RECORDING_INVALID"), ("nothing", "RECORDING_INVALID")] {
        home.write("changed.json", text);
        assert!(stderr(&home.run(&["replay", file.to_str().unwrap()])).contains(code));
    }
}

#[test]
fn what_the_hook_takes_out_is_nowhere_in_the_file_and_it_still_plays() {
    use crate::support::wait::block_on;
    use glove_wasm::run::replay::replay;
    use glove_wasm::runtime::Glove;
    use glove_wasm::testing::{Line, ScriptedModel};
    let agent = Glove::builder(ScriptedModel::new([Line::text("Hello Ada."), Line::text("Bye Ada.")]))
        .build()
        .unwrap();
    assert_eq!(
        glove_wasm_native::export_run(agent.session(), str::to_owned).unwrap_err().code(),
        "RECORDING_MISSING"
    );
    block_on(agent.session().record()).unwrap();
    block_on(agent.process_request("I am Ada")).unwrap();
    block_on(agent.process_request("Bye")).unwrap();
    let text =
        glove_wasm_native::export_run(agent.session(), |text| text.replace("Ada", "a person")).unwrap();
    assert!(!text.contains("Ada"), "{text}");
    let run = replay(&text, &mut |_| {}).unwrap().run;
    assert_eq!(run.messages()[3].text, "Bye a person.");
}

//! `-p`: the answer alone stands on the standard output, and everything else beside it.

use std::fs;

use serde_json::json;

use super::{Home, stderr, stdout};

#[test]
fn only_the_answer_is_printed_on_the_standard_output() {
    let home = Home::new();
    home.write("work/a.txt", "one\n");
    let looks =
        json!({ "text": "Let me look.", "calls": [{ "tool": "read_file", "input": { "path": "a.txt" } }] });
    let script = format!("{looks}\n{}\n", json!({ "text": "It says **one**.\n\nNo more." }));
    home.write("work/script", &script);
    for more in [&[][..], &["--plain"]] {
        let args = [&["chat", "--model", "scripted:script", "-p", "What is in it?"], more].concat();
        let output = home.run(&args);
        assert_eq!(stdout(&output), "It says **one**.\n\nNo more.\n", "{}", stderr(&output));
        let beside = stderr(&output);
        assert!(beside.starts_with("Let me look.\n* Read a.txt\n"), "{beside}");
        assert!(beside.contains("one\n"), "{beside}");
    }
}

#[test]
fn where_there_is_no_answer_the_standard_output_is_empty() {
    let home = Home::new();
    let calls = json!({ "text": "I try.", "calls": [{ "tool": "bash", "input": { "command": "touch b" } }] });
    home.write("work/script", &format!("{calls}\n"));
    let output = home.run(&["chat", "--model", "scripted:script", "-p", "Try."]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "{}", stderr(&output));
    let beside = stderr(&output);
    assert!(beside.contains("I try.\n* Run touch b\n") && beside.contains("? Run this command?"), "{beside}");
    assert!(beside.contains("no answers left"), "{beside}");
    assert!(!fs::exists(home.file("work/b")).unwrap());
}

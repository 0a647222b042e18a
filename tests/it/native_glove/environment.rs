//! What commands of the agent find in the environment: theirs, and that of the program in `/proc`.

use super::{Home, stderr, stdout};

const LOOK: &str = "run env; tr '\\0' '\\n' < /proc/$PPID/environ; for f in /proc/$PPID/fd/*; do case $(readlink $f) in /memfd*) cat $f;; esac; done";

#[test]
fn a_command_finds_no_key_neither_in_its_environment_nor_in_the_programs() {
    let home = Home::new();
    let database = home.file("planted.db");
    let talk = |more: &[&str]| {
        let args = ["chat", "--model", "scripted", "--allow", "bash", "--record", "run.json"];
        let mut command = home.glove(&[&args[..], more, &["-p", LOOK]].concat());
        for name in [
            "GLOVE_TOKEN",
            "GLOVE_TOOL_SECRET",
            "PGPASSWORD",
            "OTEL_EXPORTER_OTLP_HEADERS",
            "OPENAI_API_KEY",
            "MY_TOKEN",
        ] {
            command.env(name, "planted-4711-and-more");
        }
        command.env("GLOVE_DATABASE", &database).env("LC_ALL", "C.UTF-8");
        command.output().unwrap()
    };
    let output = talk(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    // What the result shows is cut; the file has all of it.
    let seen = std::fs::read_to_string(home.file("work/run.json")).unwrap();
    assert!(!seen.contains("planted"), "{seen}");
    assert_eq!(seen.matches("LC_ALL=C.UTF-8").count() % 2, 0, "both environments were seen: {seen}");
    assert!(seen.contains("LC_ALL=C.UTF-8"), "{seen}");
    assert!(database.exists(), "what is not in the environment any more still counts");

    let output = talk(&["--json", "--env", "MY_TOKEN"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let seen = stdout(&output);
    assert!(seen.contains("MY_TOKEN=planted-4711"), "{seen}");
    assert!(!seen.contains("PGPASSWORD="), "{seen}");
    let refused = talk(&["--env", "NO_SUCH"]);
    assert!(stderr(&refused).contains("`NO_SUCH` is set neither"), "{}", stdout(&refused));
    let refused = talk(&["--env", "MY_TOKEN=planted"]);
    assert!(!stderr(&refused).contains("planted"), "{}", stderr(&refused));
}

//! What is said is shown once, whoever says it and however it comes; and what a tool shows beside its result.

use serde_json::{Value, json};

use super::tmux::Screen;
use super::{Home, stdout};

fn script(home: &Home, answers: &[Value]) {
    home.write("work/script", &answers.iter().map(|answer| format!("{answer}\n")).collect::<String>());
}

#[test]
fn an_answer_that_comes_whole_is_shown() {
    let home = Home::new();
    script(&home, &[json!({ "text": "All at once.", "whole": true }), json!({ "text": "In pieces." })]);
    assert_eq!(home.prints(&["chat", "--model", "scripted:script", "-p", "hello"]), "All at once.\n");
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Hello.");
    screen.ends("\n> Hello.\nAll at once.\n>");
    screen.says("Again.");
    screen.ends("\n> Again.\nIn pieces.\n>");
}

#[test]
fn the_last_word_after_a_circle_of_calls_is_shown() {
    let home = Home::new();
    let fails = json!({ "calls": [{ "tool": "nothing", "input": {} }] });
    script(&home, &[fails.clone(), fails.clone(), fails.clone(), fails]);
    let stopped = "I stopped, because every tool call of the last 3 rounds failed.";
    let output = home.run(&["chat", "--model", "scripted:script", "-p", "hello"]);
    assert!(stdout(&output).contains(stopped), "{}", stdout(&output));
    let mut child = home.glove(&["chat", "--model", "scripted:script", "--plain"]);
    let mut child = child.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"hello\n").unwrap();
    let plain = stdout(&child.wait_with_output().unwrap());
    assert!(plain.contains(stopped), "{plain}");
    let Some(screen) = Screen::start(&home, "chat --model scripted:script") else { return };
    screen.ends("\n>");
    screen.says("Hello.");
    let shown = screen.ends("then send a new message.\n>");
    assert_eq!(shown.matches(stopped).count(), 1, "{shown}");
}

#[test]
fn what_a_tool_shows_and_nobody_waits_for_is_drawn() {
    use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
    use glove_wasm::runtime::Glove;
    use glove_wasm::testing::{Gate, Line, ScriptedModel};
    use glove_wasm_sqlite::SqliteDatabase;

    let home = Home::new();
    let closed = Gate::new();
    let waits = closed.clone();
    let deploys = Tool::new(
        "deploy",
        "Deploys.",
        json!({ "type": "object" }),
        move |_: Value, context: ToolContext| {
            let waits = waits.clone();
            async move {
                let checks = json!({ "title": "Checks", "message": "3 of 3 passed", "type": "success" });
                context.display.push_and_forget("info", &checks)?;
                waits.pass().await;
                Ok::<_, ToolFailure>("done")
            }
        },
    );
    {
        let database = SqliteDatabase::open(home.file("sessions.db")).unwrap();
        let model = ScriptedModel::new([Line::call("deploy", "c1", json!({}))]);
        let agent = Glove::builder(model).store(database.store("s")).fold(deploys).build().unwrap();
        // Its process ends in the middle of the call.
        let asked = agent.process_request("Deploy it.");
        let reached = closed.reached();
        crate::support::wait::block_on(futures_util::future::select(Box::pin(asked), Box::pin(reached)));
        agent.session().close();
        crate::support::wait::block_on(agent.session().drive());
    }
    let (path, other) = (home.file("sessions.db"), home.file("other.db"));
    std::fs::copy(&path, &other).unwrap();
    let said =
        stdout(&home.run(&["resume", "s", "--model", "scripted", "--database", other.to_str().unwrap()]));
    assert!(said.contains("✓ Checks\n  3 of 3 passed\n"), "{said}");
    let args = format!("resume s --model scripted --database '{}'", path.display());
    let Some(screen) = Screen::start(&home, &args) else { return };
    let shown = screen.ends("Answer:");
    assert_eq!(shown.matches("✓ Checks\n  3 of 3 passed\n").count(), 1, "{shown}");
}

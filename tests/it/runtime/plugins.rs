//! Hooks of messages, and plugins before each call of the model.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use glove_wasm::error::Error;
use glove_wasm::ports::{ModelAdapter, Tools};
use glove_wasm::run::PhaseName;
use glove_wasm::runtime::{HookCall, HookResult, Hooks, Plugin, PluginRound, PluginShare, Prompt};
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{Line, ScriptedModel};
use serde_json::json;

use crate::support::runtime::*;

fn hooks() -> Hooks {
    let again = async |call: HookCall| Ok(HookResult::Text(format!("{} twice", call.text)));
    Hooks::new()
        .hook("fr", "Answers in French", async |call: HookCall| {
            Ok(HookResult::Text(format!("In French: {}", call.args)))
        })
        .and_then(|hooks| hooks.hook("twice", "Asks twice", again))
        .and_then(|hooks| {
            hooks.hook("help", "Helps", async |_: HookCall| Ok(HookResult::Answer("Ask.".to_owned())))
        })
        .and_then(|hooks| {
            hooks.hook("no", "Stops", async |_: HookCall| Ok(HookResult::Stop("not now".to_owned())))
        })
        .and_then(|hooks| hooks.hook("bad", "Fails", async |_: HookCall| Err("it is broken".to_owned())))
        .and_then(|hooks| {
            hooks.hook("mute", "Says nothing", async |_: HookCall| Ok(HookResult::Text(" ".to_owned())))
        })
        .unwrap()
}

#[test]
fn a_hook_changes_what_the_model_reads_and_the_record_shows_what_was_written() {
    let model = ScriptedModel::new([Line::text("Bonjour."), Line::text("Yes."), Line::text("No.")]);
    let store = MemoryStore::new("s");
    let agent = builder(&model, store.clone()).build().unwrap();
    let say = |text: &str| {
        let prompt = block_on(hooks().prompt(agent.session(), text))?;
        block_on(agent.process_request(prompt))
    };
    assert_eq!(say("/Fr good day").unwrap().text(), "Bonjour.");
    assert_eq!(say("now /twice\nis it /usr/fr or x/fr? /twice").unwrap().text(), "Yes.");
    assert_eq!(say("/unknown thing").unwrap().text(), "No.");
    let read: Vec<String> =
        model.seen().iter().map(|seen| seen.texts().last().unwrap().to_string()).collect();
    assert_eq!(
        read,
        ["In French: good day", "now /twice\nis it /usr/fr or x/fr? /twice twice", "/unknown thing"]
    );
    let asked = &store.messages()[0];
    assert_eq!((asked.as_written(), asked.text.as_str()), ("/Fr good day", "In French: good day"));
}

#[test]
fn a_hook_answers_stops_or_fails_and_then_no_model_is_asked() {
    let (model, store) = (ScriptedModel::new([]), MemoryStore::new("s"));
    let agent = builder(&model, store.clone()).build().unwrap();
    let say = |text: &str| {
        let prompt = block_on(hooks().prompt(agent.session(), text))?;
        block_on(agent.process_request(prompt))
    };
    assert_eq!(say("/help me /no").unwrap().text(), "Ask.");
    let texts: Vec<String> = store.messages().iter().map(|message| message.text.clone()).collect();
    assert_eq!(texts, ["/help me /no", "Ask."]);
    for (text, code, why) in [
        ("/no", "HOOK_STOPPED", "not now"),
        ("/bad", "HOOK_FAILED", "The hook \"bad\" failed, and the message was not sent: it is broken."),
        ("/mute", "HOOK_FAILED", "The hook \"mute\" failed, and the message was not sent: it gave no words."),
    ] {
        let error = say(text).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), (code, why));
    }
    assert_eq!((model.calls(), store.messages().len()), (0, 2));
    let taken = hooks().hook("FR", "", async |_: HookCall| Ok(HookResult::Send));
    assert_eq!(taken.unwrap_err().code(), "COMMAND_NAME_TAKEN");
    let invalid = Hooks::new().hook("a b", "", async |_: HookCall| Ok(HookResult::Send));
    assert_eq!(invalid.unwrap_err().code(), "HOOK_INVALID");
}

/// Counts its rounds, and adds its tool in the first one alone.
fn counting(notes: &Notes) -> Plugin {
    let notes = notes.clone();
    Plugin::new("count", move |round: PluginRound| {
        let known: u64 = round.state.and_then(|state| state.read().ok()).unwrap_or(0);
        let share = PluginShare::new()
            .context(format!("Round {}, asked: {}", known + 1, round.input.unwrap_or_default()))
            .keep(json!(known + 1));
        let share = if known == 0 { share.tool(noting("look", &notes)) } else { share };
        async move { Ok(share) }
    })
}

#[test]
fn a_plugin_adds_to_each_call_and_finds_what_it_kept() {
    let (store, notes) = (MemoryStore::new("s"), Notes::default());
    let model = ScriptedModel::new([
        Line::call("look", "c1", json!({})),
        Line::call("own", "c2", json!({})),
        Line::text("Done."),
    ]);
    let agent = builder(&model, store.clone())
        .system_prompt("Be brief.")
        .fold(noting("own", &notes))
        .plugin(counting(&notes))
        .build()
        .unwrap();
    assert_eq!(block_on(agent.process_request("Look!")).unwrap().text(), "Done.");
    assert_eq!(notes.all(), ["look", "own"]);
    let seen = model.seen();
    let told = |at: usize| (seen[at].system_prompt.as_str(), seen[at].tools.contains(&"look".to_owned()));
    assert_eq!(told(0), ("Be brief.\n\nRound 1, asked: Look!", true));
    assert_eq!(told(1), ("Be brief.\n\nRound 2, asked: Look!", false));
    assert!(seen.iter().all(|seen| seen.tools.contains(&"own".to_owned())));
    drop(agent);

    let model = ScriptedModel::new([Line::text("Again."), Line::text("And again.")]);
    let agent = numbered(&model, store, "later").plugin(counting(&notes)).build().unwrap();
    agent.set_system_prompt("Be polite.");
    block_on(agent.process_request("Go on")).unwrap();
    // What the program sets meanwhile holds, and what plugins had added to the one before does not.
    agent.set_system_prompt("Be short.");
    let mut tools = Tools::new();
    tools.register(noting("other", &notes)).unwrap();
    agent.replace_tools(tools).unwrap();
    block_on(agent.process_request("More")).unwrap();
    let seen = model.seen();
    assert_eq!(seen[0].system_prompt, "Be polite.\n\nRound 4, asked: Go on");
    assert_eq!(seen[1].system_prompt, "Be short.\n\nRound 5, asked: More");
    assert!(seen[1].tools.contains(&"other".to_owned()));
}

#[test]
fn a_plugin_that_fails_adds_nothing_and_one_that_is_required_pauses() {
    let (store, notes) = (MemoryStore::new("s"), Notes::default());
    let model = ScriptedModel::new([Line::text("Without it."), Line::text("With it.")]);
    let taken = notes.clone();
    let fails = Arc::new(AtomicUsize::new(0));
    let times = Arc::clone(&fails);
    let agent = builder(&model, store)
        .fold(noting("look", &notes))
        .plugin(Plugin::new("taken", move |_: PluginRound| {
            let share = PluginShare::new().context("never").tool(noting("Look", &taken));
            async move { Ok(share) }
        }))
        .plugin(Plugin::new("large", async |_: PluginRound| {
            Ok(PluginShare::new().context("never").keep(json!("x".repeat(70_000))))
        }))
        .plugin(
            Plugin::new("needed", move |_: PluginRound| {
                let fails = times.load(Ordering::SeqCst) > 0;
                async move { if fails { Err("no network".to_owned()) } else { Ok(PluginShare::new()) } }
            })
            .required(),
        )
        .build()
        .unwrap();
    let told = listen(&agent);
    assert_eq!(block_on(agent.process_request("Hello")).unwrap().text(), "Without it.");
    assert_eq!(model.seen()[0].system_prompt, "");
    let errors: Vec<String> = told.all().into_iter().filter(|event| event.starts_with("error")).collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    fails.store(1, Ordering::SeqCst);
    let Err(Error::Model(error)) = block_on(agent.process_request("Hello again")) else {
        panic!("it is asked without it")
    };
    assert_eq!((error.code(), model.calls()), ("PLUGIN_FAILED", 1));
    assert!(error.message.contains("The plugin \"needed\" failed: no network"), "{}", error.message);
    fails.store(0, Ordering::SeqCst);
    assert_eq!(block_on(agent.resume()).unwrap().text(), "With it.");
    assert_eq!(agent.session().phase(), PhaseName::Idle);
}

#[test]
fn two_plugins_of_one_name_are_refused() {
    let plugin = || Plugin::new("one", async |_: PluginRound| Ok(PluginShare::new()));
    let agent = builder(&ScriptedModel::new([]), MemoryStore::new("s")).plugin(plugin()).plugin(plugin());
    assert_eq!(agent.build().unwrap_err().code(), "PLUGIN_ID_TAKEN");
}

#[test]
fn a_call_of_a_plugins_tool_waits_for_its_answer_over_the_end_of_the_process() {
    let (store, notes) = (MemoryStore::new("s"), Notes::default());
    let asking = |notes: &Notes| {
        let notes = notes.clone();
        Plugin::new("asking", move |_: PluginRound| {
            let tool = noting("pay", &notes).requires_approval("It costs.");
            async move { Ok(PluginShare::new().tool(tool)) }
        })
    };
    let model = ScriptedModel::new([Line::call("pay", "c1", no_arguments())]);
    let agent = builder(&model, store.clone()).plugin(asking(&notes)).build().unwrap();
    block_on(agent.process_request(Prompt::new("Pay").leave_when_waiting(true))).unwrap();
    let [question] = agent.questions().try_into().unwrap();
    let mut tools = Tools::new();
    tools.register(noting("other", &notes)).unwrap();
    agent.replace_tools(tools).unwrap();
    assert_eq!(agent.questions(), std::slice::from_ref(&question));
    agent.session().close();
    drop(agent);

    let model = ScriptedModel::new([Line::text("Paid.")]);
    let agent = numbered(&model, store.clone(), "later").plugin(asking(&notes)).build().unwrap();
    block_on(agent.session().opened()).unwrap();
    assert_eq!(agent.questions(), std::slice::from_ref(&question));
    assert_eq!(block_on(agent.approve(&question.id)).unwrap().text(), "Paid.");
    assert_eq!(notes.all(), ["pay"]);
    assert_calls_are_answered(&store.messages());
}

#[test]
fn a_plugin_chooses_the_model_of_a_call_and_the_last_one_that_asks_decides() {
    let named = |answers: &[&'static str]| ScriptedModel::new(answers.iter().map(|text| Line::text(*text)));
    let (usual, quick, strong) = (named(&["usual", "usual again"]), named(&["quick"]), named(&["strong"]));
    let chooses = |id: &str, word: &'static str, model: &ScriptedModel| {
        let model: Arc<dyn ModelAdapter> = Arc::new(model.clone());
        Plugin::new(id, move |round: PluginRound| {
            let model = Arc::clone(&model);
            let is_asked = round.input.is_some_and(|input| input.contains(word));
            async move { Ok(if is_asked { PluginShare::new().model(model) } else { PluginShare::new() }) }
        })
    };
    let fails = Plugin::new("fails", |_: PluginRound| async { Err("broken".to_owned()) });
    let agent = builder(&usual, MemoryStore::new("s"))
        .plugin(chooses("quick", "quickly", &quick))
        .plugin(chooses("strong", "well", &strong))
        .plugin(fails)
        .build()
        .unwrap();
    let say = |text: &str| block_on(agent.process_request(text)).unwrap().text();
    assert_eq!(say("Do it quickly."), "quick");
    assert_eq!(say("Do it."), "usual", "a choice holds for one call");
    assert_eq!(say("Do it quickly and well."), "strong");
    let other = named(&["other"]);
    agent.set_model(other);
    assert_eq!(say("Do it."), "other", "the model of the agent is another one now");
    assert_eq!(usual.calls(), 1);
}

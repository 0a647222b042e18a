//! What the model of a step reads.

use crate::support::wait::block_on;
use glove_wasm::message::Message;
use glove_wasm::testing::Seen;
use glove_wasm_task::prompt::{Ingredients, Section, StepPrompt};
use glove_wasm_task::{HistoryMode, HistoryPolicy, ResultView, TaskSpec};

use super::{agent, builder, message_texts, spec, working_model, workspace};

#[test]
fn a_prompt_has_its_parts_in_their_order() {
    let prompt = StepPrompt::assemble(&Ingredients {
        persona: "PERSONA",
        skills: &[Section::new("brief", "SKILL")],
        pinned: &[Section::new("Agent", "PINNED")],
        context: &[Section::new("progress/findings.md", "FINDINGS")],
        inputs: &["task/brief.md (3 bytes)".to_owned()],
        recall: &[Section::new("Similar tasks", "RECALL")],
        history: &[Message::user("EARLIER")],
        goal: "GOAL",
        instructions: "INSTRUCTIONS",
    });
    let whole = [prompt.system.as_str(), &prompt.messages[0].text, &prompt.messages[1].text, &prompt.request]
        .join("\n");
    let places: Vec<usize> =
        ["PERSONA", "SKILL", "PINNED", "brief.md", "FINDINGS", "RECALL", "EARLIER", "GOAL", "INSTRUCTIONS"]
            .map(|part| whole.find(part).unwrap_or_else(|| panic!("{part} is missing in {whole}")))
            .to_vec();
    assert!(places.is_sorted(), "{whole}");
}

#[test]
fn the_same_state_gives_the_same_prompts_to_the_byte_and_their_beginning_stays() {
    let (one, two) = (working_model(), working_model());
    block_on(agent(&one).do_task(workspace(), spec(), ResultView::Minimal)).unwrap();
    block_on(agent(&two).do_task(workspace(), spec(), ResultView::Minimal)).unwrap();
    let texts = |seen: &[Seen]| -> Vec<String> {
        seen.iter()
            .map(|seen| format!("{}\n{}", seen.system_prompt, message_texts(&seen.messages).join("\n")))
            .collect()
    };
    assert_eq!(texts(&one.seen()), texts(&two.seen()));
    let systems: Vec<String> = one.seen().iter().map(|seen| seen.system_prompt.clone()).collect();
    assert!(systems.windows(2).all(|pair| pair[0] == pair[1]), "the beginning is the same in all steps");
    let first = one.seen()[0].messages[0].text.clone();
    assert!(
        one.seen()
            .iter()
            .all(|seen| seen.messages[0].text.starts_with(&first[..first.find("## progress/").unwrap()]))
    );
}

#[test]
fn a_long_file_keeps_its_beginning_and_its_end() {
    let text = format!("BEGIN{}END", "ü".repeat(20_000));
    let prompt =
        StepPrompt::assemble(&Ingredients { context: &[Section::new("x", text)], ..Ingredients::default() });
    let read = &prompt.messages[0].text;
    assert!(read.contains("BEGIN") && read.contains("END") && read.contains("bytes are left out here"));
    assert!(read.len() < 13_000, "{}", read.len());
}

fn texts_with(history: HistoryPolicy) -> Vec<Vec<String>> {
    let files = workspace()
        .with(
            "task/history.jsonl",
            "{\"sender\":\"user\",\"text\":\"from lines\"}\n\n{\"sender\":\"agent\",\"text\":\"yes\"}\n",
        )
        .unwrap()
        .with("task/history.md", "before\n## User\nfrom text\n## Assistant\nno\n")
        .unwrap();
    let model = working_model();
    let agent = builder(&model).seed_messages([Message::user("of the agent")]).build().unwrap();
    let spec = TaskSpec { history, seed_messages: vec![Message::user("of the task")], ..spec() };
    block_on(agent.do_task(files, spec, ResultView::Minimal)).unwrap();
    // The first call of each step, between the context and the request.
    let first = model.seen().into_iter().filter(|seen| super::asked(seen).1 == 0);
    first
        .map(|seen| {
            seen.messages[1..seen.messages.len() - 1].iter().map(|message| message.text.clone()).collect()
        })
        .collect()
}

#[test]
fn history_is_read_as_its_policy_says() {
    let seeds = ["of the agent", "of the task", "from lines", "yes", "before", "from text", "no"];
    assert!(texts_with(HistoryPolicy::none()).iter().all(Vec::is_empty));
    assert!(texts_with(HistoryPolicy::default()).iter().all(|texts| *texts == seeds));
    let last = texts_with(HistoryPolicy::last(2));
    assert_eq!(last[0], seeds);
    assert_eq!(
        last[1][seeds.len()..],
        ["Goal: Make both files", "Two files are wanted (task/brief.md)."].map(|text| last[1]
            .iter()
            .find(|found| found.starts_with(text))
            .unwrap()
            .clone())
    );
    let summary = texts_with(HistoryPolicy::summary(100));
    assert_eq!(
        summary[1].last().unwrap(),
        "What was done so far:\n- gather-1: Two files are wanted (task/brief.md)."
    );
    let short = texts_with(HistoryPolicy::summary(10));
    assert!(short[3].last().unwrap().starts_with("What was done so far:\n- …\n"), "{:?}", short[3].last());
    let tools = texts_with(HistoryPolicy {
        mode: HistoryMode::LastN,
        n: 4,
        include_tools: true,
        ..HistoryPolicy::default()
    });
    assert!(tools[1].len() > last[1].len(), "the calls and their results are kept");
}

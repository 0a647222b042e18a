//! Compaction: when a conversation is summarised, what stays word for word, and what a failure leaves.

use crate::support::machine::*;
use glove_wasm::event::Event;
use glove_wasm::message::Message;
use glove_wasm::run::input::{Input, Reply, WhenBusy};
use glove_wasm::run::settings::{Compaction, Settings};
use glove_wasm::run::{PhaseName, Run};

fn compacting(limit: u64) -> World {
    let compaction = Compaction { context_limit: limit, ..Compaction::default() };
    World::new(Settings { tools: vec![tool("t")], compaction, ..Settings::default() })
}

fn reply_of(size: u64, text: &str) -> Reply {
    Reply { usage: used(size, 5), ..says(text) }
}

const SUMMARY: &str = "user: [Conversation summary from compaction]\n\nS\n\n[End of summary - the conversation continues from here]";

#[test]
fn a_chat_without_tools_is_summarised_too_by_the_size_of_its_last_prompt() {
    let mut world = compacting(100);
    // Many small turns use many tokens in all, but the context stays small.
    for n in 0..20 {
        world.ask(&format!("r{n}"), "q");
        world.model_answers(reply_of(90, "a"));
    }
    assert!(!world.events.iter().any(|event| matches!(event, Event::CompactionStart { .. })));
    world.ask("s1", "q1");
    world.model_answers(reply_of(100, "a1"));
    world.ask("s2", "q2");
    world.model_says("S");
    assert_eq!(world.model_requests.last().unwrap(), &[SUMMARY, "user: q2"]);
    world.model_answers(reply_of(20, "a2"));
    assert_eq!(world.last_outcome(), "completed");
    // All is still in the record.
    assert_eq!(world.record().len(), 2 * 22 + 1);
}

#[test]
fn the_last_turn_is_kept_word_for_word_with_its_calls_and_results() {
    let mut world = compacting(100);
    world.ask("r1", "old");
    world.model_answers(reply_of(10, "old answer"));
    world.ask("r2", "new");
    world.model_answers(Reply { usage: used(200, 5), ..calls_tools(&[("t", "c1", "{}")]) });
    world.tool_returns("c1", "1");
    assert_eq!(world.model_requests.last().unwrap().len(), 3);
    world.model_says("S");
    let view = [SUMMARY, "user: new", "agent: [t({})#c1]", "results: c1=1"];
    assert_eq!(world.model_requests.last().unwrap(), &view);
    assert_eq!(lines(world.restart().run.model_request()), view);
}

#[test]
fn within_one_long_turn_its_own_rounds_are_summarised_and_the_question_stays() {
    let mut world = compacting(100);
    world.ask("r1", "the question");
    for n in 0..2 {
        world.model_answers(Reply {
            usage: used(200, 5),
            ..calls_tools(&[("t", &format!("c{n}"), &format!("[{n}]"))])
        });
        world.tool_returns(&format!("c{n}"), "1");
    }
    let asked = world.model_requests.last().unwrap();
    assert_eq!((asked.len(), asked[0].as_str()), (6, "user: the question"));
    world.model_says("S");
    assert_eq!(world.model_requests.last().unwrap(), &[SUMMARY, "user: the question"]);
    // It can happen again and again, but not in each round.
    for n in 2..40 {
        if world.run.phase() == PhaseName::Compacting {
            world.model_says("S");
        }
        world.model_answers(Reply {
            usage: used(200, 5),
            ..calls_tools(&[("t", &format!("c{n}"), &format!("[{n}]"))])
        });
        world.tool_returns(&format!("c{n}"), "1");
    }
    let summaries = world.run.messages().iter().filter(|message| message.is_compaction).count();
    assert!((5..=10).contains(&summaries), "{summaries}");
}

#[test]
fn a_summary_that_fails_or_is_empty_leaves_everything_as_it_was_and_the_request_goes_on() {
    for fails in [true, false] {
        let mut world = compacting(100);
        world.ask("r1", "first");
        world.model_answers(reply_of(200, "a"));
        world.ask("r2", "second");
        let (record, context) = (world.record(), world.run.context_tokens());
        if fails {
            world.model_fails("half a summary");
        } else {
            world.model_answers(reply_of(33, " \n"));
        }
        assert_eq!((world.record(), world.run.context_tokens()), (record.clone(), context));
        assert_eq!(world.model_requests.last().unwrap(), &record);
        let told = world
            .events
            .iter()
            .any(|event| matches!(event, Event::Error { code, .. } if code == "COMPACTION_FAILED"));
        assert!(told);
        world.model_answers(reply_of(210, "b"));
        assert_eq!(world.last_outcome(), "completed");
    }
}

#[test]
fn a_model_that_never_tells_sizes_is_summarised_by_a_guess() {
    let reply = |text: String| Reply { messages: vec![Message::agent(text)], ..Reply::default() };
    let mut world = compacting(1_000);
    world.ask("r1", "first");
    world.model_answers(reply("x".repeat(5_000)));
    world.ask("r2", "second");
    assert_eq!(world.run.phase(), PhaseName::Compacting);
    world.model_answers(reply("S".to_owned()));
    world.model_answers(reply("ok".to_owned()));
    world.ask("r3", "third");
    assert_eq!(world.run.phase(), PhaseName::Model);
    // A record that came from elsewhere counts as well.
    let old = vec![Message::user("first").into(), Message::agent("x".repeat(5_000)).into()];
    let compaction = Compaction { context_limit: 1_000, ..Compaction::default() };
    let mut run = Run::new(Settings { compaction, ..Settings::default() }, old);
    run.step(1, Input::Request(Box::new(request("r", "q", WhenBusy::Queue)))).unwrap();
    assert_eq!(run.phase(), PhaseName::Compacting);
}

#[test]
fn a_summary_can_be_asked_for_after_a_number_of_turns() {
    let mut world = compacting(u64::MAX);
    world.configure(|settings| settings.compaction.every_turns = Some(2));
    for n in 0..6 {
        world.ask(&format!("r{n}"), "q");
        if world.run.phase() == PhaseName::Compacting {
            world.model_says("S");
        }
        world.model_says("a");
    }
    assert_eq!(world.run.messages().iter().filter(|message| message.is_compaction).count(), 2);
}

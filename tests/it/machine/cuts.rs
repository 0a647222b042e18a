//! A session cut at every point of its journal, taken up again from what the store has, and played to its end.

use crate::support::machine::*;
use crate::support::script::{assert_in_flight_is_outstanding, next, play, settings};
use glove_wasm::event::QuestionKind;
use glove_wasm::run::effect::Effect;
use glove_wasm::run::input::{Answer, Input};
use glove_wasm::run::{PhaseName, Run};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    BeforeTheWrite,
    AfterTheWrite,
    AfterTheEffects,
}

const CUTS: [Cut; 3] = [Cut::BeforeTheWrite, Cut::AfterTheWrite, Cut::AfterTheEffects];

/// Takes one input, and its process dies in the middle of it.
fn step_and_die(world: &mut World, cut: Cut) -> World {
    let Some((answered, input)) = next(world) else { return world.restart() };
    world.in_flight.retain(|effect| Some(effect) != answered.as_ref());
    die_in(world, input, cut)
}

fn die_in(world: &mut World, input: Input, cut: Cut) -> World {
    let effects = world.run.step(world.at, input).unwrap();
    match cut {
        Cut::BeforeTheWrite => {}
        Cut::AfterTheWrite => {
            world.perform(
                effects.into_iter().filter(|effect| matches!(effect, Effect::Persist { .. })).collect(),
            );
        }
        Cut::AfterTheEffects => world.perform(effects),
    }
    world.restart()
}

fn take_up(world: &mut World) {
    if world.run.phase() != PhaseName::Idle {
        world.step(Input::Recovered);
    }
    assert_in_flight_is_outstanding(world);
}

fn steps_of(settings: glove_wasm::run::settings::Settings) -> (World, usize) {
    let mut whole = World::new(settings);
    let mut steps = 0;
    play(&mut whole, |world| {
        steps += 1;
        assert_in_flight_is_outstanding(world);
        assert_eq!(world.restart().run, world.run);
    });
    (whole, steps)
}

#[test]
fn the_script_has_what_a_session_can_have() {
    let (whole, steps) = steps_of(settings(true));
    assert!(steps > 30, "{steps}");
    assert_eq!(whole.began.iter().filter(|name| *name == "flaky").count(), 2);
    assert!(whole.began.contains(&"undo add".to_owned()));
    let outcomes: Vec<&str> = whole.finishes.iter().map(|(_, outcome)| outcome.name()).collect();
    assert_eq!(outcomes, ["completed", "undone", "completed", "aborted", "completed"]);
    assert_eq!(whole.run.messages().iter().filter(|message| message.is_compaction).count(), 1);
}

#[test]
fn a_session_that_is_cut_anywhere_ends_with_the_same_record() {
    let (whole, steps) = steps_of(settings(true));
    for cut in CUTS {
        for at in 1..=steps {
            let mut world = World::new(settings(true));
            let mut step = 0;
            let mut cut_off = None;
            play(&mut world, |world| {
                step += 1;
                if step == at {
                    let mut later = step_and_die(world, cut);
                    take_up(&mut later);
                    cut_off = Some(std::mem::replace(world, later));
                }
            });
            assert!(cut_off.is_some());
            assert_eq!(world.record(), whole.record(), "{cut:?} {at}");
            assert!(world.run.messages() == whole.run.messages(), "{cut:?} {at}");
            assert_eq!(world.run.undo_stack(), whole.run.undo_stack(), "{cut:?} {at}");
            assert_eq!(world.run.usage(), whole.run.usage(), "{cut:?} {at}");
            assert!(world.store.messages == whole.run.messages(), "{cut:?} {at}");
        }
    }
}

#[test]
fn a_process_that_dies_again_while_it_takes_over_changes_nothing_either() {
    let (whole, steps) = steps_of(settings(true));
    for (first, second) in [0, 1, 2].into_iter().flat_map(|a| [0, 1, 2].map(|b| (CUTS[a], CUTS[b]))) {
        for at in 1..=steps {
            let mut world = World::new(settings(true));
            let mut step = 0;
            play(&mut world, |world| {
                step += 1;
                if step == at {
                    let mut later = step_and_die(world, first);
                    if later.run.phase() != PhaseName::Idle {
                        later = die_in(&mut later, Input::Recovered, second);
                    }
                    take_up(&mut later);
                    *world = later;
                }
            });
            assert_eq!(world.record(), whole.record(), "{first:?} {second:?} {at}");
            assert!(world.run.messages() == whole.run.messages(), "{first:?} {second:?} {at}");
        }
    }
}

#[test]
fn a_tool_that_may_not_run_twice_is_asked_about_wherever_the_session_is_cut() {
    let (whole, steps) = steps_of(settings(false));
    for cut in CUTS {
        for at in 1..=steps {
            let mut world = World::new(settings(false));
            let (mut step, mut began_before) = (0, Vec::new());
            let mut interrupted = Vec::new();
            play(&mut world, |world| {
                step += 1;
                if step == at {
                    let mut later = step_and_die(world, cut);
                    began_before = world.began.clone();
                    let running = |run: &Run| -> Vec<String> {
                        let runs = |effect: Effect| match effect {
                            Effect::RunTool { call_id, .. } => Some(call_id),
                            _ => None,
                        };
                        run.outstanding().into_iter().filter_map(runs).collect()
                    };
                    let was_running = running(&later.run);
                    take_up(&mut later);
                    let asked = |question: &glove_wasm::event::Question| {
                        assert!(question.kind != QuestionKind::Budget);
                        (question.kind == QuestionKind::Interrupted)
                            .then(|| question.call_id.clone().unwrap())
                    };
                    interrupted = later.run.questions().filter_map(asked).collect();
                    assert_eq!(interrupted, was_running, "{cut:?} {at}");
                    assert_eq!(running(&later.run), [""; 0], "{cut:?} {at}");
                    *world = later;
                }
            });
            // Every tool ran as often as in the whole session, and once more for each person's word.
            let count = |names: &[String], name: &str| names.iter().filter(|other| *other == name).count();
            for name in ["look", "rm", "pay", "add"] {
                let ran = count(&began_before, name) + count(&world.began, name);
                let asked = interrupted.len();
                assert!(ran <= count(&whole.began, name) + asked, "{cut:?} {at} {name}");
            }
            assert_eq!(without_numbers(&world), without_numbers(&whole), "{cut:?} {at}");
        }
    }
}

/// A question takes a number of its own, so the ids that the machine makes after it are others.
fn without_numbers(world: &World) -> Vec<String> {
    let without = |line: &String| {
        let mut parts = line.split(".c");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + ".c" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
    };
    world.record().iter().map(without).collect()
}

#[test]
fn an_interrupted_call_that_the_person_does_not_want_again_is_told_to_the_model() {
    let mut world = World::with_tools([tool("pay")]);
    world.ask("r", "q");
    world.model_calls(&[("pay", "c1", "{}")]);
    let mut later = world.restart();
    later.step(Input::Recovered);
    assert_eq!((later.question_kind(), later.began.len()), (Some(QuestionKind::Interrupted), 0));
    later.answer(Answer::Deny { remember: false, reason: None });
    assert_eq!(
        later.record().last().unwrap(),
        "results: c1=Error: The tool was interrupted while it ran, and it is not known whether it took effect. Check before you call it again."
    );
    // Stopping does not make the outcome known either.
    let mut stopped = world.restart();
    stopped.step(Input::Recovered);
    stopped.abort();
    assert!(stopped.record().last().unwrap().contains("it is not known whether it took effect"));
}

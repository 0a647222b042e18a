//! The inputs of a run as the types of the JavaScript side say them: one example of each form, written by
//! tests/js/run-inputs.test.ts.

use std::collections::HashSet;

use glove_wasm::run::input::Input;
use serde_json::Value;

#[test]
fn every_input_is_read_as_the_types_of_javascript_say_it_and_nothing_of_it_is_passed_over() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/run-inputs.json"))
            .unwrap();
    let examples: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut seen = HashSet::new();
    for example in examples {
        let input: Input =
            serde_json::from_value(example.clone()).unwrap_or_else(|why| panic!("{why}: {example}"));
        seen.insert(form(&input));
        let written = serde_json::to_value(&input).unwrap();
        assert!(contains(&written, &example), "{example} comes out as {written}");
    }
    assert_eq!(seen.len(), FORMS, "there is no example of some inputs: {seen:?}");
}

/// All that was given is there; what was left out may have been filled in.
fn contains(written: &Value, given: &Value) -> bool {
    use Value::{Array, Object};
    match (written, given) {
        (Object(written), Object(given)) => {
            given.iter().all(|(key, value)| written.get(key).is_some_and(|written| contains(written, value)))
        }
        (Array(written), Array(given)) => {
            written.len() == given.len()
                && written.iter().zip(given).all(|(written, given)| contains(written, given))
        }
        (written, given) => written == given,
    }
}

const FORMS: usize = 26;

/// A new input does not compile without a line here, and counts as missing until it has an example.
fn form(input: &Input) -> usize {
    match input {
        Input::Request(_) => 1,
        Input::ModelFinished { .. } => 2,
        Input::ModelFailed { .. } => 3,
        Input::ModelPartial { .. } => 4,
        Input::Compacted { .. } => 5,
        Input::PermissionChecked { .. } => 6,
        Input::ApprovalChecked { .. } => 7,
        Input::Answered { .. } => 8,
        Input::ToolFinished { .. } => 9,
        Input::SlotPushed { .. } => 10,
        Input::SlotSettled { .. } => 11,
        Input::SlotsRemoved { .. } => 12,
        Input::StepBegun { .. } => 13,
        Input::StepDone { .. } => 14,
        Input::UntrackedWork { .. } => 15,
        Input::ReplayDiverged { .. } => 16,
        Input::Undo { .. } => 17,
        Input::QueuedCancelled { .. } => 18,
        Input::UndoFinished { .. } => 19,
        Input::TimerFired { .. } => 20,
        Input::StoreFailed { .. } => 21,
        Input::Configured { .. } => 22,
        Input::Recovered => 23,
        Input::Resumed => 24,
        Input::Aborted { .. } => 25,
        Input::Validated { .. } => 26,
    }
}

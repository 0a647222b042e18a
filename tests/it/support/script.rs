//! A session played by a script that looks at nothing but the run and what is in flight, so that it can go on after
//! any cut: five model calls with tools of every kind, an undo, a compaction, an abort, and a last request.

use std::sync::Arc;

use glove_wasm::message::{Message, Sender};
use glove_wasm::run::effect::Effect;
use glove_wasm::run::input::{
    AbortReason, Answer, ApprovalVerdict, Input, PermissionVerdict, Reply, ToolOutcome, WhenBusy,
};
use glove_wasm::run::settings::{Compaction, Settings};
use glove_wasm::run::{CallView, PhaseName, Run};
use glove_wasm::tool::{Gate, ToolSpec};

use super::machine::{World, calls_tools, request, returned, says, used};

/// With `idempotent` tools a cut is mended without asking anybody.
pub fn settings(idempotent: bool) -> Settings {
    let spec = |name: &str| ToolSpec { idempotent, ..ToolSpec::new(name) };
    let tools = vec![
        ToolSpec { parallel: true, ..spec("look") },
        ToolSpec { retries: 2, ..spec("flaky") },
        ToolSpec { permission: Gate::Always, ..spec("rm") },
        ToolSpec { approval: Gate::Always, ..spec("pay") },
        ToolSpec { undo: true, ..spec("add") },
        spec("slow"),
    ];
    let compaction = Compaction { context_limit: 400, ..Compaction::default() };
    Settings { tools, compaction, ..Settings::default() }
}

/// What happens next, and the effect that it is the answer to.
pub fn next(world: &World) -> Option<(Option<Effect>, Input)> {
    let Some(effect) = world.in_flight.first().cloned() else {
        return next_request(&world.run).map(|input| (None, input));
    };
    let input = match &effect {
        Effect::CallModel { call } => Input::ModelFinished { call: *call, reply: answer(&world.run) },
        Effect::Compact { call } => {
            Input::Compacted { call: *call, reply: says("S"), carry: Default::default() }
        }
        Effect::CheckPermission { call_id } => {
            Input::PermissionChecked { call_id: call_id.clone(), verdict: PermissionVerdict::Unset }
        }
        Effect::CheckApproval { call_id } => {
            let verdict = ApprovalVerdict::Needed { reason: None };
            Input::ApprovalChecked { call_id: call_id.clone(), verdict }
        }
        Effect::Ask { question } => {
            Input::Answered { question: question.clone(), answer: Answer::Allow { remember: true } }
        }
        Effect::RunTool { call_id, .. } => match world.run.call(call_id).unwrap() {
            CallView { tool_name: "slow", .. } => Input::Aborted { why: AbortReason::User },
            call => Input::ToolFinished { call_id: call_id.clone(), outcome: outcome(&call) },
        },
        Effect::RunUndo { call_id } => Input::UndoFinished { call_id: call_id.clone(), error: None },
        Effect::SetTimer { timer, .. } => Input::TimerFired { timer: *timer },
        other => panic!("{other:?} does not wait"),
    };
    Some((Some(effect), input))
}

fn next_request(run: &Run) -> Option<Input> {
    assert_eq!(run.phase(), PhaseName::Idle, "nothing is in flight, so nothing is going on");
    let begun = |id: &str| run.messages().iter().any(|message| message.prompt_id.as_deref() == Some(id));
    if begun("r1") && !begun("r2") && !run.undo_stack().is_empty() {
        return Some(Input::Undo { request: "u1".to_owned(), steps: 1 });
    }
    let id = ["r1", "r2", "r3", "r4"].into_iter().find(|id| !begun(id))?;
    Some(Input::Request(Box::new(request(id, &format!("this is {id}"), WhenBusy::Queue))))
}

fn answer(run: &Run) -> Reply {
    let request = run.request().unwrap();
    let of_request = |message: &&Arc<Message>| {
        message.sender == Sender::Agent && message.prompt_id.as_deref() == Some(request)
    };
    let turn = run.messages().iter().filter(of_request).count();
    match (request, turn) {
        ("r1", 0) => calls_tools(&[("look", "a", "[1]"), ("look", "b", "[2]"), ("flaky", "c", "{}")]),
        ("r1", 1) => {
            calls_tools(&[("rm", "", r#"{"path":"x"}"#), ("look", "", "[3]"), ("nothing", "", "{}")])
        }
        ("r1", 2) => calls_tools(&[("pay", "d", "{}")]),
        ("r1", 3) => calls_tools(&[("add", "e", "[5]")]),
        ("r3", 0) => calls_tools(&[("look", "a", "[6]"), ("slow", "f", "{}"), ("look", "g", "[7]")]),
        ("r1", _) => Reply { usage: used(1_000, 5), ..says("done with r1") },
        (request, _) => says(&format!("done with {request}")),
    }
}

fn outcome(call: &CallView<'_>) -> ToolOutcome {
    match (call.tool_name, call.attempt) {
        ("flaky", 1) => ToolOutcome::Threw("busy".to_owned()),
        (name, _) => returned(&format!(r#"{{"{name}":{}}}"#, call.input)),
    }
}

/// Plays to the end; `before` may look at the world before each input.
pub fn play(world: &mut World, mut before: impl FnMut(&mut World)) {
    for _ in 0..500 {
        before(world);
        let Some((answered, input)) = next(world) else { return };
        world.in_flight.retain(|effect| Some(effect) != answered.as_ref());
        world.step(input);
    }
    panic!("the script does not end");
}

/// What is in flight is what the run says is outstanding; how long a timer has still to run is not known to it, and
/// a timer that nobody waits for any more may run out unheard.
pub fn assert_in_flight_is_outstanding(world: &World) {
    let outstanding = world.run.outstanding();
    let heard = |effect: &&Effect| match effect {
        Effect::SetTimer { timer, .. } => {
            outstanding.iter().any(|other| matches!(other, Effect::SetTimer { timer: t, .. } if t == timer))
        }
        _ => true,
    };
    let in_flight: Vec<Effect> = world.in_flight.iter().filter(heard).cloned().collect();
    let plain = |effects: &[Effect]| {
        let text = |effect: &Effect| match effect {
            Effect::SetTimer { timer, .. } => format!("timer {timer}"),
            effect => format!("{effect:?}"),
        };
        let mut texts: Vec<String> = effects.iter().map(text).collect();
        texts.sort();
        texts
    };
    assert_eq!(plain(&in_flight), plain(&outstanding));
}

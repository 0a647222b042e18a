//! What one round of the loop costs: a model's answer with one tool call, and the tool's result; and how that grows
//! with the length of the conversation.
#![allow(clippy::unwrap_used)]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glove_wasm::http::BodyWriter;
use glove_wasm::json::Json;
use glove_wasm::message::{Message, ToolCall, ToolResultData, Usage};
use glove_wasm::providers::Format;
use glove_wasm::providers::request::{Notices, Options, RequestParts, ToolNames};
use glove_wasm::run::Run;
use glove_wasm::run::effect::Effect;
use glove_wasm::run::input::{Input, Reply, Request, ToolOutcome, WhenBusy};
use glove_wasm::run::settings::Settings;
use glove_wasm::tool::ToolSpec;

fn begin() -> (Run, u64) {
    let mut settings = Settings { tools: vec![ToolSpec::new("look_up")], ..Settings::default() };
    settings.limits.turns = u32::MAX;
    settings.compaction.context_limit = u64::MAX;
    let mut run = Run::new(settings, Vec::new());
    let request = Request {
        id: "request".to_owned(),
        message: Message::user("Look everything up."),
        when_busy: WhenBusy::Queue,
        regenerate: false,
        edits: None,
        inbox: Vec::new(),
    };
    let effects = run.step(0, Input::Request(Box::new(request))).unwrap();
    run.saved();
    (run, model_call(&effects))
}

fn model_call(effects: &[Effect]) -> u64 {
    effects
        .iter()
        .find_map(|effect| match effect {
            Effect::CallModel { call } => Some(*call),
            _ => None,
        })
        .unwrap()
}

fn round(run: &mut Run, call: u64, n: u64) -> u64 {
    let id = format!("toolu_{n}");
    let args = Json::parse(&format!(r#"{{"query":"item {n}","limit":10}}"#)).unwrap();
    let answer = Message::agent("Let me look.")
        .with_calls(vec![ToolCall { id: Some(id.clone()), ..ToolCall::new("look_up", args) }]);
    let usage = Usage { tokens_in: 1_000, tokens_out: 50, ..Usage::default() };
    let reply = Reply { messages: vec![answer], usage, stop_reason: None, streamed: true };
    run.step(n, Input::ModelFinished { call, reply }).unwrap();
    run.saved();
    let result = ToolResultData::success(Json::string(&format!("the {n} things that were found")));
    let outcome = ToolOutcome::Returned { result, outputs: Vec::new() };
    let effects = run.step(n, Input::ToolFinished { call_id: id, outcome }).unwrap();
    run.saved();
    model_call(&effects)
}

fn rounds(c: &mut Criterion) {
    for length in [10u64, 1_000] {
        c.bench_function(&format!("a round at {length} rounds"), |bencher| {
            bencher.iter_batched(
                begin,
                |(mut run, mut call)| {
                    for n in 0..length {
                        call = round(&mut run, call, n);
                    }
                    run
                },
                BatchSize::LargeInput,
            );
        });
    }
}

/// The same with the body of the endpoint protocol written before each model call.
fn rounds_with_body(c: &mut Criterion) {
    let (names, options, notices) = (ToolNames::default(), Options::default(), Notices::default());
    let prompt = RequestParts {
        format: Format::Endpoint,
        system: "You look things up.",
        tools: &[],
        names: &names,
        options: &options,
        notices: &notices,
    };
    for length in [10u64, 1_000] {
        c.bench_function(&format!("a round with its request body at {length} rounds"), |bencher| {
            bencher.iter_batched(
                begin,
                |(mut run, mut call)| {
                    let (mut writer, mut body) = (BodyWriter::default(), String::new());
                    for n in 0..length {
                        writer.write(&prompt, run.model_request(), &mut body);
                        std::hint::black_box(&body);
                        call = round(&mut run, call, n);
                    }
                    run
                },
                BatchSize::LargeInput,
            );
        });
    }
}

criterion_group!(benches, rounds, rounds_with_body);
criterion_main!(benches);

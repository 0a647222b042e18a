//! What must be true of every record, however it came about: its prompts lose nothing of it, and no model reads what is for people.

use std::sync::Arc;

use glove_wasm::json::Json;
use glove_wasm::message::{Extra, Message, Sender, SideOutput, TRIGGER, ToolResultData, ToolStatus, Usage};
use glove_wasm::providers::Format;
use glove_wasm::providers::request::{Notices, Options, RequestParts, ToolNames};
use glove_wasm::run::Run;
use glove_wasm::run::input::ToolOutcome;
use glove_wasm::run::views::model_message::for_model;
use serde_json::{Value, json};

/// Stands in all that is for people alone: widgets, bodies of files, what results draw, and whose a message is.
pub const FOR_PEOPLE: &str = "for-people-alone";

/// A result with something beside it that a person sees.
pub fn shows(data: &str, kind: u8) -> ToolOutcome {
    let mut result = ToolResultData::success(Json::parse(data).unwrap());
    result.render_data = Some(Json::from(json!({ "card": FOR_PEOPLE })));
    let output = |kind: &str| SideOutput {
        kind: kind.to_owned(),
        data: json!({ "name": "a.txt", "body": FOR_PEOPLE }).into(),
        ..SideOutput::default()
    };
    let widget =
        SideOutput { widget: Some("map".into()), fallback: Some(FOR_PEOPLE.into()), ..output("widget") };
    let file = SideOutput { summary: Some("A report.".into()), ..output("file") };
    let outputs = match kind % 5 {
        0 => vec![widget, file, output("chart")],
        1 => vec![file],
        2 => vec![output("file")],
        3 => vec![output("chart"), widget],
        _ => Vec::new(),
    };
    ToolOutcome::Returned { result, outputs }
}

/// What a person says, or what begins by itself, in sight or not.
pub fn said(text: &str, kind: u8) -> Message {
    let mut message = Message::user(text);
    message.extra = Extra(vec![
        ("metadata".to_owned(), json!({ "of": FOR_PEOPLE }).into()),
        ("userId".to_owned(), Json::string(FOR_PEOPLE)),
        // Whatever an application puts on its messages takes no field of the prompt's.
        ("messages".to_owned(), Json::string("of the application")),
    ]);
    if kind.is_multiple_of(4) {
        message.framework_context = Some(TRIGGER.to_owned());
    }
    message.hidden = kind.is_multiple_of(8);
    message
}

fn told(output: &impl serde::Serialize) -> Value {
    serde_json::to_value(output).unwrap()
}

/// The outputs that each prompt must have, found in the record message by message.
fn outputs_of(run: &Run) -> Vec<Value> {
    let (mut outputs, mut before): (Vec<Value>, Option<&Message>) = (Vec::new(), None);
    for message in run.messages() {
        if message.sender == Sender::Agent && !message.text.is_empty() {
            outputs.push(
                json!({ "type": "text", "text": message.text, "partial": message.partial, "at": message.at }),
            );
        }
        for (at, result) in message.results().iter().enumerate() {
            let asked = before.unwrap();
            let call = &asked.calls()[at];
            let data = told(&result.result.data);
            let end = match (result.result.status, &result.result.message) {
                (ToolStatus::Success, _) => json!({ "type": "success", "output": data }),
                (_, Some(message)) if data.is_null() => json!({ "type": "error", "error": message }),
                _ => json!({ "type": "error", "error": data }),
            };
            outputs.push(json!({
                "type": "tool", "call_id": result.call_id, "tool_name": call.tool_name, "input": told(&call.input_args),
                "result": end, "at": asked.at, "duration_ms": result.duration_ms,
            }));
            outputs.extend(result.outputs.iter().flatten().map(told));
        }
        before = Some(message);
    }
    outputs
}

fn without_gaps(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.retain(|key, value| !value.is_null() && (key != "partial" || *value == true));
    }
    value
}

pub fn assert_prompts_lose_nothing(run: &Run) {
    let prompts = run.prompts();
    let messages = run.messages();
    let mut told_of: Vec<Value> =
        prompts.iter().flat_map(|prompt| prompt.outputs.iter().map(told)).map(without_gaps).collect();
    let wanted: Vec<Value> = outputs_of(run).into_iter().map(without_gaps).collect();
    // Calls without a result stand behind all others, in their order, with what is known of them.
    let open: Vec<String> = match messages.last() {
        Some(last) if run.has_open_calls() => last.calls().iter().map(|call| call.id().to_owned()).collect(),
        _ => Vec::new(),
    };
    let behind = told_of.split_off(wanted.len());
    assert_eq!(told_of, wanted);
    let calls: Vec<&str> = behind
        .iter()
        .filter(|output| output["type"] == "tool")
        .map(|output| output["call_id"].as_str().unwrap())
        .collect();
    assert_eq!(calls, open);

    // Each has what began it, whose it was, and whether it is seen; none is missing and none is made up.
    let mut begun: Vec<&Message> = Vec::new();
    for message in messages.iter().filter(|message| message.begins_prompt()) {
        begun.retain(|other| other.prompt_id != message.prompt_id);
        begun.push(message);
    }
    for message in begun {
        let prompt = prompts.iter().rfind(|prompt| Some(&prompt.id) == message.prompt_id.as_ref()).unwrap();
        let (input, reason) = match message.is_trigger() {
            true => (None, message.pre_modified_text.clone()),
            false => (Some(message.as_written().to_owned()), None),
        };
        let mut extra = message.extra.clone();
        extra.0.retain(|(key, _)| key != "messages");
        assert_eq!((&prompt.input, &prompt.reason, &prompt.extra), (&input, &reason, &extra));
        assert_eq!(prompt.visible, !message.hidden);
    }
    let mut spent = Usage::default();
    messages.iter().flat_map(|message| &message.usage).for_each(|usage| spent.add(usage));
    let mut sum = Usage::default();
    prompts.iter().for_each(|prompt| sum.add(&prompt.usage));
    assert_eq!((sum.tokens_in, sum.tokens_out), (spent.tokens_in, spent.tokens_out));
    assert!((sum.cost.unwrap_or_default() - spent.cost.unwrap_or_default()).abs() < 1e-6);
}

/// A prompt as an application has stored it.
#[derive(serde::Deserialize)]
struct Kept {
    messages: Vec<Arc<Message>>,
}

/// The record can be made of its prompts again, to the byte, and gives the same prompts and the same reading to a model.
pub fn assert_prompts_are_the_record(run: &Run) {
    let prompts = run.prompts();
    let stored = serde_json::to_string(&prompts).unwrap();
    let kept: Vec<Kept> = serde_json::from_str(&stored).unwrap();
    let record: Vec<Arc<Message>> = kept.into_iter().flat_map(|prompt| prompt.messages).collect();
    assert_eq!(serde_json::to_string(&record).unwrap(), serde_json::to_string(run.messages()).unwrap());

    let again = Run::reading(record);
    let read = |run: &Run| run.model_request().iter().map(told).collect::<Vec<_>>();
    let of_run = Run::reading(run.messages().to_vec());
    assert_eq!(read(&again), read(&of_run));
    // What is under way is in the run and not in the record yet.
    let under_way = usize::from(run.has_open_calls());
    let mut same = again.prompts();
    assert_eq!(same.len(), prompts.len());
    for (again, before) in same.iter_mut().zip(&prompts).rev().take(1) {
        again.state = before.state;
        if under_way == 1 {
            assert_eq!(again.outputs, before.outputs[..again.outputs.len()]);
            again.outputs.clone_from(&before.outputs);
            again.usage.clone_from(&before.usage);
        }
    }
    assert_eq!(same, prompts);
}

/// What every kind of model would be sent now.
pub fn assert_no_model_reads_what_is_for_people(run: &Run) {
    let view: Vec<&Message> = run.model_request().iter().collect();
    let mut requests: Vec<String> = vec![
        view.iter().map(|message| serde_json::to_string(for_model(message).as_ref()).unwrap()).collect(),
    ];
    for format in
        [Format::Anthropic, Format::OpenAiChat, Format::OpenAiResponses, Format::Gemini, Format::Endpoint]
    {
        let (options, names) =
            (Options { model: "m".to_owned(), ..Options::default() }, ToolNames::default());
        let parts = RequestParts {
            format,
            system: "",
            tools: &[],
            names: &names,
            options: &options,
            notices: &Notices::default(),
        };
        requests.push(parts.body(&view));
    }
    for request in requests {
        assert!(!request.contains(FOR_PEOPLE), "a model reads what is for people: {request}");
    }
}

#[test]
#[should_panic(expected = "a model reads what is for people")]
fn what_a_tool_says_to_the_model_by_mistake_is_found() {
    let mut world = crate::support::machine::World::new(glove_wasm::run::settings::Settings {
        tools: vec![glove_wasm::tool::ToolSpec::new("t")],
        ..Default::default()
    });
    world.ask("r", "q");
    world.model_answers(crate::support::machine::calls_tools(&[("t", "c", "{}")]));
    world.tool_returns("c", &format!("\"{FOR_PEOPLE}\""));
    assert_no_model_reads_what_is_for_people(&world.run);
}

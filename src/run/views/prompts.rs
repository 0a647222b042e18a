//! The prompt record: each request with its ordered outputs, as a projection of the messages. It is wider than what
//! a model sees: files, widgets and types of the application stand where their tool showed them.

use crate::json::Json;
use crate::json::codec::{Read, Write, object, through_codec};
use crate::message::{Extra, Message, Sender, SideOutput, ToolCall, ToolResult, ToolStatus, Usage};
use crate::run::{PhaseName, Run};

/// One request and everything that came of it.
#[derive(Debug, Clone, PartialEq, Write)]
pub struct PromptRecord {
    pub id: String,
    /// What a person wrote; a prompt from a trigger or a schedule has none.
    pub input: Option<String>,
    pub outputs: Vec<Output>,
    pub state: PromptState,
    pub usage: Usage,
    /// `userId`, `model`, `visible` and whatever else the application put on its message.
    #[json(flatten)]
    pub extra: Extra,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum PromptState {
    Running,
    WaitingForApproval,
    Completed,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    Text {
        text: String,
    },
    Tool {
        call_id: String,
        tool_name: String,
        input: Json,
        result: ToolOutput,
    },
    /// A `file`, a `widget`, or a type that the application added.
    Side(SideOutput),
}

/// A tool's result stands in its place from the start; while a person is waited for it is pending.
#[derive(Debug, Clone, PartialEq, Write)]
#[json(tag = "type")]
pub enum ToolOutput {
    Success { output: Json },
    Error { error: Json },
    Pending { reason: String },
}

through_codec! { PromptState }
through_codec! { write PromptRecord, Output, ToolOutput }

impl Write for Output {
    fn write(&self, out: &mut String) {
        match self {
            Output::Text { text } => object(out, &[("type", &"text"), ("text", text)]),
            Output::Tool { call_id, tool_name, input, result } => {
                let fields: [(&str, &dyn Write); 5] = [
                    ("type", &"tool"),
                    ("call_id", call_id),
                    ("tool_name", tool_name),
                    ("input", input),
                    ("result", result),
                ];
                object(out, &fields);
            }
            Output::Side(side) => side.write(out),
        }
    }
}

impl Run {
    /// The whole record as prompts, oldest first.
    pub fn prompts(&self) -> Vec<PromptRecord> {
        let mut prompts: Vec<PromptRecord> = Vec::new();
        let mut calls: &[ToolCall] = &[];
        for message in self.messages() {
            if message.is_compaction || message.is_compaction_request {
                continue;
            }
            let prompt = match prompts.last_mut() {
                Some(last) if !begins_another(message, last) => last,
                _ => {
                    prompts.push(begin(message, prompts.len()));
                    let Some(last) = prompts.last_mut() else { continue };
                    last
                }
            };
            match message.sender {
                Sender::Agent => {
                    if let Some(usage) = &message.usage {
                        prompt.usage.add(usage);
                    }
                    if !message.text.is_empty() {
                        prompt.outputs.push(Output::Text { text: message.text.clone() });
                    }
                    calls = message.calls();
                }
                Sender::User => add_results(prompt, calls, message.results()),
            }
        }
        if let Some(last) = prompts.last_mut()
            && self.has_open_calls()
        {
            add_results(last, calls, &self.open_results());
        }
        if let (Some(last), Some(current)) = (prompts.last_mut(), self.request())
            && last.id == current
        {
            last.state = match self.phase() {
                PhaseName::Waiting => PromptState::WaitingForApproval,
                _ => PromptState::Running,
            };
        }
        prompts
    }
}

fn begins_another(message: &Message, last: &PromptRecord) -> bool {
    match &message.prompt_id {
        Some(id) => *id != last.id,
        None => message.is_from_person(),
    }
}

fn begin(message: &Message, index: usize) -> PromptRecord {
    let from_person = message.is_from_person();
    PromptRecord {
        id: message
            .prompt_id
            .clone()
            .or_else(|| message.id.clone())
            .unwrap_or_else(|| format!("prompt_{index}")),
        input: from_person.then(|| message.text.clone()),
        outputs: Vec::new(),
        state: PromptState::Completed,
        usage: Usage::default(),
        extra: if from_person { message.extra.clone() } else { Extra::default() },
    }
}

fn add_results(prompt: &mut PromptRecord, calls: &[ToolCall], results: &[ToolResult]) {
    for (call, result) in calls.iter().zip(results) {
        prompt.outputs.push(Output::Tool {
            call_id: call.id().to_owned(),
            tool_name: call.tool_name.clone(),
            input: call.input_args.clone(),
            result: tool_output(result),
        });
        for output in result.outputs.iter().flatten() {
            prompt.outputs.push(Output::Side(output.clone()));
        }
    }
}

fn tool_output(result: &ToolResult) -> ToolOutput {
    let ToolResult { result: data, .. } = result;
    match data.status {
        ToolStatus::Success => ToolOutput::Success { output: data.data.clone() },
        ToolStatus::Pending => ToolOutput::Pending { reason: data.message.clone().unwrap_or_default() },
        ToolStatus::Error | ToolStatus::Aborted if data.data.is_null() => {
            ToolOutput::Error { error: Json::string(data.message.as_deref().unwrap_or_default()) }
        }
        ToolStatus::Error | ToolStatus::Aborted => ToolOutput::Error { error: data.data.clone() },
    }
}

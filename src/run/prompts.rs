//! The prompt record: each request with its ordered outputs, as a projection of the messages. It is wider than what
//! a model sees: files, widgets and types of the application stand where their tool showed them.

use serde::Serialize;

use super::{PhaseName, Run};
use crate::json::Json;
use crate::message::{Extra, Message, Sender, SideOutput, ToolCall, ToolResult, ToolStatus, Usage};

/// One request and everything that came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prompt {
    pub id: String,
    /// What a person wrote; a prompt from a trigger or a schedule has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    pub outputs: Vec<Output>,
    pub state: PromptState,
    pub usage: Usage,
    /// `userId`, `model`, `visible` and whatever else the application put on its message.
    #[serde(flatten, serialize_with = "write_extra")]
    pub extra: Extra,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptState {
    Running,
    WaitingForApproval,
    Completed,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
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
    #[serde(untagged)]
    Side(SideOutput),
}

/// A tool's result stands in its place from the start; while a person is waited for it is pending.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolOutput {
    Success { output: Json },
    Error { error: Json },
    Pending { reason: String },
}

fn write_extra<S: serde::Serializer>(extra: &Extra, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(extra.0.iter().map(|(key, value)| (key, value)))
}

impl Run {
    /// The whole record as prompts, oldest first.
    pub fn prompts(&self) -> Vec<Prompt> {
        let mut prompts: Vec<Prompt> = Vec::new();
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

fn begins_another(message: &Message, last: &Prompt) -> bool {
    match &message.prompt_id {
        Some(id) => *id != last.id,
        None => message.is_from_person(),
    }
}

fn begin(message: &Message, index: usize) -> Prompt {
    let from_person = message.is_from_person();
    Prompt {
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

fn add_results(prompt: &mut Prompt, calls: &[ToolCall], results: &[ToolResult]) {
    for (call, result) in calls.iter().zip(results) {
        prompt.outputs.push(Output::Tool {
            call_id: call.id().to_owned(),
            tool_name: call.tool_name.clone(),
            input: call.input_args.clone(),
            result: tool_output(result),
        });
        prompt.outputs.extend(result.outputs.iter().flatten().cloned().map(Output::Side));
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

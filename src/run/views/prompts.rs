//! The prompt record: each request with its ordered outputs, as a projection of the messages. It is wider than what
//! a model sees: files, widgets and types of the application stand where their tool showed them. Each prompt holds its messages too, so
//! that all prompts are the whole record.

use std::sync::Arc;

use crate::json::Json;
#[cfg(feature = "typescript")]
use crate::json::codec::ts;
use crate::json::codec::{Read, Ts, Write, through_codec};
use crate::message::{Extra, Message, Sender, SideOutput, ToolCall, ToolResult, ToolStatus, Usage};
use crate::run::{PhaseName, Run};

/// One request and everything that came of it.
#[derive(Debug, Clone, PartialEq, Ts, Write)]
#[ts(open)]
pub struct PromptRecord {
    pub id: String,
    /// What a person wrote; a prompt that nobody wrote has none.
    pub input: Option<String>,
    /// Why a prompt without a person began.
    pub reason: Option<String>,
    /// Whether a person sees it; what it asks a person is seen in any case.
    pub visible: bool,
    pub outputs: Vec<Output>,
    pub state: PromptState,
    /// Of all its model calls: summaries, and agents that it called, included.
    pub usage: Usage,
    /// When it began, in milliseconds since 1970.
    pub at: Option<u64>,
    /// What the record has of it, word for word: those of all prompts, one after the other, are the record.
    pub messages: Vec<Message>,
    /// `userId` and whatever else the application put on its message.
    #[json(flatten)]
    pub extra: Extra,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum PromptState {
    Running,
    WaitingForApproval,
    Completed,
}

/// One thing that came of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    Text(TextOutput),
    Tool(ToolOutput),
    /// A `file`, a `widget`, or a type that the application added.
    Side(SideOutput),
}

/// What the model said.
#[derive(Debug, Clone, PartialEq, Ts, Write)]
#[ts(name = "PromptText")]
pub struct TextOutput {
    #[json(rename = "type")]
    #[ts(type = "\"text\"")]
    kind: &'static str,
    pub text: String,
    /// The answer was cut off here.
    #[json(skip_if_default)]
    pub partial: bool,
    /// When it was written, in milliseconds since 1970.
    pub at: Option<u64>,
}

/// A call of a tool, with its result in its place from the start.
#[derive(Debug, Clone, PartialEq, Ts, Write)]
#[ts(name = "PromptToolCall")]
pub struct ToolOutput {
    #[json(rename = "type")]
    #[ts(type = "\"tool\"")]
    kind: &'static str,
    pub call_id: String,
    pub tool_name: String,
    #[ts(type = "unknown")]
    pub input: Json,
    pub result: ToolEnd,
    /// When the model called it, in milliseconds since 1970.
    pub at: Option<u64>,
    /// How long the tool ran.
    pub duration_ms: Option<u64>,
}

/// While a person is waited for it is pending.
#[derive(Debug, Clone, PartialEq, Ts, Write)]
#[json(tag = "type")]
#[ts(inline)]
pub enum ToolEnd {
    Success { output: Json },
    Error { error: Json },
    Pending { reason: String },
}

through_codec! { PromptState }
through_codec! { write PromptRecord, Output, ToolOutput, TextOutput, ToolEnd }

impl Write for Output {
    fn write(&self, out: &mut String) {
        match self {
            Output::Text(text) => text.write(out),
            Output::Tool(tool) => tool.write(out),
            Output::Side(side) => side.write(out),
        }
    }
}

#[cfg(feature = "typescript")]
impl ts::Ts for Output {
    fn ts(_: bool) -> String {
        "PromptOutput".to_owned()
    }

    fn fields() -> Vec<ts::Field> {
        Vec::new()
    }

    fn declaration() -> String {
        let all = ["PromptText", "PromptToolCall", "SideOutput"].map(|name| ("", name.to_owned()));
        ts::alias(
            "One thing that came of a prompt. What is no text and no call was shown by a tool.",
            "PromptOutput",
            &all,
        )
    }
}

/// The calls of an answer, and when it was written.
type Called<'a> = (&'a [ToolCall], Option<u64>);

impl Run {
    /// The whole record as prompts, oldest first.
    pub fn prompts(&self) -> Vec<PromptRecord> {
        self.prompts_of(self.messages())
    }

    /// From the prompt with this id on, which costs what has come since; all where there is none.
    pub fn prompts_since(&self, id: &str) -> Vec<PromptRecord> {
        let messages = self.messages();
        let mut start = messages.len();
        for message in messages.iter().rev() {
            match &message.prompt_id {
                Some(prompt) if prompt == id => start -= 1,
                _ if messages.get(start).is_some_and(|next| next.prompt_id.as_deref() == Some(id)) => {
                    return self.prompts_of(messages.get(start..).unwrap_or_default());
                }
                _ => start -= 1,
            }
        }
        self.prompts_of(messages)
    }

    fn prompts_of(&self, messages: &[Arc<Message>]) -> Vec<PromptRecord> {
        let mut prompts: Vec<PromptRecord> = Vec::new();
        let mut called: Called<'_> = (&[], None);
        for message in messages {
            let sums_up = message.is_compaction || message.is_compaction_request;
            let prompt = match prompts.last_mut() {
                // It was written for the prompt in which it stands.
                Some(last) if sums_up || !begins_another(message, last) => last,
                _ => {
                    prompts.push(begin(message, prompts.len()));
                    let Some(last) = prompts.last_mut() else { continue };
                    last
                }
            };
            prompt.messages.push(Message::clone(message));
            if let Some(usage) = &message.usage {
                prompt.usage.add(usage);
            }
            match message.sender {
                _ if sums_up => {}
                Sender::Agent => {
                    if !message.text.is_empty() {
                        let (text, partial, at) = (message.text.clone(), message.partial, message.at);
                        prompt.outputs.push(Output::Text(TextOutput { kind: "text", text, partial, at }));
                    }
                    called = (message.calls(), message.at);
                }
                Sender::User if message.tool_results.is_some() => {
                    add_results(prompt, called, message.results());
                }
                Sender::User => hear(prompt, message),
            }
        }
        if let Some(last) = prompts.last_mut()
            && self.has_open_calls()
        {
            add_results(last, called, &self.open_results());
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

/// Fields of a prompt that a message has not.
const OWN: [&str; 6] = ["input", "messages", "outputs", "reason", "state", "visible"];

fn begins_another(message: &Message, last: &PromptRecord) -> bool {
    match &message.prompt_id {
        Some(id) => *id != last.id,
        None => message.begins_prompt(),
    }
}

fn begin(message: &Message, index: usize) -> PromptRecord {
    PromptRecord {
        id: message
            .prompt_id
            .clone()
            .or_else(|| message.id.clone())
            .unwrap_or_else(|| format!("prompt_{index}")),
        input: None,
        reason: None,
        visible: !message.hidden,
        outputs: Vec::new(),
        state: PromptState::Completed,
        usage: Usage::default(),
        at: message.at,
        messages: Vec::new(),
        extra: Extra::default(),
    }
}

/// What began it. News of the inbox may stand before.
fn hear(prompt: &mut PromptRecord, message: &Message) {
    if message.is_from_person() {
        prompt.input = Some(message.as_written().to_owned());
    } else if message.is_trigger() {
        prompt.reason.clone_from(&message.pre_modified_text);
    } else {
        return;
    }
    prompt.visible = !message.hidden;
    prompt.extra = message.extra.clone();
    // Its messages have what is called like a field of a prompt.
    prompt.extra.0.retain(|(key, _)| !OWN.contains(&key.as_str()));
}

fn add_results(prompt: &mut PromptRecord, (calls, at): Called<'_>, results: &[ToolResult]) {
    for (call, result) in calls.iter().zip(results) {
        // That of an agent which was called.
        if let Some(usage) = &result.result.usage {
            prompt.usage.add(usage);
        }
        prompt.outputs.push(Output::Tool(ToolOutput {
            kind: "tool",
            call_id: call.id().to_owned(),
            tool_name: call.tool_name.clone(),
            input: call.input_args.clone(),
            result: end_of(result),
            at,
            duration_ms: result.duration_ms,
        }));
        for output in result.outputs.iter().flatten() {
            prompt.outputs.push(Output::Side(output.clone()));
        }
    }
}

fn end_of(result: &ToolResult) -> ToolEnd {
    let ToolResult { result: data, .. } = result;
    match data.status {
        ToolStatus::Success => ToolEnd::Success { output: data.data.clone() },
        ToolStatus::Pending => ToolEnd::Pending { reason: data.message.clone().unwrap_or_default() },
        ToolStatus::Error | ToolStatus::Aborted if data.data.is_null() => {
            ToolEnd::Error { error: Json::string(data.message.as_deref().unwrap_or_default()) }
        }
        ToolStatus::Error | ToolStatus::Aborted => ToolEnd::Error { error: data.data.clone() },
    }
}

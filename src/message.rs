//! The message: the one record of a conversation, in the original's shape with optional fields added.
//! Fields that this version does not know are kept, so that a store written by others survives a round trip.

use crate::json::codec::{Done, Form, Read, ReadFields, Ts, Write, from_checked, read_fields, through_codec};
use crate::json::reader::{Broken, Reader};
use crate::json::{self, Json};

/// The `framework_context` of what begins a prompt without a person.
pub const TRIGGER: &str = "trigger";

/// On the message of a person: the JSON Schema of the answer that is wanted.
pub(crate) const ANSWER_SCHEMA: &str = "answer_schema";
const HOOK_ANSWER: &str = "hook_answer";
const STOPPED_ANSWER: &str = "stopped_answer";
/// The skills that a message takes up.
pub(crate) const SKILLS: &str = "skills";

/// Fields that this version does not know, in the order they came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extra(pub Vec<(String, Json)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum Sender {
    User,
    Agent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Read, Write)]
pub enum ToolStatus {
    #[default]
    Success,
    Error,
    Aborted,
    /// Waits for a person; only in projections, never in a stored message.
    Pending,
}

/// One message of the record. Fields that this version does not know are kept.
#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(mutable, open)]
pub struct Message {
    pub sender: Sender,
    pub id: Option<String>,
    #[json(null_as_default)]
    pub text: String,
    pub content: Option<Vec<ContentPart>>,
    pub tool_results: Option<Vec<ToolResult>>,
    pub tool_calls: Option<Vec<ToolCall>>,
    /// A summary of everything before it; the model reads from the last of these.
    #[json(null_as_default, skip_if_default)]
    pub is_compaction: bool,
    #[json(null_as_default, skip_if_default)]
    pub is_compaction_request: bool,
    #[json(null_as_default, skip_if_default)]
    pub is_skill_injection: bool,
    pub pre_modified_text: Option<String>,
    pub reasoning_content: Option<String>,
    /// Written by the framework for the model (`inbox`, `undo`, …), and not shown in a chat.
    pub framework_context: Option<String>,
    /// Calls that were taken back since the message before.
    #[json(skip_if_default)]
    pub undone: Vec<String>,
    /// The request that this message belongs to.
    pub prompt_id: Option<String>,
    /// The request that was being served when this message came into it, and that ends with this one's.
    pub joins: Option<String>,
    /// It belongs to a prompt that no person sees: models read it, and no screen shows it.
    #[json(null_as_default, skip_if_default)]
    pub hidden: bool,
    /// Text of an answer that was cut off: shown, but no finished answer.
    #[json(null_as_default, skip_if_default)]
    pub partial: bool,
    /// On an answer: it ends where the model may write no more, and not where it has said all.
    #[json(null_as_default, skip_if_default)]
    pub at_limit: bool,
    /// On a message of the user: the answer before it had broken off, so nobody has stopped it.
    #[json(null_as_default, skip_if_default)]
    pub broke_off: bool,
    /// On a summary: the earlier messages that stay word for word behind it.
    pub compaction_keeps: Option<KeptRange>,
    /// The messages before this one, counted backwards, whose place another answer takes.
    pub replaces: Option<usize>,
    /// On an answer or a summary: what the model call cost.
    pub usage: Option<Usage>,
    /// When it was written, in milliseconds since 1970.
    pub at: Option<u64>,
    /// On an answer: where it says that it comes from. Never sent to a model. Kept as it is, whatever an application stored here.
    #[ts(type = "Source[]")]
    pub sources: Option<Json>,
    #[json(flatten)]
    pub extra: Extra,
}

/// One of the `sources` of an answer.
#[derive(Debug, Clone, PartialEq, Default, Read, Ts, Write)]
pub struct Source {
    pub url: String,
    pub title: Option<String>,
}

impl ReadFields for Extra {
    fn form(&self) -> Form {
        Form::Keys(&[], 0)
    }

    fn set(&mut self, _: usize, _: &mut Reader<'_>) -> Done {
        Ok(())
    }

    fn unknown(&mut self) -> Option<&mut Vec<(String, Json)>> {
        Some(&mut self.0)
    }
}

impl Read for Extra {
    fn blank() -> Self {
        Extra::default()
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        self.0.clear();
        read_fields(self, from)
    }
}

/// A range of messages before a summary, counted backwards from it so that it survives export and import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub struct KeptRange {
    /// The range starts this many messages before the summary.
    pub back: usize,
    pub count: usize,
}

/// A part of a message that is more than plain text.
#[derive(Debug, Clone, PartialEq, Default, Read, Ts, Write)]
#[ts(mutable)]
pub struct ContentPart {
    /// Kinds that are not known are kept.
    #[json(rename = "type")]
    #[ts(type = "\"text\" | \"image\" | \"video\" | \"document\" | (string & {})")]
    pub kind: String,
    pub text: Option<String>,
    pub source: Option<ContentSource>,
    /// What the file was that this is, for the screen.
    #[ts(type = "{ readonly name: string; readonly type: string; readonly size: number }")]
    pub file: Option<Json>,
    #[json(flatten)]
    pub extra: Extra,
}

#[derive(Debug, Clone, PartialEq, Default, Read, Ts, Write)]
#[ts(inline, mutable)]
pub struct ContentSource {
    #[json(rename = "type")]
    #[ts(type = "\"base64\" | \"url\" | (string & {})")]
    pub kind: String,
    #[json(null_as_default)]
    pub media_type: String,
    pub data: Option<String>,
    pub url: Option<String>,
    #[json(flatten)]
    pub extra: Extra,
}

/// A call that a model asked for.
#[derive(Debug, Clone, PartialEq, Default, Read, Ts, Write)]
#[ts(mutable)]
pub struct ToolCall {
    #[json(null_as_default)]
    pub tool_name: String,
    /// The model's own text; a string holding that text when it was no JSON (`unparsed_args`).
    #[json(null_as_default)]
    pub input_args: Json,
    pub id: Option<String>,
    #[json(null_as_default, skip_if_default)]
    pub unparsed_args: bool,
    #[json(flatten)]
    pub extra: Extra,
}

/// The one result of a call.
#[derive(Debug, Clone, PartialEq, Default, Read, Ts, Write)]
#[ts(mutable)]
pub struct ToolResult {
    #[json(null_as_default)]
    pub tool_name: String,
    pub call_id: Option<String>,
    #[json(read_with = read_returned)]
    pub result: ToolResultData,
    pub duration_ms: Option<u64>,
    /// What the tool showed beside its result (files, widgets and types of the application).
    pub outputs: Option<Vec<SideOutput>>,
    /// The arguments that the tool got, where they are not those that the model sent. Never sent to a model.
    pub input: Option<Json>,
    /// What it left on the display. Never sent to a model.
    #[json(skip_if_default)]
    #[ts(type = "unknown[]")]
    pub slots: Vec<Slot>,
    #[json(flatten)]
    pub extra: Extra,
}

/// The result of a tool: `data` for the model, `renderData` for the screen.
#[derive(Debug, Clone, PartialEq, Default, Read, Ts, Write)]
#[json(rename_all = "camelCase")]
#[ts(mutable)]
pub struct ToolResultData {
    #[json(null_as_default)]
    pub data: Json,
    #[json(null_as_default)]
    #[ts(type = "\"success\" | \"error\" | \"aborted\"")]
    pub status: ToolStatus,
    pub message: Option<String>,
    /// Set where the result is not the tool's own.
    #[ts(type = "CallOutcome")]
    pub outcome: Option<String>,
    /// For the screen only; it never reaches a model or an endpoint.
    #[json(keep_null)]
    pub render_data: Option<Json>,
    pub summary: Option<String>,
    #[json(keep_null)]
    pub generate_summary_args: Option<Json>,
    /// What the tool used of models itself, as an agent does that is called as a tool. It counts into the budget of the request.
    pub usage: Option<Usage>,
    #[json(flatten)]
    pub extra: Extra,
}

/// Why a call has no result of its tool. A call that the user stopped has the status `aborted` instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Ts, Write)]
#[ts(open)]
pub enum CallOutcome {
    /// Nobody allowed it.
    Denied,
    /// A person turned it down.
    Rejected,
    /// The arguments do not match the tool's schema.
    Invalid,
    /// There is no such tool.
    UnknownTool,
    /// The tool threw, or a check before it did.
    Failed,
    /// The page or process ended in the middle of it.
    Interrupted,
    /// It was stopped after its time limit; whether it took effect is not known.
    TimedOut,
    /// A rule stopped all calls.
    NotRun,
}

/// One thing that is shown.
#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(name = "CoreSlot")]
pub struct Slot {
    pub id: String,
    /// Which renderer draws it.
    pub renderer: String,
    pub input: Json,
    /// The call that pushed it.
    pub owner: Option<String>,
    /// Somebody waits for an answer.
    #[json(default)]
    pub waits: bool,
    pub created_at: u64,
    #[json(default)]
    pub status: SlotStatus,
    /// What was answered, unless it is a secret.
    pub answer: Option<Json>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum SlotStatus {
    /// Waits for an answer, or shows something that needs none.
    #[default]
    Pending,
    /// Answered; kept until it is removed, for those who go on showing what was said.
    Resolved,
    /// Turned down.
    Rejected,
}

/// An output of a tool beside its result. A `file` reaches the model as its summary, a `widget` never; types
/// that an application adds do when they carry a summary.
#[derive(Debug, Clone, PartialEq, Default, Read, Ts, Write)]
#[ts(mutable)]
pub struct SideOutput {
    #[json(rename = "type")]
    pub kind: String,
    /// Of a widget: which renderer draws it.
    pub widget: Option<String>,
    /// What the model is told of it.
    pub summary: Option<String>,
    #[json(null_as_default)]
    #[ts(optional)]
    pub data: Json,
    /// What a person reads where no renderer draws it.
    pub fallback: Option<String>,
    /// When its call ended, in milliseconds since 1970.
    pub at: Option<u64>,
    #[json(flatten)]
    pub extra: Extra,
}

/// One task of the list that the model keeps.
#[derive(Debug, Clone, PartialEq, Default, Read, Ts, Write)]
#[json(rename_all = "camelCase")]
#[ts(mutable)]
pub struct Task {
    #[json(null_as_default)]
    pub id: String,
    pub content: String,
    #[json(null_as_default)]
    pub active_form: String,
    #[json(null_as_default)]
    #[ts(type = "TaskStatus")]
    pub status: String,
    #[json(flatten)]
    pub extra: Extra,
}

/// Something the agent waits for from outside (an email, a build), answered by another program.
#[derive(Debug, Clone, PartialEq, Default, Read, Ts, Write)]
#[ts(name = "WireInboxItem", input, open)]
pub struct InboxItem {
    pub id: String,
    #[json(null_as_default)]
    pub tag: String,
    #[json(null_as_default)]
    pub request: String,
    #[ts(type = "string | null")]
    pub response: Option<String>,
    #[json(null_as_default)]
    #[ts(required, type = "\"pending\" | \"resolved\" | \"consumed\" | (string & {})")]
    pub status: String,
    #[json(null_as_default, skip_if_default)]
    pub blocking: bool,
    #[ts(type = "string | number | null")]
    pub resolved_at: Option<String>,
    #[json(flatten)]
    pub extra: Extra,
}

/// The tokens that model calls used, and what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Read, Ts, Write)]
pub struct Usage {
    /// The whole prompt, cached parts included.
    #[json(default)]
    pub tokens_in: u64,
    #[json(default)]
    pub tokens_out: u64,
    #[json(rename = "cache_creation_input_tokens", skip_if_default)]
    pub cache_creation: u64,
    #[json(rename = "cache_read_input_tokens", skip_if_default)]
    pub cache_read: u64,
    #[json(rename = "reasoning_tokens", skip_if_default)]
    pub reasoning: u64,
    /// In US dollars, where the provider or a price list tells it.
    pub cost: Option<f64>,
}

through_codec! {
    Sender, ToolStatus, Message, Source, KeptRange, ContentPart, ContentSource, ToolCall, ToolResult, ToolResultData, SideOutput, Slot,
    SlotStatus, Task, InboxItem, Usage,
}

/// An amount of money that is the same again after it was written as JSON and read: not negative, finite, and in whole
/// billionths of a dollar. More than a million is a million.
pub(crate) fn dollars(amount: f64) -> Option<f64> {
    const BILLIONTHS: f64 = 1e9;
    const MOST: f64 = 1e6;
    (amount >= 0.0 && amount.is_finite()).then(|| (amount.min(MOST) * BILLIONTHS).round() / BILLIONTHS)
}

impl Usage {
    pub fn add(&mut self, other: &Usage) {
        self.tokens_in = self.tokens_in.saturating_add(other.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(other.tokens_out);
        self.cache_creation = self.cache_creation.saturating_add(other.cache_creation);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.cost = match (self.cost, other.cost) {
            (None, cost) | (cost, None) => cost,
            (Some(a), Some(b)) => dollars(a + b),
        };
    }
}

impl Message {
    pub fn new(sender: Sender, text: impl Into<String>) -> Self {
        Message::of(sender, text.into())
    }

    fn of(sender: Sender, text: String) -> Self {
        Message {
            sender,
            id: None,
            text,
            content: None,
            tool_results: None,
            tool_calls: None,
            is_compaction: false,
            is_compaction_request: false,
            is_skill_injection: false,
            pre_modified_text: None,
            reasoning_content: None,
            framework_context: None,
            undone: Vec::new(),
            prompt_id: None,
            joins: None,
            hidden: false,
            partial: false,
            at_limit: false,
            broke_off: false,
            compaction_keeps: None,
            replaces: None,
            usage: None,
            at: None,
            sources: None,
            extra: Extra::default(),
        }
    }

    pub fn user(text: impl Into<String>) -> Self {
        Message::new(Sender::User, text)
    }

    pub fn agent(text: impl Into<String>) -> Self {
        Message::new(Sender::Agent, text)
    }

    pub fn with_calls(mut self, calls: Vec<ToolCall>) -> Self {
        self.tool_calls = Some(calls);
        self
    }

    pub fn calls(&self) -> &[ToolCall] {
        self.tool_calls.as_deref().unwrap_or_default()
    }

    pub fn results(&self) -> &[ToolResult] {
        self.tool_results.as_deref().unwrap_or_default()
    }

    /// Written by a person: no results, no summary, nothing that the framework put in.
    pub fn is_from_person(&self) -> bool {
        self.sender == Sender::User
            && self.tool_results.is_none()
            && !self.is_compaction
            && !self.is_compaction_request
            && !self.is_skill_injection
            && self.framework_context.is_none()
    }
}

impl Message {
    /// Begins a prompt that nobody wrote; why is its text from before it was made a message for the model.
    pub fn is_trigger(&self) -> bool {
        self.framework_context.as_deref() == Some(TRIGGER)
    }

    /// What is answered next, whether a person wrote it or not.
    pub fn begins_prompt(&self) -> bool {
        self.is_from_person() || self.is_trigger()
    }

    /// As a person wrote it, before a hook made something else of it.
    pub fn as_written(&self) -> &str {
        self.pre_modified_text.as_deref().unwrap_or(&self.text)
    }

    /// No model answers it: a hook has done so. Until the message is heard.
    pub fn answer_by_hook(&mut self, answer: Option<String>) {
        self.put_answer(HOOK_ANSWER, answer);
    }

    /// No model answers it: a person has stopped that, who saw so much of the answer. Until the message is heard.
    pub fn stop_answer(&mut self, seen: Option<String>) {
        self.put_answer(STOPPED_ANSWER, seen);
    }

    fn put_answer(&mut self, name: &str, answer: Option<String>) {
        self.extra.0.retain(|(key, _)| key != name);
        if let Some(answer) = answer {
            self.extra.0.push((name.to_owned(), Json::string(&answer)));
        }
    }

    /// No model is asked for it.
    pub fn is_answered(&self) -> bool {
        self.extra.0.iter().any(|(key, _)| key == HOOK_ANSWER || key == STOPPED_ANSWER)
    }

    pub fn is_stopped(&self) -> bool {
        self.extra.0.iter().any(|(key, _)| key == STOPPED_ANSWER)
    }

    pub fn take_hook_answer(&mut self) -> Option<String> {
        self.take_answer(HOOK_ANSWER)
    }

    pub fn take_stopped_answer(&mut self) -> Option<String> {
        self.take_answer(STOPPED_ANSWER)
    }

    fn take_answer(&mut self, name: &str) -> Option<String> {
        let at = self.extra.0.iter().position(|(key, _)| key == name)?;
        let (_, answer) = self.extra.0.remove(at);
        answer.to_text()
    }

    /// The schema of the answer that this message wants, if not one in words.
    pub fn answer_schema(&self) -> Option<&Json> {
        self.extra.0.iter().find(|(key, _)| key == ANSWER_SCHEMA).map(|(_, schema)| schema)
    }
}

impl ToolCall {
    pub fn new(tool_name: impl Into<String>, input_args: Json) -> Self {
        ToolCall { tool_name: tool_name.into(), input_args, ..ToolCall::default() }
    }

    /// A call from the raw text that a model sent: an empty text is `{}`, a text that is no JSON is kept as a
    /// string and marked, so that the tool is answered with an error and never run.
    pub fn from_model(tool_name: impl Into<String>, id: Option<String>, raw_args: &str) -> Self {
        let mut call = ToolCall { id, ..ToolCall::new(tool_name, Json::null()) };
        call.set_args(raw_args);
        call
    }

    fn set_args(&mut self, raw_args: &str) {
        let text = raw_args.trim();
        let parsed = if text.is_empty() { Json::parse("{}") } else { Json::parse(text) };
        (self.input_args, self.unparsed_args) = match parsed {
            Ok(json) => (json, false),
            Err(_) => (Json::string(raw_args), true),
        };
    }

    /// Reads arguments that somebody left as the text that the model wrote. No tool takes a text in the place of
    /// its arguments, so one that holds a text again is none that could be read.
    pub(crate) fn read_args(&mut self) {
        if self.unparsed_args {
            return;
        }
        let Some(text) = self.input_args.to_text() else { return };
        let raw = std::mem::take(&mut self.input_args);
        self.set_args(&text);
        if self.input_args.to_text().is_some() {
            (self.input_args, self.unparsed_args) = (raw, true);
        }
    }

    pub fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }
}

impl ToolResultData {
    pub fn success(data: Json) -> Self {
        ToolResultData { data, ..ToolResultData::default() }
    }

    pub fn error(message: impl Into<String>) -> Self {
        ToolResultData::ended(ToolStatus::Error, None, message.into())
    }

    /// An error that is not the tool's own.
    pub fn unfinished(outcome: CallOutcome, message: impl Into<String>) -> Self {
        ToolResultData::ended(ToolStatus::Error, Some(outcome), message.into())
    }

    pub fn aborted(message: impl Into<String>) -> Self {
        ToolResultData::ended(ToolStatus::Aborted, None, message.into())
    }

    fn ended(status: ToolStatus, outcome: Option<CallOutcome>, message: String) -> Self {
        let (message, outcome) = (Some(message), outcome.map(|outcome| outcome.word().to_owned()));
        ToolResultData { status, message, outcome, ..ToolResultData::default() }
    }
}

/// Reads a result. Older versions stored what a tool returned as it was, and that is the data of one.
pub(crate) fn read_returned(result: &mut ToolResultData, from: &mut Reader<'_>) -> Done {
    let raw = from.raw()?;
    *result = match from_checked(raw) {
        Ok(read) if is_result(raw)? => read,
        _ => ToolResultData::success(json::checked(raw)?),
    };
    Ok(())
}

fn is_result(raw: &str) -> Result<bool, Broken> {
    let mut reader = Reader::new(raw);
    if reader.object()? {
        while let Some(key) = reader.key()? {
            if key == "status" || key == "data" {
                return Ok(true);
            }
            reader.skip()?;
        }
    }
    Ok(false)
}

impl ToolResult {
    /// Has no end yet, because a person is to decide something.
    pub fn is_asking(&self) -> bool {
        self.result.status == ToolStatus::Pending && self.result.message.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::codec::{from_text, to_text};

    #[test]
    fn unknown_fields_survive_a_round_trip_word_for_word() {
        let text = r#"{"sender":"agent","text":"t","tool_calls":[{"tool_name":"a","input_args":{"n":12345678901234567890123},"id":"c","sig":"x"}],"mood":{"b":1,"a":2.50}}"#;
        let message: Message = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
    }

    #[test]
    fn null_counts_as_missing_except_where_null_is_a_value() {
        let text = r#"{"data":null,"status":"success","message":null,"renderData":null}"#;
        let data: ToolResultData = serde_json::from_str(text).unwrap();
        assert_eq!((data.message, data.render_data), (None, Some(Json::null())));
    }

    #[test]
    fn a_message_without_a_sender_is_refused_by_name() {
        let error = serde_json::from_str::<Message>("{}").unwrap_err();
        assert!(error.to_string().contains("sender"), "{error}");
    }

    #[test]
    fn empty_arguments_are_an_empty_object_and_broken_ones_keep_their_text() {
        assert_eq!(ToolCall::from_model("t", None, " ").input_args.as_str(), "{}");
        let broken = ToolCall::from_model("t", None, r#"{"a":"#);
        assert_eq!(
            (broken.unparsed_args, broken.input_args.to_text().unwrap()),
            (true, r#"{"a":"#.to_owned())
        );
    }

    #[test]
    fn messages_that_older_versions_stored_are_read() {
        for stored in [
            r#"{"sender":"user","text":"q"}"#,
            r#"{"sender":"user","text":"q","id":null,"content":null,"tool_results":null,"tool_calls":null,"is_compaction":false}"#,
            r#"{"sender":"agent","text":"","tool_calls":[{"tool_name":"t","input_args":"","id":"c"},{"tool_name":"t","input_args":"{\"a\": "}]}"#,
            r#"{"sender":"agent","text":"a","reasoning_content":"hm","tool_calls":[]}"#,
            r#"{"sender":"user","text":"tool results","tool_results":[{"tool_name":"t","result":{"status":"aborted","message":"stopped","data":null},"duration_ms":12}]}"#,
            r#"{"sender":"user","text":"tool results","tool_results":[{"tool_name":"t","call_id":"c","result":{"status":"error","message":"TOOL_INPUT_INVALID","data":"Failed"}}]}"#,
            r#"{"sender":"user","text":"tool results","tool_results":[{"tool_name":"t","call_id":"c","result":{"status":"success","data":{"x":1},"renderData":{"y":2},"summary":"s","generateSummaryArgs":{}}}]}"#,
            r#"{"sender":"user","text":"[Conversation summary from compaction]\n\nS","is_compaction":true}"#,
            r#"{"sender":"user","text":"[Skill: n]\nx","is_skill_injection":true}"#,
            r#"{"sender":"user","text":"[invoked_extension__hook]","pre_modified_text":"/hook"}"#,
            r#"{"sender":"user","text":"[Inbox: 1 item(s) resolved]","framework_context":"inbox"}"#,
            r#"{"sender":"user","text":"[multimodal message]","content":[{"type":"text","text":"q"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},{"type":"video","source":{"type":"url","media_type":"video/mp4","url":"https://a.example/v"}}]}"#,
        ] {
            let read = from_text::<Message>(stored);
            assert!(read.is_ok(), "{stored}: {read:?}");
        }
        let item = r#"{"id":"i","tag":"mail","request":"r","response":null,"status":"pending","blocking":false,"created_at":"2026-01-01T00:00:00Z","resolved_at":null}"#;
        assert!(from_text::<InboxItem>(item).is_ok());
        assert!(
            from_text::<Task>(r#"{"id":"task_1_0","content":"c","activeForm":"a","status":"pending"}"#)
                .is_ok()
        );
    }

    #[test]
    fn an_aborted_result_tells_the_model_why() {
        let result =
            ToolResult { result: ToolResultData::aborted("stopped by the user"), ..ToolResult::default() };
        assert_eq!(result.text_for_model(), "Error: stopped by the user");
    }

    #[test]
    fn an_error_tells_the_model_its_data_where_there_is_any() {
        let table = [
            (r#"{"status":"error","message":"no","data":null}"#, "Error: no"),
            (r#"{"status":"error","message":"no"}"#, "Error: no"),
            (r#"{"status":"error","message":"no","data":""}"#, "Error: no"),
            (r#"{"status":"error","data":null}"#, "Error: Unknown error"),
            (r#"{"status":"error","message":"no","data":0}"#, "Error: no\n0"),
            (r#"{"status":"error","message":"no","data":"at 5"}"#, "Error: no\nat 5"),
            (r#"{"status":"success","data":null}"#, "null"),
        ];
        for (result, text) in table {
            let result = ToolResult { result: from_text(result).unwrap(), ..ToolResult::default() };
            assert_eq!(result.text_for_model(), text);
        }
    }

    #[test]
    fn a_result_that_older_versions_stored_as_the_tool_returned_it_is_read_as_its_data() {
        let table = [
            (r#""20 °C""#, r#""20 °C""#),
            ("5", "5"),
            ("false", "false"),
            ("[1,2]", "[1,2]"),
            (r#"{"temp":20}"#, r#"{"temp":20}"#),
            (r#"{"status":"shipped","id":7}"#, r#"{"status":"shipped","id":7}"#),
            (r#"{"status":200,"data":"x"}"#, r#"{"status":200,"data":"x"}"#),
            (r#"{"message":"done"}"#, r#"{"message":"done"}"#),
            ("{}", "{}"),
            ("null", "null"),
            (r#"{"status":"success","data":"x"}"#, r#""x""#),
            (r#"{"status":"success"}"#, "null"),
            (r#"{"data":"x"}"#, r#""x""#),
            (r#"{"status":"success","data":1,"more":2}"#, "1"),
        ];
        for (stored, data) in table {
            let text = format!(r#"{{"tool_name":"t","call_id":"c","result":{stored},"x":1}}"#);
            let result: ToolResult = from_text(&text).unwrap();
            assert_eq!(
                (result.result.data.as_str(), result.result.status),
                (data, ToolStatus::Success),
                "{stored}"
            );
            assert_eq!((result.call_id.as_deref(), result.extra.0.len()), (Some("c"), 1), "{stored}");
            // From then on it is stored in today's form.
            assert_eq!(from_text::<ToolResult>(&to_text(&result)).unwrap(), result);
        }
        let none: ToolResult = from_text(r#"{"tool_name":"t"}"#).unwrap();
        assert_eq!(none.result, ToolResultData::default());
        let deep = format!(r#"{{"tool_name":"t","result":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        assert!(from_text::<ToolResult>(&deep).is_err());
    }
}

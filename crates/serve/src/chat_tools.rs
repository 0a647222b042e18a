//! Tools of the endpoint: what pages are told of them, and which of their calls run.
//!
//! The page keeps the record and decides when a call runs, so a call comes as a request of its own: with the ticket that the model's answer gave it,
//! which holds for this call, these arguments and this caller alone. A ticket runs once, as long as this process or the buffer knows of
//! it: whoever asks with it again reads what that run told.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::answers::{AnswerKey, AnswerKind, Answers, last_event};
use super::failures::invalid;
use super::reply::{self, Reply};
use super::shared::{Caller, Shared};
use super::tool_call::{self, ToolCall};
use glove_wasm::endpoint::{Refusal, Tickets, is_same};
use glove_wasm::error::Error;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Write, object, to_text};
use glove_wasm::ports::{CallRef, Checked, Clock, Tool, ToolHost, Tools};
use glove_wasm::run::input::{ApprovalVerdict, PermissionVerdict, Validated};
use glove_wasm::system::SystemClock;
use glove_wasm::tool::{Gate, ToolDefinition, ToolSpec};
use glove_wasm_native::Traces;

/// The tools that one caller has.
pub(super) struct ChatTools<'a> {
    shared: &'a Shared,
    user: &'a str,
    tools: Tools,
}

/// A call as a page sends it.
#[derive(Deserialize)]
struct Posted<'a> {
    #[serde(borrow, rename = "toolCall")]
    call: PostedCall<'a>,
}

#[derive(Deserialize)]
struct PostedCall<'a> {
    #[serde(default)]
    id: String,
    name: String,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    ticket: String,
    /// The page knows that it has begun.
    #[serde(default)]
    again: bool,
    /// What a person was shown; without it, the arguments as the model wrote them.
    #[serde(borrow)]
    shown: Option<&'a RawValue>,
    /// The arguments are as the tool reads them.
    #[serde(default)]
    read: bool,
    /// Instead of running it.
    wants: Option<Wants>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Wants {
    Arguments,
    Permission,
    Approval,
    Stop,
}

/// Whether this body is a call, and no question to the model.
pub(super) fn is_call(body: &str) -> bool {
    body.starts_with("{\"toolCall\":")
}

pub(super) fn now() -> u64 {
    SystemClock.now()
}

impl<'a> ChatTools<'a> {
    /// `None` where the endpoint has none.
    pub(super) fn of(
        shared: &'a Shared,
        user: &'a str,
        headers: &[(String, String)],
    ) -> Result<Option<Self>, Refusal> {
        let Some(make) = &shared.chat_tools else { return Ok(None) };
        let (mut tools, traces) = (Tools::new(), Traces::of_caller(headers));
        for tool in make(user) {
            tools.register(traces.tool(tool)).map_err(|error| {
                let error = Error::Tool(error);
                let message = "The server has a tool that cannot be used.";
                Refusal { detail: error.to_string(), ..Refusal::new(500, "INTERNAL", message) }
            })?;
        }
        Ok(Some(ChatTools { shared, user, tools }))
    }

    fn each(&self) -> impl Iterator<Item = (ToolDefinition, ToolSpec)> {
        self.tools.definitions().into_iter().zip(self.tools.specs())
    }

    /// As pages add them to their own. Taking a call back is not theirs to ask.
    pub(super) fn listed(&self) -> String {
        let mut tools = Vec::new();
        for (definition, spec) in self.each() {
            let spec = ToolSpec { undo: false, retries: 0, on_interrupted: None, ..spec };
            let mut text = to_text(&spec);
            text.pop();
            if is_gated(&spec) && self.tools.get(&definition.name).is_some_and(Tool::reads) {
                text.push_str(",\"reads\":true");
            }
            text.push_str(&format!(
                ",\"description\":{},\"schema\":{}}}",
                to_text(&definition.description),
                definition.schema
            ));
            tools.push(text);
        }
        format!("{{\"tools\":[{}]}}", tools.join(","))
    }

    /// What the calls of an answer are signed with.
    pub(super) fn tickets(&self, now: u64) -> Tickets {
        Tickets {
            secret: self.shared.tool_secret.clone(),
            owner: self.user.to_owned(),
            tools: self.each().map(|(definition, _)| definition.name).collect(),
            now: now.to_string(),
            lasts: self.shared.limits.tool_ticket.as_millis() as f64,
        }
    }

    pub(super) async fn answer(
        &self,
        shared: &Arc<Shared>,
        answers: &Arc<Answers>,
        caller: &Caller,
        body: &str,
    ) -> Result<Reply, Refusal> {
        let Posted { call } = serde_json::from_str(body).map_err(|error| match error.is_data() {
            true => invalid("its `toolCall` is not one."),
            false => {
                let message = format!("The request body cannot be read: {error}");
                Refusal::new(400, "BODY_NOT_JSON", message)
            }
        })?;
        let Some((definition, spec)) =
            self.each().find(|(definition, _)| definition.name.eq_ignore_ascii_case(&call.name))
        else {
            let message = format!("This server has no tool called {} (any more).", call.name);
            return Err(Refusal::new(404, "TOOL_UNKNOWN", message));
        };
        let json_of = |given: Option<&RawValue>| {
            Json::parse(given.map_or("null", RawValue::get))
                .map_err(|error| invalid(&format!("the arguments of the call cannot be read: {error}")))
        };
        let input = json_of(call.input)?;
        let read = call.read.then(|| Validated { input: input.clone(), exact: true });
        let about = CallRef {
            call_id: "rule",
            tool_name: &definition.name,
            input: &input,
            validated: read.as_ref(),
            judged: None,
            attempt: 1,
            idempotency_key: "",
        };
        match call.wants {
            Some(Wants::Arguments) => return Ok(self.arguments(about)),
            Some(Wants::Permission) => return Ok(self.permission(about, spec.permission).await),
            Some(Wants::Approval) => return Ok(self.approval(about, spec.approval).await),
            Some(Wants::Stop) | None => {}
        }
        let is_stop = call.wants.is_some();
        let holds = |now| self.tickets(now).holds(&call.ticket, &call.id, &call.name, &input);
        if !holds(0) {
            let message = "The model of this server did not make this call, or it was made for somebody else; it did not run.";
            return Err(Refusal::new(403, "TOOL_CALL_UNKNOWN", message));
        }
        // What has begun may be read and stopped for longer.
        if !call.again && !is_stop && !holds(now()) {
            let message = "The model made this call too long ago; it did not run. Ask for it again.";
            return Err(Refusal::new(403, "TOOL_CALL_EXPIRED", message));
        }
        let key = AnswerKey::new(&format!("tool {}", call.ticket), self.user, "");
        if is_stop {
            answers.stop(&key, &tool_call::stopped()).await?;
            return Ok(reply::empty());
        }
        let meant = match is_gated(&spec) {
            true => Some(self.tools.arguments(CallRef { validated: None, ..about })),
            false => None,
        };
        // What means nothing now may mean something when it is read again, and nobody was shown that.
        let (meant, invalid) = match meant.transpose() {
            Ok(meant) => (meant, None),
            Err(issues) => (None, Some(issues)),
        };
        let is_shown = match &meant {
            Some(meant) => is_same(meant, &json_of(call.shown.or(call.input))?),
            None => true,
        };
        let validated = meant.map(|input| Validated { input, exact: true });
        // A caller can say that it knows of no beginning; nothing runs twice for that.
        let again = call.again || (!spec.idempotent && shared.started_calls.knows(&key.id));
        let (shared, tools, id) = (Arc::clone(shared), self.tools.clone(), call.id);
        let (name, key_id) = (definition.name, key.id.clone());
        let call = ToolCall { id, name, spec, input, invalid, validated, is_shown, key: key_id };
        let begin = move || -> glove_wasm::portable::BoxFuture<'static, _> {
            shared.started_calls.note(&call.key);
            Box::pin(std::future::ready(Ok(tool_call::begin(shared, tools, call))))
        };
        answers.answer(key, last_event(caller)?, again, AnswerKind::Tool, begin).await
    }

    fn arguments(&self, call: CallRef<'_>) -> Reply {
        let mut text = String::new();
        match self.tools.arguments(call) {
            Ok(input) => object(&mut text, &[("input", &input)]),
            Err(issues) => object(&mut text, &[("invalid", &issues)]),
        }
        reply::json(200, text)
    }

    async fn permission(&self, call: CallRef<'_>, gate: Gate) -> Reply {
        let Checked { verdict, .. } = self.tools.permission(call).await;
        verdict_of(&match (verdict, gate) {
            (PermissionVerdict::Unset, Gate::Never) => PermissionVerdict::NotNeeded,
            (verdict, _) => verdict,
        })
    }

    async fn approval(&self, call: CallRef<'_>, gate: Gate) -> Reply {
        let Checked { verdict, .. } = self.tools.approval(call).await;
        verdict_of(&match (verdict, gate) {
            (ApprovalVerdict::Needed { .. }, Gate::Never) => ApprovalVerdict::NotNeeded,
            (verdict, _) => verdict,
        })
    }
}

/// A person is asked about some of its calls, or all.
fn is_gated(spec: &ToolSpec) -> bool {
    spec.permission != Gate::Never || spec.approval != Gate::Never
}

fn verdict_of(verdict: &dyn Write) -> Reply {
    let mut text = String::new();
    object(&mut text, &[("verdict", verdict)]);
    reply::json(200, text)
}

//! Requests for approval and their decisions, as they stand in files.

use crate::error::{TaskError, TaskErrorKind};
use crate::layout;
use crate::time;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, Ts, Write, from_text, through_codec};
use glove_wasm::message::Extra;

/// `progress/approvals/requests/<id>.json`.
#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(open)]
pub struct ApprovalRequest {
    pub id: String,
    #[json(rename = "type")]
    pub kind: ApprovalKind,
    pub plan_path: Option<String>,
    pub tool_name: Option<String>,
    /// The channel of the memory, such as `org:acme`.
    pub channel: Option<String>,
    /// What is wanted of it.
    pub access: Option<MemoryAccess>,
    pub rationale: String,
    pub expires_at: String,
    /// The step that asks.
    pub step: Option<String>,
    /// The arguments of the call, or the entries for a channel, as they will be used.
    #[json(skip_if_default)]
    pub input: Json,
    /// The question of the step's run.
    pub question: Option<String>,
    /// The call that it is about, in that run.
    pub call_id: Option<String>,
    /// The call may have taken effect: nobody but a person may say that it runs again.
    #[json(skip_if_default)]
    pub interrupted: bool,
    #[json(flatten)]
    pub extra: Extra,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum ApprovalKind {
    Plan,
    Tool,
    Memory,
}

/// What a task wants of a channel of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum MemoryAccess {
    Read,
    Write,
}

/// `progress/approvals/decisions/<id>.json`.
#[derive(Debug, Clone, PartialEq, Read, Write)]
pub struct ApprovalDecision {
    #[json(default)]
    pub id: String,
    pub decision: Decision,
    #[json(default)]
    pub approved_by: String,
    #[json(default)]
    pub timestamp: String,
    /// For the model, where a call is denied.
    pub reason: Option<String>,
    #[json(skip_if_default)]
    pub said: Said,
    #[json(flatten)]
    pub extra: Extra,
}

/// What the client of a server says itself of a decision: a service that decides for people names them here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Read, Write)]
#[json(default)]
pub struct Said {
    #[json(skip_if_default)]
    pub approved_by: String,
    #[json(skip_if_default)]
    pub timestamp: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum Decision {
    Approved,
    Denied,
    Expired,
}

through_codec! { ApprovalRequest, ApprovalKind, MemoryAccess, ApprovalDecision, Decision, Said }

impl ApprovalRequest {
    /// A time that cannot be read is over, so that nothing waits for ever.
    pub fn is_expired(&self, now: u64) -> bool {
        time::from_text(&self.expires_at).is_none_or(|until| until <= now)
    }

    pub fn expires(&self) -> u64 {
        time::from_text(&self.expires_at).unwrap_or_default()
    }
}

impl ApprovalDecision {
    pub fn new(id: &str, decision: Decision, by: &str, now: u64) -> Self {
        ApprovalDecision {
            id: id.to_owned(),
            decision,
            approved_by: by.to_owned(),
            timestamp: time::to_text(now),
            reason: None,
            said: Said::default(),
            extra: Extra::default(),
        }
    }

    /// A decision that came over HTTP. The caller decides, as the server knows it; what the client says of itself is kept beside, and counts
    /// alone where the server knows nobody. The time is the server's: with another one, a request that has expired could still be decided.
    pub fn of_client(
        id: &str,
        decision: Decision,
        caller: &str,
        said: Said,
        now: u64,
    ) -> Result<Self, TaskError> {
        if !said.timestamp.is_empty() && time::from_text(&said.timestamp).is_none() {
            let message = "`timestamp` is no time like 2025-01-01T12:05:00Z";
            return Err(TaskError::new(TaskErrorKind::DecisionInvalid, message));
        }
        let by = match (caller, said.approved_by.as_str()) {
            ("", "") => "user",
            ("", said) => said,
            (caller, _) => caller,
        };
        let decided = ApprovalDecision::new(id, decision, by, now);
        Ok(ApprovalDecision { said, ..decided })
    }

    /// What the model reads where the call does not run.
    pub(crate) fn why_not(&self) -> Option<String> {
        match self.decision {
            Decision::Approved => None,
            Decision::Denied => self.reason.clone(),
            Decision::Expired => Some("nobody decided in time".to_owned()),
        }
    }

    /// The file of a decision. One whose id is another one's decides nothing.
    pub fn from_file(id: &str, text: &str) -> Result<Self, TaskError> {
        let refuse = |why: &str| {
            let path = layout::decision(id);
            let message = format!(
                "{path} is not a decision: {why}. It must be like {{\"id\":\"{id}\",\"decision\":\"approved\",\"approved_by\":\"you\"}}; the request still waits"
            );
            Err(TaskError::new(TaskErrorKind::DecisionInvalid, message))
        };
        match from_text::<ApprovalDecision>(text) {
            Ok(found) if found.id == id || found.id.is_empty() => {
                Ok(ApprovalDecision { id: id.to_owned(), ..found })
            }
            Ok(found) => refuse(&format!("it has the id of another request, `{}`", found.id)),
            Err(fault) => refuse(&fault.to_string()),
        }
    }
}

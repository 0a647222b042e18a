//! Questions of the run as slots of the display stack.

use std::sync::Arc;

use crate::display::DisplayError;
use crate::event::{Question, QuestionKind};
use crate::json::codec::{Write, object};
use crate::json::{self, Json};
use crate::ports::{Check, Show};
use crate::run::input::Answer;

/// The original's slot for a permission, and slots like it for the other questions.
pub(crate) fn show(question: &Question) -> Show {
    let renderer = match question.kind {
        QuestionKind::Permission => "permission_request",
        QuestionKind::Approval => "approval_request",
        QuestionKind::Interrupted => "interrupted_call",
        QuestionKind::Budget => "budget_reached",
    };
    let mut input: Vec<(&str, &dyn Write)> = vec![("renderer", &renderer)];
    if let Some(tool) = &question.tool_name {
        input.push(("toolName", tool));
    }
    if question.call_id.is_some() {
        input.push(("toolInput", &question.input));
    }
    if let Some(reason) = &question.reason {
        input.push(("reason", reason));
    }
    if let Some(judged) = &question.judged {
        input.push(("judged", judged));
    }
    let mut text = String::new();
    object(&mut text, &input);
    let kind = question.kind;
    let check: Check = Arc::new(move |value: &Json| match decision(kind, value) {
        Some(_) => Ok(()),
        None => Err("answer with true, false or (for a permission) \"once\"".to_owned()),
    });
    Show {
        renderer: renderer.to_owned(),
        input: json::written(text),
        owner: question.call_id.clone(),
        check: Some(check),
    }
}

fn decision(kind: QuestionKind, value: &Json) -> Option<Answer> {
    let remember = kind == QuestionKind::Permission;
    match value.as_str() {
        "true" => Some(Answer::Allow { remember }),
        "false" => Some(Answer::Deny { remember, reason: None }),
        "\"once\"" if remember => Some(Answer::Allow { remember: false }),
        _ => None,
    }
}

/// What was said to a question, as its answer; `None` when it was withdrawn and nobody needs an answer.
pub(crate) fn answer(kind: QuestionKind, result: Result<Json, DisplayError>) -> Option<Answer> {
    match result {
        Ok(value) => decision(kind, &value),
        Err(DisplayError::Rejected { reason }) => Some(Answer::Deny { remember: false, reason }),
        Err(DisplayError::Removed | DisplayError::Cleared) => {
            Some(Answer::Deny { remember: false, reason: None })
        }
        // A renderer that cannot show the question leaves it open; it can be answered through the session.
        Err(_) => None,
    }
}

//! What comes in, made fit to be kept: cut to size and free of numbers that JSON does not have, before it is
//! journaled, so that the journal holds what the run works with. Tidying what is sanitize changes nothing.

use super::input::{ApprovalVerdict, Input, Issue, PermissionVerdict, ToolOutcome};
use super::settings::Settings;
use super::texts;
use crate::json::Json;
use crate::message::{ToolResultData, ToolStatus, Usage, dollars};
use crate::tool::find;

/// A limit below this would leave no room for the notice.
const LEAST_BYTES: usize = 200;
/// In bytes; providers take names of 64 or 128.
const LONGEST_NAME: usize = 200;
/// More than these would not help a model to do better.
const MOST_ISSUES: usize = 100;

pub(super) fn sanitize(mut input: Input, settings: &Settings) -> Input {
    let limit = settings.limits.result_bytes.max(LEAST_BYTES);
    match &mut input {
        Input::ModelFinished { reply, .. } | Input::Compacted { reply, .. } => {
            tidy_usage(&mut reply.usage);
            for message in &mut reply.messages {
                if let Some(usage) = &mut message.usage {
                    tidy_usage(usage);
                }
                for call in message.tool_calls.iter_mut().flatten() {
                    call.read_args();
                    tidy_name(&mut call.tool_name, settings);
                }
            }
        }
        Input::Request(request) => {
            if let Some(usage) = &mut request.message.usage {
                tidy_usage(usage);
            }
        }
        Input::Configured { settings } => **settings = std::mem::take(&mut **settings).complete(),
        Input::ToolFinished { outcome, .. } => match outcome {
            ToolOutcome::Returned { result, outputs } | ToolOutcome::Summing { result, outputs } => {
                tidy_result(result, limit);
                outputs.iter_mut().for_each(|output| tidy_text(output.summary.as_mut(), limit));
            }
            ToolOutcome::Invalid(issues) => tidy_issues(issues, limit),
            ToolOutcome::Changed | ToolOutcome::TimedOut => {}
            ToolOutcome::Threw(error) => tidy_text(Some(error), limit),
            ToolOutcome::Summed(text) | ToolOutcome::Rejected(text) => tidy_text(text.as_mut(), limit),
        },
        Input::PermissionChecked { verdict: PermissionVerdict::Failed(why), .. }
        | Input::ApprovalChecked { verdict: ApprovalVerdict::Failed(why), .. } => {
            tidy_text(Some(why), limit);
        }
        Input::PermissionChecked { verdict: PermissionVerdict::Invalid(issues), .. }
        | Input::ApprovalChecked { verdict: ApprovalVerdict::Invalid(issues), .. } => {
            tidy_issues(issues, limit);
        }
        Input::UndoFinished { error, .. } => tidy_text(error.as_mut(), limit),
        Input::ModelFailed { .. }
        | Input::ModelPartial { .. }
        | Input::PermissionChecked { .. }
        | Input::ApprovalChecked { .. }
        | Input::Validated { .. }
        | Input::Answered { .. }
        | Input::SlotPushed { .. }
        | Input::SlotSettled { .. }
        | Input::SlotsRemoved { .. }
        | Input::StepBegun { .. }
        | Input::StepDone { .. }
        | Input::UntrackedWork { .. }
        | Input::ReplayDiverged { .. }
        | Input::QueuedCancelled { .. }
        | Input::Undo { .. }
        | Input::Switch { .. }
        | Input::TimerFired { .. }
        | Input::StoreFailed { .. }
        | Input::Recovered
        | Input::Resumed
        | Input::Aborted { .. } => {}
    }
    input
}

/// A name that is no tool's is only ever shown, stored and told back to the model.
fn tidy_name(name: &mut String, settings: &Settings) {
    if name.len() > LONGEST_NAME && find(&settings.tools, name).is_none() {
        name.truncate(name.floor_char_boundary(LONGEST_NAME - "…".len()));
        name.push('…');
    }
}

fn tidy_usage(usage: &mut Usage) {
    usage.cost = usage.cost.and_then(dollars);
}

fn tidy_result(result: &mut ToolResultData, limit: usize) {
    // A text is never longer than its JSON, so most need no look inside.
    if result.data.as_str().len() > limit {
        let text = result.data.to_text().unwrap_or_else(|| result.data.to_string());
        if let Some(cut) = cut(&text, limit) {
            result.data = Json::string(&cut);
        }
    }
    tidy_text(result.message.as_mut(), limit);
    tidy_text(result.summary.as_mut(), limit);
    // Waiting is told by the run alone.
    if result.status == ToolStatus::Pending {
        result.status = ToolStatus::Success;
    }
}

fn tidy_issues(issues: &mut Vec<Issue>, limit: usize) {
    issues.truncate(MOST_ISSUES);
    issues
        .iter_mut()
        .for_each(|issue| tidy_text(Some(&mut issue.message), limit / MOST_ISSUES + LEAST_BYTES));
}

fn tidy_text(text: Option<&mut String>, limit: usize) {
    if let Some(text) = text
        && let Some(cut) = cut(text, limit)
    {
        *text = cut;
    }
}

/// The front of a text that is too long, with a notice, together within the limit; `None` when it is not.
fn cut(text: &str, limit: usize) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let room = limit.saturating_sub(texts::cut_notice(text.len(), text.len()).len());
    let kept = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
    Some(format!("{kept}{}", texts::cut_notice(kept.len(), text.len())))
}

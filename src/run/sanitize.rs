//! What comes in, made fit to be kept: cut to size (`cut.rs`) and free of numbers that JSON does not have, before it is journaled, so
//! that the journal holds what the run works with. What is fit already stays as it is.

use super::cut;
use super::input::{ApprovalVerdict, Input, PermissionVerdict, ToolOutcome};
use super::settings::Settings;
use crate::message::{ToolResultData, ToolStatus, Usage, dollars};

pub(super) fn sanitize(mut input: Input, settings: &Settings) -> Input {
    let limit = cut::limit(settings);
    match &mut input {
        Input::ModelFinished { reply, .. } | Input::Compacted { reply, .. } => {
            tidy_usage(&mut reply.usage);
            for message in &mut reply.messages {
                if let Some(usage) = &mut message.usage {
                    tidy_usage(usage);
                }
                for call in message.tool_calls.iter_mut().flatten() {
                    call.read_args();
                    cut::name(&mut call.tool_name, settings);
                }
            }
        }
        Input::Request(request) => {
            if let Some(usage) = &mut request.message.usage {
                tidy_usage(usage);
            }
        }
        Input::Configured { settings, .. } => **settings = std::mem::take(&mut **settings).complete(),
        Input::ToolFinished { outcome, .. } => match outcome {
            ToolOutcome::Returned { result, outputs } | ToolOutcome::Summing { result, outputs } => {
                tidy_result(result, limit);
                outputs.iter_mut().for_each(|output| cut::text(output.summary.as_mut(), limit));
            }
            ToolOutcome::Invalid(issues) => cut::issues(issues, limit),
            ToolOutcome::Changed | ToolOutcome::TimedOut => {}
            ToolOutcome::Threw(error) => cut::text(Some(error), limit),
            ToolOutcome::Summed(text) | ToolOutcome::Rejected(text) => cut::text(text.as_mut(), limit),
        },
        Input::PermissionChecked { verdict: PermissionVerdict::Failed(why), .. }
        | Input::ApprovalChecked { verdict: ApprovalVerdict::Failed(why), .. } => {
            cut::text(Some(why), limit);
        }
        Input::PermissionChecked { verdict: PermissionVerdict::Invalid(issues), .. }
        | Input::ApprovalChecked { verdict: ApprovalVerdict::Invalid(issues), .. } => {
            cut::issues(issues, limit);
        }
        Input::UndoFinished { error, .. } => cut::text(error.as_mut(), limit),
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
        | Input::PluginsChanged { .. }
        | Input::Recovered
        | Input::Resumed
        | Input::Aborted { .. } => {}
    }
    input
}

fn tidy_usage(usage: &mut Usage) {
    usage.cost = usage.cost.and_then(dollars);
}

fn tidy_result(result: &mut ToolResultData, limit: usize) {
    cut::data(&mut result.data, limit);
    cut::text(result.message.as_mut(), limit);
    cut::text(result.summary.as_mut(), limit);
    // Waiting is told by the run alone.
    if result.status == ToolStatus::Pending {
        result.status = ToolStatus::Success;
    }
}

//! What comes in, made fit to be kept: cut to size (`truncate.rs`) and free of numbers that JSON does not have, before it is journaled, so
//! that the journal holds what the run works with. What is fit already stays as it is.

use super::input::{ApprovalVerdict, Input, PermissionVerdict, ToolOutcome};
use super::settings::Settings;
use super::truncate;
use crate::message::{ToolResultData, ToolStatus, Usage, dollars};

pub(super) fn sanitize(mut input: Input, settings: &Settings) -> Input {
    let limit = truncate::limit(settings);
    match &mut input {
        Input::ModelFinished { reply, .. } | Input::Compacted { reply, .. } => {
            tidy_usage(&mut reply.usage);
            for message in &mut reply.messages {
                if let Some(usage) = &mut message.usage {
                    tidy_usage(usage);
                }
                for call in message.tool_calls.iter_mut().flatten() {
                    call.read_args();
                    truncate::name(&mut call.tool_name, settings);
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
                outputs.iter_mut().for_each(|output| truncate::text(output.summary.as_mut(), limit));
            }
            ToolOutcome::Invalid(issues) => truncate::issues(issues, limit),
            ToolOutcome::Changed | ToolOutcome::TimedOut => {}
            ToolOutcome::Threw(error) => truncate::text(Some(error), limit),
            ToolOutcome::Summed(text) | ToolOutcome::Rejected(text) => truncate::text(text.as_mut(), limit),
        },
        Input::PermissionChecked { verdict: PermissionVerdict::Failed(why), .. }
        | Input::ApprovalChecked { verdict: ApprovalVerdict::Failed(why), .. } => {
            truncate::text(Some(why), limit);
        }
        Input::PermissionChecked { verdict: PermissionVerdict::Invalid(issues), .. }
        | Input::ApprovalChecked { verdict: ApprovalVerdict::Invalid(issues), .. } => {
            truncate::issues(issues, limit);
        }
        Input::UndoFinished { error, .. } => truncate::text(error.as_mut(), limit),
        Input::ModelFailed { .. }
        | Input::ModelPartial { .. }
        | Input::PermissionChecked { .. }
        | Input::ApprovalChecked { .. }
        | Input::Validated { .. }
        | Input::Judged { .. }
        | Input::Answered { .. }
        | Input::SlotPushed { .. }
        | Input::SlotSettled { .. }
        | Input::SlotsRemoved { .. }
        | Input::StepBegun { .. }
        | Input::StepDone { .. }
        | Input::UntrackedWork { .. }
        | Input::ReplayDiverged { .. }
        | Input::QueuedCancelled { .. }
        | Input::QueuedMoved { .. }
        | Input::Undo { .. }
        | Input::Switch { .. }
        | Input::TimerFired { .. }
        | Input::StoreFailed { .. }
        | Input::PluginsChanged { .. }
        | Input::ContextSet { .. }
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
    truncate::data(&mut result.data, limit);
    truncate::text(result.message.as_mut(), limit);
    truncate::text(result.summary.as_mut(), limit);
    // Waiting is told by the run alone.
    if result.status == ToolStatus::Pending {
        result.status = ToolStatus::Success;
    }
}

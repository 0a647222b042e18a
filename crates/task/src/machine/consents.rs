//! Asking whether a channel of the memory may be read, and whether what was learned may be written there.

use crate::approval::{ApprovalDecision, ApprovalKind, ApprovalRequest, Decision, MemoryAccess};
use crate::machine::Task;
use crate::report::StepStatus;
use crate::state::Consent;
use crate::text::{first_line, sha256};
use glove_wasm::json::Json;

/// What a task wants of a channel that needs consent.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryWish {
    /// The name of the channel, such as `org:acme`.
    pub channel: String,
    pub access: MemoryAccess,
    /// The entries that would be written, word for word.
    pub entries: Json,
}

impl Consent {
    /// What was decided about this, if it was.
    pub(crate) fn of<'a>(
        consents: &'a [Consent],
        channel: &str,
        access: MemoryAccess,
        entries: &Json,
    ) -> Option<&'a Consent> {
        let hash = hash_of(entries);
        consents
            .iter()
            .rfind(|known| known.channel == channel && known.access == access && known.entries_sha256 == hash)
    }
}

/// Of what is to be written; a channel is read whatever is in it.
fn hash_of(entries: &Json) -> String {
    if entries.is_null() { String::new() } else { sha256(entries.canonical().as_bytes()) }
}

impl Task {
    /// Asks for what nobody has decided yet; true where there was something to ask.
    pub(super) fn ask_for_memory(&mut self, now: u64, wishes: &[MemoryWish], access: MemoryAccess) -> bool {
        let mut asked = false;
        for wish in wishes.iter().filter(|wish| wish.access == access) {
            let MemoryWish { channel, entries, .. } = wish;
            let open = self.state.pending.iter().any(|open| {
                open.channel.as_ref() == Some(channel)
                    && open.access == Some(access)
                    && open.input.canonical() == entries.canonical()
            });
            if open || Consent::of(&self.state.consents, channel, access, entries).is_some() {
                continue;
            }
            let goal = first_line(&self.state.spec.goal, 200);
            let rationale = match access {
                MemoryAccess::Read => format!("Read the memory {channel} in all steps of: {goal}"),
                MemoryAccess::Write => {
                    format!("Write what was learned into the memory {channel}, from: {goal}")
                }
            };
            let mut request = self.request(now, ApprovalKind::Memory, rationale);
            request.channel = Some(channel.clone());
            request.access = Some(access);
            request.input = entries.clone();
            self.ask(now, &request);
            asked = true;
        }
        asked
    }

    /// The loop has nothing left to do, and what it did came to something.
    pub(super) fn has_learned(&self) -> bool {
        self.state.only_verify.is_none()
            && (self.state.verdict.is_some()
                || self.state.steps.last().is_some_and(|step| step.status != StepStatus::Failed))
    }

    /// One that expired is asked again when the task is resumed.
    pub(super) fn consented(&mut self, request: &ApprovalRequest, decision: &ApprovalDecision) {
        let (Some(channel), Some(access)) = (&request.channel, request.access) else { return };
        if decision.decision == Decision::Expired {
            return;
        }
        let allowed = decision.decision == Decision::Approved;
        self.state.consents.push(Consent {
            channel: channel.clone(),
            access,
            allowed,
            entries_sha256: hash_of(&request.input),
        });
        if !allowed {
            let word = if access == MemoryAccess::Read { "read" } else { "written" };
            let by = first_line(&decision.approved_by, 100);
            self.warn(format!("the memory {channel} was not {word}: \"{by}\" did not allow it"));
        }
    }
}

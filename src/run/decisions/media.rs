//! Media that were too large to send, or that a provider refused: from then on the model reads a note in their place. The record
//! keeps them.

use std::sync::Arc;

use crate::json::Json;
use crate::message::{ContentPart, Message};
use crate::result_parts::told;
use crate::run::branches::next;
use crate::run::state::Phase;
use crate::run::{Run, texts};

impl Run {
    /// Leaves out the media of the request that was refused for them. Whether it had any.
    pub(in crate::run) fn leave_media_out(&mut self, refused: bool) -> bool {
        let is_it = |part: &ContentPart| if refused { part.source.is_some() } else { is_heavy(part) };
        let had_any = self.model_request().iter().any(|message| {
            message.content.iter().flatten().any(is_it)
                || message.results().iter().any(|result| result.parts().iter().flatten().any(is_it))
        });
        if had_any {
            // A summary is not sent the turn that stays word for word.
            let kept = match self.state.phase {
                Phase::Compacting { keep, .. } if keep.count == keep.back => keep.back,
                _ => 0,
            };
            let from = self.messages.len().saturating_sub(kept);
            match refused {
                true => self.state.media_refused = from,
                false => self.state.media_from = from,
            }
            self.note_media();
        }
        had_any
    }

    pub(in crate::run) fn note_media(&mut self) {
        self.without_media.clear();
        let (large, refused) = (self.state.media_from, self.state.media_refused);
        // What was on another branch was not in the request that was refused.
        let was_sent = |from: usize| {
            let gaps = self.branches.gaps_before(from);
            move |at: usize| at < from && next(&gaps, at) == at
        };
        let (was_large, was_refused) = (was_sent(large), was_sent(refused));
        for (at, message) in self.messages.iter().enumerate().take(large.max(refused)) {
            let (is_large, is_refused) = (was_large(at), was_refused(at));
            let note = |part: &ContentPart| match part.source {
                Some(_) if is_refused => Some(texts::refused(&part.kind)),
                _ if is_large && is_heavy(part) => Some(texts::left_out(&part.kind)),
                _ => None,
            };
            let is_noted = |part: &ContentPart| note(part).is_some();
            let in_results =
                message.results().iter().any(|result| result.parts().iter().flatten().any(is_noted));
            if !in_results && !message.content.iter().flatten().any(is_noted) {
                continue;
            }
            let mut message = Message::clone(message);
            for result in message.tool_results.iter_mut().flatten() {
                let parts = result.parts().unwrap_or_default();
                if parts.iter().any(is_noted) {
                    let text = told(&parts, |part| note(part).unwrap_or_else(|| part.note()));
                    result.result.data = Json::string(&text);
                    result.outputs = None;
                }
            }
            for part in message.content.iter_mut().flatten() {
                if let Some(text) = note(part) {
                    *part =
                        ContentPart { kind: "text".to_owned(), text: Some(text), ..ContentPart::default() };
                }
            }
            self.without_media.push((at, Arc::new(message)));
        }
    }
}

/// Sent with all its bytes; an address weighs nothing.
fn is_heavy(part: &ContentPart) -> bool {
    part.source.as_ref().is_some_and(|source| source.data.is_some())
}

//! Media that were too large to send: from then on the model reads a note in their place. The record keeps them.

use super::state::Phase;
use super::{Run, texts};
use crate::message::ContentPart;

impl Run {
    /// Leaves out the media of the request that was refused for its size. Whether it had any.
    pub(super) fn leave_media_out(&mut self) -> bool {
        let had_any =
            self.model_request().iter().any(|message| message.content.iter().flatten().any(is_media));
        if had_any {
            // A summary is not sent the turn that stays word for word.
            let kept = match self.state.phase {
                Phase::Compacting { keep, .. } if keep.count == keep.back => keep.back,
                _ => 0,
            };
            self.state.media_from = self.messages.len().saturating_sub(kept);
            self.note_media();
        }
        had_any
    }

    pub(super) fn note_media(&mut self) {
        self.without_media.clear();
        for (at, message) in self.messages.iter().enumerate().take(self.state.media_from) {
            if !message.content.iter().flatten().any(is_media) {
                continue;
            }
            let mut message = message.clone();
            for part in message.content.iter_mut().flatten().filter(|part| is_media(part)) {
                let text = Some(texts::left_out(&part.kind));
                *part = ContentPart { kind: "text".to_owned(), text, ..ContentPart::default() };
            }
            self.without_media.push((at, message));
        }
    }
}

/// Sent with all its bytes; an address weighs nothing.
fn is_media(part: &ContentPart) -> bool {
    part.source.as_ref().is_some_and(|source| source.data.is_some())
}

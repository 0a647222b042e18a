//! What a model learns from refusals: the same request is made again without the one parameter that was named, and the next ones are
//! made without it from the start.

use std::sync::{Mutex, PoisonError};

use crate::error::ModelError;
use crate::portable::SPEAKS_TO_PROVIDERS;
use crate::ports::{Delta, DeltaSink};
use crate::providers::Format;
use crate::providers::adjusted_body::{Change, changed};
use crate::providers::rejected_parameter::{along, change};

/// More changes to one request than this, and something else is wrong.
const MOST: usize = 6;

/// What holds for all requests to a model.
#[derive(Debug, Default)]
pub struct Learned(Mutex<Vec<Change>>);

impl Learned {
    /// The provider takes no answer as a text in the form of a schema.
    pub(super) fn answers_by_tool(&self) -> bool {
        self.known().contains(&Change::AnswerByTool)
    }

    fn known(&self) -> Vec<Change> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The changes to one request.
pub(super) struct AppliedChanges {
    all: Vec<Change>,
    /// What this request has added, and what was said of it.
    fresh: Vec<(Change, String)>,
}

impl AppliedChanges {
    pub(super) fn of(learned: &Learned) -> Self {
        AppliedChanges { all: learned.known(), fresh: Vec::new() }
    }

    pub(super) fn applied(&self, body: String) -> String {
        if SPEAKS_TO_PROVIDERS { changed(body, &self.all) } else { body }
    }

    pub(super) fn streams(&self) -> bool {
        !self.all.contains(&Change::Without("stream"))
    }

    /// Whether there is something to change: each once. `error` tells no key.
    pub(super) fn learn(&mut self, format: Format, body: &str, error: &ModelError, refusal: &str) -> bool {
        if !SPEAKS_TO_PROVIDERS || format == Format::Endpoint || self.fresh.len() >= MOST {
            return false;
        }
        let Some(mut change) = change(format, body, error, refusal) else { return false };
        // Neither name was taken.
        if let Change::Renamed(from, to) = change
            && self.all.contains(&Change::Renamed(to, from))
        {
            change = Change::Without(from);
        }
        if self.all.contains(&change) {
            return false;
        }
        let along = along(&change, body).filter(|along| !self.all.contains(along));
        for change in std::iter::once(change).chain(along) {
            self.all.push(change.clone());
            self.fresh.push((change, error.message.clone()));
        }
        true
    }

    /// Ask for the answer through a tool from now on. An error about one schema is not remembered for other schemas.
    pub(super) fn answer_by_tool(&mut self, lasting: bool, error: &ModelError) {
        if lasting {
            self.all.push(Change::AnswerByTool);
            self.fresh.push((Change::AnswerByTool, error.message.clone()));
        }
    }

    /// The request was taken: it is known from now on, and told.
    pub(super) fn keep(&mut self, learned: &Learned, deltas: &DeltaSink) {
        if !SPEAKS_TO_PROVIDERS {
            return;
        }
        for (change, refusal) in self.fresh.drain(..) {
            let (code, message) = change.notice(&refusal);
            deltas.send(Delta::Notice { code, message: &message });
            if !change.is_lasting() {
                continue;
            }
            let mut known = learned.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !known.contains(&change) {
                known.push(change);
            }
        }
    }
}

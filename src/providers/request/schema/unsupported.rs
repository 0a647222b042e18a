//! What of a schema could not be said in a provider's form.

/// Why a provider is told a schema only in words, or in part.
#[derive(Default)]
pub(super) struct Unsupported {
    pub(super) keywords: Vec<String>,
    pub(super) refers_to_itself: bool,
    pub(super) is_too_large: bool,
}

impl Unsupported {
    pub(super) fn word(&mut self, word: &str) {
        let word = format!("`{word}`");
        if !self.keywords.contains(&word) {
            self.keywords.push(word);
        }
    }

    pub(super) fn reasons(&self) -> Option<String> {
        let mut reasons = Vec::new();
        if !self.keywords.is_empty() {
            reasons.push(format!("uses {}, which this provider does not support", self.keywords.join(", ")));
        }
        if self.refers_to_itself {
            reasons.push("refers to itself, which this provider does not support".to_owned());
        }
        if self.is_too_large {
            reasons.push("is larger than this provider allows".to_owned());
        }
        (!reasons.is_empty()).then(|| reasons.join("; it "))
    }
}

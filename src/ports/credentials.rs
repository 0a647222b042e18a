//! What one call of a tool may prove itself with, and nobody else may read.

use std::fmt;
use std::sync::Arc;

/// Secrets by their names, for one call. Neither `Debug` nor anything that is stored shows them.
#[derive(Clone, Default)]
pub struct Credentials(Arc<Vec<(String, String)>>);

impl Credentials {
    pub fn new<N: Into<String>, V: Into<String>>(all: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut own = Vec::new();
        for (name, value) in all {
            own.push((name.into(), value.into()));
        }
        Credentials(Arc::new(own))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn all(&self) -> &[(String, String)] {
        &self.0
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

//! What was in files before calls changed them: in memory, up to a limit, for their undo.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Bytes of all of it together; what was kept first goes first.
const MOST: usize = 64_000_000;

#[derive(Default)]
pub(super) struct UndoBuffer {
    entries: VecDeque<Entry>,
    size: usize,
}

struct Entry {
    key: String,
    path: PathBuf,
    before: Option<Vec<u8>>,
}

impl Entry {
    fn size(&self) -> usize {
        self.key.len() + self.before.as_ref().map_or(0, Vec::len)
    }
}

impl UndoBuffer {
    pub(super) fn keep(&mut self, key: String, path: &Path, before: Option<Vec<u8>>) {
        self.remove(&key);
        let entry = Entry { key, path: path.to_owned(), before };
        self.size += entry.size();
        self.entries.push_back(entry);
        while self.size > MOST {
            let Some(entry) = self.entries.pop_front() else { break };
            self.size -= entry.size();
        }
    }

    /// As this file was before its last change.
    pub(super) fn last(&self, path: &Path) -> Option<Option<Vec<u8>>> {
        self.entries.iter().rev().find(|entry| entry.path == path).map(|entry| entry.before.clone())
    }

    /// The files that were changed, each as it was before the first change that is known.
    pub(super) fn first(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let mut first: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
        for Entry { path, before, .. } in &self.entries {
            if first.iter().all(|(known, _)| known != path) {
                first.push((path.clone(), before.clone()));
            }
        }
        first
    }

    /// `None` where it is not known, `Some(None)` where there was no file.
    pub(super) fn get(&self, key: &str) -> Option<Option<Vec<u8>>> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| entry.before.clone())
    }

    pub(super) fn remove(&mut self, key: &str) {
        if let Some(at) = self.entries.iter().position(|entry| entry.key == key)
            && let Some(entry) = self.entries.remove(at)
        {
            self.size -= entry.size();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_first_makes_room() {
        let mut kept = UndoBuffer::default();
        kept.keep("new".to_owned(), Path::new("a"), None);
        for number in 0..4 {
            kept.keep(number.to_string(), Path::new("a"), Some(vec![0; MOST / 3]));
        }
        assert_eq!(kept.get("new"), None);
        assert_eq!(kept.get("0"), None);
        assert!(kept.get("3").is_some());
        assert!(kept.size <= MOST, "{}", kept.size);
        for number in 0..4 {
            kept.remove(&number.to_string());
        }
        assert_eq!(kept.size, 0);
    }
}

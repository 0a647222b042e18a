//! What was in files before calls changed them: in memory, up to a limit, for their undo.

use std::collections::VecDeque;

/// Bytes of all of it together; what was kept first goes first.
const MOST: usize = 64_000_000;

#[derive(Default)]
pub(super) struct UndoBuffer {
    entries: VecDeque<(String, Option<Vec<u8>>)>,
    size: usize,
}

impl UndoBuffer {
    pub(super) fn keep(&mut self, key: String, before: Option<Vec<u8>>) {
        self.remove(&key);
        self.size += size(&key, before.as_deref());
        self.entries.push_back((key, before));
        while self.size > MOST {
            let Some((key, before)) = self.entries.pop_front() else { break };
            self.size -= size(&key, before.as_deref());
        }
    }

    /// `None` where it is not known, `Some(None)` where there was no file.
    pub(super) fn get(&self, key: &str) -> Option<Option<Vec<u8>>> {
        self.entries.iter().find(|(kept, _)| kept == key).map(|(_, before)| before.clone())
    }

    pub(super) fn remove(&mut self, key: &str) {
        if let Some(at) = self.entries.iter().position(|(kept, _)| kept == key)
            && let Some((key, before)) = self.entries.remove(at)
        {
            self.size -= size(&key, before.as_deref());
        }
    }
}

fn size(key: &str, before: Option<&[u8]>) -> usize {
    key.len() + before.map_or(0, <[u8]>::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_first_makes_room() {
        let mut kept = UndoBuffer::default();
        kept.keep("new".to_owned(), None);
        for number in 0..4 {
            kept.keep(number.to_string(), Some(vec![0; MOST / 3]));
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

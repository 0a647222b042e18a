//! What was in files before calls changed them, up to a limit, for their undo: in memory, or in a folder of which a later process knows it.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Bytes of all of it together; what was kept first goes first.
const MOST: u64 = 64_000_000;
const MOST_ENTRIES: usize = 2_000;
/// The first line of a file in the folder.
const LONGEST_HEAD: u64 = 64_000;

#[derive(Default)]
pub(super) struct UndoBuffer {
    entries: VecDeque<Entry>,
    size: u64,
    folder: Option<PathBuf>,
}

struct Entry {
    key: String,
    path: PathBuf,
    content: Content,
    size: u64,
}

enum Content {
    /// `None` where there was no file.
    Here(Option<Vec<u8>>),
    /// The file in the folder with this number.
    Kept(u64),
}

/// The first line of a file in the folder; what was in the changed file follows it.
#[derive(Serialize, Deserialize)]
struct Head {
    key: String,
    path: PathBuf,
    existed: bool,
}

impl UndoBuffer {
    /// From now on in this folder. What is there already counts.
    pub(super) fn keep_in(&mut self, folder: PathBuf) {
        let mut numbers: Vec<u64> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        numbers.sort_unstable();
        for number in numbers {
            // What cannot be read is of no use to anybody.
            if let Ok((Head { key, path, .. }, rest)) = read(&folder, number) {
                let size = rest.get_ref().metadata().map_or(0, |about| about.len());
                self.push(Entry { key, path, content: Content::Kept(number), size });
            }
        }
        self.folder = Some(folder);
        self.make_room();
    }

    pub(super) fn keep(&mut self, key: String, path: &Path, before: Option<Vec<u8>>) {
        self.remove(&key);
        let size = (key.len() + before.as_ref().map_or(0, Vec::len)) as u64;
        let content = match self.write(&key, path, before.as_deref()) {
            Some(number) => Content::Kept(number),
            // Where the folder takes nothing it is known for as long as the program runs.
            None => Content::Here(before),
        };
        self.push(Entry { key, path: path.to_owned(), content, size });
        self.make_room();
    }

    fn write(&self, key: &str, path: &Path, before: Option<&[u8]>) -> Option<u64> {
        let folder = self.folder.as_ref()?;
        let number = |entry: &Entry| match entry.content {
            Content::Kept(number) => number,
            Content::Here(_) => 0,
        };
        let number = self.entries.iter().map(number).max().unwrap_or_default() + 1;
        let head = Head { key: key.to_owned(), path: path.to_owned(), existed: before.is_some() };
        write(folder, number, &head, before.unwrap_or_default()).ok()?;
        Some(number)
    }

    fn push(&mut self, entry: Entry) {
        self.size += entry.size;
        self.entries.push_back(entry);
    }

    fn make_room(&mut self) {
        while self.size > MOST || self.entries.len() > MOST_ENTRIES {
            let Some(entry) = self.entries.pop_front() else { break };
            self.forget(&entry);
        }
    }

    fn forget(&mut self, entry: &Entry) {
        self.size -= entry.size;
        if let (Content::Kept(number), Some(folder)) = (&entry.content, &self.folder) {
            let _ = fs::remove_file(file(folder, *number));
        }
    }

    /// `None` where it is not known, `Some(None)` where there was no file.
    fn before(&self, entry: &Entry) -> Option<Option<Vec<u8>>> {
        match &entry.content {
            Content::Here(before) => Some(before.clone()),
            Content::Kept(number) => {
                let (head, mut rest) = read(self.folder.as_ref()?, *number).ok()?;
                let mut before = Vec::new();
                rest.read_to_end(&mut before).ok()?;
                (head.key == entry.key).then(|| head.existed.then_some(before))
            }
        }
    }

    /// As this file was before its last change.
    pub(super) fn last(&self, path: &Path) -> Option<Option<Vec<u8>>> {
        self.entries.iter().rev().find(|entry| entry.path == path).and_then(|entry| self.before(entry))
    }

    /// The files that were changed, each as it was before the first change that is known.
    pub(super) fn first(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let mut first: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
        for entry in &self.entries {
            if first.iter().all(|(known, _)| *known != entry.path)
                && let Some(before) = self.before(entry)
            {
                first.push((entry.path.clone(), before));
            }
        }
        first
    }

    /// `None` where it is not known, `Some(None)` where there was no file.
    pub(super) fn get(&self, key: &str) -> Option<Option<Vec<u8>>> {
        self.entries.iter().find(|entry| entry.key == key).and_then(|entry| self.before(entry))
    }

    pub(super) fn remove(&mut self, key: &str) {
        if let Some(at) = self.entries.iter().position(|entry| entry.key == key)
            && let Some(entry) = self.entries.remove(at)
        {
            self.forget(&entry);
        }
    }
}

fn file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:06}"))
}

/// What was in files is nobody else's business. All of it is there or nothing.
fn write(folder: &Path, number: u64, head: &Head, before: &[u8]) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let (beside, kept) = (folder.join("new"), file(folder, number));
    let mut out = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    let mut head = serde_json::to_vec(head)?;
    head.push(b'\n');
    out.write_all(&head)?;
    out.write_all(before)?;
    out.sync_all()?;
    fs::rename(beside, kept)
}

/// The first line, and what reads the rest.
fn read(folder: &Path, number: u64) -> io::Result<(Head, BufReader<File>)> {
    let mut rest = BufReader::new(File::open(file(folder, number))?);
    let mut head = Vec::new();
    (&mut rest).take(LONGEST_HEAD).read_until(b'\n', &mut head)?;
    Ok((serde_json::from_slice(&head)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_first_makes_room() {
        let mut kept = UndoBuffer::default();
        kept.keep("new".to_owned(), Path::new("a"), None);
        for number in 0..4 {
            kept.keep(number.to_string(), Path::new("a"), Some(vec![0; MOST as usize / 3]));
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

    #[test]
    fn what_is_in_a_folder_is_known_to_a_later_process_and_only_until_it_is_given_back() {
        let folder = std::env::temp_dir().join(format!("glove-undo-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let open = || {
            let mut buffer = UndoBuffer::default();
            buffer.keep_in(folder.clone());
            buffer
        };
        let mut first = open();
        assert!(!folder.exists(), "nothing was changed yet");
        first.keep("one".to_owned(), Path::new("a"), Some(b"line\n\xff".to_vec()));
        first.keep("two".to_owned(), Path::new("b"), None);
        first.keep("three".to_owned(), Path::new("a"), Some(Vec::new()));
        fs::write(folder.join("000002.part"), "no entry").unwrap();
        fs::write(folder.join("000009"), "no entry either").unwrap();
        let mut later = open();
        assert_eq!(later.get("one"), Some(Some(b"line\n\xff".to_vec())));
        assert_eq!(later.get("two"), Some(None));
        assert_eq!(later.last(Path::new("a")), Some(Some(Vec::new())));
        assert_eq!(
            later.first(),
            [(PathBuf::from("a"), Some(b"line\n\xff".to_vec())), (PathBuf::from("b"), None)]
        );
        later.remove("one");
        later.keep("four".to_owned(), Path::new("c"), None);
        let last = open();
        assert_eq!((last.get("one"), last.get("four"), last.size > 0), (None, Some(None), true));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(last.get("two"), None, "what was taken away is not known");
    }
}

//! Where what was in files before calls changed them is kept beside the sessions: a folder of each, and a limit for all of them together.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use glove_wasm_task::sha256;

use crate::config::data_folder;

/// Bytes of all sessions together; what was used longest ago goes first.
const MOST: u64 = 512_000_000;

/// The folder of a session.
pub(crate) fn of(data: &Path, session: &str) -> PathBuf {
    let all = data.join("undo");
    let own = all.join(sha256(session.as_bytes()));
    make_room(&all, &own, MOST);
    own
}

pub(crate) fn delete(session: &str) {
    if let Ok(data) = data_folder() {
        let _ = fs::remove_dir_all(data.join("undo").join(sha256(session.as_bytes())));
    }
}

fn make_room(all: &Path, own: &Path, most: u64) {
    let mut found: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for folder in fs::read_dir(all).into_iter().flatten().flatten() {
        let (mut size, mut last) = (0, SystemTime::UNIX_EPOCH);
        for about in
            fs::read_dir(folder.path()).into_iter().flatten().flatten().flat_map(|file| file.metadata())
        {
            size += about.len();
            last = last.max(about.modified().unwrap_or(last));
        }
        found.push((last, size, folder.path()));
    }
    found.sort();
    let mut size: u64 = found.iter().map(|(_, size, _)| size).sum();
    for (_, of_it, folder) in found.iter().filter(|(_, _, folder)| folder != own) {
        if size <= most {
            return;
        }
        if fs::remove_dir_all(folder).is_ok() {
            size -= of_it;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_longest_ago_makes_room_and_never_the_sessions_own() {
        let all = std::env::temp_dir().join(format!("glove-undo-folders-{}", std::process::id()));
        let _ = fs::remove_dir_all(&all);
        let folder = |name: &str, age: u64| {
            fs::create_dir_all(all.join(name)).unwrap();
            let file = fs::File::create(all.join(name).join("000001")).unwrap();
            file.set_len(100).unwrap();
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
        };
        for (name, age) in [("own", 400), ("old", 300), ("newer", 200), ("newest", 100)] {
            folder(name, age);
        }
        make_room(&all, &all.join("own"), 300);
        let left = |name: &str| all.join(name).exists();
        assert_eq!([left("own"), left("old"), left("newer"), left("newest")], [true, false, true, true]);
        fs::remove_dir_all(&all).unwrap();
    }
}

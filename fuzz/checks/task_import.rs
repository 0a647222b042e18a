//! A workspace that is imported into a folder.

use std::env;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_executor::block_on;
use glove_wasm_native::TaskFolder;

/// It is refused and nothing is in the folder, or its files are, and nothing is anywhere else.
pub fn check(input: &[u8]) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let around = fs::metadata("/dev/shm").map_or_else(|_| env::temp_dir(), |_| "/dev/shm".into());
    let around = around.join(format!("glove-tasks-{}-{number}", std::process::id()));
    let folder = TaskFolder::open(around.join("folder")).unwrap();
    let imported = block_on(folder.import(&String::from_utf8_lossy(input)));
    assert_eq!(names(&around), ["folder"]);
    assert_eq!(names(&around.join("folder")), ["progress", "task"]);
    if imported.is_err() {
        assert_eq!(files(&around), Vec::<String>::new());
    }
    fs::remove_dir_all(&around).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else if !entry.file_name().to_string_lossy().starts_with("lock") {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

//! Exported workspaces that are none, or that name what is not theirs: the same table that pages have to pass.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::wait::block_on;
use glove_wasm_native::TaskFolder;
use serde_json::{Value, json};

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("glove-import-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// All files below a folder but the lock of the runner.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] });
    all.filter(|path| !path.ends_with("progress/.lock")).collect()
}

fn export() -> Value {
    serde_json::from_str(include_str!("../../fixtures/tasks/begun-in-a-page.json")).unwrap()
}

#[test]
fn an_export_that_cannot_be_taken_up_is_refused_and_nothing_is_written() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../../fixtures/tasks/imports.json")).unwrap();
    for row in rows {
        let place = Place::new("table");
        let mut forged = export();
        let files = forged["files"].as_object_mut().unwrap();
        files.remove("progress/state.previous.json");
        let mut state: Value = serde_json::from_str(files["progress/state.json"].as_str().unwrap()).unwrap();
        for (name, value) in row["state"].as_object().into_iter().flatten() {
            state[name] = value.clone();
        }
        files.insert("progress/state.json".to_owned(), json!(state.to_string()));
        let text = row["text"].as_str().map_or_else(|| forged.to_string(), str::to_owned);
        let folder = TaskFolder::open(&place.0).unwrap();
        let error = block_on(folder.import(&text)).unwrap_err();
        assert_eq!(error.code(), "TASK_EXPORT_INVALID", "{}: {error}", row["name"]);
        assert!(error.message.contains(row["says"].as_str().unwrap()), "{}: {error}", row["name"]);
        assert_eq!(files_in(&place.0), Vec::<PathBuf>::new(), "{}", row["name"]);
    }
}

#[test]
fn an_import_that_fails_on_the_way_leaves_nothing_of_it_and_what_was_there() {
    let place = Place::new("half");
    // A folder stands where the plan is to be, and a file of the person's beside it.
    fs::create_dir_all(place.0.join("progress/plan/current.json/x")).unwrap();
    fs::create_dir_all(place.0.join("task")).unwrap();
    fs::write(place.0.join("task/mine.md"), "Mine.").unwrap();
    let folder = TaskFolder::open(&place.0).unwrap();
    let error = block_on(folder.import(&export().to_string())).unwrap_err();
    assert_eq!(error.code(), "TASK_WORKSPACE_FAILED", "{error}");
    assert_eq!(files_in(&place.0), vec![place.0.join("task/mine.md")]);
}

#[test]
fn the_lock_of_a_runner_is_none_to_import() {
    let place = Place::new("lock");
    let mut with_lock = export();
    with_lock["files"]["progress/.lock"] = json!("stolen");
    let folder = TaskFolder::open(&place.0).unwrap();
    block_on(folder.import(&with_lock.to_string())).unwrap();
    assert_eq!(fs::read_to_string(place.0.join("progress/.lock")).unwrap(), "");
    assert!(place.0.join("progress/state.json").exists());
}

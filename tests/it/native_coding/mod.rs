//! The tools for a folder, as an agent calls them.

mod attacks;
mod commands;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use glove_wasm::display::Slot;
use glove_wasm::json::Json;
use glove_wasm::message::ToolStatus;
use glove_wasm::ports::StoreAdapter;
use glove_wasm::runtime::Glove;
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_coding::Workspace;
use serde_json::{Value, json};

use crate::support::runtime::block_on;

/// A folder `work` for the tools, beside which is what they must not reach.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("glove-coding-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("project/src")).unwrap();
        fs::create_dir_all(path.join("outside")).unwrap();
        fs::write(path.join("outside/secret.txt"), "SECRET").unwrap();
        fs::write(path.join("project/src/main.rs"), "fn main() {\n    one();\n    two();\n}\n").unwrap();
        Place(path.canonicalize().unwrap())
    }

    fn work(&self) -> PathBuf {
        self.0.join("project")
    }

    fn agent(&self, script: impl IntoIterator<Item = Line>) -> Glove {
        self.agent_over(&Workspace::open(self.work()).unwrap(), script, MemoryStore::new("s"))
    }

    fn agent_over(
        &self,
        workspace: &Workspace,
        script: impl IntoIterator<Item = Line>,
        store: impl StoreAdapter + 'static,
    ) -> Glove {
        let mut builder = Glove::builder(ScriptedModel::new(script)).store(store);
        for tool in workspace.tools() {
            builder = builder.fold(tool);
        }
        let agent = builder.build().unwrap();
        let display = agent.display().clone();
        agent.display().subscribe(move |stack: &[Slot]| {
            for question in stack.iter().filter(|slot| slot.waits) {
                let _ = display.resolve(&question.id, Json::from(json!(true)));
            }
        });
        agent
    }

    /// One call, allowed by a person who allows everything: how it ended, and what it said.
    fn call(&self, tool: &str, input: Value) -> (ToolStatus, String) {
        let agent = self.agent([Line::call(tool, "c1", input), Line::text("done")]);
        block_on(agent.process_request("go")).unwrap();
        result(&agent)
    }

    fn works(&self, tool: &str, input: Value) -> String {
        let (status, said) = self.call(tool, input);
        assert_eq!(status, ToolStatus::Success, "{said}");
        said
    }

    fn fails(&self, tool: &str, input: Value) -> String {
        let (status, said) = self.call(tool, input);
        assert_eq!(status, ToolStatus::Error, "{said}");
        said
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn result(agent: &Glove) -> (ToolStatus, String) {
    let messages = agent.messages();
    let result = messages.iter().flat_map(|message| message.results()).next().unwrap().result.clone();
    let said = result.message.or_else(|| result.data.to_text()).unwrap_or_default();
    (result.status, said)
}

#[test]
fn a_file_is_read_with_line_numbers_whole_or_in_part() {
    let place = Place::new("read");
    assert_eq!(
        place.works("read_file", json!({ "path": "src/main.rs" })),
        "1  fn main() {\n2      one();\n3      two();\n4  }\n"
    );
    let part = json!({ "path": "src/main.rs", "first_line": 2, "last_line": 3 });
    assert_eq!(place.works("read_file", part), "2      one();\n3      two();\n(lines 2 to 3 of 4)\n");
    let behind = place.works("read_file", json!({ "path": "src/main.rs", "first_line": 9 }));
    assert_eq!(behind, "(the file has 4 lines; line 9 is behind its end)");
    let backwards = json!({ "path": "src/main.rs", "first_line": 3, "last_line": 1 });
    assert_eq!(place.works("read_file", backwards), "(lines 3 to 1 of 4)\n");
    fs::write(place.work().join("empty"), "").unwrap();
    assert_eq!(place.works("read_file", json!({ "path": "empty" })), "(the file is empty)");
    let whole = place.work().join("src/main.rs");
    assert!(place.works("read_file", json!({ "path": whole })).starts_with("1  fn main"));
}

#[test]
fn what_is_no_text_file_is_refused_with_what_it_is() {
    let place = Place::new("refused");
    let work = place.work();
    fs::write(work.join("picture.png"), b"\x89PNG\r\n\0\0\0").unwrap();
    fs::write(work.join("latin"), b"caf\xe9").unwrap();
    assert!(Command::new("mkfifo").arg(work.join("pipe")).status().unwrap().success());
    for (path, words) in [
        ("picture.png", "binary file of 9 bytes"),
        ("latin", "not UTF-8"),
        ("pipe", "no regular file"),
        ("src", "list_dir"),
        ("nothing.txt", "does not exist"),
    ] {
        let said = place.fails("read_file", json!({ "path": path }));
        assert!(said.contains(words) && said.contains(path), "{path}: {said}");
    }
}

#[test]
fn a_file_is_written_whole_and_the_undo_brings_the_old_one_back() {
    let place = Place::new("write");
    let file = place.work().join("src/main.rs");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let before = fs::read_to_string(&file).unwrap();
    let input = json!({ "path": "src/main.rs", "content": "fn main() {}\n" });
    let agent = place.agent([Line::call("write_file", "c1", input), Line::text("done")]);
    block_on(agent.process_request("go")).unwrap();
    assert_eq!(result(&agent).1, "replaced src/main.rs (1 lines)");
    assert_eq!(fs::read_to_string(&file).unwrap(), "fn main() {}\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    block_on(agent.undo(1)).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), before);

    assert!(
        place
            .fails("write_file", json!({ "path": "a/b/new.txt", "content": "x" }))
            .contains("does not exist")
    );
    let input = json!({ "path": "a/b/new.txt", "content": "x", "create_dirs": true });
    let agent = place.agent([Line::call("write_file", "c1", input), Line::text("done")]);
    block_on(agent.process_request("go")).unwrap();
    assert_eq!(fs::read_to_string(place.work().join("a/b/new.txt")).unwrap(), "x");
    // Changed by somebody else meanwhile: theirs stays.
    fs::write(place.work().join("a/b/new.txt"), "theirs").unwrap();
    let _ = block_on(agent.undo(1));
    assert_eq!(fs::read_to_string(place.work().join("a/b/new.txt")).unwrap(), "theirs");
    let left: Vec<_> = fs::read_dir(place.work().join("a/b")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left beside it");
}

#[test]
fn an_edit_wants_one_place_and_shows_the_others() {
    let place = Place::new("edit");
    let file = place.work().join("src/main.rs");
    let input = json!({ "path": "src/main.rs", "old": "    one();\n", "new": "    three();\n" });
    let agent = place.agent([Line::call("edit_file", "c1", input), Line::text("done")]);
    block_on(agent.process_request("go")).unwrap();
    assert_eq!(result(&agent).1, "edited src/main.rs at line 2");
    assert_eq!(fs::read_to_string(&file).unwrap(), "fn main() {\n    three();\n    two();\n}\n");
    block_on(agent.undo(1)).unwrap();
    let before = "fn main() {\n    one();\n    two();\n}\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let many = place.fails("edit_file", json!({ "path": "src/main.rs", "old": "();", "new": "" }));
    assert!(many.contains("2 times") && many.contains("2:     one();\n3:     two();"), "{many}");
    let none =
        place.fails("edit_file", json!({ "path": "src/main.rs", "old": "one();\n  two();", "new": "" }));
    assert!(none.contains("does not contain") && none.contains("like line 2"), "{none}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn an_undo_changes_only_a_file_that_is_as_the_edit_left_it() {
    let place = Place::new("edit-undo");
    let file = place.work().join("a");
    fs::write(&file, "first = 1\nsecond = 9\n").unwrap();
    let input = json!({ "path": "a", "old": "= 1", "new": "= 2" });
    let agent = place.agent([Line::call("edit_file", "c1", input), Line::text("done")]);
    block_on(agent.process_request("go")).unwrap();
    fs::write(&file, "first = 7\nsecond = 2\n").unwrap();
    let _ = block_on(agent.undo(1));
    assert_eq!(fs::read_to_string(&file).unwrap(), "first = 7\nsecond = 2\n");
}

#[test]
fn a_deletion_and_an_edit_whose_new_text_stands_twice_are_undone() {
    let place = Place::new("edit-deletion");
    let file = place.work().join("a");
    for (before, old, new) in [("keep\ndelete me\n", "delete me\n", ""), ("}\nx\n", "x\n", "}\n")] {
        fs::write(&file, before).unwrap();
        let input = json!({ "path": "a", "old": old, "new": new });
        let agent = place.agent([Line::call("edit_file", "c1", input), Line::text("done")]);
        block_on(agent.process_request("go")).unwrap();
        assert_ne!(fs::read_to_string(&file).unwrap(), before);
        block_on(agent.undo(1)).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
    }
}

#[test]
fn sessions_that_share_a_workspace_give_back_what_each_found() {
    let place = Place::new("two-sessions");
    let file = place.work().join("a");
    fs::write(&file, "original").unwrap();
    let workspace = Workspace::open(place.work()).unwrap();
    let script = || {
        let input = json!({ "path": "a", "content": "same" });
        [Line::call("write_file", "call_0", input), Line::text("done")]
    };
    let one = place.agent_over(&workspace, script(), MemoryStore::new("one"));
    block_on(one.process_request("go")).unwrap();
    let two = place.agent_over(&workspace, script(), MemoryStore::new("two"));
    block_on(two.process_request("go")).unwrap();
    block_on(one.undo(1)).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "original");
}

mod crash {
    use glove_wasm::error::StoreError;
    use glove_wasm::portable::BoxFuture;
    use glove_wasm::ports::{Durability, Loaded};
    use glove_wasm::run::checkpoint::Unsaved;
    use glove_wasm_sqlite::{SqliteDatabase, SqliteStore};

    use super::*;

    const FOLDER: &str = "GLOVE_CODING_TEST_FOLDER";

    /// Ends its process in the place of the next step once the file is written.
    struct DiesOnceWritten {
        store: SqliteStore,
        file: PathBuf,
    }

    impl StoreAdapter for DiesOnceWritten {
        fn identifier(&self) -> String {
            self.store.identifier()
        }

        fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
            self.store.load()
        }

        fn append(
            &self,
            step: Unsaved<'_>,
            durability: Durability,
        ) -> BoxFuture<'static, Result<(), StoreError>> {
            if fs::read(&self.file).unwrap_or_default() == b"new" {
                std::process::abort();
            }
            self.store.append(step, durability)
        }
    }

    /// A process that dies as soon as `write_file` has written, before its result is stored.
    fn writes_and_dies(test: &str, place: &Place) {
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", test, "--test-threads=1"]).env(FOLDER, &place.0);
        assert!(!process.output().unwrap().status.success());
        assert_eq!(fs::read_to_string(place.work().join("a")).unwrap(), "new");
    }

    /// In that process.
    fn dies_if_told() {
        let Some(folder) = std::env::var_os(FOLDER) else { return };
        // Not dropped: the folder belongs to the other process.
        let place = std::mem::ManuallyDrop::new(Place(folder.into()));
        let input = json!({ "path": "a", "content": "new" });
        let workspace = Workspace::open(place.work()).unwrap();
        let store = SqliteDatabase::open(place.0.join("db")).unwrap().store("s");
        let store = DiesOnceWritten { store, file: place.work().join("a") };
        let agent =
            place.agent_over(&workspace, [Line::call("write_file", "c1", input), Line::text("done")], store);
        let _ = block_on(agent.process_request("go"));
    }

    fn resumed(place: &Place) -> Glove {
        let store = SqliteDatabase::open(place.0.join("db")).unwrap().store("s");
        let agent =
            place.agent_over(&Workspace::open(place.work()).unwrap(), [Line::text("done")], store.clone());
        block_on(store.acquire()).unwrap();
        block_on(agent.resume()).unwrap();
        agent
    }

    #[test]
    fn a_write_that_a_crash_interrupted_is_undone_to_what_was_there_before() {
        dies_if_told();
        let place = Place::new("crash-undo");
        let file = place.work().join("a");
        fs::write(&file, "original").unwrap();
        writes_and_dies(
            "native_coding::crash::a_write_that_a_crash_interrupted_is_undone_to_what_was_there_before",
            &place,
        );
        let agent = resumed(&place);
        assert_eq!(result(&agent), (ToolStatus::Success, "replaced a (1 lines)".to_owned()));
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        block_on(agent.undo(1)).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "original");
    }

    #[test]
    fn a_write_that_a_crash_interrupted_leaves_what_a_person_has_written_since() {
        dies_if_told();
        let place = Place::new("crash-person");
        let file = place.work().join("a");
        fs::write(&file, "original").unwrap();
        writes_and_dies(
            "native_coding::crash::a_write_that_a_crash_interrupted_leaves_what_a_person_has_written_since",
            &place,
        );
        fs::write(&file, "a week of work").unwrap();
        let agent = resumed(&place);
        assert_eq!(fs::read_to_string(&file).unwrap(), "a week of work");
        let (status, said) = result(&agent);
        assert_eq!(status, ToolStatus::Error, "{said}");
        assert!(said.contains("changed by somebody else"), "{said}");
    }
}

#[test]
fn a_file_that_is_too_large_to_be_given_back_is_not_replaced() {
    let place = Place::new("large");
    let file = fs::File::create(place.work().join("big")).unwrap();
    file.set_len(3_000_000_000).unwrap();
    let said = place.fails("write_file", json!({ "path": "big", "content": "x" }));
    assert!(said.contains("too large"), "{said}");
    assert_eq!(file.metadata().unwrap().len(), 3_000_000_000);
}

#[test]
fn a_write_protected_file_is_not_replaced() {
    let place = Place::new("protected");
    let file = place.work().join("src/main.rs");
    let before = fs::read_to_string(&file).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let said = place.fails("write_file", json!({ "path": "src/main.rs", "content": "x" }));
    assert!(said.contains("write-protected"), "{said}");
    let edit = json!({ "path": "src/main.rs", "old": "one", "new": "three" });
    assert!(place.fails("edit_file", edit).contains("write-protected"));
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn a_link_to_a_file_that_does_not_exist_yet_stays_a_link() {
    let place = Place::new("dangling");
    let work = place.work();
    symlink("src/made.txt", work.join("inside")).unwrap();
    symlink("../outside/made.txt", work.join("outside")).unwrap();
    symlink("round", work.join("round")).unwrap();
    place.works("write_file", json!({ "path": "inside", "content": "x" }));
    assert!(fs::symlink_metadata(work.join("inside")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(work.join("src/made.txt")).unwrap(), "x");
    for path in ["outside", "round"] {
        place.fails("write_file", json!({ "path": path, "content": "x" }));
        assert!(fs::symlink_metadata(work.join(path)).unwrap().is_symlink(), "{path}");
    }
    assert!(!place.0.join("outside/made.txt").exists());
}

#[test]
fn what_is_ignored_is_left_out_where_there_is_no_git_too() {
    let place = Place::new("no-git");
    fs::write(place.work().join(".gitignore"), "ignored.txt\n").unwrap();
    fs::write(place.work().join("ignored.txt"), "needle").unwrap();
    assert_eq!(place.works("search", json!({ "pattern": "^needle" })), "(nothing found)");
    assert_eq!(place.works("list_dir", json!({})), ".gitignore\nsrc/\n  main.rs\n");
}

#[test]
fn listing_and_searching_leave_out_what_git_ignores() {
    let place = Place::new("list");
    let work = place.work();
    for folder in [".git", "target", "docs"] {
        fs::create_dir_all(work.join(folder)).unwrap();
        fs::write(work.join(folder).join("one.txt"), "one of them\n").unwrap();
    }
    fs::write(work.join(".gitignore"), "target\n").unwrap();
    assert_eq!(place.works("list_dir", json!({})), ".gitignore\ndocs/\n  one.txt\nsrc/\n  main.rs\n");
    assert_eq!(place.works("list_dir", json!({ "path": "docs", "depth": 1 })), "one.txt\n");
    assert_eq!(
        place.works("search", json!({ "pattern": "\\bone\\b" })),
        "docs/one.txt:1: one of them\nsrc/main.rs:2:     one();"
    );
    assert_eq!(
        place.works("search", json!({ "pattern": "ONE", "glob": "*.rs", "ignore_case": true })),
        "src/main.rs:2:     one();"
    );
    assert_eq!(place.works("search", json!({ "pattern": "four" })), "(nothing found)");
    assert!(place.fails("search", json!({ "pattern": "(" })).contains("no regular expression"));
}

#[test]
fn names_of_other_coding_tools_mean_the_same_and_two_of_one_argument_are_refused() {
    let place = Place::new("names");
    let read = json!({ "file_path": "src/main.rs", "start_line": 2, "end_line": 2 });
    assert_eq!(place.works("read_file", read), "2      one();\n(lines 2 to 2 of 4)\n");
    place.works("edit_file", json!({ "path": "src/main.rs", "old_string": "one", "new_string": "ONE" }));
    assert!(fs::read_to_string(place.work().join("src/main.rs")).unwrap().contains("ONE();"));
    for folder in ["cwd", "working_dir", "folder"] {
        assert_eq!(place.works("bash", json!({ "command": "ls", (folder): "src" })), "main.rs\n");
    }
    let stopped = place.works("bash", json!({ "command": "sleep 100", "timeout": 1000 }));
    assert!(stopped.contains('1'), "{stopped}");
    let both = json!({ "command": "ls", "cwd": "src", "folder": "." });
    let agent = place.agent([Line::call("bash", "c1", both), Line::text("done")]);
    block_on(agent.process_request("go")).unwrap();
    let told = serde_json::to_string(&agent.messages()).unwrap();
    assert!(told.contains("`cwd` is another name of `folder`"), "{told}");
    assert!(place.fails("bash", json!({ "command": "ls", "cwd": ".." })).contains("outside"));
    let workspace = Workspace::open(place.work()).unwrap();
    let call = |input: Value| Json::from(input);
    let edit = call(json!({ "file_path": "src/main.rs", "old_string": "two", "new_string": "2" }));
    let change = workspace.change_of("edit_file", &edit).unwrap();
    assert!(change.after.contains("    2();"), "{change:?}");
    assert!(workspace.written_file("edit_file", &edit).unwrap().ends_with("src/main.rs"));
    let both = call(json!({ "path": "src/main.rs", "old": "two", "old_string": "one", "new": "2" }));
    assert_eq!(workspace.change_of("edit_file", &both), None);
    assert_eq!(workspace.own_names("edit_file", &both), None);
}

#[test]
fn a_person_is_shown_the_arguments_that_run_whatever_names_the_model_uses() {
    let place = Place::new("names-shown");
    let input = json!({ "command": "pwd", "cwd": "src", "timeout": 120_000 });
    let runs = json!({ "command": "pwd", "folder": "src", "seconds": 120 });
    // What was allowed for good is what was shown, by whatever names it is called.
    let again = Line::call("bash", "c2", runs.clone());
    let agent = place.agent([Line::call("bash", "c1", input), again, Line::text("done")]);
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let (seen, display) = (std::sync::Arc::clone(&asked), agent.display().clone());
    let _listening = agent.display().subscribe(move |stack: &[Slot]| {
        for slot in stack.iter().filter(|slot| slot.waits) {
            seen.lock().unwrap().push(slot.input.read::<Value>().unwrap()["toolInput"].clone());
            let _ = display.resolve(&slot.id, Json::string("always"));
        }
    });
    block_on(agent.process_request("go")).unwrap();
    assert_eq!(asked.lock().unwrap().clone(), std::slice::from_ref(&runs));
    let messages = agent.messages();
    let results: Vec<_> = messages.iter().flat_map(|message| message.results()).collect();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result.result.data.as_str().contains("/src")), "{results:?}");
    let kept = agent.session().with_run(|run| run.called("c1").cloned()).unwrap();
    assert_eq!(
        kept.input_args.read::<Value>().unwrap()["timeout"],
        120_000,
        "the record has the model's words"
    );
}

#[test]
fn an_edit_by_other_names_is_taken_back() {
    let place = Place::new("names-undo");
    let edit = json!({ "path": "src/main.rs", "old_string": "one", "new_string": "ONE" });
    let agent = place.agent([Line::call("edit_file", "c1", edit), Line::text("done")]);
    block_on(agent.process_request("go")).unwrap();
    block_on(agent.session().undo_until_done(1)).unwrap();
    assert!(fs::read_to_string(place.work().join("src/main.rs")).unwrap().contains("    one();"));
}

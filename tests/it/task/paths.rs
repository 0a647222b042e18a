//! Paths of a workspace: none leads out of it, by whatever it is written like.

use glove_wasm_task::WorkspacePath;

/// What a path becomes, or `None` where it is refused.
pub const CASES: &[(&str, Option<&str>)] = &[
    ("task/brief.md", Some("task/brief.md")),
    ("./task/brief.md", Some("task/brief.md")),
    ("task//brief.md", Some("task/brief.md")),
    ("task/./brief.md", Some("task/brief.md")),
    ("progress/artifacts/", Some("progress/artifacts")),
    ("progress/artifacts/über.md", Some("progress/artifacts/über.md")),
    ("progress/artifacts/日本.md", Some("progress/artifacts/日本.md")),
    ("progress/artifacts/a b.md", Some("progress/artifacts/a b.md")),
    ("progress/artifacts/.hidden", Some("progress/artifacts/.hidden")),
    ("progress/artifacts/...md", Some("progress/artifacts/...md")),
    ("progress/artifacts/a..b", Some("progress/artifacts/a..b")),
    ("progress/artifacts/console.log", Some("progress/artifacts/console.log")),
    ("progress/artifacts/com10", Some("progress/artifacts/com10")),
    ("", None),
    (".", None),
    ("./", None),
    ("/", None),
    ("..", None),
    ("../", None),
    ("../secret", None),
    ("task/../../secret", None),
    ("task/..", None),
    ("task/../progress/state.json", None),
    ("progress/artifacts/../../../etc/passwd", None),
    ("./../x", None),
    ("/etc/passwd", None),
    ("//server/share", None),
    ("\\\\server\\share", None),
    ("\\etc\\passwd", None),
    ("task\\..\\..\\secret", None),
    ("..\\secret", None),
    ("C:\\Windows", None),
    ("C:/Windows", None),
    ("c:secret", None),
    ("task/file.txt:stream", None),
    ("file:///etc/passwd", None),
    ("~/secret\0", None),
    ("task/a\0b", None),
    ("task/a\nb", None),
    ("task/a\tb", None),
    ("task/a\u{7f}b", None),
    ("task/a\u{85}b", None),
    ("task/con", None),
    ("task/CON", None),
    ("task/nul.txt", None),
    ("task/AUX.tar.gz", None),
    ("task/com1", None),
    ("task/LPT9.md", None),
    ("task/com¹", None),
    ("task/prn", None),
    ("task/name.", None),
    ("task/name ", None),
    ("task/ name", None),
    ("task/.. /x", None),
    ("task/. ./x", None),
    ("task/.../x", None),
    ("task/what?", None),
    ("task/*", None),
    ("task/a|b", None),
    ("task/<a>", None),
    ("task/\"a\"", None),
    ("task/a\u{202e}dm.b", None),
    ("task/\u{feff}brief.md", None),
    ("task/a\u{2066}b", None),
];

#[test]
fn no_path_leads_out_of_a_workspace() {
    assert!(CASES.len() >= 60);
    for (path, expected) in CASES {
        let found = WorkspacePath::parse(path);
        assert_eq!(found.as_ref().ok().map(WorkspacePath::as_str), *expected, "{path:?}");
        if let Err(error) = found {
            assert_eq!(error.code(), "TASK_PATH_INVALID");
            assert!(!error.message.contains('\0') && !error.message.contains('\n'), "{error}");
        }
    }
    let long = "a/".repeat(600);
    assert!(WorkspacePath::parse(&long).is_err() && WorkspacePath::parse(&"a".repeat(256)).is_err());
    assert!(WorkspacePath::parse(&"ü".repeat(127)).is_ok());
}

#[test]
fn tools_write_results_and_nothing_that_governs_the_task() {
    let table = [
        ("progress/artifacts/report.md", true),
        ("progress/artifacts/deep/er/report.md", true),
        ("progress/findings.md", true),
        ("progress/sources.jsonl", true),
        ("progress/notes.md", true),
        ("progress/todo.md", true),
        ("progress/artifacts", false),
        ("progress/artifacts2/x", false),
        ("task/brief.md", false),
        ("task/artifacts/x", false),
        ("progress/state.json", false),
        ("progress/STATE.json", false),
        ("progress/state.previous.json", false),
        ("progress/events.ndjson", false),
        ("progress/STOP", false),
        ("progress/plan/current.json", false),
        ("progress/approvals/requests/req_0001.json", false),
        ("progress/approvals/decisions/req_0001.json", false),
        ("progress/steps/act-1/session.ndjson", false),
        ("progress/verify/0001-report.json", false),
        ("progress/context/0001.md", false),
        ("progress/.lock", false),
        ("elsewhere.md", false),
    ];
    for (path, expected) in table {
        let writable = WorkspacePath::parse(path).unwrap().writable();
        assert_eq!(writable.is_ok(), expected, "{path}");
        assert!(writable.is_ok() || writable.unwrap_err().code() == "TASK_PATH_READ_ONLY");
    }
}

#[cfg(unix)]
mod native {
    use std::fs;
    use std::os::unix::fs::symlink;

    use crate::support::wait::block_on;
    use glove_wasm_native::TaskFolder;
    use glove_wasm_task::WorkspacePath;
    use glove_wasm_task::runtime::Workspace;

    use super::super::killed::Folder;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text).unwrap()
    }

    #[test]
    fn links_lead_nowhere_outside_of_a_folder() {
        let (folder, outside) = (Folder::new(), Folder::new());
        fs::write(outside.path().join("secret"), "secret").unwrap();
        let files = TaskFolder::open(folder.path()).unwrap();
        let link = |to: &std::path::Path, at: &str| symlink(to, folder.path().join(at)).unwrap();
        link(outside.path(), "progress/out");
        link(&outside.path().join("secret"), "task/secret");
        link(std::path::Path::new("../../../../../../etc/passwd"), "task/passwd");
        for name in ["progress/out/secret", "task/secret", "task/passwd"] {
            let error = block_on(files.read(&path(name))).unwrap_err();
            assert_eq!(error.code(), "TASK_WORKSPACE_FAILED", "{name}");
        }
        assert!(block_on(files.write(&path("progress/out/new"), b"x".to_vec())).is_err());
        assert!(block_on(files.append(&path("task/secret"), b"x".to_vec())).is_err());
        // A file takes the place of the link.
        block_on(files.write(&path("task/secret"), b"mine".to_vec())).unwrap();
        assert_eq!(fs::read_to_string(outside.path().join("secret")).unwrap(), "secret");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
        let listed = block_on(files.list(&path("progress"))).unwrap();
        assert!(listed.is_empty(), "{listed:?}");
    }

    /// Otherwise a tool that may write artifacts could write decisions.
    #[test]
    fn links_within_a_folder_lead_nowhere_in_what_governs_a_task() {
        let folder = Folder::new();
        let files = TaskFolder::open(folder.path()).unwrap();
        let link = |to: &str, at: &str| symlink(to, folder.path().join(at)).unwrap();
        for name in ["approvals/requests", "steps", "artifacts"] {
            fs::create_dir_all(folder.path().join("progress").join(name)).unwrap();
        }
        fs::write(folder.path().join("progress/state.json"), "{}").unwrap();
        link("../approvals", "progress/artifacts/mine");
        link("../artifacts", "progress/approvals/decisions");
        link("../state.json", "progress/artifacts/state");
        let refused = |error: glove_wasm_task::TaskError| {
            assert!(error.message.contains("link"), "{error}");
        };
        refused(block_on(files.write(&path("progress/artifacts/mine/a.json"), b"x".to_vec())).unwrap_err());
        refused(block_on(files.append(&path("progress/artifacts/mine/a.json"), b"x".to_vec())).unwrap_err());
        refused(block_on(files.append(&path("progress/artifacts/state"), b"x".to_vec())).unwrap_err());
        refused(block_on(files.read(&path("progress/approvals/decisions/a.json"))).unwrap_err());
        refused(block_on(files.list(&path("progress/approvals/decisions"))).unwrap_err());
        assert_eq!(fs::read_to_string(folder.path().join("progress/state.json")).unwrap(), "{}");
        // Inputs are only read, so links among them do no harm.
        fs::write(folder.path().join("task/one.md"), "one").unwrap();
        link("one.md", "task/two.md");
        assert_eq!(block_on(files.read(&path("task/two.md"))).unwrap().unwrap(), b"one");
    }

    #[test]
    fn parts_of_a_folder_that_are_links_are_named() {
        let (folder, outside) = (Folder::new(), Folder::new());
        symlink(outside.path(), folder.path().join("task")).unwrap();
        let error = TaskFolder::open(folder.path()).unwrap_err();
        assert!(error.message.starts_with("`task` leads out of the workspace by a link"), "{error}");
    }

    #[test]
    fn a_folder_reads_lists_adds_and_replaces_whole_files() {
        let folder = Folder::new();
        let files = TaskFolder::open(folder.path().join("new/one")).unwrap();
        assert_eq!(block_on(files.read(&path("progress/a/b"))).unwrap(), None);
        block_on(files.write(&path("progress/a/b"), b"1".to_vec())).unwrap();
        block_on(files.write(&path("progress/a/b"), b"22".to_vec())).unwrap();
        block_on(files.append(&path("progress/a/c"), b"3".to_vec())).unwrap();
        block_on(files.append(&path("progress/a/c"), b"4".to_vec())).unwrap();
        assert_eq!(block_on(files.read(&path("progress/a/b"))).unwrap().unwrap(), b"22");
        assert_eq!(block_on(files.read(&path("progress/a/c"))).unwrap().unwrap(), b"34");
        // A file is no folder.
        assert_eq!(block_on(files.read(&path("progress/a/b/x"))).unwrap(), None);
        assert!(block_on(files.write(&path("progress/a/b/x"), b"1".to_vec())).is_err());
        let entries = block_on(files.list(&path("progress"))).unwrap();
        let entries: Vec<(&str, u64)> =
            entries.iter().map(|entry| (entry.path.as_str(), entry.size)).collect();
        assert_eq!(entries, [("progress/a/b", 2), ("progress/a/c", 2)]);
    }

    #[test]
    fn two_runners_of_one_folder_have_one_lease() {
        let folder = Folder::new();
        let (one, two) = (TaskFolder::open(folder.path()).unwrap(), TaskFolder::open(folder.path()).unwrap());
        let lease = block_on(one.lease()).unwrap();
        assert_eq!(block_on(two.lease()).unwrap_err().code(), "TASK_IN_USE");
        drop(lease);
        block_on(two.lease()).unwrap();
    }

    /// Tasks of Node hold it by that program.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_lock_of_a_folder_is_the_one_that_the_program_flock_holds() {
        use std::io::Read;
        use std::process::{Command, Stdio};

        let folder = Folder::new();
        let workspace = TaskFolder::open(folder.path()).unwrap();
        let flock = |script: &str| {
            let mut command = Command::new("flock");
            command.args(["-n", "-x"]).arg(folder.path().join("progress/.lock")).args(["sh", "-c", script]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
        };
        let mut holder = flock("echo held; exec cat >/dev/null");
        holder.stdout.take().unwrap().read_exact(&mut [0; 5]).unwrap();
        assert_eq!(block_on(workspace.lease()).unwrap_err().code(), "TASK_IN_USE");
        drop(holder.stdin.take());
        holder.wait().unwrap();
        let lease = block_on(workspace.lease()).unwrap();
        assert_eq!(flock("true").wait().unwrap().code(), Some(1));
        drop(lease);
        assert_eq!(flock("true").wait().unwrap().code(), Some(0));
    }
}

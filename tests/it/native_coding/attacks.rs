//! Ways out of the folder, and what is no file that one could read.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use glove_wasm::message::ToolStatus;
use serde_json::json;

use super::Place;

#[test]
fn what_is_no_file_keeps_nobody_waiting_and_is_not_written() {
    let place = Place::new("no-files");
    let work = place.work();
    assert!(Command::new("mkfifo").arg(work.join("pipe")).status().unwrap().success());
    let socket = UnixListener::bind(work.join("socket")).unwrap();
    symlink("pipe", work.join("to-pipe")).unwrap();
    let mut names = vec!["pipe", "socket", "to-pipe"];
    // Only root makes devices: this one would be read for ever.
    if Command::new("mknod").arg(work.join("device")).args(["c", "1", "5"]).output().unwrap().status.success()
    {
        names.push("device");
    }
    for name in &names {
        for (tool, input) in [
            ("read_file", json!({ "path": name })),
            ("write_file", json!({ "path": name, "content": "x" })),
            ("edit_file", json!({ "path": name, "old": "x", "new": "y" })),
            ("write_file", json!({ "path": format!("{name}/below"), "content": "x", "create_dirs": true })),
        ] {
            place.fails(tool, input);
        }
        assert!(!fs::symlink_metadata(work.join(name)).unwrap().is_file(), "{name}");
    }
    assert_eq!(place.works("search", json!({ "pattern": "." })).lines().count(), 4, "only of main.rs");
    assert!(place.works("list_dir", json!({})).contains("pipe\n"));
    drop(socket);
}

#[test]
fn a_pipe_that_takes_the_place_of_a_file_meanwhile_keeps_nobody_waiting() {
    let place = Place::new("pipe-race");
    let (file, aside) = (place.work().join("a"), place.work().join("aside"));
    fs::write(&file, "harmless").unwrap();
    assert!(Command::new("mkfifo").arg(&aside).status().unwrap().success());
    let done = Arc::new(AtomicBool::new(false));
    let is_done = Arc::clone(&done);
    let exchanging = std::thread::spawn(move || {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        while !is_done.load(Ordering::Relaxed) {
            renameat_with(CWD, &file, CWD, &aside, RenameFlags::EXCHANGE).unwrap();
        }
    });
    for _ in 0..40 {
        let (_, said) = place.call("read_file", json!({ "path": "a" }));
        assert!(said.contains("harmless") || said.contains("no regular file"), "{said}");
    }
    done.store(true, Ordering::Relaxed);
    exchanging.join().unwrap();
}

#[test]
fn another_name_of_a_file_outside_is_not_written_through() {
    let place = Place::new("hard-link");
    let secret = place.0.join("outside/secret.txt");
    fs::hard_link(&secret, place.work().join("other-name")).unwrap();
    place.works("write_file", json!({ "path": "other-name", "content": "OVERWRITTEN" }));
    assert_eq!(fs::read_to_string(&secret).unwrap(), "SECRET");
    fs::remove_file(place.work().join("other-name")).unwrap();
    fs::hard_link(&secret, place.work().join("other-name")).unwrap();
    place.works("edit_file", json!({ "path": "other-name", "old": "SEC", "new": "OVER" }));
    assert_eq!(fs::read_to_string(&secret).unwrap(), "SECRET");
}

#[test]
fn names_that_look_alike_are_different_files() {
    let place = Place::new("alike");
    for name in ["caf\u{e9}", "cafe\u{301}", "CAF\u{c9}", "\u{202e}txt.exe", "a\nb", "-rf", "$(touch x)"] {
        place.works("write_file", json!({ "path": name, "content": name }));
        assert_eq!(fs::read_to_string(place.work().join(name)).unwrap(), name);
    }
    // The folder src and the seven.
    assert_eq!(fs::read_dir(place.work()).unwrap().count(), 8);
}

#[test]
fn a_huge_file_is_neither_read_nor_searched_nor_edited() {
    let place = Place::new("huge");
    fs::File::create(place.work().join("huge")).unwrap().set_len(1 << 40).unwrap();
    for (tool, input) in [
        ("read_file", json!({ "path": "huge", "first_line": 1, "last_line": 1 })),
        ("edit_file", json!({ "path": "huge", "old": "a", "new": "b" })),
    ] {
        assert!(place.fails(tool, input).contains("too large"), "{tool}");
    }
    assert!(place.works("search", json!({ "pattern": "one" })).starts_with("src/main.rs:2"));
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let place = Place::new("paths");
    let work = place.work();
    let outside = place.0.join("outside");
    symlink(&outside, work.join("link")).unwrap();
    symlink(outside.join("secret.txt"), work.join("file-link")).unwrap();
    symlink("../outside", work.join("relative-link")).unwrap();
    symlink("..", work.join("parent")).unwrap();
    symlink("/", work.join("root")).unwrap();
    symlink("link", work.join("link-to-link")).unwrap();
    symlink("../../outside/secret.txt", work.join("src/deep-link")).unwrap();
    symlink("/proc/self/root", work.join("proc")).unwrap();
    let absolute = outside.display().to_string();
    let name = place.0.file_name().unwrap().to_string_lossy().into_owned();
    let work_name = work.display().to_string();
    let ways: Vec<String> = [
        "..",
        "../",
        "../outside",
        "../outside/secret.txt",
        "./../outside/secret.txt",
        "src/../../outside/secret.txt",
        "src/./../../outside/secret.txt",
        "src/../src/../../outside/secret.txt",
        "..//outside//secret.txt",
        ".//..//outside/secret.txt",
        "../../../../../../../../../etc/passwd",
        "/etc/passwd",
        "//etc/passwd",
        "///etc/passwd",
        "/./etc/passwd",
        "/etc/../etc/passwd",
        "/",
        "//",
        "/..",
        "/proc/self/environ",
        "/proc/self/cwd/../outside/secret.txt",
        "/dev/stdin",
        "link",
        "link/",
        "link/secret.txt",
        "link/../outside/secret.txt",
        "file-link",
        "relative-link/secret.txt",
        "relative-link",
        "parent",
        "parent/outside/secret.txt",
        "parent/parent/outside/secret.txt",
        "root",
        "root/etc/passwd",
        "link-to-link/secret.txt",
        "src/deep-link",
        "proc/etc/passwd",
        "proc",
        "src/../link/secret.txt",
        "./link/./secret.txt",
        "link/.",
        "link/..",
        "../project/../outside/secret.txt",
        "project/../../outside/secret.txt",
        "nothing/../../outside/secret.txt",
        "src/main.rs/../../../outside/secret.txt",
        "\u{ff0e}\u{ff0e}/outside/secret.txt",
        "..\u{2215}outside/secret.txt",
        "\u{2024}\u{2024}/outside/secret.txt",
        "..\\outside\\secret.txt",
        "%2e%2e/outside/secret.txt",
        "..%2foutside/secret.txt",
        "~/../outside/secret.txt",
        "~root/secret.txt",
        "file:///etc/passwd",
        "..\u{0}/outside/secret.txt",
        "src/\u{0}../../outside/secret.txt",
        " ../outside/secret.txt",
        "../outside/secret.txt ",
        ".../outside/secret.txt",
        "LINK/secret.txt",
        "Parent/outside/secret.txt",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([
        absolute.clone(),
        format!("{absolute}/secret.txt"),
        format!("../../{name}/outside/secret.txt"),
        format!("{work_name}/../outside/secret.txt"),
        format!("{work_name}/link/secret.txt"),
        format!("{work_name}-other/secret.txt"),
        format!("/{work_name}/../outside/secret.txt"),
    ])
    .collect();
    assert!(ways.len() >= 60, "{}", ways.len());
    for way in &ways {
        for (tool, input) in [
            ("read_file", json!({ "path": way })),
            ("list_dir", json!({ "path": way })),
            ("search", json!({ "pattern": "SECRET|root:", "path": way })),
            ("write_file", json!({ "path": way, "content": "OVERWRITTEN" })),
            (
                "write_file",
                json!({ "path": format!("{way}/new.txt"), "content": "OVERWRITTEN", "create_dirs": true }),
            ),
            ("edit_file", json!({ "path": way, "old": "SECRET", "new": "OVERWRITTEN" })),
            ("bash", json!({ "command": "cat secret.txt; pwd -P", "folder": way })),
        ] {
            let (status, said) = place.call(tool, input);
            assert!(!said.contains("SECRET") && !said.contains("root:"), "{tool} {way:?}: {said}");
            assert!(tool != "list_dir" || !said.contains("secret.txt\n"), "{tool} {way:?}: {said}");
            // Where the names mean nothing to the system, a folder of that name was made in the folder.
            if tool == "bash" && status == ToolStatus::Success {
                assert!(said.contains(&format!("\n{work_name}/")), "{tool} {way:?}: {said}");
            }
        }
        assert_eq!(fs::read_to_string(outside.join("secret.txt")).unwrap(), "SECRET", "{way:?}");
        let beside: Vec<_> =
            fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(beside, ["secret.txt"], "{way:?}");
    }
}

#[test]
fn a_folder_that_becomes_a_link_meanwhile_leads_nowhere() {
    let place = Place::new("race");
    let work = place.work();
    let (door, outside) = (work.join("door"), place.0.join("outside"));
    fs::create_dir(&door).unwrap();
    fs::write(door.join("secret.txt"), "harmless").unwrap();
    fs::write(outside.join("only-outside.txt"), "harmless").unwrap();
    let aside = work.join("aside");
    let done = Arc::new(AtomicBool::new(false));
    let is_done = Arc::clone(&done);
    let swapping = std::thread::spawn(move || {
        while !is_done.load(Ordering::Relaxed) {
            let _ = fs::rename(&door, &aside);
            let _ = symlink(&outside, &door);
            let _ = fs::remove_file(&door);
            let _ = fs::rename(&aside, &door);
        }
    });
    for _ in 0..300 {
        for path in ["door", ""] {
            let (_, said) = place.call("list_dir", json!({ "path": path }));
            assert!(!said.contains("only-outside"), "{said}");
        }
    }
    for _ in 0..40 {
        let (_, said) = place.call("read_file", json!({ "path": "door/secret.txt" }));
        assert!(!said.contains("SECRET"), "{said}");
        let (_, said) = place.call("search", json!({ "pattern": "SECRET", "path": "door" }));
        assert!(!said.contains("SECRET\n") && !said.contains(": SECRET"), "{said}");
    }
    done.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
}

#[test]
fn files_of_git_are_not_written() {
    let place = Place::new("git");
    fs::create_dir_all(place.work().join(".git/hooks")).unwrap();
    symlink(".git", place.work().join("innocent")).unwrap();
    for path in [
        ".git/hooks/pre-commit",
        ".GIT/hooks/pre-commit",
        "src/../.git/config",
        "innocent/config",
        ".g\u{200c}it/config",
    ] {
        let (status, _) = place.call("write_file", json!({ "path": path, "content": "x" }));
        assert_eq!(status, ToolStatus::Error, "{path}");
    }
    let unseen = json!({ "path": ".g\u{200c}it/x", "content": "x", "create_dirs": true });
    assert!(place.fails("write_file", unseen).contains("files of .git are not written"));
    for path in [".git/hooks/deep/x", "innocent/hooks/deep/x", "new/.git/hooks/x"] {
        let input = json!({ "path": path, "content": "x", "create_dirs": true });
        assert!(place.fails("write_file", input).contains("files of .git are not written"), "{path}");
    }
    assert_eq!(fs::read_dir(place.work().join(".git/hooks")).unwrap().count(), 0);
    assert!(!place.work().join("new").exists());
}

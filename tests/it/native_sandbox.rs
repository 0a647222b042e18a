//! Sandboxed code in processes of its own: whatever it does, its time holds, and nothing of it is left.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::wait::block_on;
use futures_util::future::{Either, select};
use glove_wasm::run::input::ToolOutcome;
use glove_wasm_sandbox::{MountRight, Sandbox};
use glove_wasm_task::runtime::MemoryWorkspace;
use serde_json::{Value, json};

use crate::native_glove::{Home, task};
use crate::native_web::outcome;

const GLOVE: &str = env!("CARGO_BIN_EXE_glove-tested");
const LIMIT: Duration = Duration::from_secs(1);
/// For what is not about the time, on a machine that is busy.
const LONG: Duration = Duration::from_secs(60);

/// The program under a name by which its processes are found.
fn named(home: &Home) -> PathBuf {
    let program = home.file("sandbox-program");
    symlink(GLOVE, &program).unwrap();
    program
}

/// The processes that were started under this name and live.
fn running(program: &Path) -> Vec<PathBuf> {
    let name = program.to_str().unwrap();
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let own = |process: &PathBuf| {
        fs::read_to_string(process.join("cmdline"))
            .is_ok_and(|line| line.split('\0').any(|word| word == name))
    };
    all.filter(own).collect()
}

/// Waits until there are so many.
fn are_running(program: &Path, wanted: usize) -> Vec<PathBuf> {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let found = running(program);
        if found.len() == wanted {
            return found;
        }
        assert!(Instant::now() < until, "{found:?} of {wanted}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// How many files a process may have open.
fn open_files(limits: &str) -> &str {
    let open = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    open.split_whitespace().nth(3).unwrap()
}

/// What whoever started these tests has left open for each process.
fn left_open() -> Vec<String> {
    let all = fs::read_dir("/proc/self/fd").unwrap().flatten();
    let is_passed_on = |number: &str| {
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        flags.is_some_and(|flags| i64::from_str_radix(flags.trim(), 8).unwrap() & 0o2_000_000 == 0)
    };
    all.filter(|fd| is_passed_on(fd.file_name().to_str().unwrap()))
        .filter_map(|fd| Some(fs::read_link(fd.path()).ok()?.to_string_lossy().into_owned()))
        .collect()
}

fn called(sandbox: Sandbox, code: &str) -> (String, String) {
    match block_on(outcome(&sandbox.exec(), &json!({ "code": code, "input": {} }))) {
        ToolOutcome::Returned { result, .. } => {
            (result.data.as_str().to_owned(), result.message.unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

fn at(program: &Path) -> Sandbox {
    Sandbox::new().program(program).time(LIMIT).memory(32 << 20)
}

#[derive(serde::Deserialize)]
struct Hostile {
    code: String,
    ends: Vec<String>,
}

#[test]
fn hostile_programs_are_ended_within_their_time_and_a_second() {
    let home = Home::new();
    let program = named(&home);
    let all = include_str!("../fixtures/sandbox-hostile.json");
    let all: Vec<Hostile> = serde_json::from_str(all).unwrap();
    assert!(all.len() >= 35);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(Hostile { code, ends }) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begun = Instant::now();
                    let (data, message) = called(at(&program), code);
                    let took = begun.elapsed();
                    let code_of = serde_json::from_str::<Value>(&data).unwrap();
                    let known = ends.iter().any(|end| code_of["code"] == end.as_str());
                    assert!(known, "{code}: {data} {message}");
                    assert!(took < LIMIT + Duration::from_secs(1), "{code}: {took:?}");
                }
            });
        }
    });
    are_running(&program, 0);
    assert_eq!(called(at(&program), "return 1").0, "1");
}

#[test]
fn nothing_gets_out_of_a_process() {
    let escapes = include_str!("../fixtures/sandbox-escapes.json");
    for escape in serde_json::from_str::<Vec<String>>(escapes).unwrap() {
        let (data, message) = called(at(Path::new(GLOVE)), &escape);
        match message.as_str() {
            "" => {
                assert!(["\"undefined\"", "\"function\"", "0"].contains(&data.as_str()), "{escape}: {data}");
            }
            message => assert!(
                message.contains("is not defined") || message.contains("there is no module"),
                "{escape}: {message}"
            ),
        }
    }
}

#[test]
fn the_process_of_a_call_has_no_environment_and_no_files_and_ends_with_the_call() {
    let home = Home::new();
    let program = named(&home);
    let tool = at(&program).time(LONG).exec();
    let code = json!({ "code": "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)" });
    let (looked, look) = futures_channel::oneshot::channel();
    let there = program.clone();
    let looks = thread::spawn(move || {
        let process = are_running(&there, 1).remove(0);
        let read = |name: &str| fs::read_to_string(process.join(name)).unwrap();
        // Its bounds hold a moment after it began, on a busy machine a long one.
        let until = Instant::now() + Duration::from_secs(20);
        while open_files(&read("limits")) != "0" {
            assert!(Instant::now() < until, "{}", read("limits"));
            thread::sleep(Duration::from_millis(5));
        }
        let fds: Vec<String> = fs::read_dir(process.join("fd"))
            .unwrap()
            .flatten()
            .map(|fd| fs::read_link(fd.path()).unwrap().to_string_lossy().into_owned())
            .collect();
        let _ = looked.send((read("environ"), fds));
    });
    let call = Box::pin(outcome(&tool, &code));
    let Either::Right((Ok((environment, fds)), call)) = block_on(select(call, look)) else {
        panic!("the call has ended")
    };
    looks.join().unwrap();
    assert_eq!(environment, "");
    let left_open = left_open();
    let known = |fd: &String| fd.starts_with("pipe:") || fd == "/dev/null" || left_open.contains(fd);
    assert!(fds.iter().all(known), "{fds:?} beside {left_open:?}");
    drop(call);
    are_running(&program, 0);
}

#[test]
fn files_go_by_way_of_the_program_that_grants_them() {
    let files = MemoryWorkspace::new().with("task/a.md", "A".repeat(300_000)).unwrap();
    let sandbox = at(Path::new(GLOVE)).time(LONG).files(files).mount("task", MountRight::Read).unwrap();
    let sandbox = sandbox.mount("progress/artifacts", MountRight::Write).unwrap();
    let code = "const text = await files.read('task/a.md'); await files.write('progress/artifacts/b.md', text + 'ä');
        const all = []; for (let i = 0; i < 50; i++) all.push(files.read('progress/artifacts/b.md'));
        console.log('read'); return (await Promise.all(all)).map((text) => text.length).join().length";
    assert_eq!(
        called(sandbox.clone(), code),
        ("{\"result\":349,\"log\":\"read\\n\"}".to_owned(), String::new())
    );
    let (_, message) = called(sandbox, "await files.write('task/a.md', 'x')");
    assert!(message.contains("not granted for writing"), "{message}");
}

#[test]
fn what_code_asks_counts_into_its_memory() {
    let files = MemoryWorkspace::new();
    let sandbox =
        at(Path::new(GLOVE)).time(LONG).files(files).mount("progress/artifacts", MountRight::Write).unwrap();
    let code = "const s = 'x'.repeat(4e6); for (;;) files.write('progress/artifacts/a', s)";
    assert_eq!(called(sandbox, code).0, r#"{"code":"SANDBOX_MEMORY"}"#);
}

#[test]
fn starting_the_process_does_not_count_into_the_time() {
    let home = Home::new();
    let slow = home.write("slow", &format!("#!/bin/sh\n/bin/sleep 2\nexec {GLOVE} \"$@\"\n"));
    fs::set_permissions(&slow, fs::Permissions::from_mode(0o755)).unwrap();
    let sandbox = Sandbox::new().program(&slow).time(Duration::from_millis(500));
    assert_eq!(called(sandbox, "return 1").0, "1");
}

#[test]
fn a_program_that_runs_no_code_is_named() {
    for program in ["/bin/true", "/no/such/program"] {
        let (data, message) = called(at(Path::new(program)), "return 1");
        assert_eq!(data, r#"{"code":"SANDBOX_UNAVAILABLE"}"#, "{message}");
        assert!(message.contains(program), "{message}");
    }
}

/// The tests once more as a process, which has a folder and a `PATH` of its own.
#[test]
fn a_program_is_found_from_where_it_is_named() {
    const NAMES: &str = "GLOVE_TEST_NAMES";
    if let Ok(names) = std::env::var(NAMES) {
        for name in names.split(' ') {
            let found = called(at(Path::new(name)).time(LONG), "return 1");
            assert_eq!(found, ("1".to_owned(), String::new()), "{name}");
        }
        let (_, message) = called(at(Path::new("no-such-program")), "return 1");
        assert!(message.contains("`no-such-program` could not be started"), "{message}");
        return;
    }
    let home = Home::new();
    named(&home);
    // One that cannot be run is passed over.
    fs::create_dir(home.file("first")).unwrap();
    home.write("first/sandbox-program", "");
    let path = std::env::join_paths([home.file("first"), home.file("")]).unwrap();
    let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
    tests.args(["--exact", "native_sandbox::a_program_is_found_from_where_it_is_named"]);
    tests.env(NAMES, "./sandbox-program sandbox-program first/../sandbox-program").env("PATH", path);
    let done = tests.current_dir(home.file("")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

#[test]
fn a_program_that_is_killed_takes_the_process_of_its_call_with_it() {
    let home = task::with_brief();
    let program = named(&home);
    home.write("work/script", &task::script_of("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"));
    let run = ["run", "page", "--sandbox", "--approve", "automatic", "--model", "scripted:script"];
    let mut glove = std::process::Command::new(&program);
    glove.args(run).current_dir(home.file("work")).env_clear().env("HOME", home.file(""));
    let mut glove = glove.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let is_child = |process: &PathBuf| {
        let of = format!("PPid:\t{}\n", glove.id());
        fs::read_to_string(process.join("status")).is_ok_and(|status| status.contains(&of))
    };
    let until = Instant::now() + Duration::from_secs(20);
    let child = loop {
        let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        if let Some(child) = all.filter(|path| path.join("status").exists()).find(is_child) {
            break child;
        }
        assert!(Instant::now() < until, "the call did not begin");
        thread::sleep(Duration::from_millis(5));
    };
    thread::sleep(Duration::from_millis(300));
    assert!(child.exists());
    glove.kill().unwrap();
    glove.wait().unwrap();
    let until = Instant::now() + Duration::from_secs(2);
    while child.join("cwd").read_link().is_ok() {
        assert!(Instant::now() < until, "it runs on");
        thread::sleep(Duration::from_millis(5));
    }
}

//! Many who follow a long session and do not read: what they cost, and that they are let go.

use std::io::Read;
use std::time::Instant;

use super::*;

/// A session of some megabytes.
fn long(running: &Running, megabytes: usize) -> String {
    let message = |number: usize| {
        let sender = if number.is_multiple_of(2) { "user" } else { "agent" };
        json!({ "sender": sender, "text": format!("{number} {}", "x".repeat(9_980)) })
    };
    let messages: Vec<Value> = (0..megabytes * 100).map(message).collect();
    let (status, begun) = running.json("POST", "/api/sessions", Some(&json!({ "messages": messages })));
    assert_eq!(status, 201, "{begun}");
    begun["id"].as_str().unwrap().to_owned()
}

fn streams(running: &Running) -> u64 {
    let (_, metrics) = running.ask("GET", "/metrics", &[], None);
    let line = metrics.lines().find(|line| line.starts_with("glove_streams ")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

fn limits() -> ServerLimits {
    ServerLimits { body_bytes: 64 << 20, ..ServerLimits::default() }
}

#[test]
fn who_reads_nothing_is_let_go_and_goes_on_where_it_was() {
    let folder = Folder::new();
    let limits = ServerLimits { slow_reader: Duration::from_millis(700), ..limits() };
    let running = Running::start(server(&folder, model()).limits(limits));
    let id = long(&running, 20);
    // It leaves with the first event's id: what follows comes in pieces.
    let early = running.follow(&id, None).lines.lines();
    let seen =
        early.map_while(Result::ok).find_map(|line| line.strip_prefix("id: ").map(str::to_owned)).unwrap();
    let mut silent: Vec<_> = ["events", "feed"]
        .map(|kind| running.open("GET", &format!("/api/sessions/{id}/{kind}"), &[], None))
        .into();
    // Both are counted from their first byte on.
    for silent in &mut silent {
        assert!(!silent.fill_buf().unwrap().is_empty());
    }
    let begun = Instant::now();
    while streams(&running) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{} streams are left", streams(&running));
        std::thread::sleep(Duration::from_millis(20));
    }
    for silent in &mut silent {
        assert!(rest(silent).len() < 20_000_000, "all of it came");
    }
    let told = json!({ "text": "hi" });
    assert_eq!(running.json("POST", &format!("/api/sessions/{id}/messages"), Some(&told)).0, 202);
    let mut again = running.follow(&id, Some(&seen));
    assert_ne!(again.next().unwrap().1["type"], "snapshot", "it gets what it missed");
    again.until("request_finished");
}

/// With the time that a client has otherwise: a machine with much other work may not let this one read for longer than the others have.
#[test]
fn who_reads_slowly_gets_all() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()).limits(limits()));
    let id = long(&running, 20);
    let mut slow = running.open("GET", &format!("/api/sessions/{id}/events"), &[], None);
    let (mut read, mut piece) = (0, vec![0; 1 << 20]);
    while read < 20_000_000 {
        match slow.read(&mut piece).unwrap() {
            0 => panic!("it was let go after {read} bytes"),
            count => read += count,
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
mod memory {
    use super::super::answered::Program;
    use super::*;
    use crate::native_glove::Home;

    fn megabytes(program: &Program) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
    }

    fn open(program: &Program, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(program.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut first = [0; 200];
        assert!(stream.read(&mut first).unwrap() > 0);
        stream
    }

    use std::io::Write;

    #[test]
    fn each_who_follows_a_long_session_without_reading_costs_little() {
        let home = Home::new();
        let program = Program::start(&home, home.file("sessions.db").to_str().unwrap());
        let message =
            |number: usize| json!({ "sender": "user", "text": format!("{number} {}", "x".repeat(7_490)) });
        let messages: Vec<Value> = (0..1_000).map(message).collect();
        let begun = program.post("/api/sessions", &json!({ "messages": messages })).unwrap().1;
        let session = format!("/api/sessions/{}", begun["id"].as_str().unwrap());
        for kind in ["events", "feed"] {
            // What one of them takes is there for all.
            let first = open(&program, &format!("{session}/{kind}"));
            std::thread::sleep(Duration::from_millis(500));
            let before = megabytes(&program);
            let all: Vec<_> = (0..200).map(|_| open(&program, &format!("{session}/{kind}"))).collect();
            std::thread::sleep(Duration::from_millis(500));
            let each = (megabytes(&program) - before) / 200.0;
            eprintln!("{kind}: {each:.3} MB each");
            assert!(each <= 0.3, "{each:.3} MB each of those who follow {kind}");
            drop((first, all));
        }
    }

    #[test]
    fn what_two_thousand_streams_take_is_given_back() {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        setrlimit(Resource::Nofile, limit).unwrap();
        let home = Home::new();
        let program = Program::start(&home, home.file("sessions.db").to_str().unwrap());
        let begun = program.post("/api/sessions", &json!({ "text": "hello" })).unwrap().1;
        let events = format!("/api/sessions/{}/events", begun["id"].as_str().unwrap());
        drop(open(&program, &events));
        std::thread::sleep(Duration::from_millis(500));
        let before = megabytes(&program);
        let all: Vec<_> = (0..2_000).map(|_| open(&program, &events)).collect();
        let (most, begun) = (megabytes(&program), Instant::now());
        drop(all);
        while megabytes(&program) > before + 20.0 {
            let now = megabytes(&program);
            assert!(
                begun.elapsed() < Duration::from_secs(15),
                "{before:.0} MB, {most:.0} MB, and {now:.0} MB after it"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        eprintln!(
            "{before:.1} MB, {most:.1} MB with 2,000 streams, {:.1} MB after them",
            megabytes(&program)
        );
    }
}

//! A process that is killed at any moment of its writes, and another that takes its session over.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use glove_wasm::ports::StoreAdapter;

use super::{Database, Server};
use crate::native_sqlite::killed::{check, say, write_for_ever};
use crate::native_sqlite::{Folder, other_process, role};
use crate::support::runtime::block_on;

const TEST: &str =
    concat!(module_path!(), "::a_killed_process_loses_nothing_and_its_session_is_taken_over_within_5_s");

/// After each, the time of the one that died has to run out. `GLOVE_KILLS` is for more of them.
const KILLS: usize = 4;

/// By how many microseconds a busy machine has let a thread wait longer than it asked: that is no time of the store.
fn lateness() -> Arc<AtomicU64> {
    const NAP: Duration = Duration::from_millis(10);
    let counted = Arc::new(AtomicU64::new(0));
    let counts = Arc::clone(&counted);
    std::thread::spawn(move || {
        loop {
            let begun = Instant::now();
            sleep(NAP);
            let more = begun.elapsed().saturating_sub(NAP).as_micros();
            counts.fetch_add(u64::try_from(more).unwrap_or_default(), Ordering::Relaxed);
        }
    });
    counted
}

#[test]
fn a_killed_process_loses_nothing_and_its_session_is_taken_over_within_5_s() {
    if let Some((_, folder)) = role() {
        let database = Database::open(&fs::read_to_string(folder.join("url")).unwrap()).unwrap();
        block_on(async {
            let (store, begun, late) = (database.store("killed"), Instant::now(), lateness());
            store.acquire().await.unwrap();
            let late = Duration::from_micros(late.load(Ordering::Relaxed));
            say(&format!("taken after {} ms", begun.elapsed().saturating_sub(late).as_millis()));
            write_for_ever(store, &folder).await;
        });
        return;
    }
    let Some(server) = Server::shared() else { return };
    let folder = Folder::new();
    fs::write(folder.file("url"), server.url()).unwrap();
    let kills = env::var("GLOVE_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let database = server.open();
    let (mut acknowledged, mut requests, mut longest) = (0, 0, 0);
    for kill in 0..kills {
        let mut child = other_process(TEST.trim_start_matches("it::"), "write", folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        loop {
            let line = lines.next().expect("the other process ended by itself").unwrap();
            if let Some((_, waited)) = line.split_once("taken after ") {
                longest = longest.max(waited.trim_end_matches(" ms").parse::<u64>().unwrap());
            }
            if line.ends_with("ready") {
                break;
            }
        }
        sleep(Duration::from_micros(200_000 + (kill as u64 * 7_919) % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines.map_while(Result::ok) {
            if let Some(count) = line.strip_prefix("written ").and_then(|count| count.parse().ok()) {
                acknowledged = acknowledged.max(count);
            }
        }
        let loaded = block_on(database.store("killed").load()).unwrap();
        requests = check(&loaded, &folder.file("notes"), acknowledged, kill);
    }
    eprintln!("{requests} requests in {kills} lives; the longest wait for a session was {longest} ms");
    assert!(requests >= kills, "{requests} requests ended in {kills} lives: too few to show anything");
    assert!((1_000..5_000).contains(&longest), "{longest} ms");
}

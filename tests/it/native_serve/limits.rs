//! What a server does not take upon itself: clients beyond its connections, and a session that ends it each time.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rusqlite::Connection;

use super::*;

#[test]
fn a_client_beyond_the_last_connection_is_told_to_come_back_and_served_when_one_is_free() {
    let folder = Folder::new();
    let limits = ServerLimits { connections: 2, ..ServerLimits::default() };
    let running = Running::start(server(&folder, model()).limits(limits));
    let id = running.begin("hi");
    // The connection that began it counts until the server finds it gone.
    let follow = || {
        let mut followed = running.follow(&id, None);
        until(|| {
            let is_served = followed.next().is_some();
            if !is_served {
                followed = running.follow(&id, None);
            }
            is_served
        });
        followed
    };
    let (one, two) = (follow(), follow());
    for _ in 0..3 {
        let (status, head, text) = whole(running.open("POST", "/api/chat", &[], Some(HI)));
        let refused: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, &refused["error"]["code"]), (503, &json!("TOO_MANY_CONNECTIONS")));
        assert_eq!(
            (&refused["error"]["retryable"], &refused["error"]["retry_after_ms"]),
            (&json!(true), &json!(2000))
        );
        assert!(head.contains("\r\nretry-after: 2") && !head.contains("x-should-retry"), "{head}");
    }
    drop(two);
    // The server finds out with its next look at the connection.
    until(|| running.ask("POST", "/api/chat", &[], Some(HI)).0 != 503);
    drop(one);
    let mut counted = String::new();
    until(|| {
        counted = running.ask("GET", "/metrics", &[], None).1;
        counted.contains("glove_connections_turned_away_total")
    });
    let turned_away =
        counted.lines().find_map(|line| line.strip_prefix("glove_connections_turned_away_total "));
    assert!(turned_away.unwrap().parse::<u64>().unwrap() >= 3, "{counted}");
}

#[test]
fn a_session_that_ends_the_server_of_a_file_each_time_waits_for_a_person_after_the_third() {
    let folder = Folder::new();
    let gate = Gate::new();
    let closed = gate.clone();
    let asked = ScriptedModel::by(move |_, _| Line::deltas(["Never ", "said."]).after_gate(&closed));
    let limits = ServerLimits { grace: Duration::ZERO, ..ServerLimits::default() };
    let serve = || Running::start(server(&folder, asked.clone()).limits(limits));
    let mut running = serve();
    let id = running.begin("hi");
    for times in 1..=3 {
        until(|| asked.calls() >= times);
        running.stop();
        // As a server leaves it that was killed.
        let file = Connection::open(folder.0.join("sessions.db")).unwrap();
        assert_eq!(file.execute("UPDATE glove_runs SET holder = 'nobody' WHERE phase = 'model'", []), Ok(1));
        running = serve();
        assert_eq!(running.json("GET", &format!("/api/sessions/{id}"), None).0, 200);
    }
    let (_, all) = running.page(&id, None).until_kind("all");
    let told = all["events"].as_array().unwrap().last().unwrap();
    assert_eq!((&told["kind"], &told["error"]["code"]), (&json!("ended"), &json!("SESSION_HELD_BACK")));
    assert!(told["error"]["message"].as_str().unwrap().starts_with("3 servers ended in a row"), "{told}");
    assert_eq!(asked.calls(), 3, "it does not begin a fourth time by itself");
    assert_eq!(running.json("POST", &format!("/api/sessions/{id}/resume"), Some(&json!({}))).0, 202);
    gate.open();
    let session = format!("/api/sessions/{id}");
    until(|| running.json("GET", &session, None).1["messages"][1]["text"] == "Never said.");
    let (_, all) = running.page(&id, None).until_kind("all");
    assert!(!all.to_string().contains("SESSION_HELD_BACK"), "{all}");
}

#[test]
fn a_client_that_leaves_while_its_session_is_opened_takes_up_no_place() {
    let folder = Folder::new();
    let limits = ServerLimits { sessions: 1, grace: Duration::ZERO, ..ServerLimits::default() };
    let serve = || Running::start(server(&folder, model()).limits(limits));
    let mut running = serve();
    let id = running.begin("hi");
    running.rests(&id);
    running.stop();
    let file = Connection::open(folder.0.join("sessions.db")).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let until = i64::try_from(now).unwrap() + 3_900;
    let held = "UPDATE glove_runs SET holder = 'somebody else', held_until = ?1";
    assert_eq!(file.execute(held, [until]), Ok(1));
    running = serve();
    let leaves = running.open("GET", &format!("/api/sessions/{id}"), &[], None);
    std::thread::sleep(Duration::from_millis(300));
    drop(leaves);
    let hi = json!({ "text": "hi" });
    let other = || running.json("POST", "/api/sessions", Some(&hi));
    let (status, refused) = other();
    assert_eq!((status, &refused["error"]["code"]), (503, &json!("TOO_MANY_SESSIONS")), "it is being opened");
    let began = Instant::now();
    while other().0 != 201 {
        assert!(began.elapsed() < Duration::from_secs(20), "it is open for ever");
        std::thread::sleep(Duration::from_millis(50));
    }
}

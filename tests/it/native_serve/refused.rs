//! A message that was refused because the store failed is nowhere: whoever sends it again, says it once.

use super::*;

/// What the store does as long as it is there: it writes no step.
struct Broken(rusqlite::Connection);

impl Broken {
    fn store(folder: &Folder) -> Broken {
        let connection = rusqlite::Connection::open(folder.0.join("sessions.db")).unwrap();
        connection.busy_timeout(Duration::from_secs(20)).unwrap();
        connection
            .execute_batch(
                "CREATE TRIGGER broken BEFORE UPDATE OF seq ON glove_runs BEGIN SELECT RAISE(ABORT, 'broken'); END;",
            )
            .unwrap();
        Broken(connection)
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        self.0.execute_batch("DROP TRIGGER broken;").unwrap();
    }
}

impl Running {
    fn say(&self, body: &Value) -> (u16, Value) {
        self.json("POST", "/api/sessions/mine/messages", Some(body))
    }

    /// How often the session has a message of this text when it rests.
    fn times(&self, text: &str) -> usize {
        self.rests("mine");
        let (_, session) = self.json("GET", "/api/sessions/mine", None);
        session["messages"].as_array().unwrap().iter().filter(|message| message["text"] == text).count()
    }
}

/// With an id of the client's own, and without one.
fn messages() -> [Value; 2] {
    [json!({ "text": "again", "id": "m1" }), json!({ "text": "again" })]
}

#[test]
fn a_message_that_a_resting_session_refused_is_said_once_when_it_is_sent_again() {
    for message in messages() {
        for text in [Some("hello"), None] {
            let folder = Folder::new();
            let running = Running::start(server(&folder, model()));
            running.json("POST", "/api/sessions", Some(&json!({ "id": "mine", "text": text })));
            running.rests("mine");
            let broken = Broken::store(&folder);
            for _ in 0..2 {
                let (status, refused) = running.say(&message);
                assert_eq!((status, &refused["error"]["retryable"]), (503, &json!(true)), "{refused}");
            }
            drop(broken);
            assert_eq!(running.say(&message).0, 202, "{message} after {text:?}");
            assert_eq!(running.times("again"), 1, "{message} after {text:?}");
        }
    }
}

#[test]
fn a_message_that_a_working_session_refused_is_said_once_when_it_is_sent_again() {
    for message in messages() {
        let (folder, gate) = (Folder::new(), Gate::new());
        let slow = gate.clone();
        let model = ScriptedModel::by(move |_, seen: &Seen| match seen.messages.last() {
            Some(last) if last.text == "hello" => Line::text("Hello there.").after_gate(&slow),
            _ => Line::text("Yes."),
        });
        let running = Running::start(server(&folder, model));
        running.json("POST", "/api/sessions", Some(&json!({ "id": "mine", "text": "hello" })));
        let mut following = running.follow("mine", None);
        while !gate.was_reached() {
            following.next().unwrap();
        }
        let broken = Broken::store(&folder);
        let (status, refused) = running.say(&message);
        assert_eq!((status, &refused["error"]["retryable"]), (503, &json!(true)), "{refused}");
        drop(broken);
        assert_eq!(running.say(&message).0, 202, "{message}");
        gate.open();
        assert_eq!(running.times("again"), 1, "{message}");
        assert_eq!(running.times("hello"), 1, "{message}");
    }
}

#[test]
fn a_session_that_could_not_be_begun_is_begun_when_it_is_asked_for_again() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    running.begin("hi");
    let broken = Broken::store(&folder);
    let begin = json!({ "id": "mine", "text": "again" });
    assert_eq!(running.json("POST", "/api/sessions", Some(&begin)).0, 503);
    drop(broken);
    assert_eq!(running.json("POST", "/api/sessions", Some(&begin)).0, 201);
    assert_eq!(running.times("again"), 1);
}

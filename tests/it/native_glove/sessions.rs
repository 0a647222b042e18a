//! Sessions of the program.

use super::{Home, stderr};

#[test]
fn a_session_is_continued_and_deleted_by_the_beginning_of_its_id() {
    let home = Home::new();
    home.prints(&["chat", "--model", "scripted", "-p", "hello"]);
    let id = home.sessions()[0]["id"].as_str().unwrap().to_owned();
    home.prints(&["resume", &id[..8], "--model", "scripted", "-p", "again"]);
    let sessions = home.sessions();
    assert_eq!((sessions.len(), &sessions[0]["messages"]), (1, &4.into()));
    home.prints(&["sessions", "--delete", &id[..8]]);
    assert!(home.sessions().is_empty());
}

#[test]
fn a_session_that_another_program_runs_is_not_taken_from_it() {
    let home = Home::new();
    home.prints(&["chat", "--model", "scripted", "-p", "hello"]);
    let id = home.sessions()[0]["id"].as_str().unwrap().to_owned();
    let database =
        glove_wasm::native::SqliteDatabase::open(home.file(".local/share/glove/sessions.db")).unwrap();
    let store = database.store(&id);
    futures_executor::block_on(store.acquire()).unwrap();
    let refused = home.run(&["resume", "--model", "scripted", "-p", "again"]);
    assert!(stderr(&refused).contains("STORE_CONFLICT"), "{}", stderr(&refused));
    assert_eq!(home.sessions()[0]["messages"], 2);
}

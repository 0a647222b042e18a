//! Sessions of the program.

use super::{Home, mode, stderr};

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
        glove_wasm_sqlite::SqliteDatabase::open(home.file(".local/share/glove/sessions.db")).unwrap();
    let store = database.store(&id);
    crate::support::wait::block_on(store.acquire()).unwrap();
    let refused = home.run(&["resume", "--model", "scripted", "-p", "again"]);
    assert!(stderr(&refused).contains("STORE_CONFLICT"), "{}", stderr(&refused));
    assert_eq!(home.sessions()[0]["messages"], 2);
}

#[test]
fn a_session_goes_from_one_home_to_another() {
    let (home, other) = (Home::new(), Home::new());
    home.prints(&["chat", "--model", "scripted", "-p", "hello"]);
    let id = home.sessions()[0]["id"].as_str().unwrap().to_owned();
    let file = other.file("session.json");
    home.prints(&["export", &id[..8], "-o", file.to_str().unwrap()]);
    assert_eq!(mode(&file), 0o600, "what was said is nobody else's business");
    assert_eq!(other.prints(&["import", file.to_str().unwrap(), "--with-run"]).trim(), id);
    assert_eq!(other.prints(&["export"]).trim(), std::fs::read_to_string(&file).unwrap());
    other.prints(&["resume", "--model", "scripted", "-p", "again"]);
    assert_eq!(other.sessions()[0]["messages"], 4);

    let again = other.prints(&["import", file.to_str().unwrap()]);
    assert_ne!(again.trim(), id, "its id is used already");
    let refused = other.run(&["import", file.to_str().unwrap(), "--id", &id]);
    assert!(stderr(&refused).contains("SESSION_EXISTS"), "{}", stderr(&refused));
    let refused = other.run(&["import", file.to_str().unwrap(), "--id", ""]);
    assert!(stderr(&refused).contains("--id"), "{}", stderr(&refused));
    other.write("none.json", "{}");
    let refused = other.run(&["import", other.file("none.json").to_str().unwrap()]);
    assert!(stderr(&refused).contains("SESSION_IMPORT_INVALID"), "{}", stderr(&refused));
}

#[test]
fn the_title_of_a_session_turns_nothing_beside_it_in_the_list() {
    let home = Home::new();
    home.prints(&["chat", "--model", "scripted", "-p", "שלום\u{202e} 1"]);
    let listed = home.prints(&["sessions"]);
    assert!(listed.trim_end().ends_with("  \u{2068}שלום\\u202E 1\u{2069}"), "{listed}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_fault() {
    let home = Home::new();
    home.prints(&["chat", "--model", "scripted", "-p", "hello"]);
    let mut export = home.glove(&["export"]);
    let (read, write) = std::io::pipe().unwrap();
    drop(read);
    let output = export.stdout(write).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(141), ""));
}

#[test]
fn the_database_is_the_one_that_is_named_or_configured_and_no_password_is_said() {
    let home = Home::new();
    home.prints(&["chat", "--model", "scripted", "-p", "hello"]);
    let file = format!("sqlite:{}", home.file(".local/share/glove/sessions.db").display());
    assert_eq!(home.prints(&["sessions", "--database", &file]).lines().count(), 1);
    let config = home.write("config", &format!("GLOVE_DATABASE={}\n", home.file("other.db").display()));
    std::fs::set_permissions(&config, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(home.prints(&["sessions", "--config", config.to_str().unwrap()]), "");
    for (address, said) in [
        ("mysql://ada:secret@db/chats", "`postgres://…`"),
        ("postgres://ada:secret@db:port/chats", "no address of a PostgreSQL database"),
        ("postgres://ada:secret@127.0.0.1:1/chats", "postgres://127.0.0.1:1/chats"),
    ] {
        let refused = home.run(&["sessions", "--database", address]);
        let stderr = stderr(&refused);
        assert!(!refused.status.success() && stderr.contains(said), "{address}: {stderr}");
        assert!(stderr.contains("STORE_UNAVAILABLE") && !stderr.contains("secret"), "{stderr}");
    }
    let address = "postgres://ada:secret@db/chats";
    let refused = home.run(&["chat", "--model", "scripted", "-p", "hi", "--database", address]);
    assert!(stderr(&refused).contains("`glove serve` uses that"), "{}", stderr(&refused));
    let refused = home.run(&["serve", "--model", "scripted", "--address", "10.0.0.1"]);
    assert!(stderr(&refused).contains("http://host:port"), "{}", stderr(&refused));
}

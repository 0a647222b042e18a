//! A session that is imported into a database.

use std::env;
use std::fs;
use std::sync::LazyLock;

use futures_executor::block_on;
use glove_wasm::store::Transcript;
use glove_wasm_native::ImportOptions;
use glove_wasm_sqlite::SqliteDatabase;

/// In memory where the system has a folder for that.
static DATABASE: LazyLock<SqliteDatabase> = LazyLock::new(|| {
    let folder = fs::metadata("/dev/shm").map_or_else(|_| env::temp_dir(), |_| "/dev/shm".into());
    let file = folder.join(format!("glove-import-{}.db", std::process::id()));
    let database = SqliteDatabase::open(&file);
    // It stays open, and nothing is left of it.
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{end}", file.display()));
    }
    database.unwrap()
});

/// It is refused with a code and no session is made, or a session is there that is exported as what came in.
pub fn check(input: &[u8]) {
    let Ok(transcript) = Transcript::read(&String::from_utf8_lossy(input)) else { return };
    for with_run in [false, true] {
        let options = ImportOptions { id: Some("imported".to_owned()), with_run };
        match block_on(DATABASE.import(transcript.clone(), options)) {
            Ok(id) => {
                let exported = block_on(DATABASE.export(&id)).unwrap();
                assert_eq!(exported.messages, messages(&transcript, with_run));
                assert_eq!(exported.tasks, transcript.tasks);
                assert!(exported.to_text().is_ok());
                block_on(DATABASE.delete(&id)).unwrap();
            }
            Err(error) => assert!(!error.code().is_empty()),
        }
        assert_eq!(block_on(DATABASE.sessions()).unwrap(), []);
    }
}

fn messages(transcript: &Transcript, with_run: bool) -> Vec<std::sync::Arc<glove_wasm::message::Message>> {
    match transcript.run() {
        Ok(run) if with_run && transcript.checkpoint.is_some() => run.messages().to_vec(),
        _ => transcript.messages.clone(),
    }
}

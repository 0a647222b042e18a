//! The stores of this crate do what sessions rely on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::support::wait::block_on;
use glove_wasm::message::InboxItem;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::StoreAdapter;
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{STORE_CASES, Stores};

fn passes(stores: &dyn Stores) {
    let failed: Vec<String> = STORE_CASES
        .iter()
        .filter_map(|case| block_on(case.run(stores)).err().map(|why| format!("{}: {why}", case.name)))
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} cases fail:\n{}",
        failed.len(),
        STORE_CASES.len(),
        failed.join("\n")
    );
}

#[derive(Default)]
struct InMemory(Mutex<HashMap<String, MemoryStore>>);

impl InMemory {
    fn store(&self, session: &str) -> MemoryStore {
        self.0.lock().unwrap().entry(session.to_owned()).or_insert_with(|| MemoryStore::new(session)).clone()
    }
}

impl Stores for InMemory {
    fn open(&self, session: &str) -> Arc<dyn StoreAdapter> {
        Arc::new(self.store(session))
    }

    fn add_inbox_item<'a>(
        &'a self,
        store: &'a dyn StoreAdapter,
        item: InboxItem,
    ) -> Option<BoxFuture<'a, ()>> {
        self.store(&store.identifier()).add_inbox_item(item);
        Some(Box::pin(std::future::ready(())))
    }
}

#[test]
fn the_store_in_memory_passes_every_case() {
    passes(&InMemory::default());
}

#[cfg(unix)]
mod postgres {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;
    use crate::native_postgres::PostgresServer;
    use glove_wasm_postgres::PostgresDatabase;

    /// Each store is of the other one of two processes.
    struct InPostgres([PostgresDatabase; 2], AtomicUsize);

    impl InPostgres {
        fn database(&self) -> &PostgresDatabase {
            &self.0[self.1.fetch_add(1, Ordering::Relaxed) % 2]
        }
    }

    impl Stores for InPostgres {
        fn open(&self, session: &str) -> Arc<dyn StoreAdapter> {
            Arc::new(self.database().store(session))
        }

        fn add_inbox_item<'a>(
            &'a self,
            store: &'a dyn StoreAdapter,
            item: InboxItem,
        ) -> Option<BoxFuture<'a, ()>> {
            let adding = self.database().store(store.identifier()).add_inbox_item(&item);
            Some(Box::pin(async { adding.await.unwrap() }))
        }

        fn let_go<'a>(&'a self, session: &'a str) -> BoxFuture<'a, ()> {
            Box::pin(async move {
                while self.database().holder(session).await.unwrap().is_some() {
                    sleep(Duration::from_millis(5));
                }
            })
        }
    }

    #[test]
    fn postgres_passes_every_case() {
        let Some(server) = PostgresServer::shared() else { return };
        passes(&InPostgres([server.open(), server.open()], AtomicUsize::new(0)));
    }
}

#[cfg(unix)]
mod redis {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;
    use crate::native_redis::RedisServer;
    use glove_wasm_redis::RedisDatabase;

    /// Each store is of the other one of two processes.
    struct InRedis([RedisDatabase; 2], AtomicUsize);

    impl InRedis {
        fn database(&self) -> &RedisDatabase {
            &self.0[self.1.fetch_add(1, Ordering::Relaxed) % 2]
        }
    }

    impl Stores for InRedis {
        fn open(&self, session: &str) -> Arc<dyn StoreAdapter> {
            Arc::new(self.database().store(session))
        }

        fn add_inbox_item<'a>(
            &'a self,
            store: &'a dyn StoreAdapter,
            item: InboxItem,
        ) -> Option<BoxFuture<'a, ()>> {
            let adding = self.database().store(store.identifier()).add_inbox_item(&item);
            Some(Box::pin(async { adding.await.unwrap() }))
        }

        fn let_go<'a>(&'a self, session: &'a str) -> BoxFuture<'a, ()> {
            Box::pin(async move {
                while self.database().holder(session).await.unwrap().is_some() {
                    sleep(Duration::from_millis(5));
                }
            })
        }
    }

    #[test]
    fn redis_passes_every_case() {
        let Some(server) = RedisServer::start() else { return };
        passes(&InRedis([server.open(), server.open()], AtomicUsize::new(0)));
    }
}

mod sqlite {
    use super::*;
    use crate::native_sqlite::Folder;
    use glove_wasm_sqlite::SqliteDatabase;

    /// Each store has a connection of its own, as in another process.
    struct InSqlite(Folder);

    impl Stores for InSqlite {
        fn open(&self, session: &str) -> Arc<dyn StoreAdapter> {
            Arc::new(self.0.database().store(session))
        }

        fn add_inbox_item<'a>(
            &'a self,
            store: &'a dyn StoreAdapter,
            item: InboxItem,
        ) -> Option<BoxFuture<'a, ()>> {
            let adding = self.0.database().store(store.identifier()).add_inbox_item(item);
            Some(Box::pin(async { adding.await.unwrap() }))
        }
    }

    #[test]
    fn sqlite_passes_every_case() {
        passes(&InSqlite(Folder::new()));
    }

    /// All sessions over one connection, as in a server.
    struct OverOneConnection(SqliteDatabase, #[expect(dead_code, reason = "gone with the test")] Folder);

    impl Stores for OverOneConnection {
        fn open(&self, session: &str) -> Arc<dyn StoreAdapter> {
            Arc::new(self.0.store(session))
        }

        fn add_inbox_item<'a>(
            &'a self,
            store: &'a dyn StoreAdapter,
            item: InboxItem,
        ) -> Option<BoxFuture<'a, ()>> {
            let adding = self.0.store(store.identifier()).add_inbox_item(item);
            Some(Box::pin(async { adding.await.unwrap() }))
        }
    }

    #[test]
    fn sqlite_passes_every_case_over_one_connection() {
        let folder = Folder::new();
        passes(&OverOneConnection(folder.database(), folder));
    }

    /// A store that keeps no records.
    struct Forgetful(InMemory);

    struct ForgetfulStore(MemoryStore);

    impl Stores for Forgetful {
        fn open(&self, session: &str) -> Arc<dyn StoreAdapter> {
            Arc::new(ForgetfulStore(self.0.store(session)))
        }
    }

    impl StoreAdapter for ForgetfulStore {
        fn identifier(&self) -> String {
            self.0.identifier()
        }

        fn load(
            &self,
        ) -> BoxFuture<'static, Result<glove_wasm::ports::Loaded, glove_wasm::error::StoreError>> {
            let loading = self.0.load();
            Box::pin(async move { Ok(glove_wasm::ports::Loaded { records: Vec::new(), ..loading.await? }) })
        }

        fn append(
            &self,
            step: glove_wasm::run::checkpoint::Unsaved<'_>,
            durability: glove_wasm::ports::Durability,
        ) -> BoxFuture<'static, Result<(), glove_wasm::error::StoreError>> {
            self.0.append(step, durability)
        }
    }

    #[test]
    fn a_store_that_loses_records_or_permissions_fails_the_cases_about_them() {
        let stores = Forgetful(InMemory::default());
        let failed =
            STORE_CASES.iter().filter(|case| block_on(case.run(&stores)).is_err()).map(|case| case.name);
        let failed: Vec<&str> = failed.collect();
        assert!(failed.contains(&"records after a checkpoint are kept in order"), "{failed:?}");
        assert!(failed.contains(&"a permission is kept for its tool and its session only"), "{failed:?}");
        assert!(!failed.contains(&"a new session is empty"), "{failed:?}");
    }
}

//! The thread that works on a database: calls are done one after another, in the order in which they are made.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use futures_channel::oneshot;
use rusqlite::{Connection, TransactionBehavior};

use super::failure::failed;
use super::file::DatabaseFile;
use super::lease::{self, Lease};
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::Durability;

/// Clones are the same thread, which ends with the last of them.
#[derive(Clone)]
pub(super) struct Worker {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    jobs: Option<Sender<Job>>,
    thread: Option<thread::JoinHandle<()>>,
}

type Job = Box<dyn FnOnce(&mut Work) + Send>;

/// What the thread works with.
pub(super) struct Work {
    pub(super) connection: Connection,
    file: DatabaseFile,
    leases: Vec<Lease>,
    durability: Option<Durability>,
}

impl Worker {
    pub(super) fn start(path: PathBuf, connection: Connection) -> Result<Self, StoreError> {
        let (jobs, inbox) = channel();
        let file = DatabaseFile::at(&path);
        let mut work = Work { connection, file, leases: Vec::new(), durability: None };
        let thread = thread::Builder::new()
            .name("glove-sqlite".to_owned())
            .spawn(move || work.serve(&inbox))
            .map_err(|error| {
                StoreError::new(StoreErrorKind::Failed, format!("no thread for the database: {error}"))
            })?;
        Ok(Worker { inner: Arc::new(Inner { path, jobs: Some(jobs), thread: Some(thread) }) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.inner.path
    }

    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Work) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        let (reply, answer) = oneshot::channel();
        let path = self.inner.path.clone();
        let job: Job = Box::new(move |state| {
            // Whoever has stopped waiting needs no answer.
            let _ = reply.send(work(state).map_err(|error| of_file(error, &path)));
        });
        let sent = self.inner.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        Box::pin(async move {
            let gone = || {
                StoreError::new(StoreErrorKind::Failed, "the thread of the database has ended; open it again")
            };
            if !sent {
                return Err(gone());
            }
            answer.await.unwrap_or_else(|_| Err(gone()))
        })
    }
}

/// Names the file, unless the failure is about what is in a session.
pub(super) fn of_file(error: StoreError, path: &Path) -> StoreError {
    match error.kind {
        StoreErrorKind::Conflict | StoreErrorKind::Lost => error,
        _ => StoreError { message: format!("{}: {}", path.display(), error.message), ..error },
    }
}

impl Work {
    fn serve(&mut self, inbox: &Receiver<Job>) {
        let mut renewal = Instant::now() + lease::RENEWED;
        loop {
            let job = match renewal.saturating_duration_since(Instant::now()) {
                _ if self.leases.is_empty() => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                wait => inbox.recv_timeout(wait),
            };
            match job {
                // A job that panics answers nobody, and leaves its transaction undone.
                Ok(job) => drop(catch_unwind(AssertUnwindSafe(|| job(self)))),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if Instant::now() >= renewal {
                // A lease in a file that was removed is none: it runs out, and what asks for it finds out why.
                let leases = if self.file.is_there().is_ok() { self.leases.as_slice() } else { &[] };
                lease::renew(&self.connection, leases);
                renewal = Instant::now() + lease::RENEWED;
            }
        }
        for lease in &self.leases {
            lease::give_back(&self.connection, lease);
        }
    }

    /// Has the next transaction survive a power cut, or the end of the process alone.
    fn survive(&mut self, durability: Durability) -> rusqlite::Result<()> {
        if self.durability != Some(durability) {
            let level = if durability == Durability::Strict { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.durability = Some(durability);
        }
        Ok(())
    }

    /// All of `write` or nothing of it.
    pub(super) fn atomically<T>(
        &mut self,
        write: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.file.is_there()?;
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(|error| failed(&error))?;
        let value = write(&transaction)?;
        transaction.commit().map_err(|error| failed(&error))?;
        Ok(value)
    }

    /// The same for whoever holds the session, or takes it herewith.
    pub(super) fn atomically_as(
        &mut self,
        lease: &Lease,
        durability: Durability,
        write: impl FnOnce(&Connection) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.survive(durability).map_err(|error| failed(&error))?;
        let had = self.leases.contains(lease);
        let at = lease::times();
        self.atomically(|connection| {
            write(connection)?;
            lease::take(connection, lease, had)
        })?;
        lease::taken(&mut self.leases, lease, at);
        Ok(())
    }

    pub(super) fn give_back(&mut self, lease: &Lease) {
        self.leases.retain(|other| other != lease);
        lease::give_back(&self.connection, lease);
    }

    /// Those that stores of this process have, or had before they were taken over.
    pub(super) fn leases_of(&self, session: &str) -> Vec<Lease> {
        self.leases.iter().filter(|lease| lease.session == session).cloned().collect()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // On the thread itself, when a job held the last one.
            if thread.thread().id() != thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

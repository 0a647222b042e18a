//! Databases of sessions as the source of a task's history.

use std::sync::Arc;

use crate::message::Message;
#[cfg(feature = "postgres")]
use crate::native::PostgresDatabase;
#[cfg(feature = "redis")]
use crate::native::RedisDatabase;
#[cfg(feature = "sqlite")]
use crate::native::SqliteDatabase;
use crate::portable::BoxFuture;
use crate::store::TranscriptError;
use crate::task::{TaskError, TaskErrorKind};
use crate::task_runtime::SessionSource;

macro_rules! sources {
    ($($(#[$when:meta])* $database:ty),*) => {
        $($(#[$when])*
        impl SessionSource for $database {
            fn record(&self, session: String) -> BoxFuture<'static, Result<Vec<Arc<Message>>, TaskError>> {
                let database = self.clone();
                Box::pin(async move {
                    match database.export(&session).await {
                        Ok(transcript) => Ok(transcript.messages),
                        Err(TranscriptError::Unknown(_)) => Ok(Vec::new()),
                        Err(error) => {
                            let message = format!("the session \"{session}\" cannot be read: {error}");
                            Err(TaskError::new(TaskErrorKind::History, message))
                        }
                    }
                })
            }
        })*
    };
}

sources! {
    #[cfg(feature = "sqlite")]
    SqliteDatabase,
    #[cfg(feature = "postgres")]
    PostgresDatabase,
    #[cfg(feature = "redis")]
    RedisDatabase
}

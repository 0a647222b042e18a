//! What is stored of a session, read and written without one.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, StoreError};
use crate::message::Message;
use crate::ports::{Clock, Durability, Loaded, StoreAdapter};
use crate::run::Run;
use crate::run::written::{Written, is_summary};
use crate::system::SystemClock;

/// The messages of a stored session and what it has counted, over any store. What is written here is a step of its run like those of a
/// session: whole, and refused where another one was written meanwhile (`STORE_CONFLICT`), or where a request is not finished
/// (`SESSION_BUSY`).
///
/// ```
/// use glove_wasm::components::Context;
/// use glove_wasm::message::Message;
/// use glove_wasm::runtime::Glove;
/// use glove_wasm::store::MemoryStore;
/// use glove_wasm::testing::{Line, ScriptedModel};
///
/// # futures_executor::block_on(async {
/// let store = MemoryStore::new("s");
/// let model = ScriptedModel::new([Line::text("Hello, Ada.").tokens(12, 5)]);
/// let agent = Glove::builder(model).store(store.clone()).build()?;
/// agent.process_request("I am Ada.").await?;
///
/// let context = Context::new(store);
/// assert_eq!(context.messages().await?[1].text, "Hello, Ada.");
/// assert_eq!((context.token_count().await?, context.turn_count().await?), (17, 1));
///
/// context.append_messages(vec![Message::user("I moved."), Message::agent("Where to?")]).await?;
/// context.replace_messages(vec![Message::user("Ada has moved.")]).await?;
/// context.reset_counters().await?;
/// assert_eq!(context.messages().await?.len(), 1);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Context {
    store: Arc<dyn StoreAdapter>,
}

impl Context {
    pub fn new(store: impl StoreAdapter + 'static) -> Self {
        Context { store: Arc::new(store) }
    }

    /// What a model reads: the last summary, what it keeps, and what came after, without answers whose place another one has taken.
    pub async fn messages(&self) -> Result<Vec<Message>, StoreError> {
        Ok(self.run().await?.model_request().iter().cloned().collect())
    }

    /// All that the prompts and the answers have cost so far, in tokens.
    pub async fn token_count(&self) -> Result<u64, StoreError> {
        let run = self.run().await?;
        Ok(run.usage().tokens_in.saturating_add(run.usage().tokens_out))
    }

    /// How often the model was asked.
    pub async fn turn_count(&self) -> Result<u64, StoreError> {
        Ok(self.run().await?.turns())
    }

    /// Appends them, as they are. A summary among them stands for nothing of this session: the model reads it like any message, and people do not.
    pub async fn append_messages(&self, messages: Vec<Message>) -> Result<(), Error> {
        match messages.is_empty() {
            true => Ok(()),
            false => self.write(Written::Messages(messages)).await,
        }
    }

    /// From now on models read these alone, of which the first is the summary, a message of the user. What was said before stays in the
    /// record, where people can read it.
    pub async fn replace_messages(&self, messages: Vec<Message>) -> Result<(), Error> {
        if !messages.first().is_some_and(is_summary) {
            let message = "what takes the place of messages begins with a summary: a message of the user, without calls and results";
            return Err(Error::Refused { code: "COMPACTION_INVALID", message: message.to_owned() });
        }
        self.write(Written::Summary(messages)).await
    }

    /// Counts tokens that were used elsewhere.
    pub async fn add_tokens(&self, count: u64) -> Result<(), Error> {
        self.write(Written::Tokens(count)).await
    }

    /// Counts a turn that was made elsewhere.
    pub async fn increment_turn(&self) -> Result<(), Error> {
        self.write(Written::Turn).await
    }

    /// Tokens and turns are zero afterwards. The messages stay.
    pub async fn reset_counters(&self) -> Result<(), Error> {
        self.write(Written::Counters).await
    }

    async fn write(&self, written: Written) -> Result<(), Error> {
        let mut run = self.run().await?;
        run.write(SystemClock.now(), written).map_err(|_| {
            let message = format!(
                "a request of `{}` is not finished; open the session, which goes on with it, before writing to it",
                self.store.identifier()
            );
            Error::Refused { code: "SESSION_BUSY", message }
        })?;
        Ok(self.store.append(run.unsaved(), Durability::Strict).await?)
    }

    async fn run(&self) -> Result<Run, StoreError> {
        let Loaded { messages, checkpoint, records } = self.store.load().await?;
        match checkpoint {
            Some(checkpoint) => {
                Run::restore(&checkpoint, messages, records).map_err(|error| StoreError::from(&error))
            }
            None => Ok(Run::reading(messages)),
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({})", self.store.identifier())
    }
}

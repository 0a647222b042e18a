//! What is stored of a session, read without one.

use std::fmt;
use std::sync::Arc;

use crate::error::StoreError;
use crate::message::Message;
use crate::ports::{Loaded, StoreAdapter};
use crate::run::Run;

/// The messages of a stored session and what it has counted. It only reads: what is written to a session is a step of its run, whole.
///
/// ```
/// use glove_wasm::components::Context;
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

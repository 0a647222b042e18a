//! The port to a model.

use std::fmt;
use std::sync::Arc;

use crate::error::ModelError;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::ports::AbortSignal;
use crate::run::input::Reply;
use crate::run::views::model::View;
use crate::tool::ToolDefinition;

/// Something that answers a conversation.
pub trait ModelAdapter: MaybeSend + MaybeSync {
    fn name(&self) -> String;

    /// Reads the request now, and answers later. What it shows meanwhile goes into `deltas`; a model that does not
    /// stream sends none. When `abort` fires, the future is dropped as well.
    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        abort: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>>;
}

/// What a model is asked. It is borrowed from the run: nothing of the history is copied to ask.
#[derive(Debug, Clone, Copy)]
pub struct ModelRequest<'a> {
    pub purpose: Purpose,
    pub system_prompt: &'a str,
    pub messages: View<'a>,
    pub tools: &'a [ToolDefinition],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The next answer of the conversation.
    Turn,
    /// A summary of it. Its text is no part of the chat and is shown to nobody.
    Summary,
}

/// A piece of an answer that is still being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    Text(&'a str),
    Reasoning(&'a str),
    ToolInput {
        id: &'a str,
        name: &'a str,
        text: &'a str,
    },
    /// No piece of the answer: what the model was asked without, or in another form. It is for the developer.
    Notice {
        code: &'a str,
        message: &'a str,
    },
}

/// Where a model puts the pieces of its answer. Pieces that come after the call was cancelled go nowhere.
#[derive(Clone)]
pub struct DeltaSink(Arc<dyn Receive>);

/// The side of the driver that pieces arrive at.
pub(crate) trait Receive: MaybeSend + MaybeSync {
    fn receive(&self, delta: Delta<'_>);
}

impl<F: Fn(Delta<'_>) + MaybeSend + MaybeSync> Receive for F {
    fn receive(&self, delta: Delta<'_>) {
        self(delta);
    }
}

impl DeltaSink {
    pub(crate) fn new(receiver: Arc<dyn Receive>) -> Self {
        DeltaSink(receiver)
    }

    /// A sink that hands each piece on.
    pub fn to(receive: impl Fn(Delta<'_>) + MaybeSend + MaybeSync + 'static) -> Self {
        DeltaSink(Arc::new(receive))
    }

    pub fn send(&self, delta: Delta<'_>) {
        self.0.receive(delta);
    }

    pub fn text(&self, text: &str) {
        self.send(Delta::Text(text));
    }
}

impl fmt::Debug for DeltaSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeltaSink")
    }
}

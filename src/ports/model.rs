//! The port to a model.

use std::fmt;
use std::sync::Arc;

use crate::error::ModelError;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::ports::AbortSignal;
use crate::run::input::Reply;
use crate::run::views::model::View;
use crate::tool::ToolDefinition;

/// A model: answers a conversation.
pub trait ModelAdapter: MaybeSend + MaybeSync {
    fn name(&self) -> String;

    /// Who answers, for traces: an id such as `openai`, or the address that is asked, by which they know the provider.
    fn provider(&self) -> &str {
        "custom"
    }

    /// Reads the request now and answers later. Streamed parts of the answer go into `deltas`; a model that does not
    /// stream sends none. When `abort` fires, the future is dropped as well.
    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        abort: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>>;
}

/// The request to a model. It is borrowed from the run, so the history is not copied.
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
    /// A summary of it, which is not part of the chat and not displayed.
    Summary,
}

/// A part of an answer that is still being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    Text(&'a str),
    Reasoning(&'a str),
    ToolInput {
        id: &'a str,
        name: &'a str,
        text: &'a str,
    },
    /// Not part of the answer: a notice to the developer about what was left out of the request or changed.
    Notice {
        code: &'a str,
        message: &'a str,
    },
    /// Not part of the answer either: the call has failed with this code, and is made again by itself, but not soon.
    Retry {
        code: &'a str,
        wait_ms: u64,
    },
}

/// Receives the parts of a model's answer. Parts that arrive after the call was cancelled are ignored.
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

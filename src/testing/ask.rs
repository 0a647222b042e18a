//! Asking a model without a session around it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::ModelError;
use crate::portable::BoxFuture;
use crate::ports::{AbortSignal, Delta, DeltaSink, ModelAdapter, ModelRequest, Purpose, Receive};
use crate::run::Run;
use crate::run::input::Reply;

struct Collect(Arc<Mutex<String>>);

impl Receive for Collect {
    fn receive(&self, delta: Delta<'_>) {
        if let Delta::Text(text) = delta {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        }
    }
}

/// Calls a model with what a run would send it. The text that it shows is added to `collected`.
pub fn ask_model(
    model: &dyn ModelAdapter,
    run: &Run,
    collected: Arc<Mutex<String>>,
    abort: AbortSignal,
) -> BoxFuture<'static, Result<Reply, ModelError>> {
    let request = ModelRequest {
        purpose: Purpose::Turn,
        system_prompt: "You are a test.",
        messages: run.model_request(),
        tools: &[],
    };
    model.prompt(request, DeltaSink::new(Arc::new(Collect(collected))), abort)
}

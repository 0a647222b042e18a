//! Calls in flight, watched: a stop and the end of the time are seen before the next one begins, and a model that says nothing is not waited for.

use std::sync::{Arc, Weak};

use crate::runtime::running::{Running, Shared};
use glove_wasm::error::ModelError;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortSignal, Delta, DeltaSink, ModelAdapter, ModelRequest};
use glove_wasm::run::input::Reply;
use glove_wasm::run::settings::Budgets;

impl Running {
    /// The call in flight ends; after it the run pauses and can go on from there.
    pub(super) fn halt(&self) {
        if self.shared.watch.halt() {
            return;
        }
        if let Some(session) = self.session() {
            session.set_budgets(Budgets { turns: Some(0), tool_calls: Some(0), ..Budgets::default() });
        }
    }
}

/// A look for a stop, and at the clock, when a call has ended, before anything follows of it.
pub(super) async fn look(task: &Weak<Shared>) {
    let Some(running) = task.upgrade().map(|shared| Running { shared }) else { return };
    let watch = &running.shared.watch;
    if watch.is_halted() {
        return;
    }
    let over = watch.is_over(running.shared.parts.clock.steady());
    if !over && !matches!(running.stop_reason().await, Ok(Some(_))) {
        return;
    }
    running.halt();
    // The run hears of it in the next moment, and of the end of the call in the one after.
    let mut told = false;
    std::future::poll_fn(|context| match std::mem::replace(&mut told, true) {
        true => std::task::Poll::Ready(()),
        false => {
            context.waker().wake_by_ref();
            std::task::Poll::Pending
        }
    })
    .await;
}

/// A model whose calls are watched.
pub(super) struct WatchedModel {
    pub(super) model: Arc<dyn ModelAdapter>,
    pub(super) task: Weak<Shared>,
}

/// A call of the model, until it is dropped.
struct InFlightCall(Weak<Shared>);

impl Drop for InFlightCall {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.watch.answered();
        }
    }
}

fn sign(task: &Weak<Shared>) {
    if let Some(shared) = task.upgrade() {
        shared.watch.sign(shared.parts.clock.steady());
    }
}

impl ModelAdapter for WatchedModel {
    fn name(&self) -> String {
        self.model.name()
    }

    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        abort: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        if let Some(shared) =
            self.task.upgrade().filter(|shared| shared.watch.is_over(shared.parts.clock.steady()))
        {
            // A tool that took all of the time was dropped before anybody could look. The step is left as it is.
            shared.watch.refuse();
            Running { shared }.wake();
            return Box::pin(std::future::pending());
        }
        let heard = Weak::clone(&self.task);
        let sink = DeltaSink::to(move |delta: Delta<'_>| {
            sign(&heard);
            deltas.send(delta);
        });
        sign(&self.task);
        if let Some(shared) = self.task.upgrade() {
            shared.watch.asked();
        }
        let call = InFlightCall(Weak::clone(&self.task));
        let working = self.model.prompt(request, sink, abort);
        let task = Weak::clone(&self.task);
        Box::pin(async move {
            let answer = working.await;
            drop(call);
            look(&task).await;
            answer
        })
    }
}

//! The endpoint protocol: one model call for a page, streamed while the model answers.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use futures_util::future::{Either, select};
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::sleep;

use super::answers::StartedAnswer;
use super::metrics::counted;
use super::reply::{AHEAD, HEARTBEAT};
use super::shared::Shared;
use glove_wasm::endpoint::{Disclosure, Refusal, RequestLimits, Tickets, WireRequest};
use glove_wasm::error::ModelError;
use glove_wasm::http::AnswerStream;
use glove_wasm::json::codec::to_text;
use glove_wasm::json::writer::Object;
use glove_wasm::ports::{AbortHandle, DeltaSink, ModelRequest, Purpose};
use glove_wasm::run::input;
use glove_wasm::run::views::model::View;
use glove_wasm::system::RandomIds;
use glove_wasm_native::Traces;

pub(super) const BEAT: &str = ":\n\n";

/// The answer once there is a first piece of it. What fails before that has a status of its own.
pub(super) async fn begin(
    shared: &Arc<Shared>,
    body: &str,
    tickets: Option<Tickets>,
    traces: &Traces,
) -> Result<StartedAnswer, Refusal> {
    let request = WireRequest::read(body, &RequestLimits::default())?;
    let model = (shared.model)().map_err(|error| Refusal::of_model(&error, Disclosure::Safe))?;
    let model = traces.model(model);
    request.chosen_model(&model.name(), &[])?;
    let answer = AnswerStream::new(false).disclosing(Disclosure::Safe).signing(tickets);
    let answer = Arc::new(Mutex::new(answer));
    let writer = Arc::clone(&answer);
    let deltas = DeltaSink::to(move |delta| locked(&writer).delta(delta));
    let WireRequest { system_prompt, messages, tools, .. } = &request;
    let aborts = AbortHandle::new();
    let request = ModelRequest {
        purpose: Purpose::Turn,
        system_prompt: shared.system_prompt.as_deref().unwrap_or(system_prompt),
        // The client has chosen what the model is to read.
        messages: View::since(messages, 0, &[]),
        tools,
    };
    let answering = model.prompt(request, deltas, aborts.signal());
    let (pieces, mut rest) = channel(AHEAD);
    let (early, failed) = tokio::sync::oneshot::channel();
    let task = Arc::clone(shared);
    tokio::spawn(async move {
        let _open = counted(&task.metrics.streams);
        let telling = pin!(tell(&task, answering, &answer, &pieces, early));
        // If the client disconnects, cancel the model request.
        let _ = select(telling, pin!(pieces.closed())).await;
        aborts.abort();
    });
    match rest.recv().await {
        Some(first) => Ok(StartedAnswer { first, rest }),
        None => {
            Err(failed.await.unwrap_or_else(|_| Refusal::new(500, "INTERNAL", "The chat handler failed.")))
        }
    }
}

type Answer = glove_wasm::portable::BoxFuture<'static, Result<input::Reply, ModelError>>;

/// `early` is told of a failure from before anything was sent: it has an HTTP status.
async fn tell(
    shared: &Shared,
    mut answering: Answer,
    answer: &Mutex<AnswerStream>,
    pieces: &Sender<String>,
    early: tokio::sync::oneshot::Sender<Refusal>,
) {
    let mut started = false;
    loop {
        let next = poll_fn(|context| match answering.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if locked(answer).is_empty() => Poll::Pending,
            Poll::Pending => Poll::Ready(None),
        });
        let done = match select(pin!(next), pin!(sleep(HEARTBEAT))).await {
            Either::Left((done, _)) => done,
            Either::Right(_) => {
                started = true;
                if pieces.send(BEAT.to_owned()).await.is_err() {
                    return;
                }
                continue;
            }
        };
        let is_over = done.is_some();
        match done {
            Some(Ok(reply)) => {
                shared.metrics.model_answered(reply.usage.tokens_in, reply.usage.tokens_out);
                locked(answer).done(reply, &RandomIds);
            }
            Some(Err(error)) => {
                let refusal = Refusal::of_model(&error, Disclosure::Safe);
                let text = locked(answer).take();
                if !started && text.is_empty() {
                    let _ = early.send(refusal);
                    return;
                }
                (shared.log)(&refusal.log_line());
                let _ = pieces.send(text + &failed(&refusal)).await;
                return;
            }
            None => {}
        }
        let text = locked(answer).take();
        if !text.is_empty() {
            started = true;
            // A client that reads slowly slows the model down.
            if pieces.send(text).await.is_err() {
                return;
            }
        }
        if is_over {
            return;
        }
    }
}

/// The last event of a stream that breaks off.
fn failed(refusal: &Refusal) -> String {
    let mut event = String::from("data: ");
    let mut object = Object::new(&mut event);
    object.text("type", "error").fields(&Refusal { retryable: false, ..refusal.clone() }.told());
    object.end();
    event + "\n\n"
}

fn locked(answer: &Mutex<AnswerStream>) -> std::sync::MutexGuard<'_, AnswerStream> {
    answer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value as one event of a stream.
pub(super) fn event(id: Option<&str>, data: &dyn glove_wasm::json::codec::Write) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("{id}data: {}\n\n", to_text(data))
}

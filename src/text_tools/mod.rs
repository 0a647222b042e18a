//! Tools for models that know none: they are described in the prompt, and calls are read out of the text.

mod prompt;
mod quoting;
mod reader;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::ModelError;
use crate::json::Json;
use crate::message::{Message, Sender, ToolCall};
use crate::portable::BoxFuture;
use crate::ports::{AbortSignal, Delta, DeltaSink, ModelAdapter, ModelRequest, Purpose};
use crate::run::input::Reply;
use crate::run::views::model::View;
use reader::{Piece, TextReader};

/// Where a model has to stop, so that it does not invent what its call came to.
pub const STOP: &str = "\nObservation:";

/// A model that is asked without tools and answered for as if it had them.
pub struct TextTools {
    inner: Arc<dyn ModelAdapter>,
    history: Mutex<History>,
}

/// The conversation as such a model reads it, so that each turn writes only what is new in it.
#[derive(Default)]
struct History {
    identity: Option<String>,
    messages: Vec<Arc<Message>>,
}

impl TextTools {
    pub fn new(inner: Arc<dyn ModelAdapter>) -> Self {
        TextTools { inner, history: Mutex::default() }
    }
}

impl ModelAdapter for TextTools {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn provider(&self) -> &str {
        self.inner.provider()
    }

    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        abort: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let mut history = locked(&self.history);
        history.read(request.messages);
        let recorded = request.messages.recorded_len().min(history.messages.len());
        let (recorded, transient) = history.messages.split_at(recorded);
        let messages = View::since(recorded, 0, transient);
        if request.tools.is_empty() || request.purpose == Purpose::Summary {
            return self.inner.prompt(ModelRequest { messages, tools: &[], ..request }, deltas, abort);
        }
        let system = prompt::system(request.system_prompt, request.tools);
        let names: Vec<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let reading = Arc::new(Mutex::new(TextReader::new(names.clone())));
        let (read, outlet) = (Arc::clone(&reading), deltas.clone());
        let sink = DeltaSink::to(move |delta| match delta {
            Delta::Text(text) => show(&outlet, locked(&read).push(text)),
            other => outlet.send(other),
        });
        let wrapped = ModelRequest { system_prompt: &system, messages, tools: &[], ..request };
        let answering = self.inner.prompt(wrapped, sink, abort);
        Box::pin(async move {
            let mut reply = answering.await?;
            let cut = reply.stop_reason.as_deref().is_some_and(|reason| !is_end(reason));
            show(&deltas, locked(&reading).finish(cut));
            for message in reply.messages.iter_mut().filter(|message| message.calls().is_empty()) {
                understand(message, TextReader::new(names.clone()), cut);
            }
            Ok(reply)
        })
    }
}

impl History {
    /// Rewrites what has not been rewritten. Messages before the last answer never change; a new conversation or
    /// summary has another first message.
    fn read(&mut self, view: View<'_>) {
        let identity = view.identity();
        if identity.is_none() || self.identity != identity || self.messages.len() > view.recorded_len() {
            *self = History { identity, messages: Vec::new() };
        }
        let settled = self.messages.iter().rposition(|message| message.sender == Sender::Agent);
        self.messages.truncate(settled.unwrap_or(0));
        self.messages.extend(
            view.skip(self.messages.len()).into_iter().map(|message| Arc::new(prompt::rewritten(message))),
        );
    }
}

/// That a model was done, in each provider's words. All others say that something cut it short: the token limit, a
/// filter, a refusal.
fn is_end(reason: &str) -> bool {
    let words =
        ["stop", "stop_sequence", "end_turn", "eos", "eos_token", "completed", "tool_calls", "tool_use"];
    words.iter().any(|word| reason.eq_ignore_ascii_case(word))
}

fn show(deltas: &DeltaSink, pieces: Vec<Piece>) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => deltas.text(&text),
            Piece::Thought(text) => deltas.send(Delta::Reasoning(&text)),
        }
    }
}

/// Makes a message of what its text says. A call that is not whole keeps its text as arguments, and is answered with
/// an error instead of being run.
fn understand(message: &mut Message, mut reader: TextReader, cut: bool) {
    reader.push(&message.text);
    reader.finish(cut);
    let reading = reader.into_reading();
    message.text = reading.text;
    if !reading.thoughts.is_empty() {
        let before = message.reasoning_content.take().map_or(String::new(), |text| text + "\n");
        message.reasoning_content = Some(before + &reading.thoughts);
    }
    let calls = reading.calls.into_iter().map(|call| match call.args {
        Some(args) => ToolCall::from_model(call.name, None, &args),
        None => {
            let mut unclear = ToolCall::from_model(call.name, None, "");
            unclear.input_args = Json::string("");
            unclear.unparsed_args = true;
            unclear
        }
    });
    message.tool_calls = Some(calls.collect()).filter(|calls: &Vec<_>| !calls.is_empty());
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for TextTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextTools").field("model", &self.inner.name()).finish_non_exhaustive()
    }
}

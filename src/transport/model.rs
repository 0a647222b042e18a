//! A model behind HTTP, in any provider's format: sends, reads, waits and tries again.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{ModelError, ModelErrorKind};
use crate::host::{AbortSignal, Clock, Delta, DeltaSink, IdSource, ModelAdapter, ModelRequest, Purpose};
use crate::portable::BoxFuture;
use crate::providers::request::{Options, Prompt, ToolNames};
use crate::providers::table::host;
use crate::providers::{Decoder, Format, errors, read_response};
use crate::run::input::Reply;
use crate::stream::{self, Outcome, Turn};
use crate::transport::alarm::Alarm;
use crate::transport::body::BodyWriter;
use crate::transport::http::{Http, HttpRequest, HttpResponse};
use crate::transport::retry::{Policy, heed_headers, pause_ms, timed_out};
use crate::transport::secret::Secrets;

/// An error body beyond this says nothing new.
const LONGEST_ERROR_BODY: usize = 64 * 1024;

/// Where a model is, and how it is asked. Address and headers may hold a key.
#[derive(Clone)]
pub struct HttpOptions {
    pub name: String,
    pub format: Format,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub request: Options,
    pub policy: Policy,
}

pub struct HttpModel {
    options: Arc<HttpOptions>,
    http: Arc<dyn Http>,
    clock: Arc<dyn Clock>,
    /// Where the jitter of pauses comes from.
    ids: Arc<dyn IdSource>,
    kept: Mutex<BodyWriter>,
}

impl HttpModel {
    pub fn new(
        options: HttpOptions,
        http: Arc<dyn Http>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Self {
        HttpModel { options: Arc::new(options), http, clock, ids, kept: Mutex::default() }
    }
}

impl ModelAdapter for HttpModel {
    fn name(&self) -> String {
        self.options.name.clone()
    }

    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        _abort: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let names = ToolNames::new(self.options.format, request.tools);
        let prompt = Prompt {
            format: self.options.format,
            system: request.system_prompt,
            tools: request.tools,
            names: &names,
            options: &self.options.request,
        };
        let body = match request.purpose {
            Purpose::Turn => {
                self.kept.lock().unwrap_or_else(PoisonError::into_inner).body(&prompt, request.messages)
            }
            Purpose::Summary => BodyWriter::default().body(&prompt, request.messages),
        };
        let asking = Asking {
            options: Arc::clone(&self.options),
            http: Arc::clone(&self.http),
            clock: Arc::clone(&self.clock),
            body,
            names: names.into_pairs(),
            deltas,
        };
        let ids = Arc::clone(&self.ids);
        // Aborting drops this future, which closes the connection.
        Box::pin(async move { asking.with_retries(ids.as_ref()).await })
    }
}

/// One model call with all its attempts.
struct Asking {
    options: Arc<HttpOptions>,
    http: Arc<dyn Http>,
    clock: Arc<dyn Clock>,
    body: String,
    names: Vec<(String, String)>,
    deltas: DeltaSink,
}

impl Asking {
    async fn with_retries(self, ids: &dyn IdSource) -> Result<Reply, ModelError> {
        let mut attempt = 0;
        loop {
            let mut shown = Shown { deltas: &self.deltas, calls: Vec::new(), any: false };
            let error = match self.attempt(&mut shown).await {
                Ok(turn) => return Ok(reply(turn, shown.any)),
                Err(error) => error,
            };
            // What a person has seen of an answer cannot be taken back, so no other answer is begun.
            let pause =
                (!shown.any).then(|| pause_ms(&self.options.policy, &error, attempt, random(ids))).flatten();
            let Some(pause) = pause else {
                return Err(Secrets::of(&self.options.url, &self.options.headers).strike(error));
            };
            self.clock.sleep(pause).await;
            attempt += 1;
        }
    }

    async fn attempt(&self, shown: &mut Shown<'_>) -> Result<Turn, ModelError> {
        let policy = &self.options.policy;
        let ends = deadline(self.clock.now(), policy.total_ms);
        let first = deadline(self.clock.now(), policy.first_byte_ms).min(ends);
        let request = HttpRequest {
            url: self.options.url.clone(),
            headers: self.options.headers.clone(),
            body: self.body.clone(),
        };
        let mut alarm = Alarm::new(Arc::clone(&self.clock));
        let mut response = alarm
            .within(first, self.http.send(request))
            .await
            .ok_or_else(|| timed_out("answer", policy.first_byte_ms))?
            .map_err(network)?;
        let read = self.read(response.as_mut(), &mut alarm, [first, ends], shown).await;
        read.map_err(|error| Secrets::of("", &response.sent()).strike(error))
    }

    async fn read(
        &self,
        response: &mut dyn HttpResponse,
        alarm: &mut Alarm,
        [first, ends]: [u64; 2],
        shown: &mut Shown<'_>,
    ) -> Result<Turn, ModelError> {
        let status = response.status();
        if !(200..300).contains(&status) {
            let body = self.whole(response, alarm, ends, LONGEST_ERROR_BODY).await.unwrap_or_default();
            let mut error = errors::from_response(status, &String::from_utf8_lossy(&body));
            heed_headers(&mut error, |name| response.header(name), self.clock.now());
            return Err(error);
        }
        let outcome = if self.options.request.stream || self.options.format.spoken() == Format::Endpoint {
            self.stream(response, alarm, [first, ends], shown).await?
        } else {
            let body = self.whole(response, alarm, ends, usize::MAX).await?;
            read_response(self.options.format, self.names.clone(), &String::from_utf8_lossy(&body))
        };
        match outcome {
            Outcome::Answered(turn) => Ok(turn),
            Outcome::Failed(failure) => Err(failure.error),
        }
    }

    async fn stream(
        &self,
        response: &mut dyn HttpResponse,
        alarm: &mut Alarm,
        [first, ends]: [u64; 2],
        shown: &mut Shown<'_>,
    ) -> Result<Outcome, ModelError> {
        let policy = &self.options.policy;
        let mut decoder = Decoder::new(self.options.format, self.names.clone());
        let (mut limit, mut what, mut limit_ms) = (first, "first byte", policy.first_byte_ms);
        loop {
            let Some(chunk) = alarm.within(limit.min(ends), response.next()).await else {
                return Err(match self.clock.now() >= ends {
                    true => timed_out("whole answer", policy.total_ms),
                    false => timed_out(what, limit_ms),
                });
            };
            let Some(chunk) = chunk.map_err(network)? else { return Ok(decoder.finish()) };
            let batch = decoder.push(&chunk);
            if !batch.is_empty() || what == "first byte" {
                // Keep-alive pings show that the connection lives, not that the model does.
                limit = deadline(self.clock.now(), policy.idle_ms);
                (what, limit_ms) = ("further piece of its answer", policy.idle_ms);
            }
            shown.show(batch);
            if decoder.is_settled() {
                response.suffices();
                return Ok(decoder.finish());
            }
        }
    }

    async fn whole(
        &self,
        response: &mut dyn HttpResponse,
        alarm: &mut Alarm,
        ends: u64,
        longest: usize,
    ) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        while body.len() < longest {
            let piece = alarm.within(ends, response.next()).await;
            let piece = piece.ok_or_else(|| timed_out("whole answer", self.options.policy.total_ms))?;
            let Some(piece) = piece.map_err(network)? else { break };
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

/// Hands on what comes, and knows whether anything did.
struct Shown<'a> {
    deltas: &'a DeltaSink,
    calls: Vec<(String, String)>,
    any: bool,
}

impl Shown<'_> {
    fn show(&mut self, batch: stream::Batch) {
        for delta in batch {
            self.any = true;
            match delta {
                stream::Delta::Text { text } | stream::Delta::Refusal { text } => self.deltas.text(&text),
                stream::Delta::Reasoning { text } => self.deltas.send(Delta::Reasoning(&text)),
                stream::Delta::CallStarted { index, id, name } => {
                    while self.calls.len() <= index {
                        self.calls.push(Default::default());
                    }
                    if let Some(call) = self.calls.get_mut(index) {
                        *call = (id.unwrap_or_default(), name);
                    }
                }
                stream::Delta::CallArgs { index, text } => {
                    if let Some((id, name)) = self.calls.get(index) {
                        self.deltas.send(Delta::ToolInput { id, name, text: &text });
                    }
                }
                stream::Delta::CallEnded { .. } => {}
            }
        }
    }
}

fn reply(turn: Turn, streamed: bool) -> Reply {
    Reply { messages: vec![turn.message], usage: turn.usage, stop_reason: turn.stop_reason, streamed }
}

fn deadline(now: u64, limit_ms: u64) -> u64 {
    if limit_ms == 0 { u64::MAX } else { now.saturating_add(limit_ms) }
}

fn network(why: String) -> ModelError {
    ModelError::new(ModelErrorKind::Network, why)
}

/// From 0 to 1.
fn random(ids: &dyn IdSource) -> f64 {
    let sum = ids.fresh().bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    f64::from(sum % 1_000) / 1_000.0
}

impl fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpModel").field("options", &self.options).finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("name", &self.name)
            .field("format", &self.format)
            .field("host", &host(&self.url))
            .finish_non_exhaustive()
    }
}

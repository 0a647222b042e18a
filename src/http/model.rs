//! A model behind HTTP, in any provider's format: sends, reads, waits and tries again.

use std::fmt;
use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use crate::answer::{self, Outcome, Turn, WireNames};
use crate::error::{MODEL_NOT_FOUND, ModelError, ModelErrorKind};
use crate::http::body_cache::BodyWriter;
use crate::http::deadline::Deadline;
use crate::http::keys::Secrets;
use crate::http::learned::{AppliedChanges, Learned};
use crate::http::port::{Http, HttpRequest, HttpResponse};
use crate::http::retry::{Policy, SILENT_MS, TOLD_FROM_MS, heed_headers, pause_ms};
use crate::http::time_limit::Limit;
use crate::json::Json;
use crate::json::scan::word_at;
use crate::portable::{BoxFuture, HAS_SESSIONS, MAY_BE_IN_PAGE, SPEAKS_TO_PROVIDERS};
use crate::ports::{AbortSignal, Clock, Delta, DeltaSink, IdSource, ModelAdapter, ModelRequest, Purpose};
use crate::providers::host::host;
use crate::providers::provider_fields::{REASONING_DETAILS, WANTED_BACK};
use crate::providers::rejected_parameter::refuses_answer_form;
use crate::providers::request::{
    AnswerInText, Notice, Notices, Options, RequestParts, ToolNames, answer_in_text, fewer_tools,
};
use crate::providers::{Decoder, Format, errors, read_response};
use crate::run::input::Reply;
use crate::sse::DEFAULT_LIMIT;

/// An error body beyond this says nothing new.
const LONGEST_ERROR_BODY: usize = 64 * 1024;
/// How long is waited for it.
const ERROR_BODY_MS: u64 = 5_000;
/// Of an answer that is asked for without streaming.
const LONGEST_BODY: usize = DEFAULT_LIMIT;
const JSON: &str = "application/json";
/// How long is waited for the figures that some providers send behind the end of the answer.
const BEHIND_END_MS: u64 = 2_000;

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
    learned: Arc<Learned>,
}

impl HttpModel {
    pub fn new(
        options: HttpOptions,
        http: Arc<dyn Http>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Self {
        HttpModel {
            options: Arc::new(options),
            http,
            clock,
            ids,
            kept: Mutex::default(),
            learned: Arc::default(),
        }
    }

    /// What a model of the same name has learned from refusals.
    pub fn learned(self, learned: Arc<Learned>) -> Self {
        HttpModel { learned, ..self }
    }
}

impl ModelAdapter for HttpModel {
    fn name(&self) -> String {
        self.options.name.clone()
    }

    fn provider(&self) -> &str {
        &self.options.url
    }

    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        _abort: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let notices = Notices::default();
        let format = self.options.format;
        let choice = self.options.request.tool_choice.as_ref();
        let messages = || request.messages.skip(0);
        let fewer = fewer_tools(format, choice, request.tools, request.system_prompt, messages, &notices);
        let (tools, system) = match &fewer {
            Some((tools, system)) => (tools.as_slice(), system.as_str()),
            None => (request.tools, request.system_prompt),
        };
        let names = ToolNames::new(format, &self.options.request.facts, tools);
        let by_tool = RequestParts {
            format,
            system,
            tools,
            names: &names,
            options: &self.options.request,
            notices: &notices,
        };
        let in_text = if SPEAKS_TO_PROVIDERS {
            let refused = self.learned.answers_by_tool();
            answer_in_text(format, &self.options.request, system, tools, messages, refused)
        } else {
            None
        };
        let prompt = match &in_text {
            Some(text) => {
                RequestParts { system: &text.system, tools: &text.tools, options: &text.options, ..by_tool }
            }
            None => by_tool,
        };
        let body = match request.purpose {
            // Without sessions a model is made for each request, and nothing of a body can be used again.
            _ if !HAS_SESSIONS => prompt.body(&request.messages.skip(0)),
            Purpose::Turn => {
                self.kept.lock().unwrap_or_else(PoisonError::into_inner).body(&prompt, request.messages)
            }
            Purpose::Summary => BodyWriter::default().body(&prompt, request.messages),
        };
        // The list of messages stands last.
        if self.options.format.spoken() != Format::Endpoint && body.ends_with("[]}") {
            let why =
                "There is nothing to send to the model: the conversation has no text, file or tool result";
            return Box::pin(ready(Err(ModelError::new(ModelErrorKind::BadRequest, why))));
        }
        // Its notices are those of the request that it stands for.
        let by_tool = in_text
            .as_ref()
            .filter(|text| text.tool_instead)
            .map(|_| RequestParts { notices: &Notices::default(), ..by_tool }.open(&messages()));
        let mut names = names.into_wire();
        // Not longer than any provider takes, as it goes back to it.
        names.answer_in_text = in_text.map(|_| {
            let fresh: String =
                self.ids.fresh().chars().filter(char::is_ascii_alphanumeric).take(24).collect();
            format!("call_{fresh}")
        });
        let asking = ModelCall {
            options: Arc::clone(&self.options),
            http: Arc::clone(&self.http),
            clock: Arc::clone(&self.clock),
            body,
            by_tool,
            names,
            notices: notices.take(),
            deltas,
            learned: Arc::clone(&self.learned),
        };
        let ids = Arc::clone(&self.ids);
        // Aborting drops this future, which closes the connection.
        Box::pin(async move { asking.with_retries(ids.as_ref()).await })
    }
}

/// One model call with all its attempts.
struct ModelCall {
    options: Arc<HttpOptions>,
    http: Arc<dyn Http>,
    clock: Arc<dyn Clock>,
    body: String,
    /// The head of the body that asks for the answer by a tool, where it is asked for as text.
    by_tool: Option<String>,
    names: WireNames,
    notices: Vec<Notice>,
    deltas: DeltaSink,
    learned: Arc<Learned>,
}

impl ModelCall {
    async fn with_retries(mut self, ids: &dyn IdSource) -> Result<Reply, ModelError> {
        for Notice { code, message } in &self.notices {
            self.deltas.send(Delta::Notice { code, message });
        }
        let mut lessons = AppliedChanges::of(&self.learned);
        self.body = lessons.applied(self.body);
        let mut attempt = 0;
        loop {
            let streams = self.is_streamed() && lessons.streams();
            let mut relay = DeltaRelay {
                deltas: &self.deltas,
                lessons: &mut lessons,
                learned: &self.learned,
                calls: Vec::new(),
                any: false,
                bytes: 0,
                refusal: None,
            };
            let attempted = self.attempt(&mut relay, streams).await;
            if attempted.is_ok() {
                relay.begin();
            }
            let error = match attempted {
                Ok(turn) => return Ok(self.reply(turn, relay.any)),
                Err(error) => Secrets::of(&self.options.url, &self.options.headers).strike(error),
            };
            let refusal = relay.refusal.take().unwrap_or_default();
            let any = relay.any;
            if !any && self.asks_by_tool(&mut lessons, &error, &refusal) {
                continue;
            }
            if !any && lessons.learn(self.options.format, &self.body, &error, &refusal) {
                self.body = lessons.applied(self.body);
                continue;
            }
            // What a person has seen of an answer cannot be taken back, so no other answer is begun.
            let pause =
                (!any).then(|| pause_ms(&self.options.policy, &error, attempt, random(ids))).flatten();
            let Some(pause) = pause else { return Err(error) };
            let mut wait_ms = pause;
            if pause >= TOLD_FROM_MS {
                // Wait before the notice: if the client stops or disconnects at once, the handler has not started a stream yet.
                self.clock.sleep(SILENT_MS).await;
                wait_ms = pause.saturating_sub(SILENT_MS);
                self.deltas.send(Delta::Retry { code: error.code(), wait_ms });
            }
            self.clock.sleep(wait_ms).await;
            attempt += 1;
        }
    }

    /// The form of the answer was refused: it is asked for by a tool from now on.
    fn asks_by_tool(&mut self, lessons: &mut AppliedChanges, error: &ModelError, refusal: &str) -> bool {
        if !SPEAKS_TO_PROVIDERS || self.by_tool.is_none() {
            return false;
        }
        let Some(lasting) = refuses_answer_form(error, refusal) else { return false };
        let head = self.by_tool.take().unwrap_or_default();
        let Some(body) = AnswerInText::with_head(&head, &self.body) else { return false };
        self.names.answer_in_text = None;
        lessons.answer_by_tool(lasting, error);
        self.body = lessons.applied(body);
        true
    }

    async fn attempt(&self, relay: &mut DeltaRelay<'_>, streams: bool) -> Result<Turn, ModelError> {
        let policy = &self.options.policy;
        let now = self.clock.steady();
        let whole = Limit::new(now, policy.total_ms, "whole answer");
        // What is not streamed begins when it is whole.
        let first = match streams {
            true => Limit::new(now, policy.first_byte_ms, "first byte").or(whole),
            false => whole,
        };
        let request =
            HttpRequest { url: self.options.url.clone(), headers: self.headers(), body: self.body.clone() };
        let mut deadline = Deadline::new(Arc::clone(&self.clock));
        let sent = deadline.within(first.at, self.http.send(request)).await;
        let mut response = sent.ok_or_else(|| first.passed())?.map_err(|why| self.unreached(&why))?;
        let read = self.read(response.as_mut(), &mut deadline, streams.then_some(first), whole, relay).await;
        let read = read.map_err(|error| self.with_place(error));
        read.map_err(|error| Secrets::of("", &response.sent()).strike(error))
    }

    /// What every request carries, in front of what the application gave, which may say it otherwise.
    fn headers(&self) -> Vec<(String, String)> {
        // Providers are told what their own clients tell them, also where an answer is streamed.
        let is_endpoint = self.options.format.spoken() == Format::Endpoint;
        let accepted = if is_endpoint { "text/event-stream" } else { JSON };
        let mut headers = Vec::new();
        for (name, value) in [("content-type", JSON), ("accept", accepted)] {
            if !self.options.headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name)) {
                headers.push((name.to_owned(), value.to_owned()));
            }
        }
        headers.extend_from_slice(&self.options.headers);
        headers
    }

    fn reply(&self, mut turn: Turn, streamed: bool) -> Reply {
        let format = self.options.format.spoken();
        let thought = turn.message.reasoning_content.is_some() || !turn.message.extra.0.is_empty();
        let details = turn.message.extra.0.iter().any(|(key, _)| key == REASONING_DETAILS);
        // An endpoint has said so of its provider.
        if format != Format::Endpoint && thought && self.options.request.wants_back(format, details) {
            turn.message.extra.0.push((WANTED_BACK.to_owned(), Json::parse("true").unwrap_or_default()));
        }
        Reply { messages: vec![turn.message], usage: turn.usage, stop_reason: turn.stop_reason, streamed }
    }

    /// The option that says where the model is, and the path that it led to.
    fn place(&self) -> Option<String> {
        let url = self.options.url.split(&['?', '#'][..]).next().unwrap_or_default();
        let path = match word_at(url, "://").and_then(|at| url.get(at + 3..)) {
            Some(place) => place.find('/').and_then(|at| place.get(at..)).unwrap_or("/"),
            // A model that the page reaches in another way than by an address.
            None if word_at(url, ":").is_some() => return None,
            None => url,
        };
        let option = if self.options.format.spoken() == Format::Endpoint { "endpoint" } else { "baseURL" };
        Some(format!("`{option}` ({path})"))
    }

    /// What came may be of something else than a model.
    fn with_place(&self, mut error: ModelError) -> ModelError {
        if let Some(place) = self.place().filter(|_| !error.retryable && errors::says_nothing(&error)) {
            error.message.push_str(&format!("; check {place} and the server behind it"));
        }
        if error.code() == MODEL_NOT_FOUND && self.options.format.spoken() != Format::Endpoint {
            let (host, model) = (host(&self.options.url), &self.options.request.model);
            error.message.push_str(&format!(
                "; {host} has no model `{model}` for this key: set `model` to one that it has"
            ));
        }
        if errors::takes_no_tools(&error) {
            error.message.push_str("; set `toolUse: \"text\"` to describe the tools in the prompt instead");
        }
        error
    }

    fn unreached(&self, why: &str) -> ModelError {
        let place = self.place().unwrap_or_else(|| "the address".to_owned());
        let page = "; in a page, the server there has to allow the page's origin by CORS";
        let page = if MAY_BE_IN_PAGE { page } else { "" };
        let message =
            format!("the model could not be reached ({why}); check the connection and {place}{page}");
        ModelError::new(ModelErrorKind::Network, message)
    }

    fn is_streamed(&self) -> bool {
        self.options.request.stream || self.options.format.spoken() == Format::Endpoint
    }

    async fn read(
        &self,
        response: &mut dyn HttpResponse,
        deadline: &mut Deadline,
        // Of an answer that is streamed.
        first: Option<Limit>,
        whole: Limit,
        relay: &mut DeltaRelay<'_>,
    ) -> Result<Turn, ModelError> {
        let status = response.status();
        if status == 0 || (300..400).contains(&status) {
            return Err(errors::redirected(response.header("location").as_deref()));
        }
        if !(200..300).contains(&status) {
            let mut body = Vec::new();
            let words = Limit::new(self.clock.steady(), ERROR_BODY_MS, "");
            // What came of it is told; that the rest did not come says nothing new.
            let _ = self.body(response, deadline, words.or(whole), LONGEST_ERROR_BODY, &mut body).await;
            let body = String::from_utf8_lossy(&body);
            let mut error = match self.options.format.spoken() {
                Format::Endpoint => errors::from_endpoint(Some(status), &body),
                _ => errors::from_response(status, &body),
            };
            heed_headers(&mut error, |name| response.header(name), self.clock.now());
            relay.refusal = Some(body.into_owned());
            return Err(error);
        }
        let outcome = if let Some(first) = first {
            self.stream(response, deadline, first, whole, relay).await?
        } else {
            let mut body = Vec::new();
            self.body(response, deadline, whole, LONGEST_BODY, &mut body).await?;
            read_response(self.options.format, self.names.clone(), &String::from_utf8_lossy(&body))
        };
        match outcome {
            Outcome::Answered(turn) => Ok(turn),
            Outcome::Failed(failure) => Err(self.behind_endpoint(failure.error, relay.any)),
        }
    }

    /// What an endpoint tells in its stream of the connection behind it, which is not this side's own.
    fn behind_endpoint(&self, mut error: ModelError, started: bool) -> ModelError {
        let is_endpoint = self.options.format.spoken() == Format::Endpoint && self.place().is_some();
        if HAS_SESSIONS && is_endpoint {
            error.kind = match error.kind {
                ModelErrorKind::Network if started => ModelErrorKind::Cut,
                ModelErrorKind::Network => ModelErrorKind::Server,
                kind => kind,
            };
        }
        error
    }

    async fn stream(
        &self,
        response: &mut dyn HttpResponse,
        deadline: &mut Deadline,
        mut limit: Limit,
        whole: Limit,
        relay: &mut DeltaRelay<'_>,
    ) -> Result<Outcome, ModelError> {
        let mut decoder = Decoder::new(self.options.format, self.names.clone());
        let mut started = false;
        loop {
            let chunk = match deadline.within(limit.or(whole).at, response.next()).await {
                Some(Ok(Some(chunk))) => chunk,
                Some(Ok(None)) => return Ok(decoder.finish()),
                // What comes behind the end statement is no part of the answer.
                _ if decoder.has_answer() => return Ok(decoder.finish()),
                Some(Err(why)) => return Err(broke(&why)),
                None => return Err(limit.or(whole).passed()),
            };
            let batch = decoder.push(&chunk);
            let handler = self.options.format.spoken() == Format::Endpoint;
            if decoder.has_answer() {
                limit = Limit::new(self.clock.steady(), BEHIND_END_MS, "");
            } else if decoder.lives() || !batch.is_empty() || !started || handler {
                // Keep-alive pings show that the connection lives, not that the model does. A chat handler has limits of its
                // own, and asks again itself: its comments say that it is still at it.
                started = true;
                limit = Limit::new(
                    self.clock.steady(),
                    self.options.policy.idle_ms,
                    "further part of its answer",
                );
            }
            relay.show(batch);
            let most = self.options.policy.answer_bytes;
            if most > 0 && relay.bytes > most {
                let message = format!(
                    "the model's answer exceeds {most} bytes; to allow more, raise `policy.answerBytes` (0 is no limit)"
                );
                return Err(ModelError::new(ModelErrorKind::BadResponse, message));
            }
            if decoder.is_settled() {
                response.suffices();
                return Ok(decoder.finish());
            }
        }
    }

    /// Reads a body that is no stream, up to a length.
    async fn body(
        &self,
        response: &mut dyn HttpResponse,
        deadline: &mut Deadline,
        limit: Limit,
        longest: usize,
        body: &mut Vec<u8>,
    ) -> Result<(), ModelError> {
        while body.len() < longest {
            let piece = deadline.within(limit.at, response.next()).await.ok_or_else(|| limit.passed())?;
            let Some(piece) = piece.map_err(|why| broke(&why))? else { return Ok(()) };
            body.extend_from_slice(&piece);
        }
        Err(ModelError::new(
            ModelErrorKind::BadResponse,
            format!("the model's answer exceeds {LONGEST_BODY} bytes"),
        ))
    }
}

/// Hands on what comes, and knows whether anything did.
struct DeltaRelay<'a> {
    deltas: &'a DeltaSink,
    lessons: &'a mut AppliedChanges,
    learned: &'a Learned,
    calls: Vec<(String, String)>,
    any: bool,
    /// How much of an answer it was.
    bytes: u64,
    /// The body of an answer that is none.
    refusal: Option<String>,
}

impl DeltaRelay<'_> {
    /// There is an answer, so the request was taken: what was changed in it is told in front of the answer.
    fn begin(&mut self) {
        self.lessons.keep(self.learned, self.deltas);
    }

    fn show(&mut self, batch: answer::Batch) {
        for delta in batch {
            if !self.any && !matches!(delta, answer::Delta::Notice { .. } | answer::Delta::Retry { .. }) {
                self.any = true;
                self.begin();
            }
            self.bytes += delta.text().len() as u64;
            match delta {
                answer::Delta::Text { text } | answer::Delta::Refusal { text } => self.deltas.text(&text),
                answer::Delta::Reasoning { text } => self.deltas.send(Delta::Reasoning(&text)),
                answer::Delta::CallStarted { index, id, name } => {
                    while self.calls.len() <= index {
                        self.calls.push(Default::default());
                    }
                    if let Some(call) = self.calls.get_mut(index) {
                        *call = (id.unwrap_or_default(), name);
                    }
                }
                answer::Delta::CallArgs { index, text } => {
                    if let Some((id, name)) = self.calls.get(index) {
                        self.deltas.send(Delta::ToolInput { id, name, text: &text });
                    }
                }
                answer::Delta::CallEnded { .. } => {}
                answer::Delta::Retry { code, wait_ms } => {
                    self.deltas.send(Delta::Retry { code: &code, wait_ms });
                }
                answer::Delta::Notice { code, message } => {
                    self.deltas.send(Delta::Notice { code: &code, message: &message });
                }
            }
        }
    }
}

fn broke(why: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Network, format!("the connection to the model broke ({why})"))
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

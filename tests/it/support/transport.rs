//! A server on a clock, and a call of a model to it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use futures_util::FutureExt;
use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::http::retry::Policy;
use glove_wasm::http::{Http, HttpModel, HttpOptions, HttpRequest, HttpResponse};
use glove_wasm::message::Message;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortHandle, Clock, Delta, DeltaSink, ModelAdapter, ModelRequest, Purpose};
use glove_wasm::providers::Format;
use glove_wasm::providers::request::Options;
use glove_wasm::run::Run;
use glove_wasm::run::input::{Input, Reply, WhenBusy};
use glove_wasm::run::settings::Settings;
use glove_wasm::testing::{FakeClock, SequentialIds, ask_model};

use super::machine::request;
use super::strict::{address, expect_taken_at};

/// What a server does, piece by piece.
#[derive(Clone, Copy)]
pub enum Step {
    Wait(u64),
    Chunk(&'static str),
    Break(&'static str),
    /// The date is set anew.
    Date(u64),
}
pub use Step::{Break, Chunk, Date, Wait};

#[derive(Clone)]
pub struct Answer {
    pub before: u64,
    pub status: u16,
    pub headers: &'static [(&'static str, &'static str)],
    pub steps: Vec<Step>,
}

pub fn ok(steps: &[Step]) -> Answer {
    Answer { before: 0, status: 200, headers: &[], steps: steps.to_vec() }
}

pub fn status(status: u16, headers: &'static [(&'static str, &'static str)], body: &'static str) -> Answer {
    Answer { before: 0, status, headers, steps: vec![Chunk(body)] }
}

pub struct Server {
    pub clock: FakeClock,
    pub answers: Mutex<VecDeque<Answer>>,
    /// When each request came.
    pub asked: Mutex<Vec<u64>>,
    pub open: Arc<Mutex<i32>>,
}

pub struct Connection {
    pub clock: FakeClock,
    pub answer: Answer,
    pub open: Arc<Mutex<i32>>,
}

impl Http for Server {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        expect_taken_at(&request);
        self.asked.lock().unwrap().push(self.clock.steady());
        let (clock, open) = (self.clock.clone(), Arc::clone(&self.open));
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            let Some(answer) = answer else { return Err(format!("cannot connect to {}", request.url)) };
            clock.sleep(answer.before).await;
            *open.lock().unwrap() += 1;
            Ok(Box::new(Connection { clock, answer, open }) as Box<dyn HttpResponse>)
        })
    }
}

impl HttpResponse for Connection {
    fn status(&self) -> u16 {
        self.answer.status
    }

    fn header(&self, name: &str) -> Option<String> {
        self.answer.headers.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, String>> {
        Box::pin(async move {
            loop {
                if self.answer.steps.is_empty() {
                    return Ok(None);
                }
                match self.answer.steps.remove(0) {
                    Wait(ms) => self.clock.sleep(ms).await,
                    Chunk(text) => return Ok(Some(text.as_bytes().to_vec())),
                    Break(why) => return Err(why.to_owned()),
                    Date(date) => self.clock.set_date(date),
                }
            }
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        *self.open.lock().unwrap() -= 1;
    }
}

/// What came of a call.
#[derive(Debug, PartialEq)]
pub struct Came {
    pub result: Result<String, (ModelErrorKind, String)>,
    pub shown: String,
    /// When the server was asked, and when the call ended.
    pub asked: Vec<u64>,
    pub ended: u64,
}

pub fn call(answers: &[Answer]) -> Came {
    call_with(answers, Policy::default())
}

pub fn call_with(answers: &[Answer], policy: Policy) -> Came {
    let clock = FakeClock::at(0);
    let (came, open) = drive(answers, policy, &clock, None);
    assert_eq!(*open.lock().unwrap(), 0, "a connection stayed open");
    came
}

/// Runs a call to its end, or up to a point in time at which it is dropped.
pub fn drive(
    answers: &[Answer],
    policy: Policy,
    clock: &FakeClock,
    until: Option<u64>,
) -> (Came, Arc<Mutex<i32>>) {
    drive_model(answers, clock, until, |server, clock| model(server, clock, policy))
}

pub fn drive_model(
    answers: &[Answer],
    clock: &FakeClock,
    until: Option<u64>,
    model: impl FnOnce(Arc<dyn Http>, &FakeClock) -> HttpModel,
) -> (Came, Arc<Mutex<i32>>) {
    drive_message(answers, clock, until, "Hi", model)
}

pub fn drive_message(
    answers: &[Answer],
    clock: &FakeClock,
    until: Option<u64>,
    message: &str,
    model: impl FnOnce(Arc<dyn Http>, &FakeClock) -> HttpModel,
) -> (Came, Arc<Mutex<i32>>) {
    let server = Arc::new(Server {
        clock: clock.clone(),
        answers: Mutex::new(answers.iter().cloned().collect()),
        asked: Mutex::default(),
        open: Arc::default(),
    });
    let model = model(Arc::clone(&server) as _, clock);
    let mut run = Run::new(Settings::default(), Vec::new());
    run.step(0, Input::Request(Box::new(request("r", message, WhenBusy::Queue)))).unwrap();
    let shown = Arc::new(Mutex::new(String::new()));
    let mut asking = ask_model(&model, &run, Arc::clone(&shown), AbortHandle::new().signal());
    let mut context = Context::from_waker(Waker::noop());
    let result: Option<Result<Reply, ModelError>> = loop {
        if let Poll::Ready(result) = asking.as_mut().poll(&mut context) {
            break Some(result);
        }
        if until.is_some_and(|until| clock.steady() >= until) {
            break None;
        }
        assert!(clock.steady() < 2_000_000, "the call never ends");
        clock.advance(1);
    };
    drop(asking);
    let result = match result {
        Some(Ok(reply)) => Ok(reply.messages[0].text.clone()),
        Some(Err(error)) => Err((error.kind, error.message)),
        None => Ok("dropped".to_owned()),
    };
    let came = Came {
        result,
        shown: shown.lock().unwrap().clone(),
        asked: server.asked.lock().unwrap().clone(),
        ended: clock.steady(),
    };
    (came, Arc::clone(&server.open))
}

pub fn model(server: Arc<dyn Http>, clock: &FakeClock, policy: Policy) -> HttpModel {
    model_of(Format::OpenAiChat, server, clock, policy)
}

pub fn model_of(format: Format, server: Arc<dyn Http>, clock: &FakeClock, policy: Policy) -> HttpModel {
    let options = options(format, policy);
    HttpModel::new(options, server, Arc::new(clock.clone()), Arc::new(SequentialIds::new("id")))
}

pub fn options(format: Format, policy: Policy) -> HttpOptions {
    let (url, headers) = address(format, true);
    HttpOptions {
        name: "test".to_owned(),
        format,
        url,
        headers,
        request: Options { model: "m".to_owned(), stream: true, ..Options::default() },
        policy,
    }
}

/// Asks a model that waits for nothing.
pub fn ask_at_once(
    model: &dyn ModelAdapter,
    receive: impl Fn(Delta<'_>) + Send + Sync + 'static,
) -> Result<Reply, ModelError> {
    let run = Run::new(Settings::default(), vec![Message::user("Hi").into()]);
    let request =
        ModelRequest { purpose: Purpose::Turn, system_prompt: "", messages: run.model_request(), tools: &[] };
    let asking = model.prompt(request, DeltaSink::to(receive), AbortHandle::new().signal());
    asking.now_or_never().expect("it waits for nothing")
}

pub const HELLO: Step = Chunk("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n");

pub const END: Step =
    Chunk("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");

pub fn kind(came: &Came) -> ModelErrorKind {
    came.result.as_ref().unwrap_err().0
}

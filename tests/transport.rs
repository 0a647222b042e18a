//! A model behind HTTP on a clock of its own: what is answered, what is tried again and when, and what gives up.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::host::{AbortHandle, Clock};
use glove_wasm::message::Message;
use glove_wasm::portable::BoxFuture;
use glove_wasm::providers::Format;
use glove_wasm::providers::request::Options;
use glove_wasm::run::Run;
use glove_wasm::run::input::{Reply, Request, WhenBusy};
use glove_wasm::run::settings::Settings;
use glove_wasm::testing::{FakeClock, SequentialIds, ask_model};
use glove_wasm::transport::retry::Policy;
use glove_wasm::transport::{Http, HttpModel, HttpOptions, HttpRequest, HttpResponse};

/// What a server does, piece by piece.
#[derive(Clone, Copy)]
enum Step {
    Wait(u64),
    Chunk(&'static str),
    Break(&'static str),
    /// The date is set anew.
    Date(u64),
}
use Step::{Break, Chunk, Date, Wait};

#[derive(Clone)]
struct Answer {
    before: u64,
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    steps: Vec<Step>,
}

fn ok(steps: &[Step]) -> Answer {
    Answer { before: 0, status: 200, headers: &[], steps: steps.to_vec() }
}

fn status(status: u16, headers: &'static [(&'static str, &'static str)], body: &'static str) -> Answer {
    Answer { before: 0, status, headers, steps: vec![Chunk(body)] }
}

struct Server {
    clock: FakeClock,
    answers: Mutex<VecDeque<Answer>>,
    /// When each request came.
    asked: Mutex<Vec<u64>>,
    open: Arc<Mutex<i32>>,
}

struct Connection {
    clock: FakeClock,
    answer: Answer,
    open: Arc<Mutex<i32>>,
}

impl Http for Server {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
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
struct Came {
    result: Result<String, (ModelErrorKind, String)>,
    shown: String,
    /// When the server was asked, and when the call ended.
    asked: Vec<u64>,
    ended: u64,
}

fn call(answers: &[Answer]) -> Came {
    call_with(answers, Policy::default())
}

fn call_with(answers: &[Answer], policy: Policy) -> Came {
    let clock = FakeClock::at(0);
    let (came, open) = drive(answers, policy, &clock, None);
    assert_eq!(*open.lock().unwrap(), 0, "a connection stayed open");
    came
}

/// Runs a call to its end, or up to a point in time at which it is dropped.
fn drive(
    answers: &[Answer],
    policy: Policy,
    clock: &FakeClock,
    until: Option<u64>,
) -> (Came, Arc<Mutex<i32>>) {
    drive_model(answers, clock, until, |server, clock| model(server, clock, policy))
}

fn drive_model(
    answers: &[Answer],
    clock: &FakeClock,
    until: Option<u64>,
    model: impl FnOnce(Arc<dyn Http>, &FakeClock) -> HttpModel,
) -> (Came, Arc<Mutex<i32>>) {
    drive_message(answers, clock, until, "Hi", model)
}

fn drive_message(
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
    begin(&mut run, message);
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

fn model(server: Arc<dyn Http>, clock: &FakeClock, policy: Policy) -> HttpModel {
    model_of(Format::OpenAiChat, server, clock, policy)
}

fn model_of(format: Format, server: Arc<dyn Http>, clock: &FakeClock, policy: Policy) -> HttpModel {
    let options = options(format, policy);
    HttpModel::new(options, server, Arc::new(clock.clone()), Arc::new(SequentialIds::new("id")))
}

fn options(format: Format, policy: Policy) -> HttpOptions {
    HttpOptions {
        name: "test".to_owned(),
        format,
        url: "https://model.test/v1/chat/completions".to_owned(),
        headers: vec![("authorization".to_owned(), "Bearer canary-key".to_owned())],
        request: Options { model: "m".to_owned(), stream: true, ..Options::default() },
        policy,
    }
}

fn begin(run: &mut Run, message: &str) {
    let request = Request {
        id: "r".to_owned(),
        message: Message::user(message),
        when_busy: WhenBusy::Queue,
        regenerate: false,
        inbox: Vec::new(),
    };
    run.step(0, glove_wasm::run::input::Input::Request(Box::new(request))).unwrap();
}

const HELLO: Step = Chunk("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n");
const END: Step =
    Chunk("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");

fn kind(came: &Came) -> ModelErrorKind {
    came.result.as_ref().unwrap_err().0
}

#[test]
fn an_answer_is_shown_as_it_comes_and_then_given_whole() {
    let came = call(&[ok(&[Wait(5), HELLO, Wait(7), END])]);
    assert_eq!(
        came,
        Came { result: Ok("Hello".to_owned()), shown: "Hello".to_owned(), asked: vec![0], ended: 12 }
    );
}

#[test]
fn what_may_pass_is_tried_again_twice_with_growing_pauses() {
    for code in [408, 409, 429, 500, 503, 529] {
        let failing = status(code, &[], r#"{"error":{"message":"busy"}}"#);
        let came = call(&[failing.clone(), failing.clone(), ok(&[HELLO, END])]);
        assert_eq!(came.result, Ok("Hello".to_owned()), "{code}");
        let (first, second) = (came.asked[1], came.asked[2] - came.asked[1]);
        assert!((375..=500).contains(&first) && (750..=1_000).contains(&second), "{code}: {first} {second}");
        let came = call(&[failing.clone(), failing.clone(), failing]);
        assert_eq!(came.asked.len(), 3, "{code}");
        assert!(came.result.is_err(), "{code}");
    }
    assert_eq!(call(&[]).asked.len(), 3, "no connection");
}

#[test]
fn what_cannot_pass_is_told_at_once_with_the_providers_words() {
    for code in [400, 401, 403, 404, 422] {
        let came = call(&[status(code, &[], r#"{"error":{"message":"no such thing"}}"#)]);
        assert_eq!((came.asked.len(), came.ended), (1, 0), "{code}");
        assert!(came.result.unwrap_err().1.contains("no such thing"), "{code}");
    }
}

#[test]
fn the_server_says_how_long_to_wait() {
    let busy = |headers| status(429, headers, "{}");
    let wait = |headers| call(&[busy(headers), ok(&[HELLO, END])]).asked[1];
    assert_eq!(wait(&[("retry-after-ms", "1234")]), 1_234);
    assert_eq!(wait(&[("retry-after", "3")]), 3_000);
    assert_eq!(wait(&[("retry-after", "Thu, 01 Jan 1970 00:00:09 GMT")]), 9_000);
    assert_eq!(call(&[busy(&[("x-should-retry", "false")])]).asked, [0]);
    let body = r#"{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}]}}"#;
    assert_eq!(call(&[status(429, &[], body), ok(&[HELLO, END])]).asked[1], 2_000);
}

#[test]
fn a_server_that_wants_a_longer_wait_than_one_waits_is_not_asked_again() {
    let busy = |headers| status(429, headers, "{}");
    let answers = |headers| [busy(headers), ok(&[HELLO, END])];
    let came = call(&answers(&[("retry-after", "60")]));
    assert_eq!((came.result, came.asked), (Ok("Hello".to_owned()), vec![0, 60_000]));
    let came = call(&answers(&[("retry-after", "61")]));
    assert_eq!((kind(&came), came.asked, came.ended), (ModelErrorKind::RateLimit, vec![0], 0));
}

#[test]
fn a_conversation_in_which_nothing_is_said_is_not_sent() {
    for format in [Format::Anthropic, Format::OpenAiChat, Format::OpenAiResponses, Format::Gemini] {
        let clock = FakeClock::at(0);
        let model =
            |server: Arc<dyn Http>, clock: &FakeClock| model_of(format, server, clock, Policy::default());
        let (came, _) = drive_message(&[ok(&[HELLO, END])], &clock, None, " \n", model);
        if format == Format::OpenAiChat {
            assert_eq!(came.asked, [0], "a system prompt among the messages may be answered");
            continue;
        }
        assert_eq!((kind(&came), came.asked.as_slice()), (ModelErrorKind::BadRequest, &[][..]), "{format:?}");
        let message = came.result.unwrap_err().1;
        assert!(message.contains("no text"), "{message}");
    }
}

#[test]
fn after_something_was_shown_no_other_answer_is_begun() {
    let came = call(&[ok(&[HELLO, Break("connection reset")]), ok(&[HELLO, END])]);
    assert_eq!((kind(&came), came.asked.len(), came.shown.as_str()), (ModelErrorKind::Network, 1, "Hello"));
    let came = call(&[ok(&[HELLO]), ok(&[HELLO, END])]);
    assert_eq!((kind(&came), came.asked.len()), (ModelErrorKind::Cut, 1));
}

#[test]
fn a_thought_or_a_call_that_was_shown_is_shown_once() {
    for piece in [
        r#"{"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"rm","arguments":""}}]}}]}"#,
    ] {
        let shown = Chunk(Box::leak(format!("data: {piece}\n\n").into_boxed_str()));
        let came = call(&[ok(&[shown, Break("connection reset")]), ok(&[HELLO, END])]);
        assert_eq!((kind(&came), came.asked.len()), (ModelErrorKind::Network, 1), "{piece}");
    }
}

#[test]
fn a_ping_ends_the_wait_for_the_first_byte() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 80, total_ms: 1_000 };
    let came = call_with(&[ok(&[Chunk(": ping\n\n"), Wait(70), HELLO, END])], policy);
    assert_eq!(came.result, Ok("Hello".to_owned()));
    let came = call_with(&[ok(&[Wait(70), HELLO, END])], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 50));
}

#[test]
fn a_connection_that_fails_says_where_and_what_to_look_at() {
    let once = || Policy { max_retries: 0, ..Policy::default() };
    let said = |answers: &[Answer]| call_with(answers, once()).result.unwrap_err().1;
    let unreached = said(&[]);
    assert!(unreached.starts_with("the model could not be reached (cannot connect to "), "{unreached}");
    assert!(unreached.contains("check the connection and the address"), "{unreached}");
    let broken = said(&[ok(&[HELLO, Break("connection reset")])]);
    assert_eq!(broken, "the connection to the model broke (connection reset)");
}

/// How each provider says in a stream that it has too much to do, and how it says hello and that this was all.
const OVERLOADED: [(Format, &str, &str, &str); 4] = [
    (
        Format::Anthropic,
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\n",
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    ),
    (
        Format::OpenAiChat,
        "data: {\"error\":{\"message\":\"The engine is busy\",\"type\":\"engine_overloaded_error\"}}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    ),
    (
        Format::OpenAiResponses,
        "event: error\ndata: {\"type\":\"error\",\"code\":\"server_is_overloaded\",\"message\":\"Overloaded\"}\n\n",
        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Hello\"}\n\n",
        "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n",
    ),
    (
        Format::Gemini,
        "data: {\"error\":{\"code\":503,\"message\":\"The model is overloaded.\",\"status\":\"UNAVAILABLE\"}}\n\n",
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hello\"}]},\"index\":0}]}\n\n",
        "data: {\"candidates\":[{\"finishReason\":\"STOP\",\"index\":0}]}\n\n",
    ),
];

#[test]
fn an_overload_in_a_stream_is_tried_again_before_anything_was_shown_and_never_after() {
    for (format, overloaded, hello, end) in OVERLOADED {
        let asked = |answers: &[Answer]| {
            let clock = FakeClock::at(0);
            let (came, open) = drive_model(answers, &clock, None, |server, clock| {
                model_of(format, server, clock, Policy::default())
            });
            assert_eq!(*open.lock().unwrap(), 0, "{format:?}: a connection stayed open");
            came
        };
        let [overloaded, hello, end] = [overloaded, hello, end].map(Chunk);
        let failing = ok(std::slice::from_ref(&overloaded));
        let answer = ok(&[hello, end]);

        let came = asked(&[failing.clone(), failing.clone(), answer.clone()]);
        assert_eq!((came.result, came.asked.len()), (Ok("Hello".to_owned()), 3), "{format:?}");
        let (first, second) = (came.asked[1], came.asked[2] - came.asked[1]);
        assert!(
            (375..=500).contains(&first) && (750..=1_000).contains(&second),
            "{format:?}: {first} {second}"
        );

        let came = asked(&[failing.clone(), failing.clone(), failing]);
        assert_eq!((kind(&came), came.asked.len()), (ModelErrorKind::Overloaded, 3), "{format:?}");

        let came = asked(&[ok(&[hello, overloaded]), answer]);
        assert_eq!((kind(&came), came.asked.len()), (ModelErrorKind::Overloaded, 1), "{format:?}");
        assert_eq!(came.shown, "Hello", "{format:?}");
    }
}

#[test]
fn a_stream_that_breaks_before_anything_was_shown_is_tried_again() {
    let came = call(&[ok(&[Break("connection reset")]), ok(&[]), ok(&[HELLO, END])]);
    assert_eq!((came.result, came.asked.len()), (Ok("Hello".to_owned()), 3));
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 200 };
    let late_head = Answer { before: 500, ..ok(&[HELLO, END]) };
    let came = call_with(&[late_head], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 50));
    let came = call_with(&[ok(&[Wait(500), HELLO, END])], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 50));
    let came = call_with(&[ok(&[Wait(20), HELLO, Wait(500), END])], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 50));
}

#[test]
fn what_goes_wrong_behind_the_end_of_an_answer_does_not_take_it_back() {
    const STOP: Step =
        Chunk("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30_000, total_ms: 60_000 };
    let reset = call_with(&[ok(&[HELLO, STOP, Break("connection reset")])], policy);
    assert_eq!((reset.result, reset.asked.len()), (Ok("Hello".to_owned()), 1));
    let hangs = call_with(&[ok(&[HELLO, STOP, Wait(50_000)])], policy);
    assert_eq!((hangs.result, hangs.ended), (Ok("Hello".to_owned()), 2_000));
}

#[test]
fn the_text_of_an_error_is_not_waited_for_long() {
    let policy = Policy { max_retries: 0, ..Policy::default() };
    let hangs = Answer { status: 503, ..ok(&[Chunk("{\"error\":{\"message\":\"busy\"}}"), Wait(500_000)]) };
    let came = call_with(&[hangs], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Server, 5_000));
    assert!(came.result.unwrap_err().1.contains("busy"));
}

#[test]
fn a_timeout_tells_the_limit_that_was_hit() {
    let policy = Policy { max_retries: 0, first_byte_ms: 0, idle_ms: 0, total_ms: 100 };
    let message = |answer| call_with(&[answer], policy).result.unwrap_err().1;
    let late_head = Answer { before: 500, ..ok(&[HELLO, END]) };
    let whole = "the model gave no whole answer within 100 ms";
    assert_eq!([message(late_head), message(ok(&[HELLO, Wait(500)]))], [whole, whole]);
}

#[test]
fn pings_do_not_keep_a_dead_answer_alive() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 10_000 };
    let mut steps = vec![HELLO];
    for _ in 0..100 {
        steps.extend([Wait(10), Chunk(": ping\n\n")]);
    }
    let came = call_with(&[ok(&steps)], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 30));
}

/// A model that thinks or writes long arguments in silence is told of by such events.
#[test]
fn what_a_format_says_of_its_own_keeps_an_answer_alive_and_pings_do_not() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 10_000 };
    let table = [
        (
            Format::Anthropic,
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n",
            true,
        ),
        (
            Format::Anthropic,
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"s\"}}\n\n",
            true,
        ),
        (Format::Anthropic, "event: ping\ndata: {\"type\": \"ping\"}\n\n", false),
        (Format::Anthropic, "data: {\"type\": \"ping\"}\n\n", false),
        (Format::Anthropic, "event: vendor_event\ndata: {\"queue\":3}\n\n", false),
        (
            Format::OpenAiResponses,
            "event: response.in_progress\ndata: {\"type\":\"response.in_progress\"}\n\n",
            true,
        ),
        (
            Format::OpenAiResponses,
            "event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n",
            false,
        ),
        (Format::OpenAiResponses, "data: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n", false),
        (
            Format::OpenAiChat,
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\n",
            true,
        ),
        (Format::OpenAiChat, ": OPENROUTER PROCESSING\n\n", false),
        (Format::OpenAiChat, "data: {}\n\n", false),
        (Format::Gemini, "data: {\"candidates\":[{\"content\":{}}]}\n\n", true),
    ];
    for (format, event, alive) in table {
        let mut steps = vec![Chunk(event)];
        for _ in 0..10 {
            steps.extend([Wait(20), Chunk(event)]);
        }
        steps.push(Wait(1_000));
        let clock = FakeClock::at(0);
        let model = |server: Arc<dyn Http>, clock: &FakeClock| model_of(format, server, clock, policy);
        let (came, _) = drive_model(&[ok(&steps)], &clock, None, model);
        let ends = if alive { 230 } else { 30 };
        assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, ends), "{format:?} {event}");
    }
}

#[test]
fn a_chat_handler_that_says_it_waits_is_waited_for_up_to_the_limit_of_the_whole() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 1_000 };
    let call = |steps: &[Step]| {
        let (came, _) = drive_model(&[ok(steps)], &FakeClock::at(0), None, |server, clock| {
            model_of(Format::Endpoint, server, clock, policy)
        });
        came
    };
    let mut steps = [Wait(10), Chunk(": waiting\n\n")].repeat(50);
    let done =
        r#"data: {"type":"done","message":{"sender":"agent","text":"at last"},"tokens_in":1,"tokens_out":1}"#;
    steps.push(Chunk(done));
    assert_eq!(call(&steps).result, Ok("at last".to_owned()));
    let came = call(&[Wait(10), Chunk(": waiting\n\n")].repeat(500));
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 1_000));
    let came = call(&[Wait(10), Chunk(": waiting\n\n"), Wait(500)]);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 40));
}

#[test]
fn a_redirect_is_no_answer_and_says_where_it_leads() {
    // 0 is what browsers tell of a redirect that is not followed.
    for code in [0, 301, 302, 303, 307, 308] {
        let came = call(&[status(code, &[("location", "https://elsewhere.test/v1")], "")]);
        let (kind, message) = came.result.unwrap_err();
        assert_eq!((kind, came.asked.len()), (ModelErrorKind::Config, 1), "{code}");
        assert!(message.contains(" to https://elsewhere.test/v1, which is not followed"), "{message}");
    }
    let (_, message) = call(&[status(0, &[], "")]).result.unwrap_err();
    assert!(message.contains("a redirect, which is not followed"), "{message}");
}

#[test]
fn an_answer_that_takes_too_long_in_all_is_given_up() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 100 };
    let mut steps = Vec::new();
    for _ in 0..100 {
        steps.extend([Wait(20), HELLO]);
    }
    let came = call_with(&[ok(&steps)], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 100));
}

#[test]
fn a_date_that_is_set_anew_ends_no_answer_and_keeps_no_dead_one_alive() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 1_000 };
    for date in [0, 9_000_000_000_000] {
        let jump = [Wait(20), Date(date), HELLO, Wait(20), Date(5_000_000), HELLO, Wait(20)];
        let mut steps = jump.to_vec();
        steps.push(END);
        let came = call_with(&[ok(&steps)], policy);
        assert_eq!((came.result, came.ended), (Ok("HelloHello".to_owned()), 60));
        let mut steps = jump.to_vec();
        steps.extend([Date(date), Wait(500), END]);
        let came = call_with(&[ok(&steps)], policy);
        assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 70));
    }
}

/// Whoever computed that long has cost something already, and would again.
#[test]
fn what_took_too_long_is_not_asked_again_by_itself() {
    let policy = Policy { max_retries: 2, first_byte_ms: 50, idle_ms: 30, total_ms: 100 };
    const ROLE: Step = Chunk("data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\n");
    let pieces = [Wait(20), ROLE].repeat(9);
    let head = Answer { before: 500, ..ok(&[HELLO, END]) };
    for (slow, ended) in
        [(head, 50), (ok(&[Wait(500)]), 50), (ok(&[ROLE, Wait(500)]), 30), (ok(&pieces), 100)]
    {
        let came = call_with(&[slow, ok(&[HELLO, END])], policy);
        assert_eq!((kind(&came), came.ended, came.asked.len()), (ModelErrorKind::Timeout, ended, 1));
    }
}

#[test]
fn a_model_may_think_in_silence_for_minutes() {
    let came = call(&[Answer { before: 290_000, ..ok(&[HELLO, Wait(290_000), END]) }]);
    assert_eq!((came.result, came.asked), (Ok("Hello".to_owned()), vec![0]));
}

/// It comes with its first byte.
#[test]
fn an_answer_that_is_not_streamed_has_the_limit_of_the_whole_alone() {
    const WHOLE: Step = Chunk(
        r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}"#,
    );
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 1_000 };
    let ask = |before| {
        let answer = Answer { before, ..ok(&[WHOLE]) };
        let whole = |server: Arc<dyn Http>, clock: &FakeClock| {
            let request = Options { model: "m".to_owned(), ..Options::default() };
            let options = HttpOptions { request, ..options(Format::OpenAiChat, policy) };
            HttpModel::new(options, server, Arc::new(clock.clone()), Arc::new(SequentialIds::new("id")))
        };
        drive_model(&[answer], &FakeClock::at(0), None, whole).0
    };
    assert_eq!(ask(900).result, Ok("Hello".to_owned()));
    assert_eq!((kind(&ask(2_000)), ask(2_000).ended), (ModelErrorKind::Timeout, 1_000));
}

#[test]
fn a_page_or_json_where_a_stream_was_expected_is_quoted() {
    let came = call(&[ok(&[Chunk("<!doctype html><title>Sign in</title>")])]);
    let (kind, message) = came.result.unwrap_err();
    assert_eq!(kind, ModelErrorKind::BadResponse);
    assert!(message.contains("Sign in"), "{message}");
}

#[test]
fn dropping_a_call_closes_its_connection_at_any_moment() {
    let clock = FakeClock::at(0);
    for until in 0..12 {
        let answers = [Answer { before: 3, ..ok(&[Wait(3), HELLO, Wait(3), HELLO, Wait(9), END]) }];
        let (_, open) = drive(&answers, Policy::default(), &clock, Some(clock.now() + until));
        assert_eq!(*open.lock().unwrap(), 0, "after {until} ms");
    }
}

#[test]
fn a_call_that_is_dropped_while_it_waits_asks_no_more() {
    let clock = FakeClock::at(0);
    let answers = [status(429, &[("retry-after", "5")], "{}"), ok(&[HELLO, END])];
    let (came, open) = drive(&answers, Policy::default(), &clock, Some(2_000));
    clock.advance(60_000);
    assert_eq!((came.asked, *open.lock().unwrap()), (vec![0], 0));
}

#[test]
fn the_key_is_in_no_error_whoever_is_asked_and_whatever_fails() {
    const KEY: &str = "sk-canary-4711";
    let json = r#"{"error":{"message":"Incorrect API key: sk-canary-4711","type":"sk-canary-4711"}}"#;
    let long = Box::leak(format!("<html>{}sk-canary-4711</html>", "x".repeat(285)).into_boxed_str());
    let failures = [
        vec![],
        vec![status(400, &[], json)],
        vec![status(401, &[], json)],
        vec![status(403, &[], "no: sk-canary-4711")],
        vec![status(429, &[("x-request-id", "r")], json)],
        vec![status(500, &[], r#"{"detail":"at https://h/?key=sk-canary-4711"}"#)],
        vec![status(503, &[], long)],
        vec![ok(&[Chunk("<html>sk-canary-4711</html>")])],
        vec![ok(&[Chunk(r#"{"error":{"message":"sk-canary-4711 is no key"}}"#)])],
        vec![ok(&[Chunk(
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"sk-canary-4711\"}}\n\n",
        )])],
        vec![ok(&[Chunk("event: error\ndata: sk-canary-4711\n\n")])],
        vec![ok(&[Chunk("event: message_start\ndata: {sk-canary-4711\n\n")])],
        vec![ok(&[Break("reset by https://sk-canary-4711@h/")])],
        vec![ok(&[])],
    ];
    let formats =
        [Format::Anthropic, Format::OpenAiChat, Format::OpenAiResponses, Format::Gemini, Format::Endpoint];
    let bases = ["https://h/v1", "https://me:sk-canary-4711@h/v1", "https://h/v1?key=sk-canary-4711"];
    for (format, base) in formats.into_iter().flat_map(|format| bases.map(|base| (format, base))) {
        for stream in [true, false] {
            let headers = format.headers(base, KEY).into_iter();
            let options = HttpOptions {
                name: "test".to_owned(),
                format,
                url: format.url(base, "m", stream),
                headers: headers.map(|(name, value)| (name.to_owned(), value)).collect(),
                request: Options { model: "m".to_owned(), stream, ..Options::default() },
                policy: Policy { max_retries: 0, ..Policy::default() },
            };
            assert!(!format!("{options:?}").contains("canary"));
            for answers in &failures {
                let (came, _) = drive_model(answers, &FakeClock::at(0), None, |server, clock| {
                    let model = HttpModel::new(
                        options.clone(),
                        server,
                        Arc::new(clock.clone()),
                        Arc::new(SequentialIds::new("id")),
                    );
                    assert!(!format!("{model:?}").contains("canary"));
                    model
                });
                assert!(
                    came.result.is_err() && !format!("{came:?}").contains("canary"),
                    "{format:?} {came:?}"
                );
            }
        }
    }
}

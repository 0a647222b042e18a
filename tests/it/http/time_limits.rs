//! A model behind HTTP on a clock of its own: how long is waited for what, and what gives up.

use std::sync::Arc;

use crate::support::transport::{
    Answer, Chunk, Date, END, HELLO, Step, Wait, call, call_with, drive, drive_model, kind, model_of, ok,
    options,
};
use glove_wasm::error::ModelErrorKind;
use glove_wasm::http::retry::Policy;
use glove_wasm::http::{Http, HttpModel, HttpOptions};
use glove_wasm::ports::Clock;
use glove_wasm::providers::Format;
use glove_wasm::providers::request::Options;
use glove_wasm::testing::{FakeClock, SequentialIds};

#[test]
fn a_ping_ends_the_wait_for_the_first_byte() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 80, total_ms: 1_000, answer_bytes: 0 };
    let came = call_with(&[ok(&[Chunk(": ping\n\n"), Wait(70), HELLO, END])], policy);
    assert_eq!(came.result, Ok("Hello".to_owned()));
    let came = call_with(&[ok(&[Wait(70), HELLO, END])], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 50));
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 200, answer_bytes: 0 };
    let late_head = Answer { before: 500, ..ok(&[HELLO, END]) };
    let came = call_with(&[late_head], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 50));
    let came = call_with(&[ok(&[Wait(500), HELLO, END])], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 50));
    let came = call_with(&[ok(&[Wait(20), HELLO, Wait(500), END])], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 50));
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
    let policy = Policy { max_retries: 0, first_byte_ms: 0, idle_ms: 0, total_ms: 100, answer_bytes: 0 };
    let message = |answer| call_with(&[answer], policy).result.unwrap_err().1;
    let late_head = Answer { before: 500, ..ok(&[HELLO, END]) };
    let whole = "the model sent no whole answer within 100 ms";
    assert_eq!([message(late_head), message(ok(&[HELLO, Wait(500)]))], [whole, whole]);
}

#[test]
fn pings_do_not_keep_a_dead_answer_alive() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 10_000, answer_bytes: 0 };
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
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 10_000, answer_bytes: 0 };
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
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 1_000, answer_bytes: 0 };
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
fn an_answer_that_takes_too_long_in_all_is_given_up() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 100, answer_bytes: 0 };
    let mut steps = Vec::new();
    for _ in 0..100 {
        steps.extend([Wait(20), HELLO]);
    }
    let came = call_with(&[ok(&steps)], policy);
    assert_eq!((kind(&came), came.ended), (ModelErrorKind::Timeout, 100));
}

#[test]
fn a_date_that_is_set_anew_ends_no_answer_and_keeps_no_dead_one_alive() {
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 1_000, answer_bytes: 0 };
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
    let policy = Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30, total_ms: 1_000, answer_bytes: 0 };
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
fn dropping_a_call_closes_its_connection_at_any_moment() {
    let clock = FakeClock::at(0);
    for until in 0..12 {
        let answers = [Answer { before: 3, ..ok(&[Wait(3), HELLO, Wait(3), HELLO, Wait(9), END]) }];
        let (_, open) = drive(&answers, Policy::default(), &clock, Some(clock.now() + until));
        assert_eq!(*open.lock().unwrap(), 0, "after {until} ms");
    }
}

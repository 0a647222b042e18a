//! A model behind HTTP on a clock of its own: what is tried again and when, and what is not.

use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use crate::support::transport::{
    Answer, Break, Chunk, END, HELLO, Server, Step, Wait, call, call_with, drive, drive_model, kind, model,
    model_of, ok, status,
};
use glove_wasm::error::ModelErrorKind;
use glove_wasm::http::retry::Policy;
use glove_wasm::message::Message;
use glove_wasm::ports::{AbortHandle, Delta, DeltaSink, ModelAdapter, ModelRequest, Purpose};
use glove_wasm::providers::Format;
use glove_wasm::run::Run;
use glove_wasm::run::settings::Settings;
use glove_wasm::testing::FakeClock;

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
fn a_model_that_does_not_exist_is_told_with_its_name_and_what_to_set() {
    let body = r#"{"error":{"message":"no such thing","code":"model_not_found"}}"#;
    let came = call(&[status(404, &[], body)]);
    let (code, message) = came.result.unwrap_err();
    assert_eq!(code, ModelErrorKind::BadRequest);
    assert!(message.starts_with("no such thing; ") && message.contains("set `model` to one"), "{message}");
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

/// What a listener hears of waits.
fn waits(answers: &[Answer]) -> Vec<(String, u64)> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let (clock, telling) = (FakeClock::at(0), Arc::clone(&told));
    let server = Server {
        clock: clock.clone(),
        answers: Mutex::new(answers.iter().cloned().collect()),
        asked: Mutex::default(),
        open: Arc::default(),
    };
    let model = model(Arc::new(server), &clock, Policy::default());
    let deltas = DeltaSink::to(move |delta| {
        if let Delta::Retry { code, wait_ms } = delta {
            telling.lock().unwrap().push((code.to_owned(), wait_ms));
        }
    });
    let run = Run::new(Settings::default(), vec![Message::user("Hi").into()]);
    let request =
        ModelRequest { purpose: Purpose::Turn, system_prompt: "", messages: run.model_request(), tools: &[] };
    let mut asking = model.prompt(request, deltas, AbortHandle::new().signal());
    let mut context = Context::from_waker(Waker::noop());
    while asking.as_mut().poll(&mut context).is_pending() {
        clock.advance(500);
    }
    drop(asking);
    let told = told.lock().unwrap();
    told.clone()
}

#[test]
fn a_wait_that_a_person_notices_is_told_with_its_length() {
    let after = |code, seconds| status(code, seconds, "{}");
    let said = |code: &str, ms| vec![(code.to_owned(), ms)];
    assert_eq!(
        waits(&[after(429, &[("retry-after", "20")]), ok(&[HELLO, END])]),
        said("MODEL_RATE_LIMIT", 19_500)
    );
    assert_eq!(
        waits(&[after(529, &[("retry-after", "2")]), ok(&[HELLO, END])]),
        said("MODEL_OVERLOADED", 1_500)
    );
    // Over before anybody asks what is the matter, and not waited for.
    assert!(waits(&[after(429, &[("retry-after", "1")]), ok(&[HELLO, END])]).is_empty());
    assert!(waits(&[after(429, &[("retry-after", "90")]), ok(&[HELLO, END])]).is_empty());
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

/// Whoever computed that long has cost something already, and would again.
#[test]
fn what_took_too_long_is_not_asked_again_by_itself() {
    let policy = Policy { max_retries: 2, first_byte_ms: 50, idle_ms: 30, total_ms: 100, answer_bytes: 0 };
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
fn a_call_that_is_dropped_while_it_waits_asks_no_more() {
    let clock = FakeClock::at(0);
    let answers = [status(429, &[("retry-after", "5")], "{}"), ok(&[HELLO, END])];
    let (came, open) = drive(&answers, Policy::default(), &clock, Some(2_000));
    clock.advance(60_000);
    assert_eq!((came.asked, *open.lock().unwrap()), (vec![0], 0));
}

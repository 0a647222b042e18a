//! What a model is asked without is told to the developer: once for each sentence, beside the answer and never as a part of it.

use std::sync::{Arc, Mutex};

use crate::support::runtime::block_on;
use crate::support::transport::{Break, Chunk, drive_model, model_of, ok};
use glove_wasm::endpoint::Disclosure;
use glove_wasm::error::ModelError;
use glove_wasm::event::Event;
use glove_wasm::http::AnswerStream;
use glove_wasm::http::retry::Policy;
use glove_wasm::message::Message;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortSignal, Delta, DeltaSink, ModelAdapter, ModelRequest};
use glove_wasm::providers::Format;
use glove_wasm::run::input::Reply;
use glove_wasm::runtime::GloveBuilder;
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{FakeClock, SequentialIds};
use glove_wasm::text_tools::TextTools;

/// Tells the same notices with each request.
struct Noticing(&'static [&'static str]);

impl ModelAdapter for Noticing {
    fn name(&self) -> String {
        "noticing".to_owned()
    }

    fn prompt(
        &self,
        _: ModelRequest<'_>,
        deltas: DeltaSink,
        _: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let notices = self.0;
        Box::pin(async move {
            for message in notices {
                deltas.send(Delta::Notice { code: "MEDIA_LEFT_OUT", message });
            }
            deltas.text("Hello");
            Ok(Reply { messages: vec![Message::agent("Hello")], streamed: true, ..Reply::default() })
        })
    }
}

fn told(model: Arc<dyn ModelAdapter>, turns: usize) -> Vec<Event> {
    let (clock, ids) = (Arc::new(FakeClock::at(0)), Arc::new(SequentialIds::new("id")));
    let agent = GloveBuilder::new(model, clock, ids).store(MemoryStore::new("s")).build().unwrap();
    let told: Arc<Mutex<Vec<Event>>> = Arc::default();
    let telling = Arc::clone(&told);
    agent.subscribe(move |_: Option<&str>, event: &Event| {
        if matches!(event, Event::ModelNotice { .. }) {
            telling.lock().unwrap().push(event.clone());
        }
    });
    for _ in 0..turns {
        block_on(agent.process_request("Hi")).unwrap();
    }
    std::mem::take(&mut *told.lock().unwrap())
}

fn notice(message: &str) -> Event {
    Event::ModelNotice { code: "MEDIA_LEFT_OUT".to_owned(), message: message.to_owned() }
}

#[test]
fn a_session_is_told_each_sentence_once_however_many_requests_it_makes() {
    let events = told(Arc::new(Noticing(&["No video.", "No svg.", "No video."])), 3);
    assert_eq!(events, [notice("No video."), notice("No svg.")]);
}

#[test]
fn a_notice_passes_a_model_that_gets_its_tools_as_text() {
    let events = told(Arc::new(TextTools::new(Arc::new(Noticing(&["No video."])))), 2);
    assert_eq!(events, [notice("No video.")]);
}

#[test]
fn a_client_is_told_in_front_of_the_answer_and_never_of_an_address_or_a_key() {
    let quoting = "`top_p` is left out (\"no top_p at http://10.0.0.1:8000 for org-Ab12\").";
    let table = [
        (Disclosure::None, None),
        (Disclosure::Safe, Some("`top_p` is left out (\\\"no top_p at … for …\\\").")),
        (
            Disclosure::All,
            Some("`top_p` is left out (\\\"no top_p at http://10.0.0.1:8000 for org-Ab12\\\")."),
        ),
    ];
    for (disclosure, told) in table {
        let mut answer = AnswerStream::new(false).disclosing(disclosure);
        answer.delta(Delta::Notice { code: "PARAMETER_REFUSED", message: quoting });
        assert!(answer.is_empty(), "a notice begins no answer, which could fail with a status of its own");
        answer.delta(Delta::Text("Hi"));
        let notice = told.map_or(String::new(), |told| {
            format!("data: {{\"type\":\"model_notice\",\"code\":\"PARAMETER_REFUSED\",\"message\":\"{told}\"}}\n\n")
        });
        assert_eq!(answer.take(), format!("{notice}data: {{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n"));
    }
}

#[test]
fn a_notice_of_an_endpoint_is_no_answer_so_what_breaks_behind_it_is_tried_again() {
    const NOTICE: &str = "data: {\"type\":\"model_notice\",\"code\":\"A\",\"message\":\"No video.\"}\n\n";
    const DONE: &str = "data: {\"type\":\"done\",\"message\":{\"sender\":\"agent\",\"text\":\"Hello\"},\"tokens_in\":1,\"tokens_out\":1}\n\n";
    let broken = ok(&[Chunk(NOTICE), Break("reset")]);
    let whole = ok(&[Chunk(NOTICE), Chunk(DONE)]);
    let (came, _) = drive_model(&[broken, whole], &FakeClock::at(0), None, |server, clock| {
        model_of(Format::Endpoint, server, clock, Policy::default())
    });
    assert_eq!((came.result, came.shown.as_str(), came.asked.len()), (Ok("Hello".to_owned()), "Hello", 2));
}

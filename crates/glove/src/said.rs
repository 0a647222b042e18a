//! What of an answer was shown. Each text is shown once: as it streams, when it is whole, or when its request is over.

use glove_wasm::error::Error;
use glove_wasm::event::{Event, ModelResponse};
use glove_wasm::runtime::Response;

#[derive(Default)]
pub(crate) struct Said {
    /// Of the answer that is being written.
    has_streamed: bool,
    /// What was said since somebody began to look, by the model or in its place. The end of a request is told by another way than its
    /// events, and comes when the next one may have begun.
    said: Vec<String>,
}

impl Said {
    /// Nothing is under way.
    pub(crate) fn begin(&mut self) {
        *self = Said::default();
    }

    /// The text that this event brings and that did not stream.
    pub(crate) fn unseen<'a>(&mut self, event: &'a Event) -> Option<&'a str> {
        match event {
            Event::RequestStarted { .. } => {
                self.has_streamed = false;
                None
            }
            Event::TextDelta { .. } => {
                self.has_streamed = true;
                None
            }
            Event::ModelResponse(response) => self.whole(response, false),
            Event::ModelResponseComplete(response) => {
                let has_streamed = self.has_streamed;
                self.whole(response, has_streamed)
            }
            // What a rule says can be the answer as well.
            Event::Guard { message, .. } => {
                self.said.push(message.trim().to_owned());
                None
            }
            _ => None,
        }
    }

    fn whole<'a>(&mut self, response: &'a ModelResponse, has_streamed: bool) -> Option<&'a str> {
        self.has_streamed = false;
        if response.tool_calls.is_empty() {
            self.said.push(response.text.trim().to_owned());
        }
        (!has_streamed && !response.text.trim().is_empty()).then_some(response.text.as_str())
    }

    /// The answer of a request that is over, where no event brought it: a rule or a hook gave it in the model's place.
    pub(crate) fn unseen_end(&mut self, done: &Result<Response, Error>) -> Option<String> {
        let Ok(response @ Response::Completed(_)) = done else { return None };
        let text = response.text();
        if text.trim().is_empty() || self.said.iter().any(|said| said == text.trim()) {
            return None;
        }
        self.said.push(text.trim().to_owned());
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use glove_wasm::event::Rule;
    use glove_wasm::message::Message;
    use glove_wasm::run::input::Reply;

    use super::*;

    fn response(text: &str) -> ModelResponse {
        ModelResponse {
            text: text.to_owned(),
            tool_calls: Vec::new(),
            stop_reason: None,
            tokens_in: 0,
            tokens_out: 0,
        }
    }

    fn done(text: &str) -> Result<Response, Error> {
        Ok(Response::Completed(Reply { messages: vec![Message::agent(text)], ..Reply::default() }))
    }

    #[test]
    fn each_answer_is_shown_once() {
        let mut said = Said::default();
        assert_eq!(said.unseen(&Event::TextDelta { text: "One".to_owned() }), None);
        assert_eq!(said.unseen(&Event::ModelResponseComplete(response("One"))), None);
        assert_eq!(said.unseen_end(&done("One")), None, "it has streamed");
        assert_eq!(said.unseen(&Event::ModelResponse(response("Two"))), Some("Two"));
        assert_eq!(said.unseen_end(&done("Two")), None, "it came whole");
        assert_eq!(said.unseen_end(&done("I stopped.")), Some("I stopped.".to_owned()));
        let message = "Reached a limit".to_owned();
        assert_eq!(said.unseen(&Event::Guard { rule: Rule::Turns, message }), None);
        assert_eq!(said.unseen_end(&done("Reached a limit")), None, "the rule has said it");
        assert_eq!(said.unseen_end(&Err(Error::Aborted)), None);
    }

    #[test]
    fn the_end_of_a_request_may_come_in_the_middle_of_the_next_answer() {
        let mut said = Said::default();
        assert_eq!(said.unseen(&Event::ModelResponse(response("One"))), Some("One"));
        assert_eq!(said.unseen(&Event::TextDelta { text: "Two".to_owned() }), None);
        assert_eq!(said.unseen_end(&done("One")), None);
        assert_eq!(said.unseen(&Event::ModelResponseComplete(response("Two"))), None);
        assert_eq!(said.unseen_end(&done("One")), None);
        assert_eq!(said.unseen_end(&done("Two")), None);
    }

    #[test]
    fn an_answer_that_came_whole_after_a_stream_broke_is_shown_whole() {
        let mut said = Said::default();
        assert_eq!(said.unseen(&Event::TextDelta { text: "On".to_owned() }), None);
        assert_eq!(said.unseen(&Event::ModelResponse(response("One"))), Some("One"));
        assert_eq!(said.unseen(&Event::ModelResponse(response(" \n"))), None);
    }
}

//! A run as a file: where it began, every input since, and what came of them. Played again, it needs no model and no tools.

use std::collections::HashMap;
use std::sync::Arc;

use crate::event::Event;
use crate::json::codec::{Fault, Read, Write, from_text, object, to_text};
use crate::json::{self, Json};
use crate::json::{reader, writer};
use crate::message::Message;
use crate::run::checkpoint::RestoreError;
use crate::run::effect::Effect;
use crate::run::journal::Record;
use crate::run::{OutOfProtocol, Run};

pub(crate) const FORMAT: &str = "glove-run";
/// A newer one is refused.
const VERSION: u64 = 1;

#[derive(Read)]
struct File {
    #[json(default)]
    format: String,
    #[json(default)]
    version: u64,
    #[json(default)]
    start: Json,
    #[json(default)]
    records: Json,
    #[json(default)]
    end: Json,
    /// Files of before have none.
    requests: Option<Json>,
}

/// What the model was sent: as many messages as in the request before, then others. A number is the place of a message at the end of the run.
#[derive(Read, Write)]
struct Request {
    same: usize,
    more: Vec<Json>,
}

/// What was played: the run, and for each call of the model how much of the request before it was sent again and the messages behind that.
struct Played {
    run: Run,
    requests: Vec<(usize, Vec<String>)>,
}

/// Why a recording is not played, or not written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplayError {
    #[error("nothing was recorded; record a session before its first request")]
    NotRecorded,
    #[error("this is not a recorded run: {0}")]
    Invalid(String),
    #[error("this run was recorded by a newer version; update the program to play it")]
    Newer,
    #[error("the recorded input {seq} does not fit the run any more: {error}")]
    Refused { seq: u64, error: OutOfProtocol },
    /// Something else came of it than when it was recorded.
    #[error(
        "the run comes out differently from when it was recorded: {what} is now `{found}` and was `{recorded}`"
    )]
    Diverged { what: String, recorded: String, found: String },
}

impl ReplayError {
    pub fn code(&self) -> &'static str {
        match self {
            ReplayError::NotRecorded => "RECORDING_MISSING",
            ReplayError::Invalid(_) => "RECORDING_INVALID",
            ReplayError::Newer => "STORE_NEWER",
            ReplayError::Refused { .. } | ReplayError::Diverged { .. } => "RECORDING_DIVERGED",
        }
    }
}

#[derive(Debug, PartialEq, Read, Write)]
pub(crate) struct State {
    /// Of a run without its messages.
    pub(crate) checkpoint: Json,
    pub(crate) messages: Vec<Arc<Message>>,
}

impl State {
    fn of(run: &Run) -> State {
        State { checkpoint: json::written(run.checkpoint()), messages: run.messages().to_vec() }
    }

    fn run(self) -> Result<Run, ReplayError> {
        Run::restore(self.checkpoint.as_str(), self.messages, Vec::new()).map_err(|error| match error {
            RestoreError::Newer { .. } => ReplayError::Newer,
            other => ReplayError::Invalid(other.to_string()),
        })
    }

    /// To the byte.
    fn same(&self, found: &State) -> Result<(), ReplayError> {
        let (was, is) = (&self.messages, &found.messages);
        for at in 0..was.len().max(is.len()) {
            let text = |messages: &[Arc<Message>]| {
                messages.get(at).map(|message| to_text(message)).unwrap_or_default()
            };
            differs(&format!("message {at}"), &text(was), &text(is))?;
        }
        differs("the state of the run", self.checkpoint.as_str(), found.checkpoint.as_str())
    }
}

fn differs(what: &str, recorded: &str, found: &str) -> Result<(), ReplayError> {
    if recorded == found {
        return Ok(());
    }
    let same = recorded.chars().zip(found.chars()).take_while(|(a, b)| a == b).count();
    let near = |text: &str| text.chars().skip(same.saturating_sub(20)).take(80).collect();
    Err(ReplayError::Diverged { what: what.to_owned(), recorded: near(recorded), found: near(found) })
}

impl Run {
    /// What was recorded as a file for [`replay`]. Each text in it goes through `redact`, which has to make the same of the same text;
    /// what the run then ends with follows from the rest.
    pub fn recorded(&self, redact: &dyn Fn(&str) -> String) -> Result<String, ReplayError> {
        let recording = self.recording.as_deref().ok_or(ReplayError::NotRecorded)?;
        let (start, records) = (&recording.start, recording.records());
        let played =
            play_texts(start, &records).map_err(|fault| ReplayError::Invalid(fault.to_string()))??;
        State::of(self).same(&State::of(&played.run))?;
        let (start, records) = (redacted(start, redact), redacted(&records, redact));
        let played = play_texts(&start, &records)
            .map_err(|fault| ReplayError::Invalid(format!("what `redact` made of it: {fault}")))?;
        let Played { run, requests } = played?;
        let end = State::of(&run);
        let requests = written(&requests, &end.messages);
        let mut text = String::new();
        let fields: [(&str, &dyn Write); 6] = [
            ("format", &FORMAT),
            ("version", &VERSION),
            ("start", &json::written(start)),
            ("records", &json::written(records)),
            ("end", &end),
            ("requests", &requests),
        ];
        object(&mut text, &fields);
        Ok(text)
    }
}

fn parts_of(text: &str) -> Result<File, ReplayError> {
    let file: File =
        from_text(text).map_err(|fault| ReplayError::Invalid(format!("it cannot be read: {fault}")))?;
    if file.format != FORMAT {
        return Err(ReplayError::Invalid(format!("it has no \"format\": \"{FORMAT}\"")));
    }
    match file.version {
        1..=VERSION => Ok(file),
        0 => Err(ReplayError::Invalid("it has no `version`".to_owned())),
        _ => Err(ReplayError::Newer),
    }
}

/// Where a recorded run ended. It is not played.
pub(crate) fn end_of(text: &str) -> Result<State, ReplayError> {
    let end = parts_of(text)?.end;
    from_text(end.as_str()).map_err(|fault| ReplayError::Invalid(format!("its `end`: {fault}")))
}

/// A run that was played and came out as it was recorded.
#[derive(Debug)]
pub struct Replayed {
    /// At its end.
    pub run: Run,
    /// How many requests to the model were compared; none in files of before.
    pub requests: usize,
}

/// Plays a recorded run, and compares what comes of it to the byte with what came of it then: what the model was sent each time, the
/// messages, and the state at the end.
pub fn replay(text: &str, on_event: &mut dyn FnMut(&Event)) -> Result<Replayed, ReplayError> {
    let invalid =
        |what: &str, fault: &dyn std::fmt::Display| ReplayError::Invalid(format!("{what}: {fault}"));
    let file = parts_of(text)?;
    let start: State = from_text(file.start.as_str()).map_err(|fault| invalid("its `start`", &fault))?;
    let records = from_text(file.records.as_str()).map_err(|fault| invalid("its `records`", &fault))?;
    let end: State = from_text(file.end.as_str()).map_err(|fault| invalid("its `end`", &fault))?;
    let requests: Option<Vec<Request>> = match &file.requests {
        Some(requests) => {
            Some(from_text(requests.as_str()).map_err(|fault| invalid("its `requests`", &fault))?)
        }
        None => None,
    };
    let Played { run, requests: found } = play(start.run()?, records, on_event)?;
    end.same(&State::of(&run))?;
    if let Some(recorded) = &requests {
        same_requests(recorded, &end.messages, &found)?;
    }
    Ok(Replayed { run, requests: requests.map_or(0, |requests| requests.len()) })
}

fn play_texts(start: &str, records: &str) -> Result<Result<Played, ReplayError>, Box<Fault>> {
    let (start, records): (State, Vec<Record>) = (from_text(start)?, from_text(records)?);
    Ok(start.run().and_then(|run| play(run, records, &mut |_| {})))
}

fn play(mut run: Run, records: Vec<Record>, on_event: &mut dyn FnMut(&Event)) -> Result<Played, ReplayError> {
    let (mut requests, mut sent) = (Vec::new(), Vec::new());
    for Record { seq, at, input } in records {
        let effects = run.step(at, input).map_err(|error| ReplayError::Refused { seq, error })?;
        for effect in effects {
            match effect {
                Effect::Emit(event) => on_event(&event),
                Effect::CallModel { .. } | Effect::Compact { .. } => {
                    let request: Vec<String> =
                        run.model_request().iter().map(|message| to_text(message)).collect();
                    let same = sent.iter().zip(&request).take_while(|(before, now)| before == now).count();
                    requests.push((same, request.get(same..).unwrap_or_default().to_vec()));
                    sent = request;
                }
                _ => {}
            }
        }
        // It is written nowhere, and grows with what is not.
        run.saved();
    }
    Ok(Played { run, requests })
}

fn written(requests: &[(usize, Vec<String>)], messages: &[Arc<Message>]) -> Vec<Request> {
    let places: HashMap<String, usize> =
        messages.iter().enumerate().map(|(place, message)| (to_text(message), place)).collect();
    let written = |message: &String| match places.get(message) {
        Some(place) => json::written(place.to_string()),
        None => json::written(message.as_str()),
    };
    requests
        .iter()
        .map(|(same, more)| Request { same: *same, more: more.iter().map(written).collect() })
        .collect()
}

/// The first message of a request that is another one now.
fn same_requests(
    recorded: &[Request],
    messages: &[Arc<Message>],
    found: &[(usize, Vec<String>)],
) -> Result<(), ReplayError> {
    let (mut was, mut is) = (Vec::new(), Vec::new());
    for number in 0..recorded.len().max(found.len()) {
        let none = Request { same: 0, more: Vec::new() };
        let Request { same, more } = recorded.get(number).unwrap_or(&none);
        was.truncate(*same);
        was.extend(more.iter().map(|message| match message.read::<usize>() {
            Ok(place) => messages.get(place).map(|message| to_text(message)).unwrap_or_default(),
            Err(_) => message.as_str().to_owned(),
        }));
        is.truncate(found.get(number).map_or(0, |(same, _)| *same));
        is.extend(found.get(number).into_iter().flat_map(|(_, more)| more.iter().cloned()));
        let other = (0..was.len().max(is.len())).find(|at| was.get(*at) != is.get(*at));
        if let Some(at) = other {
            let text = |messages: &[String]| messages.get(at).cloned().unwrap_or_default();
            differs(&format!("message {at} of the model request {number}"), &text(&was), &text(&is))?;
        }
    }
    Ok(())
}

/// JSON in which each text that is no key has become what `redact` makes of it.
fn redacted(json: &str, redact: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('"') {
        let (before, string) = rest.split_at(at + 1);
        out.push_str(before);
        let end = end_of_string(string);
        let (body, after) = string.split_at(end);
        let is_key = after.get(1..).is_some_and(|after| after.trim_start().starts_with(':'));
        let text = reader::unescape(body);
        let made = if is_key { text.to_string() } else { redact(&text) };
        if made == *text {
            out.push_str(body);
        } else {
            writer::escaped(&mut out, &made);
        }
        out.push_str(after.get(..1).unwrap_or_default());
        rest = after.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Where the quote at the end of a string is.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_redacted_wherever_they_stand_and_keys_are_not() {
        let json = r#"{"mine":"mine","a":["not mine\n","x\\"],"mine ":{"mine":1}, "n":1.50}"#;
        let made = redacted(json, &|text| text.replace("mine", "\"his\""));
        assert_eq!(made, r#"{"mine":"\"his\"","a":["not \"his\"\n","x\\"],"mine ":{"mine":1}, "n":1.50}"#);
    }
}

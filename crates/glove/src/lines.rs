//! Talking without a terminal: plain lines, or one JSON object a line.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write, stderr, stdin, stdout};

use glove_wasm::display::{DisplayError, Slot};
use glove_wasm::error::Error;
use glove_wasm::event::Event;
use glove_wasm::json::Json;
use glove_wasm::runtime::{Glove, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::agent::OpenAgent;
use crate::calls::{Calls, Shown};
use crate::chat::tool_of;
use crate::failure::Failure;
use crate::incoming::{Inbox, Incoming};
use crate::questions::{Answer, Ask, Question, Reply, is_notice};
use crate::said::Said;
use crate::terminal_text;

/// What a line of JSON asks for.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Order {
    Message { text: String },
    Answer { id: String, value: Value },
    Reject { id: String, reason: Option<String> },
    Undo { steps: Option<u32> },
    Resume,
    Stop,
}

/// The run's names for calls that did not run because they were not allowed.
const NOT_ALLOWED: [&str; 2] = ["denied", "rejected"];
const NOBODY: &str = "the input has ended, so nobody can answer";

struct Lines<'a> {
    open_agent: &'a OpenAgent,
    agent: &'a Glove,
    runtime: &'a Runtime,
    inbox: &'a Inbox,
    json: bool,
    /// For all that is printed; where only the answer is wanted on the standard output, for all but that.
    out: Box<dyn Write>,
    /// Lines that were read and are not used yet.
    lines: VecDeque<String>,
    input_ended: bool,
    busy: bool,
    current_question: Option<Question>,
    /// While a secret is asked for.
    unseen: Option<terminal_text::Unseen>,
    shown: Vec<String>,
    said: Said,
    calls: Calls,
    /// What the model reads before a summary is made, in tokens.
    before_summary: u64,
    /// What came of an answer of which nobody knows yet whether it is the last one.
    held: String,
    /// Text was printed, and its line is not at its end.
    open_line: bool,
    allow: &'a [String],
    failed: Option<Failure>,
    /// One message is said, and the program ends with its answer.
    only: bool,
    /// What was not allowed in the last request, or not answered.
    turned_down: Vec<String>,
}

/// Until the input ends and everything is done.
pub(crate) fn talk(
    open_agent: &OpenAgent,
    runtime: &Runtime,
    inbox: &Inbox,
    talk: &crate::args::Talk,
    continues: bool,
) -> Result<(), Failure> {
    let mut lines = Lines {
        open_agent,
        agent: &open_agent.agent,
        runtime,
        inbox,
        json: talk.json,
        out: if talk.message.is_some() && !talk.json { Box::new(stderr()) } else { Box::new(stdout()) },
        lines: VecDeque::new(),
        input_ended: false,
        busy: false,
        current_question: None,
        unseen: None,
        shown: Vec::new(),
        said: Said::default(),
        calls: Calls::default(),
        before_summary: 0,
        held: String::new(),
        open_line: false,
        allow: &talk.allow,
        failed: None,
        only: talk.message.is_some(),
        turned_down: Vec::new(),
    };
    if lines.json {
        lines.tell("session", &json!({ "id": open_agent.id, "folder": open_agent.folder }))?;
    }
    if !lines.json {
        for told in open_agent.about_project() {
            lines.line(&format!("! {told}"))?;
        }
    }
    inbox.read_lines();
    if continues {
        lines.resume();
    } else if let Some(message) = &talk.message {
        lines.send(message)?;
    }
    Inbox::drive(runtime, &open_agent.agent);
    lines.questions()?;
    loop {
        if !lines.busy && lines.only {
            break;
        }
        lines.use_lines()?;
        if !lines.busy && lines.input_ended {
            break;
        }
        let Ok(incoming) = inbox.receiver.recv() else { break };
        lines.on(incoming)?;
    }
    lines.end()
}

fn not_allowed(tool: &str) -> String {
    let tool = terminal_text::in_line(tool);
    format!("{tool} was not allowed to run; `--allow {tool}` lets it run without a question")
}

impl Lines<'_> {
    fn on(&mut self, incoming: Incoming) -> Result<(), Failure> {
        match incoming {
            Incoming::Event(event) => self.on_event(&event),
            Incoming::Display => self.questions(),
            Incoming::Notice(slot) => self.notice(&slot),
            Incoming::Done(_, done) => self.on_done(&done),
            Incoming::Interrupt if self.busy => {
                self.agent.abort();
                self.failed = Some(Failure::interrupted());
                Ok(())
            }
            Incoming::Interrupt => Err(Failure::interrupted()),
            Incoming::Resized => Ok(()),
            Incoming::Line(line) => {
                self.lines.push_back(line);
                Ok(())
            }
            Incoming::BrokenLine(_) if self.json => self.refuse("this line is not UTF-8, so it was left out"),
            Incoming::BrokenLine(line) => {
                self.lines.push_back(line);
                self.line("! a line of the input is not UTF-8; what cannot be read of it stands as �")
            }
            Incoming::EndOfInput => {
                self.input_ended = true;
                Ok(())
            }
        }
    }

    fn end(self) -> Result<(), Failure> {
        match (self.failed, self.turned_down.into_iter().next()) {
            (Some(failure), _) => Err(failure),
            (None, None) => Ok(()),
            (None, Some(_)) if self.json => Err(Failure::not_allowed("")),
            (None, Some(what)) => Err(Failure::not_allowed(what)),
        }
    }

    fn on_event(&mut self, event: &Event) -> Result<(), Failure> {
        if let Event::ToolUseResult(result) = event
            && self.only
            && result.result.outcome.as_deref().is_some_and(|outcome| NOT_ALLOWED.contains(&outcome))
        {
            self.turned_down.push(not_allowed(&result.tool_name));
        }
        if self.json {
            return self.write(event);
        }
        let unseen = self.said.unseen(event);
        if self.only {
            self.hold(event)?;
        } else if let Some(text) = unseen {
            self.end_line()?;
            self.text(text)?;
        }
        match event {
            Event::TextDelta { text } if !self.only => self.text(text),
            Event::ToolUse { id, name, input } => {
                self.calls.called(id, name, input);
                Ok(())
            }
            Event::ModelResponse(_) | Event::ModelResponseComplete(_) => {
                let begun = self.calls.begun();
                self.show_calls(begun)
            }
            Event::ToolUseResult(result) => {
                let input = self.open_agent.input_of(&result.call_id);
                let ended = self.calls.ended(result, input.as_ref(), Vec::new());
                self.show_calls(ended)
            }
            Event::CompactionStart { current_token_consumption } => {
                self.before_summary = *current_token_consumption;
                Ok(())
            }
            Event::CompactionEnd { current_token_consumption, summary_message: Some(_) } => {
                let told = terminal_text::summarised(self.before_summary, *current_token_consumption);
                self.line(&format!("! {told}"))
            }
            Event::ModelRetry { code, wait_ms, .. } => {
                self.line(&format!("! {}", terminal_text::waiting(code, *wait_ms)))
            }
            Event::Guard { message, .. }
            | Event::Error { message, .. }
            | Event::ModelNotice { message, .. } => {
                self.line(&format!("! {}", terminal_text::untrusted_lines(message)))
            }
            _ => Ok(()),
        }
    }

    fn on_done(&mut self, done: &Result<Response, Error>) -> Result<(), Failure> {
        self.busy = false;
        let rest = self.calls.rest();
        self.show_calls(rest)?;
        let ending = terminal_text::ending(done);
        if self.json {
            let status = match (done, &ending) {
                (Ok(Response::Completed(_)), _) => "completed",
                (Ok(Response::Paused { .. }), _) => "paused",
                (Ok(Response::Undone { .. }), _) => "undone",
                (Err(Error::Aborted), _) => "aborted",
                (Err(_), _) => "failed",
                _ => "dropped",
            };
            let mut about = json!({ "status": status });
            if let (Some(fields), Err(error)) = (about.as_object_mut(), done) {
                fields.insert("code".to_owned(), json!(error.code()));
                fields.insert("message".to_owned(), json!(error.to_string()));
            } else if let (Some(fields), Ok(response)) = (about.as_object_mut(), done) {
                fields.insert("text".to_owned(), json!(response.text()));
            }
            self.tell("response", &about)?;
        } else if self.only {
            self.end_only(done)?;
            if let Ok(Some(note)) = &ending {
                self.line(&format!("! {note}"))?;
            }
        } else if let Some(text) = self.said.unseen_end(done) {
            self.end_line()?;
            self.text(&text)?;
            self.end_line()?;
        } else if let Ok(Some(note)) = &ending {
            self.line(&format!("! {note}"))?;
        } else {
            self.end_line()?;
        }
        if let Err(failure) = ending {
            self.failed = Some(Failure::new(if self.json { String::new() } else { failure.line() }));
        }
        Ok(())
    }

    /// Uses the lines that were read: answers while something is asked, otherwise messages, one after the other.
    fn use_lines(&mut self) -> Result<(), Failure> {
        while self.json || self.current_question.is_some() || !self.busy {
            let Some(line) = self.lines.pop_front() else { break };
            if self.json {
                self.obey(&line)?;
            } else if let Some(question) = &mut self.current_question {
                let slot = question.slot.clone();
                match question.read(&line) {
                    Reply::Answer(answer) => self.answer(&slot, answer)?,
                    Reply::Again(how) => self.line(&format!("! {how}"))?,
                }
            } else if !line.trim().is_empty() {
                self.send(&line)?;
            }
        }
        if self.input_ended && self.lines.is_empty() {
            self.turn_down_all();
        }
        Ok(())
    }

    fn obey(&mut self, line: &str) -> Result<(), Failure> {
        if line.trim().is_empty() {
            return Ok(());
        }
        match serde_json::from_str(line) {
            Ok(Order::Message { text }) => self.send(&text)?,
            Ok(Order::Answer { id, value }) => self.answer(&id, Answer::Value(Json::from(value)))?,
            Ok(Order::Reject { id, reason }) => drop(self.agent.display().reject(&id, reason)),
            Ok(Order::Undo { steps }) => {
                self.busy = true;
                self.inbox.report(
                    self.runtime,
                    None,
                    self.agent.session().undo_until_done(steps.unwrap_or(1)),
                );
            }
            Ok(Order::Resume) => self.resume(),
            Ok(Order::Stop) => self.agent.abort(),
            Err(error) => self.refuse(&format!("this line is not a command: {error}"))?,
        }
        Ok(())
    }

    fn refuse(&mut self, message: &str) -> Result<(), Failure> {
        self.tell("error", &json!({ "code": "INPUT_INVALID", "message": message }))
    }

    fn send(&mut self, text: &str) -> Result<(), Failure> {
        // The program ends with that of the last message alone.
        if let Some(failure) = self.failed.take()
            && !failure.message.is_empty()
        {
            self.line(&format!("! {}", failure.message))?;
        }
        self.busy = true;
        self.said.begin();
        self.turned_down.clear();
        self.inbox.report(self.runtime, None, self.open_agent.request(text)?);
        Ok(())
    }

    fn resume(&mut self) {
        self.busy = true;
        self.inbox.report(self.runtime, None, self.agent.session().resume_until_done());
    }

    /// Shows what is asked now: one question at a time in plain lines.
    fn questions(&mut self) -> Result<(), Failure> {
        let stack = self.agent.display().stack();
        self.current_question = self.current_question.take().filter(|current_question| {
            stack.iter().any(|slot| slot.waits && slot.id == current_question.slot)
        });
        if self.current_question.is_none() {
            self.unseen = None;
        }
        for slot in &stack {
            if slot.waits && self.is_allowed(slot) {
                let _ = self.agent.display().resolve(&slot.id, Json::string("once"));
                continue;
            }
            if is_notice(slot) {
                self.notice(slot)?;
            }
            if !slot.waits || self.shown.contains(&slot.id) || (!self.json && self.current_question.is_some())
            {
                continue;
            }
            self.shown.push(slot.id.clone());
            self.show(slot)?;
        }
        Ok(())
    }

    /// Shows what nobody waits for, once.
    fn notice(&mut self, slot: &Slot) -> Result<(), Failure> {
        if self.shown.contains(&slot.id) {
            return Ok(());
        }
        self.shown.push(slot.id.clone());
        if self.json {
            return self.tell("slot", slot);
        }
        terminal_text::notice_lines(slot).iter().try_for_each(|line| self.line(line))
    }

    fn show(&mut self, slot: &Slot) -> Result<(), Failure> {
        if self.json {
            return self.tell("slot", slot);
        }
        let question = Question::of(slot, Some(&self.open_agent.workspace), self.agent.session());
        if stdin().is_terminal() && !self.lines.is_empty() {
            self.lines.clear();
            self.line("! input typed before this question was ignored")?;
        }
        self.unseen = (question.ask == Ask::Secret).then(terminal_text::Unseen::begin);
        question.lines().iter().try_for_each(|line| self.line(line))?;
        self.current_question = Some(question);
        Ok(())
    }

    fn is_allowed(&self, slot: &Slot) -> bool {
        slot.renderer == "permission_request" && tool_of(slot).is_some_and(|tool| self.allow.contains(&tool))
    }

    fn answer(&mut self, slot: &str, answer: Answer) -> Result<(), Failure> {
        let display = self.agent.display();
        let refused = match answer {
            Answer::No(reason) => {
                display.reject(slot, reason);
                None
            }
            Answer::Value(value) => match display.resolve(slot, value) {
                Ok(true) => None,
                Ok(false) => Some(format!("the question {slot} is not open")),
                Err(error @ DisplayError::WrongOutput { .. }) => {
                    return match self.json {
                        true => {
                            self.tell("error", &json!({ "code": error.code(), "message": error.to_string() }))
                        }
                        false => self.line(&format!("! {error}")),
                    };
                }
                Err(error) => Some(error.to_string()),
            },
        };
        (self.current_question, self.unseen) = (None, None);
        match refused {
            Some(why) if self.json => self.refuse(&why),
            Some(why) => self.line(&format!("! {why}")),
            None => Ok(()),
        }?;
        self.questions()
    }

    fn turn_down_all(&mut self) {
        for slot in self.agent.display().stack() {
            // Nothing before it was shown what it was.
            if slot.waits && self.shown.contains(&slot.id) && !self.is_allowed(&slot) {
                let question =
                    || format!("a question was not answered ({})", terminal_text::in_line(&slot.renderer));
                self.turned_down.push(tool_of(&slot).map_or_else(question, |tool| not_allowed(&tool)));
                self.agent.display().reject(&slot.id, Some(NOBODY.to_owned()));
            }
        }
    }

    fn show_calls(&mut self, shown: Vec<Shown>) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        for Shown { call, result, .. } in shown {
            if let Some(call) = call {
                self.line(&format!("* {call}"))?;
            }
            result.iter().try_for_each(|line| self.line(&format!("  {line}")))?;
        }
        Ok(())
    }

    /// Where only the answer is wanted: the text of one that goes on with calls is not it.
    fn hold(&mut self, event: &Event) -> Result<(), Failure> {
        match event {
            Event::RequestStarted { .. } => self.held.clear(),
            Event::TextDelta { text } => self.held.push_str(text),
            Event::ModelResponse(response) | Event::ModelResponseComplete(response) => {
                // It is printed with the end of its request, which may not be able to store it.
                if response.tool_calls.is_empty() {
                    self.held.clone_from(&response.text);
                    return Ok(());
                }
                self.held.clear();
                if !response.text.trim().is_empty() {
                    self.line(terminal_text::safe_text(&response.text).trim_end())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Prints the answer, and beside it what came of one that has no end.
    fn end_only(&mut self, done: &Result<Response, Error>) -> Result<(), Failure> {
        let held = std::mem::take(&mut self.held);
        if let Ok(response @ Response::Completed(_)) = done {
            let text = terminal_text::safe_text(&response.text());
            if !text.trim().is_empty() {
                terminal_text::line(&mut stdout(), text.strip_suffix('\n').unwrap_or(&text))?;
            }
        } else if !held.trim().is_empty() {
            self.line(terminal_text::safe_text(&held).trim_end())?;
        }
        Ok(())
    }

    /// A piece of an answer.
    fn text(&mut self, text: &str) -> Result<(), Failure> {
        let text = terminal_text::safe_text(text);
        self.open_line = !text.ends_with('\n') && (self.open_line || !text.is_empty());
        write!(self.out, "{text}")?;
        self.out.flush()?;
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), Failure> {
        if std::mem::take(&mut self.open_line) {
            terminal_text::line(&mut self.out, "")?;
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.end_line()?;
        Ok(terminal_text::line(&mut self.out, line)?)
    }

    fn tell(&mut self, kind: &str, data: &impl Serialize) -> Result<(), Failure> {
        #[derive(Serialize)]
        struct Told<'a, T> {
            r#type: &'a str,
            data: &'a T,
        }
        self.write(&Told { r#type: kind, data })
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|error| Failure::new(error.to_string()))?;
        Ok(terminal_text::line(&mut self.out, &text)?)
    }
}

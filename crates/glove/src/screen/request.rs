//! A request from its beginning to its end, and what is typed and sent meanwhile.

use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

use glove_wasm::error::Error;
use glove_wasm::event::Event;
use glove_wasm::ports::IdSource;
use glove_wasm::run::PhaseName;
use glove_wasm::run::input::WhenBusy;
use glove_wasm::runtime::{Prompt, Response, ResponseFuture};
use glove_wasm::system::RandomIds;

use super::{FRAME, LOOK, Screen, TWICE, Waiting};
use crate::display::Block;
use crate::ends::Ends;
use crate::failure::Failure;
use crate::incoming::Incoming;
use crate::pages;
use crate::terminal_text::{self, broken};
use crate::typed_ahead::{TypedAhead, Wish};
use crate::visibility::is_hidden;

impl Screen<'_> {
    /// Shows what happens until the request is over. True if the user leaves in the middle of it: it can be continued.
    pub(super) fn until_done(
        &mut self,
        id: Option<String>,
        response: ResponseFuture,
    ) -> Result<bool, Failure> {
        self.until_all_done(id, response, 1)
    }

    /// So many requests are open.
    pub(super) fn until_all_done(
        &mut self,
        id: Option<String>,
        response: ResponseFuture,
        mut open: usize,
    ) -> Result<bool, Failure> {
        self.inbox.report(self.runtime, id, response);
        self.said.begin();
        self.hides = is_hidden(self.open_agent.agent.session(), None);
        let started_at = Instant::now();
        let mut doing = "thinking".to_owned();
        let mut stopped: Option<Instant> = None;
        let mut drawn = Instant::now();
        let (before, behind) = std::mem::take(&mut self.draft);
        let mut typed = TypedAhead::begin(before + &behind);
        let mut drawn_draft = typed.draft().to_owned();
        let mut ends = Ends::default();
        let mut last = None;
        self.taken_back.clear();
        // Of a run that is continued, they may be there already.
        if self.questions(&mut typed)? {
            stopped = Some(Instant::now());
            self.open_agent.agent.abort();
        }
        loop {
            while let Some(wish) = typed.next()? {
                match wish {
                    Wish::Steer(text) => open += self.send(text, WhenBusy::Steer, &mut typed)?,
                    Wish::Queue(text) => open += self.send(text, WhenBusy::Queue, &mut typed)?,
                    Wish::TakeBack => self.take_back(),
                    Wish::Switch => self.modes.switch(),
                    Wish::Suspend => {
                        self.display.leave()?;
                        typed.suspend()?;
                    }
                    Wish::Stop => {
                        doing = "stopping".to_owned();
                        self.open_agent.agent.abort();
                    }
                }
            }
            let incoming = match self.inbox.receiver.recv_timeout(LOOK) {
                Ok(incoming) => Some(incoming),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(true),
            };
            let is_idle = incoming.is_none();
            let has_typed = typed.draft() != drawn_draft;
            match incoming {
                Some(Incoming::Event(event)) => {
                    ends.follow(&event);
                    if let Some(now) = self.on_event(&event)? {
                        doing = now;
                    }
                    // Told where it happens: what waited begins after it, and may be answered before the end comes by the other way.
                    if let Event::RequestFinished { request, outcome: "aborted" } = &*event
                        && ends.is_new(Some(request))
                    {
                        let done = Err(Error::Aborted);
                        self.finish(&done)?;
                        last = Some(done);
                    }
                }
                Some(Incoming::Display) => {
                    if self.questions(&mut typed)? {
                        // Stopped at a question.
                        stopped = Some(Instant::now());
                        self.open_agent.agent.abort();
                    }
                }
                Some(Incoming::Notice(slot)) => self.notice(&slot)?,
                Some(Incoming::Done(id, done)) => {
                    open = open.saturating_sub(1);
                    let unread = id.as_deref().and_then(|id| self.unread(id));
                    let is_told = match unread {
                        Some(text) if done.is_err() => {
                            typed.put_before(&text);
                            matches!(*done, Err(Error::Aborted)) || last.as_ref() == Some(&*done)
                        }
                        _ => !ends.is_new(id.as_deref()),
                    };
                    if !is_told {
                        self.finish(&done)?;
                        last = Some(*done);
                    }
                    // Nothing is begun while the run cannot be written.
                    if self.open_agent.agent.session().phase() == PhaseName::Paused {
                        for _ in 0..self.waiting.len() {
                            self.take_back();
                        }
                    }
                    if open == 0 {
                        // What was sent in the last moment is a message too.
                        let sent = loop {
                            match typed.next()? {
                                Some(Wish::Steer(text) | Wish::Queue(text)) => break Some(text),
                                Some(Wish::TakeBack | Wish::Stop | Wish::Suspend) => {}
                                Some(Wish::Switch) => self.modes.switch(),
                                None => break None,
                            }
                        };
                        if let Some(text) = sent {
                            open += self.send(text, WhenBusy::Queue, &mut typed)?;
                        }
                    }
                    if open == 0 {
                        // The last that ended may have been told with another one, and something was drawn since.
                        self.display.finish()?;
                        let rest = self.calls.rest();
                        self.show_calls(rest)?;
                        self.draft = (typed.into_draft(), String::new());
                        return Ok(false);
                    }
                }
                Some(Incoming::Interrupt) if stopped.is_some_and(|at| at.elapsed() < TWICE) => {
                    return Ok(true);
                }
                Some(Incoming::Interrupt) => {
                    stopped = Some(Instant::now());
                    doing = "stopping; ctrl-C again leaves".to_owned();
                    self.open_agent.agent.abort();
                }
                Some(
                    Incoming::Resized | Incoming::Line(_) | Incoming::BrokenLine(_) | Incoming::EndOfInput,
                )
                | None => {}
            }
            if (is_idle && has_typed) || drawn.elapsed() > FRAME {
                drawn = Instant::now();
                typed.draft().clone_into(&mut drawn_draft);
                let mode = self.modes.now().name().map(|mode| format!(" · {mode}")).unwrap_or_default();
                let status = format!("{doing} … {} s (esc stops){mode}", started_at.elapsed().as_secs());
                self.display.draw(&status, &self.typed_rows(typed.draft()))?;
            }
        }
    }

    /// Sends a message while another one is worked on: so many requests are open besides. One that cannot be sent is given back.
    pub(super) fn send(
        &mut self,
        text: String,
        when_busy: WhenBusy,
        typed: &mut TypedAhead,
    ) -> Result<usize, Failure> {
        let id = RandomIds.fresh();
        let own_commands = self.own_commands.take();
        let prompt =
            self.files_meanwhile(&text).and_then(|files| self.prompt_of(&text, &files, &own_commands));
        let prompt = match prompt {
            Ok((prompt, _)) => prompt,
            Err(why) => {
                self.own_commands.put_before(own_commands);
                typed.put_before(&text);
                self.display.line(&format!("! {why}; the message was not sent"))?;
                return Ok(0);
            }
        };
        let mut prompt = prompt.when_busy(when_busy);
        prompt.id = Some(id.clone());
        self.inbox.report(self.runtime, Some(id.clone()), self.open_agent.request(prompt)?);
        self.sent.push(text.clone());
        self.waiting.push(Waiting { id, text, own_commands });
        Ok(1)
    }

    /// The message that waits and was sent last can be changed, or sent later: its text is given back when it is out of the run.
    pub(super) fn take_back(&mut self) {
        let last = self.waiting.iter().rfind(|waiting| !self.taken_back.contains(&waiting.id));
        if let Some(Waiting { id, .. }) = last {
            self.open_agent.agent.session().cancel_queued(id);
            self.taken_back.push(id.clone());
        }
    }

    /// The text of a request that is over before anybody has read it.
    pub(super) fn unread(&mut self, id: &str) -> Option<String> {
        let at = self.waiting.iter().position(|waiting| waiting.id == id)?;
        let Waiting { text, own_commands, .. } = self.waiting.remove(at);
        self.own_commands.put_before(own_commands);
        let session = self.open_agent.agent.session();
        if session.with_run(|run| run.queued().any(|request| request.id == id)) {
            session.cancel_queued(id);
        }
        self.sent.retain(|sent| *sent != text);
        Some(text)
    }

    /// Goes on with what was not finished, and follows what waits behind it as well: so many requests are open.
    pub(super) fn resume(&mut self) -> Result<(ResponseFuture, usize), Failure> {
        let session = self.open_agent.agent.session();
        let queued: Vec<_> = session.with_run(|run| {
            let queued = run.queued();
            queued.map(|request| (request.id.clone(), request.message.clone())).collect()
        });
        let (response, open) = (session.resume_until_done(), queued.len() + 1);
        for (id, message) in queued {
            let mut prompt = Prompt::new(message.text.as_str());
            prompt.id = Some(id.clone());
            self.inbox.report(self.runtime, Some(id.clone()), self.open_agent.request(prompt)?);
            if !message.hidden && self.waiting.iter().all(|waiting| waiting.id != id) {
                self.waiting.push(Waiting { id, text: message.text, own_commands: Vec::new() });
            }
        }
        Ok((response, open))
    }

    pub(super) fn typed_rows(&self, draft: &str) -> Vec<String> {
        let mut rows = Vec::new();
        for Waiting { text, .. } in &self.waiting {
            rows.push(format!("↳ {}", terminal_text::isolated_name(text)));
        }
        if !draft.is_empty() {
            rows.extend(draft.split('\n').enumerate().map(|(at, line)| {
                format!("{}{}", if at == 0 { "> " } else { "  " }, terminal_text::safe_text(line))
            }));
        }
        rows
    }

    pub(super) fn finish(&mut self, done: &Result<Response, Error>) -> Result<(), Failure> {
        self.display.finish()?;
        let rest = self.calls.rest();
        self.show_calls(rest)?;
        if let Some(text) = self.said.unseen_end(done).filter(|_| !self.hides) {
            self.display.markdown(&text)?;
        }
        match terminal_text::ending(done) {
            Ok(None) => {}
            Ok(Some(note)) => self.display.lines(&[note], true)?,
            Err(failure) => {
                let width = pages::size().0;
                let words = format!("{}. /retry asks again", failure.words);
                self.display.apart(Block::Answer)?;
                let rows = broken("✗ ", &terminal_text::clean(&words), width);
                self.display.failed_rows(&rows)?;
                for line in failure.details.iter().flat_map(|details| details.lines()) {
                    self.display.lines(&broken("  ", line, width), true)?;
                }
            }
        }
        Ok(())
    }
}

//! What a person types while the agent works: it is kept and shown, and sent when they say so.

use std::io::{self, Write, stdin, stdout};
use std::time::Duration;

use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use termimad::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What a key asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Wish {
    /// Read this before the next step.
    Steer(String),
    /// Read this when the request is over.
    Queue(String),
    /// Give the message back that waits and was sent last.
    TakeBack,
    Stop,
}

/// Keys come one by one and are not echoed for as long as this is held. Ctrl-C and ctrl-Z stay signals.
pub(crate) struct TypedAhead {
    before: Option<Termios>,
    draft: Draft,
}

impl TypedAhead {
    pub(crate) fn begin(draft: String) -> Self {
        let mut typed = TypedAhead { before: tcgetattr(stdin()).ok(), draft: Draft(draft) };
        typed.hold();
        typed
    }

    /// Takes the keys again, after a question or a pause of the program.
    fn hold(&mut self) {
        let Ok(mut modes) = tcgetattr(stdin()) else { return };
        if !is_in_front() {
            return;
        }
        let line = LocalModes::ICANON | LocalModes::ECHO;
        if self.before.is_some() && modes.local_modes.intersects(line) {
            modes.local_modes.remove(line);
            let _ = tcsetattr(stdin(), OptionalActions::Now, &modes);
            let _ = paste_marks(true);
        }
    }

    /// Gives the keys to whoever asks a question.
    pub(crate) fn give_back(&mut self) {
        if let Some(before) = &self.before {
            let _ = paste_marks(false);
            let _ = tcsetattr(stdin(), OptionalActions::Now, before);
        }
    }

    /// The next thing that is asked for, of what was typed until now.
    pub(crate) fn next(&mut self) -> io::Result<Option<Wish>> {
        self.hold();
        while is_in_front() && event::poll(Duration::ZERO)? {
            if let Some(wish) = self.draft.on(event::read()?) {
                return Ok(Some(wish));
            }
        }
        Ok(None)
    }

    pub(crate) fn draft(&self) -> &str {
        &self.draft.0
    }

    /// What is typed so far, and what is given back before it.
    pub(crate) fn put_before(&mut self, text: &str) {
        self.draft.put_before(text);
    }

    /// Ends, with what was not sent.
    pub(crate) fn into_draft(mut self) -> String {
        std::mem::take(&mut self.draft.0)
    }
}

impl Drop for TypedAhead {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Whoever reads a terminal that has another program in front is stopped by it. One that is nobody's has none.
fn is_in_front() -> bool {
    tcgetpgrp(stdin()).map_or(true, |front| front == getpgrp())
}

/// Whether the terminal marks what is pasted: a line end in it sends nothing then.
fn paste_marks(wanted: bool) -> io::Result<()> {
    let mut out = stdout();
    out.write_all(if wanted { b"\x1b[?2004h" } else { b"\x1b[?2004l" })?;
    out.flush()
}

#[derive(Default)]
struct Draft(String);

impl Draft {
    fn on(&mut self, event: Event) -> Option<Wish> {
        match event {
            Event::Paste(text) => {
                self.0.push_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
                None
            }
            Event::Key(KeyEvent { kind: KeyEventKind::Release, .. }) => None,
            Event::Key(KeyEvent { code, modifiers, .. }) => self.on_key(code, modifiers),
            _ => None,
        }
    }

    fn on_key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Option<Wish> {
        let alt = modifiers.contains(KeyModifiers::ALT);
        match code {
            KeyCode::Esc => return Some(Wish::Stop),
            KeyCode::Up if self.0.is_empty() || alt => return Some(Wish::TakeBack),
            KeyCode::Enter if alt => self.0.push('\n'),
            KeyCode::Enter => return self.send().map(Wish::Steer),
            KeyCode::Tab => return self.send().map(Wish::Queue),
            KeyCode::Backspace => drop(self.0.pop()),
            KeyCode::Char(letter) if modifiers.contains(KeyModifiers::CONTROL) => match letter {
                'u' => self.0.clear(),
                'w' => {
                    let kept = self.0.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
                    self.0.truncate(kept);
                }
                'h' => drop(self.0.pop()),
                'j' => self.0.push('\n'),
                _ => {}
            },
            KeyCode::Char(letter) if !alt => self.0.push(letter),
            _ => {}
        }
        None
    }

    /// A command waits until there is somebody to do it, and stays where it is.
    fn send(&mut self) -> Option<String> {
        let is_message = !self.0.trim().is_empty() && !self.0.starts_with('/');
        if let Some(line) = self.0.strip_suffix('\\') {
            self.0 = format!("{line}\n");
            return None;
        }
        is_message.then(|| std::mem::take(&mut self.0).trim().to_owned())
    }

    fn put_before(&mut self, text: &str) {
        let rest = std::mem::take(&mut self.0);
        self.0 = if rest.is_empty() { text.to_owned() } else { format!("{text}\n{rest}") };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(draft: &mut Draft, text: &str) {
        for letter in text.chars() {
            assert_eq!(draft.on_key(KeyCode::Char(letter), KeyModifiers::NONE), None);
        }
    }

    #[test]
    fn a_message_is_sent_by_enter_or_tab_and_a_command_stays() {
        let mut draft = Draft::default();
        assert_eq!(draft.on_key(KeyCode::Enter, KeyModifiers::NONE), None);
        types(&mut draft, "one twoo");
        draft.on_key(KeyCode::Backspace, KeyModifiers::NONE);
        draft.on_key(KeyCode::Enter, KeyModifiers::ALT);
        types(&mut draft, "three\\");
        assert_eq!(draft.on_key(KeyCode::Enter, KeyModifiers::NONE), None);
        types(&mut draft, "four five");
        draft.on_key(KeyCode::Char('w'), KeyModifiers::CONTROL);
        let sent = draft.on_key(KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(sent, Some(Wish::Steer("one two\nthree\nfour".to_owned())));
        types(&mut draft, "later");
        assert_eq!(draft.on_key(KeyCode::Tab, KeyModifiers::NONE), Some(Wish::Queue("later".to_owned())));
        types(&mut draft, "/undo");
        assert_eq!(draft.on_key(KeyCode::Enter, KeyModifiers::NONE), None);
        assert_eq!(draft.0, "/undo");
        draft.on_key(KeyCode::Char('u'), KeyModifiers::CONTROL);
        assert_eq!(draft.on_key(KeyCode::Up, KeyModifiers::NONE), Some(Wish::TakeBack));
        assert_eq!(draft.on_key(KeyCode::Esc, KeyModifiers::NONE), Some(Wish::Stop));
    }

    #[test]
    fn what_is_pasted_is_sent_by_nothing_in_it() {
        let mut draft = Draft::default();
        assert_eq!(draft.on(Event::Paste("one\r\ntwo\rthree\n".to_owned())), None);
        assert_eq!(draft.0, "one\ntwo\nthree\n");
        draft.put_before("zero");
        assert_eq!(draft.0, "zero\none\ntwo\nthree\n");
    }
}

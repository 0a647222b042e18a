//! What a person types while the agent works: it is kept and shown, and sent when they say so.

use std::io::{self, Write, stdin, stdout};
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpgrp, kill_current_process_group};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};

use crate::keys::{Key, Keys, read_available};
use crate::terminal_text::is_given_back;

/// Whoever has typed a key within this time is still typing.
const TYPING: Duration = Duration::from_secs(1);

/// No key has this meaning.
const NO_KEY: u8 = if cfg!(target_os = "linux") { 0 } else { 0xff };
/// The kernel may stop another thread of the program first.
const STOPPING: Duration = Duration::from_millis(50);

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
    /// Another mode.
    Switch,
    /// Give the terminal to the shell until it is called back.
    Suspend,
}

/// Keys come one by one and are not echoed for as long as this is held. Ctrl-C stays a signal.
pub(crate) struct TypedAhead {
    before: Option<Termios>,
    keys: Keys,
    last_key: Option<Instant>,
    draft: Draft,
}

impl TypedAhead {
    pub(crate) fn begin(draft: String) -> Self {
        let before = tcgetattr(stdin()).ok();
        let mut typed = TypedAhead { before, keys: Keys::default(), last_key: None, draft: Draft(draft) };
        typed.hold();
        typed
    }

    /// Takes the keys again, after a question or a pause of the program.
    fn hold(&mut self) {
        let Ok(mut modes) = tcgetattr(stdin()) else { return };
        if !is_in_front() || is_given_back() {
            return;
        }
        let line = LocalModes::ICANON | LocalModes::ECHO;
        if self.before.is_some() && modes.local_modes.intersects(line) {
            modes.local_modes.remove(line);
            // Whoever is stopped by a signal gives nothing back before.
            modes.special_codes[SpecialCodeIndex::VSUSP] = NO_KEY;
            let _ = tcsetattr(stdin(), OptionalActions::Now, &modes);
            let _ = paste_marks(true);
        }
    }

    /// Gives the keys to whoever asks a question. What was typed until now is in the draft, and sent by nobody. True if it stops.
    pub(crate) fn give_back(&mut self) -> io::Result<bool> {
        let mut stops = false;
        while let Some(wish) = self.next()? {
            match wish {
                Wish::Steer(text) | Wish::Queue(text) => self.put_before(&text),
                Wish::TakeBack | Wish::Switch | Wish::Suspend => {}
                Wish::Stop => stops = true,
            }
        }
        // What comes next is for the question: nothing goes on in it.
        stops |= self.keys.is_escape();
        self.draft.0.push_str(&self.keys.pasted());
        self.let_go();
        Ok(stops)
    }

    /// Stops the program as ctrl-Z does, with the terminal as it was found. Returns when it is called back.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        self.let_go();
        // The whole group, as by the key: a shell waits for all of it. Where no shell would call it back the kernel stops nothing.
        kill_current_process_group(Signal::TSTP)?;
        std::thread::sleep(STOPPING);
        self.hold();
        Ok(())
    }

    fn let_go(&mut self) {
        if let Some(before) = &self.before {
            let _ = paste_marks(false);
            let _ = tcsetattr(stdin(), OptionalActions::Now, before);
        }
    }

    /// Whether a person may be in the middle of a message.
    pub(crate) fn is_typing(&self) -> bool {
        !self.draft.0.is_empty() || self.last_key.is_some_and(|at| at.elapsed() < TYPING)
    }

    /// The next thing that is asked for, of what was typed until now.
    pub(crate) fn next(&mut self) -> io::Result<Option<Wish>> {
        self.hold();
        if is_in_front() {
            let bytes = read_available()?;
            if !bytes.is_empty() {
                self.last_key = Some(Instant::now());
                self.keys.add(&bytes);
            }
        }
        while let Some(key) = self.keys.next(Instant::now()) {
            if let Some(wish) = self.draft.on(key) {
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
        let mut draft = std::mem::take(&mut self.draft.0);
        draft.push_str(&self.keys.pasted());
        draft
    }
}

impl Drop for TypedAhead {
    fn drop(&mut self) {
        self.let_go();
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
    fn on(&mut self, key: Key) -> Option<Wish> {
        match key {
            Key::Escape => return Some(Wish::Stop),
            Key::AltUp => return Some(Wish::TakeBack),
            Key::BackTab => return Some(Wish::Switch),
            Key::Ctrl('z') => return Some(Wish::Suspend),
            Key::Up if self.0.is_empty() => return Some(Wish::TakeBack),
            Key::AltEnter => self.0.push('\n'),
            Key::Enter => return self.send().map(Wish::Steer),
            Key::Tab => return self.send().map(Wish::Queue),
            Key::Backspace => drop(self.0.pop()),
            Key::Ctrl('u') => self.0.clear(),
            Key::Ctrl('w') => {
                let kept = self.0.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
                self.0.truncate(kept);
            }
            Key::Up | Key::Ctrl(_) => {}
            Key::Char(letter) => self.0.push(letter),
            Key::Paste(text) => self.0.push_str(&text),
        }
        None
    }

    /// A command waits until there is somebody to do it, and stays where it is.
    fn send(&mut self) -> Option<String> {
        let is_message = !self.0.trim().is_empty() && !self.0.starts_with(['/', '!']);
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
            assert_eq!(draft.on(Key::Char(letter)), None);
        }
    }

    #[test]
    fn a_message_is_sent_by_enter_or_tab_and_a_command_stays() {
        let mut draft = Draft::default();
        assert_eq!(draft.on(Key::Enter), None);
        types(&mut draft, "one twoo");
        draft.on(Key::Backspace);
        draft.on(Key::AltEnter);
        types(&mut draft, "three\\");
        assert_eq!(draft.on(Key::Enter), None);
        types(&mut draft, "four five");
        draft.on(Key::Ctrl('w'));
        assert_eq!(draft.on(Key::Enter), Some(Wish::Steer("one two\nthree\nfour".to_owned())));
        types(&mut draft, "later");
        assert_eq!(draft.on(Key::Tab), Some(Wish::Queue("later".to_owned())));
        types(&mut draft, "/undo");
        assert_eq!(draft.on(Key::Enter), None);
        assert_eq!(draft.0, "/undo");
        draft.on(Key::Ctrl('u'));
        assert_eq!(draft.on(Key::Up), Some(Wish::TakeBack));
        assert_eq!(draft.on(Key::Escape), Some(Wish::Stop));
        types(&mut draft, "!ls");
        assert_eq!(draft.on(Key::Enter), None, "a command of the person is no message");
        assert_eq!(draft.on(Key::BackTab), Some(Wish::Switch));
        assert_eq!(draft.on(Key::Ctrl('z')), Some(Wish::Suspend));
        assert_eq!(draft.0, "!ls");
    }

    #[test]
    fn what_is_pasted_is_sent_by_nothing_in_it() {
        let mut draft = Draft::default();
        assert_eq!(draft.on(Key::Paste("one\ntwo\nthree\n".to_owned())), None);
        assert_eq!(draft.0, "one\ntwo\nthree\n");
        draft.put_before("zero");
        assert_eq!(draft.0, "zero\none\ntwo\nthree\n");
    }
}

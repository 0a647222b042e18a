//! The line for messages: an editor with a history, which completes commands and files.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Context, Editor, Event, EventContext, EventHandler,
    Helper, KeyCode, KeyEvent, Modifiers, RepeatCount,
};

use crate::attached::complete;
use crate::config::data_folder;
use crate::display::{BOLD, PLAIN};
use crate::failure::Failure;
use crate::pages;
use crate::prompt::hear_signals;
use crate::screen::COMMANDS;
use crate::terminal_text::clean_name;

const PROMPT: &str = "> ";

/// What stands in the line: before the cursor, and behind it.
pub(crate) type Draft = (String, String);

pub(crate) enum Entered {
    Line(String),
    /// Shift+Tab, with what stood in the line and the rows that it took.
    Switch(Draft, usize),
    Interrupted,
    End,
}

pub(crate) struct Lines {
    editor: Editor<Typing, FileHistory>,
    history: Option<PathBuf>,
    switched: Switched,
}

impl Lines {
    pub(crate) fn open() -> Result<Self, Failure> {
        let failed = |error: ReadlineError| Failure::new(error.to_string());
        let config = Config::builder()
            .max_history_size(1000)
            .map_err(failed)?
            .auto_add_history(true)
            .completion_type(CompletionType::List)
            .build();
        let mut editor = Editor::with_config(config).map_err(failed)?;
        editor.set_helper(Some(Typing { folder: PathBuf::from("."), skills: Vec::new() }));
        let newline = |key: KeyEvent| (key, EventHandler::Simple(Cmd::Newline));
        for (key, does) in [
            newline(KeyEvent(KeyCode::Enter, Modifiers::ALT)),
            newline(KeyEvent(KeyCode::Char('J'), Modifiers::CTRL)),
        ] {
            editor.bind_sequence(key, does);
        }
        let switched = Switched::default();
        let switches = EventHandler::Conditional(Box::new(switched.clone()));
        editor.bind_sequence(KeyEvent(KeyCode::BackTab, Modifiers::NONE), switches);
        // Without a history there is nothing to look back at, and that is all.
        let history = data_folder().ok().map(|folder| folder.join("history"));
        if let Some(path) = &history {
            let _ = editor.load_history(path);
        }
        Ok(Lines { editor, history, switched })
    }

    /// Files are completed from this folder, and these names beside those of commands.
    pub(crate) fn complete_in(&mut self, folder: &std::path::Path, skills: Vec<String>) {
        if let Some(typing) = self.editor.helper_mut() {
            typing.skills = skills;
            folder.clone_into(&mut typing.folder);
        }
    }

    /// `draft` stands there already.
    pub(crate) fn read(&mut self, draft: &Draft) -> Result<Entered, Failure> {
        let _hears = hear_signals(&mut self.editor);
        match self.editor.readline_with_initial(PROMPT, (&draft.0, &draft.1)) {
            Ok(line) => {
                self.keep_history();
                // A line that goes on says so with a backslash, which is not part of the message.
                Ok(Entered::Line(line.replace("\\\n", "\n")))
            }
            Err(ReadlineError::Interrupted) => Ok(match self.switched.take() {
                Some(draft) => {
                    let rows = rows_of(&draft, pages::size().0);
                    Entered::Switch(draft, rows)
                }
                None => Entered::Interrupted,
            }),
            Err(ReadlineError::Eof) => Ok(Entered::End),
            Err(error) => Err(Failure::new(error.to_string())),
        }
    }

    /// What was sent in another way is a message that the arrow keys show too.
    pub(crate) fn remember(&mut self, text: &str) {
        if self.editor.add_history_entry(text).unwrap_or_default() {
            self.keep_history();
        }
    }

    fn keep_history(&mut self) {
        if let Some(path) = &self.history {
            let _ = self.editor.append_history(path);
        }
    }
}

/// The rows that the line takes with its prompt.
fn rows_of(draft: &Draft, width: usize) -> usize {
    let text = format!("{PROMPT}{}{}", draft.0, draft.1);
    let lines: Vec<&str> = text.split('\n').collect();
    let rows = pages::rows(&lines, width);
    // Behind a row that is full the cursor stands on the next one.
    let is_full = rows.last().is_some_and(|row| unicode_width::UnicodeWidthStr::width(row.as_str()) >= width);
    rows.len() + usize::from(is_full)
}

/// The line is left, and what stands in it is kept.
#[derive(Clone, Default)]
struct Switched(Arc<Mutex<Option<Draft>>>);

impl Switched {
    fn take(&self) -> Option<Draft> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl ConditionalEventHandler for Switched {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let (before, behind) = context.line().split_at_checked(context.pos())?;
        let draft = (before.to_owned(), behind.to_owned());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(draft);
        Some(Cmd::Interrupt)
    }
}

struct Typing {
    folder: PathBuf,
    skills: Vec<String>,
}

impl Helper for Typing {}
/// What a person says stands out from what is said to them.
impl Highlighter for Typing {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        Cow::Owned(format!("{BOLD}{line}{PLAIN}"))
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(format!("{BOLD}{prompt}{PLAIN}"))
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        true
    }
}

impl Hinter for Typing {
    type Hint = String;
}

impl Validator for Typing {
    /// A message goes on after a backslash and in an open block of code.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let in_code = text.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1;
        Ok(match in_code || text.ends_with('\\') {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Completer for Typing {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..at).unwrap_or_default();
        if let Some(found) = complete(typed, &self.folder) {
            return Ok(found);
        }
        // `/SKILL` stands for the names of skills.
        let commands =
            COMMANDS.iter().map(|(name, _)| *name).filter(|name| !name.ends_with(char::is_uppercase));
        let names = commands.chain(self.skills.iter().map(String::as_str));
        let fit = names.filter(|name| typed.starts_with('/') && name.starts_with(typed));
        let pair = |name: &str| Pair { display: clean_name(name), replacement: name.to_owned() };
        Ok((0, fit.map(pair).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_takes_the_rows_that_an_editor_gives_it() {
        let rows = |before: &str, behind: &str| rows_of(&(before.to_owned(), behind.to_owned()), 20);
        assert_eq!([rows("", ""), rows("one", " two"), rows("one\ntwo", "")], [1, 1, 2]);
        assert_eq!(
            [rows(&"x".repeat(17), ""), rows(&"x".repeat(18), ""), rows(&"x".repeat(19), "")],
            [1, 2, 2]
        );
    }
}

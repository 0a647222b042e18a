//! What a person orders with a word that begins with `/`.

use std::path::{Path, PathBuf};

use futures_executor::block_on;
use glove_wasm::run::settings::Compaction;
use glove_wasm::visible_text::isolated;
use glove_wasm_native::StoredSession;
use unicode_width::UnicodeWidthStr;

use super::{Next, SHORT_ID, Screen};
use crate::agent::{OpenAgent, Parts};
use crate::database::find;
use crate::failure::Failure;
use crate::modes::Mode;
use crate::pages;
use crate::project_skills::Callable;
use crate::prompt;
use crate::reading::Reading;
use crate::rewind::{Point, points};
use crate::status::cost_lines;
use crate::terminal_text;

/// So many sessions are listed.
const LISTED: usize = 20;
const ROWS_BESIDE_DIFF: usize = 3;
const LONGEST_LABEL: usize = 50;
/// Where it is said what a command does.
const COLUMN: usize = 13;
pub(crate) const COMMANDS: &[(&str, &str)] = &[
    ("/help", "what can be typed here"),
    ("!COMMAND", "runs a command; the model reads its output with your next message"),
    ("@FILE", "sends the file with the message; tab completes its name"),
    ("/accept", "edits of files go without a question; again: no more"),
    ("/plan", "nothing is changed until you say it again; shift-tab switches modes"),
    ("/new", "begins another session"),
    ("/clear", "the same, on an empty screen"),
    ("/sessions", "lists the sessions"),
    ("/resume", "[ID]: continues another session; without an id you choose one"),
    ("/model", "[PROVIDER[:MODEL]]: asks another model from now on"),
    ("/cost", "what the session has used"),
    ("/compact", "[WHAT TO KEEP]: summarises what was said, before the next message is read"),
    ("/diff", "what was changed in files"),
    ("/undo", "[N]: takes back the last action, or the last N"),
    ("/rewind", "takes back what was done since an earlier message, to say that anew"),
    ("/retry", "goes on after a failure or a pause"),
    ("/SKILL", "[WORDS]: has the model do as this skill of the project says"),
    ("/exit", "leaves; so does ctrl-D"),
];
const LINES: &[(&str, &str)] = &[("alt-enter", "begins another line; so does \\ at the end of one")];
const KEYS: &[(&str, &str)] = &[
    ("enter", "sends what was typed: the model reads it before its next step"),
    ("tab", "sends it when the answer is there"),
    ("up", "takes back what was sent last and waits"),
    ("escape", "stops; so does ctrl-C"),
    ("shift-tab", "switches the mode"),
];

/// Whether a line that begins with this word is obeyed here.
pub(crate) fn is_command(word: &str) -> bool {
    word == "/quit" || (word.starts_with('/') && COMMANDS.iter().any(|(name, _)| *name == word))
}

impl Screen<'_> {
    pub(super) fn on_command(&mut self, command: &str, rest: &str) -> Result<Next, Failure> {
        let session = self.open_agent.agent.session();
        let mut leaves = false;
        match command {
            "/help" => {
                let width = pages::size().0;
                self.display.lines(&help_rows(width), false)?;
                self.display.print_lines(&self.skill_rows(width), false)?;
            }
            "/exit" | "/quit" => return Ok(Next::Leave),
            "/new" => return self.open(None, &self.open_agent.folder),
            "/clear" => {
                let next = self.open(None, &self.open_agent.folder)?;
                if matches!(next, Next::Go(_)) {
                    self.display.clear()?;
                }
                return Ok(next);
            }
            "/accept" => self.toggle(Mode::AcceptEdits)?,
            "/plan" => self.toggle(Mode::Plan)?,
            "/sessions" => self.list()?,
            "/cost" => self.display.lines(&cost_lines(&session.usage()), false)?,
            "/compact" => self.compact(rest)?,
            "/diff" => self.diff()?,
            "/resume" if rest.is_empty() => {
                if let Some((id, folder)) = self.pick_session()? {
                    return self.open(Some(id), &folder);
                }
            }
            "/resume" => match find(&self.database.clone().into(), Some(rest)) {
                Ok(found) if found.id == self.open_agent.id => self.display.line("this session is open already")?,
                Ok(found) => return self.open(Some(found.id), &folder_of(found.working_dir)),
                Err(failure) => self.display.line(&failure.message)?,
            },
            "/model" if rest.is_empty() => {
                self.display.line(&session.model_name())?;
                let names = self.models.names();
                if let Some(at) = if names.is_empty() { None } else { prompt::pick("Which one?", &names)? }
                    && let Some(name) = names.get(at)
                {
                    self.set_model(name)?;
                }
            }
            "/model" => self.set_model(rest)?,
            "/undo" => match if rest.is_empty() { Ok(1) } else { rest.parse() } {
                Ok(steps) => leaves = self.until_done(None, session.undo_until_done(steps))?,
                Err(_) => self.display.line("/undo takes a number")?,
            },
            "/rewind" => leaves = self.rewind()?,
            "/retry" => {
                let (response, open) = self.resume()?;
                leaves = self.until_all_done(None, response, open)?;
            }
            _ => self.display.line(&format!(
                "there is no command `{command}`; /help lists them. A message that begins with / needs a space before it"
            ))?,
        }
        Ok(if leaves { Next::Leave } else { Next::Prompt })
    }

    /// The skills of the project, in the words of whoever wrote them.
    fn skill_rows(&self, width: usize) -> Vec<String> {
        let skills = &self.open_agent.skills;
        let title = (!skills.is_empty()).then(|| "Skills of this project:".to_owned());
        let row = |skill: &Callable| skill_row(&skill.name, &skill.about, width);
        title.into_iter().chain(skills.iter().map(row)).collect()
    }

    /// Another session, or a new one. Where it cannot be opened, this one goes on.
    pub(super) fn open(&mut self, session: Option<String>, folder: &Path) -> Result<Next, Failure> {
        let opened = self.models.choose(self.model.as_deref()).and_then(|model| {
            OpenAgent::new(Parts {
                database: self.database,
                session,
                folder,
                model,
                system_prompt: self.system_prompt,
                variables: self.variables,
                modes: self.modes.clone(),
                record: None,
            })
        });
        match opened {
            Ok(open_agent) => Ok(Next::Go(Box::new(open_agent))),
            Err(failure) => {
                self.display.line(&format!("✗ {}", failure.message))?;
                self.display.lines(&["  you are still in the session that was open"], true)?;
                Ok(Next::Prompt)
            }
        }
    }

    pub(super) fn toggle(&mut self, mode: Mode) -> Result<(), Failure> {
        self.modes.toggle(mode);
        self.tell_mode(0)
    }

    /// Says what the mode is now, in the place of what was said before and of so many rows below it.
    pub(super) fn tell_mode(&mut self, rows: usize) -> Result<(), Failure> {
        if rows > 0 {
            self.display.take_back(rows + std::mem::take(&mut self.status_rows))?;
        }
        let mode = self.modes.now();
        let name = mode.name().unwrap_or("normal mode");
        let about = format!("{name}: {}", mode.about());
        // The line of the status says it again when something was used.
        self.told_status = self.status();
        let width = pages::size().0;
        self.status_rows = pages::rows(&[&about], width).len();
        Ok(self.display.print_lines(&[about], true)?)
    }

    pub(super) fn set_model(&mut self, name: &str) -> Result<(), Failure> {
        let session = self.open_agent.agent.session();
        match self.models.choose(Some(name)) {
            Ok(model) => {
                *self.model = Some(name.to_owned());
                session.set_model(self.open_agent.traces.model(model));
                self.display.line(&format!("from now on: {}", session.model_name()))?;
            }
            Err(failure) => self.display.line(&failure.message)?,
        }
        Ok(())
    }

    pub(super) fn list(&mut self) -> Result<(), Failure> {
        for session in block_on(self.database.sessions())?.iter().take(LISTED) {
            let here = if session.id == self.open_agent.id { "*" } else { " " };
            self.display.print_lines(&[format!("{here} {}", session_line(session))], false)?;
        }
        Ok(())
    }

    pub(super) fn pick_session(&mut self) -> Result<Option<(String, PathBuf)>, Failure> {
        let mut others = block_on(self.database.sessions())?;
        others.retain(|session| session.id != self.open_agent.id);
        others.truncate(LISTED);
        if others.is_empty() {
            self.display.line("there is no other session")?;
            return Ok(None);
        }
        let lines: Vec<_> = others.iter().map(session_line).collect();
        let picked = prompt::pick("Which one?", &lines)?;
        let picked = picked.and_then(|at| others.into_iter().nth(at));
        Ok(picked.map(|session| (session.id, folder_of(session.working_dir))))
    }

    /// Takes back what was done since an earlier message, which is then said anew. True if the user leaves in the middle of it.
    pub(super) fn rewind(&mut self) -> Result<bool, Failure> {
        let session = self.open_agent.agent.session();
        let points = points(session);
        let label = |point: &Point| {
            let done = match point.actions {
                0 => String::new(),
                1 => "  (1 action since)".to_owned(),
                more => format!("  ({more} actions since)"),
            };
            let text = terminal_text::cut(&terminal_text::in_line(&point.text), LONGEST_LABEL);
            format!("{}{done}", isolated(&text))
        };
        let labels: Vec<_> = points.iter().map(label).collect();
        if labels.is_empty() {
            self.display.line("nothing was said yet")?;
            return Ok(false);
        }
        let picked = prompt::pick("Back to which message?", &labels)?;
        let Some(Point { id, text, actions }) = picked.and_then(|at| points.into_iter().nth(at)) else {
            return Ok(false);
        };
        let left = session.with_run(|run| run.undo_stack().len()).saturating_sub(actions as usize);
        if actions > 0 && self.until_done(None, session.undo_until_done(actions))? {
            return Ok(true);
        }
        if session.with_run(|run| run.undo_stack().len()) > left {
            self.display.lines(&["the conversation stays as it is"], true)?;
            return Ok(false);
        }
        self.edits = Some(id);
        self.draft = (text, String::new());
        self.display.lines(&["say it anew; an empty line leaves the conversation as it was"], true)?;
        Ok(false)
    }

    /// The next call of the model is preceded by one that summarises.
    pub(super) fn compact(&mut self, keep: &str) -> Result<(), Failure> {
        let session = self.open_agent.agent.session();
        if session.with_run(|run| run.messages().is_empty()) {
            return Ok(self.display.line("there is nothing to summarise yet")?);
        }
        let usual = session.with_run(|run| run.settings().compaction.clone());
        let usual = self.usual_compaction.get_or_insert(usual);
        let mut now = Compaction { context_limit: 1, ..usual.clone() };
        if !keep.is_empty() {
            now.instructions = format!("{} Keep this above all: {keep}", now.instructions);
        }
        session.set_compaction(now);
        self.summary_is_due = true;
        Ok(self.display.line("what was said is summarised when you send the next message")?)
    }

    /// All that calls have changed in files in this session.
    pub(super) fn diff(&mut self) -> Result<(), Failure> {
        let changes = self.open_agent.workspace.changes();
        if changes.is_empty() {
            return Ok(self.display.line("no file was changed by a tool for files in this session")?);
        }
        let mut reading = Reading::default();
        for change in &changes {
            let lines = terminal_text::change_lines(change);
            let changed = 1..lines.len();
            reading.extend(Reading::with_change(lines, &changed));
        }
        let (width, height) = pages::size();
        if reading.rows(width).len() < height.saturating_sub(ROWS_BESIDE_DIFF) {
            return Ok(self.display.print_lines(&reading.lines(), false)?);
        }
        Ok(pages::open(|width| reading.rows(width))?)
    }
}

/// The commands and the keys, what each does behind its name.
fn help_rows(width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (title, names) in [("", COMMANDS), ("", LINES), ("While it works:", KEYS)] {
        if !title.is_empty() {
            lines.push(title.to_owned());
        }
        for (name, about) in names {
            let rows = terminal_text::words_within(about, width.saturating_sub(COLUMN));
            lines.extend(rows.into_iter().enumerate().map(|(at, row)| {
                let name = if at == 0 { name } else { "" };
                format!("{name:COLUMN$}{row}")
            }));
        }
    }
    lines
}

/// In columns: letters of some languages take two.
fn skill_row(name: &str, about: &str, width: usize) -> String {
    let name = terminal_text::clean_name(&format!("/{name}"));
    let about = terminal_text::in_line(about);
    let begin = COLUMN.max(name.width() + 2);
    let space = " ".repeat(begin - name.width());
    let most = width.saturating_sub(begin);
    let mut shown = about.clone();
    let mut letters = about.chars();
    while shown.width() > most && letters.next_back().is_some() {
        shown = format!("{}…", letters.as_str());
    }
    format!("{name}{space}{}", isolated(&shown))
}

fn session_line(session: &StoredSession) -> String {
    let name = if session.name.is_empty() { &session.title } else { &session.name };
    let short: String = session.id.chars().take(SHORT_ID).collect();
    let (name, short) = (terminal_text::name(name), terminal_text::clean_name(&short));
    format!("{short}  {:10}  {name}", session.phase)
}

fn folder_of(working_dir: String) -> PathBuf {
    PathBuf::from(if working_dir.is_empty() { ".".to_owned() } else { working_dir })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_skill_is_as_wide_as_the_window_in_columns() {
        for (name, about) in [
            ("release", "Makes a release of all packages that have changed since the last one"),
            ("発売", "変更されたすべてのパッケージのリリースを作成します"),
            ("日本語の長い名前のスキル", "短い説明ですがとても長い名前があります"),
        ] {
            let row = skill_row(name, about, 40);
            assert!(row.width() <= 40 && row.width() > 36, "{} {row}", row.width());
            assert!(row.contains('…'), "{row}");
        }
        assert_eq!(skill_row("発売", "短い", 40), "/発売        短い");
    }
}

//! Talking in a terminal: messages are written in an editor, answers are drawn as they come, and one question is asked at a time.

mod asking;
mod commands;
mod message;
mod request;
mod shown;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use glove_wasm::ports::IdSource;
use glove_wasm::run::settings::Compaction;
use glove_wasm::system::RandomIds;
use glove_wasm_sqlite::SqliteDatabase;
use tokio::runtime::Runtime;

use crate::agent::OpenAgent;
use crate::calls::Calls;
use crate::chat::is_unfinished;
use crate::display::{Block, Display};
use crate::editor::{Draft, Entered, Lines};
use crate::end_signals::EndSignals;
use crate::failure::Failure;
use crate::incoming::Inbox;
use crate::model::Models;
use crate::modes::Modes;
use crate::own_command::{OwnCommand, OwnCommands};
use crate::said::Said;
use crate::terminal_text;

pub(crate) use commands::{COMMANDS, is_command};

/// Within this time, a second ctrl-C leaves.
const TWICE: Duration = Duration::from_secs(2);

const FRAME: Duration = Duration::from_millis(80);

/// So often keys are looked at: those that come together may mean one.
const LOOK: Duration = Duration::from_millis(20);

/// So much of an id names a session.
const SHORT_ID: usize = 12;

pub(crate) struct Setting {
    pub database: SqliteDatabase,
    pub models: Models,
    /// What the person called the model, if they named one.
    pub model: Option<String>,
    pub open_agent: OpenAgent,
    pub is_new: bool,
    pub allow: Vec<String>,
    pub variables: Vec<(String, String)>,
    /// Instead of the usual instructions, in each session.
    pub system_prompt: Option<String>,
    pub modes: Modes,
}

/// What comes after a line was read.
enum Next {
    Prompt,
    Leave,
    /// Another session, which is open already.
    Go(Box<OpenAgent>),
}

pub(crate) fn talk(setting: Setting, runtime: &Runtime, inbox: &Inbox) -> Result<(), Failure> {
    let Setting { database, mut models, mut model, mut open_agent, mut is_new, allow, .. } = setting;
    let Setting { variables, system_prompt, modes, .. } = setting;
    let mut editor = Lines::open()?;
    let signals = EndSignals::watch(runtime, open_agent.agent.session())?;
    loop {
        let follow = inbox.follow(&open_agent.agent);
        let mut screen = Screen {
            database: &database,
            models: &mut models,
            model: &mut model,
            open_agent: &open_agent,
            runtime,
            inbox,
            allow: &allow,
            variables: &variables,
            system_prompt: system_prompt.as_deref(),
            modes: &modes,
            signals: &signals,
            display: Display::new(),
            hides: false,
            said: Said::default(),
            calls: Calls::default(),
            before_summary: 0,
            draft: Draft::default(),
            sent: Vec::new(),
            told_status: None,
            status_rows: 0,
            was_asked: false,
            usual_compaction: None,
            summary_is_due: false,
            waiting: Vec::new(),
            noticed: Vec::new(),
            taken_back: Vec::new(),
            own_commands: OwnCommands::default(),
            edits: None,
            sent_from_outside: Vec::new(),
        };
        let next = screen.session(&mut editor, is_new);
        drop(follow);
        signals.wait_if_ending(runtime);
        open_agent.leave(runtime)?;
        open_agent = match next? {
            Next::Go(open_agent) => *open_agent,
            Next::Prompt | Next::Leave => {
                if !open_agent.is_new() {
                    let id: String = open_agent.id.chars().take(SHORT_ID).collect();
                    Display::new().lines(&[format!("`glove resume {id}` goes on with this")], true)?;
                }
                return Ok(());
            }
        };
        is_new = open_agent.is_new();
        signals.change_session(runtime, open_agent.agent.session());
        // What the last session still had to say is nothing of this one.
        while inbox.receiver.try_recv().is_ok() {}
    }
}

struct Screen<'a> {
    database: &'a SqliteDatabase,
    models: &'a mut Models,
    model: &'a mut Option<String>,
    open_agent: &'a OpenAgent,
    runtime: &'a Runtime,
    inbox: &'a Inbox,
    allow: &'a [String],
    variables: &'a [(String, String)],
    system_prompt: Option<&'a str>,
    modes: &'a Modes,
    signals: &'a EndSignals,
    display: Display,
    hides: bool,
    said: Said,
    calls: Calls,
    /// What the model reads before a summary is made, in tokens.
    before_summary: u64,
    /// What stands in the line for the next message already.
    draft: Draft,
    told_status: Option<String>,
    /// The rows right above the line for messages that are of the status.
    status_rows: usize,
    /// A person was asked something since the last call ended.
    was_asked: bool,
    /// How messages are summarised usually, once a person has asked for it out of turn: a session tells of a change when it is driven next.
    usual_compaction: Option<Compaction>,
    /// A person has asked for a summary that is not there yet.
    summary_is_due: bool,
    /// What was sent while the agent worked, for the history.
    sent: Vec<String>,
    /// Messages that are sent and not read yet.
    waiting: Vec<Waiting>,
    /// The slots that nobody waits for and that were shown.
    noticed: Vec<String>,
    /// Of those that wait, the ids of what the person wants to change.
    taken_back: Vec<String>,
    /// What the person ran themself since the last message.
    own_commands: OwnCommands,
    /// The message in whose place the next one is said.
    edits: Option<String>,
    /// Files outside of the folder that the person lets the model have.
    sent_from_outside: Vec<PathBuf>,
}

/// A message that is sent and not read yet.
struct Waiting {
    id: String,
    text: String,
    own_commands: Vec<OwnCommand>,
}

impl Screen<'_> {
    fn session(&mut self, editor: &mut Lines, is_new: bool) -> Result<Next, Failure> {
        let model = self.open_agent.agent.session().model_name();
        let folder = terminal_text::isolated_name(&self.open_agent.folder.to_string_lossy());
        self.display
            .print_lines(&[format!("glove · {} · {folder}", terminal_text::isolated_name(&model))], false)?;
        if is_new {
            self.display
                .lines(&["/help: commands · @FILE: sends it · !COMMAND: runs it · shift-tab: modes"], true)?;
        } else {
            self.recall()?;
        }
        self.begin_project()?;
        let skills = self.open_agent.skills.iter();
        editor.complete_in(&self.open_agent.folder, skills.map(|skill| format!("/{}", skill.name)).collect());
        let continued = if is_unfinished(self.open_agent) { Some(self.resume()?) } else { None };
        Inbox::drive(self.runtime, &self.open_agent.agent);
        if let Some((response, open)) = continued {
            self.display.lines(&["continuing what was not finished"], true)?;
            if self.until_all_done(None, response, open)? {
                return Ok(Next::Leave);
            }
        }
        let mut stopped: Option<Instant> = None;
        loop {
            self.display.apart(Block::Prompt)?;
            self.tell_status()?;
            for text in self.sent.drain(..) {
                editor.remember(&text);
            }
            let draft = std::mem::take(&mut self.draft);
            let line = match editor.read(&draft)? {
                Entered::Line(line) => line,
                Entered::Switch(draft, rows) => {
                    self.modes.switch();
                    self.draft = draft;
                    self.tell_mode(rows)?;
                    continue;
                }
                Entered::Interrupted if stopped.is_some_and(|at| at.elapsed() < TWICE) => {
                    return Ok(Next::Leave);
                }
                Entered::Interrupted => {
                    stopped = Some(Instant::now());
                    self.status_rows = 0;
                    self.display.lines(&["ctrl-C again leaves"], true)?;
                    continue;
                }
                Entered::End => return Ok(Next::Leave),
            };
            self.status_rows = 0;
            self.display.typed();
            stopped = None;
            match self.on_line(&line)? {
                Next::Prompt => {}
                next => return Ok(next),
            }
        }
    }

    fn on_line(&mut self, line: &str) -> Result<Next, Failure> {
        let line = line.trim_end();
        if line.trim().is_empty() {
            if self.edits.take().is_some() {
                self.display.lines(&["the conversation goes on as it was"], true)?;
            }
            return Ok(Next::Prompt);
        }
        if let Some(command) = line.strip_prefix('!') {
            self.run_own(command.trim())?;
            return Ok(Next::Prompt);
        }
        let called = self.called(line);
        if !line.starts_with('/') || called.is_some() {
            let id = RandomIds.fresh();
            let own_commands = self.own_commands.take();
            let text = called.as_deref().unwrap_or(line.trim());
            let files = self.files_of(text)?;
            let mut prompt = match files.and_then(|files| self.prompt_of(text, &files, &own_commands)) {
                Ok((prompt, about)) => {
                    self.display.print_lines(about.as_slice(), true)?;
                    prompt
                }
                Err(why) => {
                    self.own_commands.put_before(own_commands);
                    self.draft = (line.to_owned(), String::new());
                    self.display.line(&format!("! {why}; the message was not sent"))?;
                    return Ok(Next::Prompt);
                }
            };
            prompt.id = Some(id.clone());
            prompt.edits = self.edits.take();
            let leaves = self.until_done(Some(id), self.open_agent.request(prompt)?)?;
            return Ok(if leaves { Next::Leave } else { Next::Prompt });
        }
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        self.on_command(command, rest.trim())
    }
}

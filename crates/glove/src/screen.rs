//! Talking in a terminal: messages are written in an editor, answers are drawn as they come, and one question is asked at a time.

use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use futures_executor::block_on;
use glove_wasm::display::{DisplayError, Slot};
use glove_wasm::error::Error;
use glove_wasm::event::{Event, ToolUseResult};
use glove_wasm::json::Json;
use glove_wasm::message::ToolStatus;
use glove_wasm::ports::{AbortHandle, IdSource};
use glove_wasm::run::PhaseName;
use glove_wasm::run::input::WhenBusy;
use glove_wasm::run::settings::Compaction;
use glove_wasm::runtime::{Prompt, Response, ResponseFuture};
use glove_wasm::system::RandomIds;
use glove_wasm::visible_text::isolated;
use glove_wasm_native::StoredSession;
use glove_wasm_sqlite::SqliteDatabase;
use tokio::runtime::Runtime;

use crate::agent::{OpenAgent, Parts};
use crate::allow_file::{Found, NAME};
use crate::attached::{self, Named, attached, named, text_part};
use crate::calls::{Calls, Shown};
use crate::chat::{is_unfinished, tool_of};
use crate::database::find;
use crate::decision::{BY_RULE, Decision};
use crate::display::Display;
use crate::editor::{Draft, Entered, Lines};
use crate::end_signals::EndSignals;
use crate::ends::Ends;
use crate::failure::Failure;
use crate::guard::Guard;
use crate::incoming::{Inbox, Incoming, is_notice};
use crate::model::Models;
use crate::modes::{Mode, Modes};
use crate::own_command::{OwnCommand, OwnCommands};
use crate::pages;
use crate::prompt;
use crate::questions::{Answer, Question};
use crate::reading::Reading;
use crate::rewind::{Point, points};
use crate::rules::Rule;
use crate::said::Said;
use crate::status::{cost_lines, status};
use crate::terminal_text;
use crate::typed_ahead::{TypedAhead, Wish};
use crate::visibility::{Recalled, is_hidden, is_of_answer, recalled};

/// Within this time, a second ctrl-C leaves.
const TWICE: Duration = Duration::from_secs(2);
const FRAME: Duration = Duration::from_millis(80);
/// So often keys are looked at: those that come together may mean one.
const LOOK: Duration = Duration::from_millis(20);
/// So many sessions are listed.
const LISTED: usize = 20;
/// So much of a change is shown that nobody was asked about.
const CHANGE_LINES: usize = 20;
const ROWS_BESIDE_DIFF: usize = 3;
const LONGEST_LABEL: usize = 50;
/// So much of an id names a session.
const SHORT_ID: usize = 12;
/// What stands before what came of a call.
const INDENT: &str = "  ";

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
    ("/exit", "leaves; so does ctrl-D"),
];

const KEYS: &[(&str, &str)] = &[
    ("enter", "sends what was typed: the model reads it before its next step"),
    ("tab", "sends it when the answer is there"),
    ("up", "takes back what was sent last and waits"),
    ("escape", "stops; so does ctrl-C"),
    ("shift-tab", "switches the mode"),
];

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
    /// How messages are summarised usually, while a person has asked for it out of turn.
    usual_compaction: Option<Compaction>,
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
            self.display.lines(
                &["/help lists the commands", "\\ at the end of a line, or alt-enter, begins another line"],
                true,
            )?;
        } else {
            self.recall()?;
        }
        self.begin_project()?;
        editor.complete_in(&self.open_agent.folder);
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
        if !line.starts_with('/') {
            let id = RandomIds.fresh();
            let own_commands = self.own_commands.take();
            let files = self.files_of(line.trim())?;
            let mut prompt = match files.and_then(|files| self.prompt_of(line.trim(), &files, &own_commands))
            {
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

    fn on_command(&mut self, command: &str, rest: &str) -> Result<Next, Failure> {
        let session = self.open_agent.agent.session();
        let mut leaves = false;
        match command {
            "/help" => {
                self.display.lines(&help_rows(pages::size().0), false)?;
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

    /// Another session, or a new one. Where it cannot be opened, this one goes on.
    fn open(&mut self, session: Option<String>, folder: &Path) -> Result<Next, Failure> {
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

    /// What the project says, and its rules if the person trusts them on this machine.
    fn begin_project(&mut self) -> Result<(), Failure> {
        let Found::Untrusted(text) = &self.open_agent.rules else {
            return Ok(self.display.print_lines(&self.open_agent.about_project(), true)?);
        };
        let mut told = self.open_agent.about_project();
        // It is asked now.
        told.pop();
        self.display.print_lines(&told, true)?;
        let lines = terminal_text::untrusted_lines(text);
        let reading = Reading::plain(lines.lines().map(str::to_owned));
        let question =
            format!("Use these rules of {NAME}? What they name then runs here without a question.");
        let decision = Decision::unless("Don't use them", "I trust them as they are");
        let answer = prompt::decide(&reading, &question, decision, false)?;
        if !matches!(answer, Some(Answer::Value(value)) if value.as_str() == "true") {
            self.display.lines(&[format!("{NAME} is not used")], true)?;
        } else if let Err(why) = self.open_agent.guard.allow_file.trust(text) {
            self.display.line(&format!("! {why}; {NAME} is not used"))?;
        }
        Ok(())
    }

    /// The files that a message names. Of each that is not in the folder the person is asked, once in a session.
    fn files_of(&mut self, text: &str) -> Result<Result<Vec<Named>, String>, Failure> {
        let files = match named(text, &self.open_agent.folder) {
            Ok(files) => files,
            Err(why) => return Ok(Err(why)),
        };
        for file in files.iter().filter(|file| file.is_outside) {
            if self.sent_from_outside.contains(&file.path) {
                continue;
            }
            let reading = Reading::plain([terminal_text::name(&file.path.to_string_lossy())]);
            let decision = Decision::unless("Don't send the message", "Send the file to the model");
            let question = "Send this file, which is not in the folder of the session?";
            let answer = prompt::decide(&reading, question, decision, false)?;
            if !matches!(answer, Some(Answer::Value(value)) if value.as_str() == "true") {
                return Ok(Err(format!("@{} stays here", file.name)));
            }
            self.sent_from_outside.push(file.path.clone());
        }
        Ok(Ok(files))
    }

    /// A message with these files, and with what the person ran before; and a line about the files.
    fn prompt_of(
        &self,
        text: &str,
        named: &[Named],
        own_commands: &[OwnCommand],
    ) -> Result<(Prompt, Option<String>), String> {
        let files = attached(named)?;
        let about = (!files.is_empty()).then(|| attached::about(named, &files));
        let mut prompt = Prompt::new(text);
        if !files.is_empty() || !own_commands.is_empty() {
            let mut parts: Vec<_> = own_commands.iter().map(OwnCommand::part).collect();
            parts.push(text_part(text.to_owned()));
            parts.extend(files);
            prompt.message.content = Some(parts);
        }
        Ok((prompt, about))
    }

    /// The files of a message that is sent while the agent works, when there is no line to ask in.
    fn files_meanwhile(&self, text: &str) -> Result<Vec<Named>, String> {
        let files = named(text, &self.open_agent.folder)?;
        let unasked = |file: &&Named| file.is_outside && !self.sent_from_outside.contains(&file.path);
        match files.iter().find(unasked) {
            Some(file) => Err(format!(
                "@{} is not in the folder of the session, and you are asked about it when the answer is there",
                file.name
            )),
            None => Ok(files),
        }
    }

    /// Runs a command of the person and shows its output. Ctrl-C stops it.
    fn run_own(&mut self, command: &str) -> Result<(), Failure> {
        if command.is_empty() {
            return Ok(self.display.line("! and a command runs it, such as !git status")?);
        }
        let abort = AbortHandle::new();
        let (workspace, signal, run) =
            (self.open_agent.workspace.clone(), abort.signal(), command.to_owned());
        let running = std::thread::spawn(move || workspace.run_command(&run, &signal));
        let _ends_with_the_program = self.signals.also_end(&abort);
        let (started_at, mut drawn) = (Instant::now(), Instant::now());
        let mut typed = TypedAhead::begin(String::new());
        while !running.is_finished() {
            while let Some(wish) = typed.next()? {
                match wish {
                    Wish::Stop => abort.abort(),
                    Wish::Switch => self.modes.switch(),
                    Wish::Suspend => {
                        self.display.leave()?;
                        typed.suspend()?;
                    }
                    // There is nobody to read it yet.
                    Wish::Steer(text) | Wish::Queue(text) => typed.put_before(&text),
                    Wish::TakeBack => {}
                }
            }
            // The session does nothing meanwhile.
            if let Ok(Incoming::Interrupt) = self.inbox.receiver.recv_timeout(LOOK) {
                abort.abort();
            }
            if drawn.elapsed() > FRAME {
                drawn = Instant::now();
                let status = format!("running … {} s (ctrl-C stops)", started_at.elapsed().as_secs());
                self.display.draw(&status, &self.typed_rows(typed.draft()))?;
            }
        }
        self.display.finish()?;
        self.draft = (typed.into_draft(), String::new());
        let output = match running.join() {
            Ok(Ok(output)) => output,
            Ok(Err(failure)) => failure.message(),
            Err(_) => "the command was not run to its end".to_owned(),
        };
        self.display.print_lines(&terminal_text::all_output_lines(&output), false)?;
        let made_room = self.own_commands.add(OwnCommand { command: command.to_owned(), output });
        let told = if made_room {
            "; the output of an earlier command is too much besides, and is not sent"
        } else {
            ""
        };
        Ok(self.display.lines(&[format!("the model reads this with your next message{told}")], true)?)
    }

    fn toggle(&mut self, mode: Mode) -> Result<(), Failure> {
        self.modes.toggle(mode);
        self.tell_mode(0)
    }

    /// Says what the mode is now, in the place of what was said before and of so many rows below it.
    fn tell_mode(&mut self, rows: usize) -> Result<(), Failure> {
        if rows > 0 {
            self.display.take_back(rows + std::mem::take(&mut self.status_rows))?;
        }
        let mode = self.modes.now();
        let name = mode.name().unwrap_or("normal mode");
        let about = format!("{name}: {}", mode.about());
        self.told_status = None;
        let width = pages::size().0;
        self.status_rows = pages::rows(&[&about], width).len();
        Ok(self.display.print_lines(&[about], true)?)
    }

    fn set_model(&mut self, name: &str) -> Result<(), Failure> {
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

    fn list(&mut self) -> Result<(), Failure> {
        for session in block_on(self.database.sessions())?.iter().take(LISTED) {
            let here = if session.id == self.open_agent.id { "*" } else { " " };
            self.display.print_lines(&[format!("{here} {}", session_line(session))], false)?;
        }
        Ok(())
    }

    fn pick_session(&mut self) -> Result<Option<(String, PathBuf)>, Failure> {
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
    fn rewind(&mut self) -> Result<bool, Failure> {
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
    fn compact(&mut self, keep: &str) -> Result<(), Failure> {
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
        Ok(self.display.line("what was said is summarised when you send the next message")?)
    }

    /// All that calls have changed in files in this session.
    fn diff(&mut self) -> Result<(), Failure> {
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
        Ok(pages::open(&reading)?)
    }

    /// What was used, when that has changed.
    fn tell_status(&mut self) -> Result<(), Failure> {
        // How much fits is another matter until the summary is there that was asked for.
        if self.usual_compaction.is_some() {
            return Ok(());
        }
        let status = status(self.open_agent.agent.session(), self.modes.now());
        if status != self.told_status {
            if let Some(status) = &status {
                self.status_rows += pages::rows(std::slice::from_ref(status), pages::size().0).len();
                self.display.print_lines(std::slice::from_ref(status), true)?;
            }
            self.told_status = status;
        }
        Ok(())
    }

    /// The end of what was said before.
    fn recall(&mut self) -> Result<(), Failure> {
        for entry in recalled(self.open_agent.agent.session()) {
            match entry {
                Recalled::Person(text) => {
                    let lines =
                        text.lines().map(|line| format!("> {}", terminal_text::untrusted_lines(line)));
                    self.display.print_lines(&lines.collect::<Vec<_>>(), true)?;
                }
                Recalled::Agent(text) => self.display.markdown(&text)?,
                Recalled::Call(call) => self.show_calls(vec![call])?,
                Recalled::Note(note) => self.display.lines(&[note], true)?,
            }
        }
        Ok(())
    }

    /// Shows what happens until the request is over. True if the user leaves in the middle of it: it can be continued.
    fn until_done(&mut self, id: Option<String>, response: ResponseFuture) -> Result<bool, Failure> {
        self.until_all_done(id, response, 1)
    }

    /// So many requests are open.
    fn until_all_done(
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
                Some(Incoming::Resized | Incoming::Line(_) | Incoming::EndOfInput) | None => {}
            }
            if (is_idle && has_typed) || drawn.elapsed() > FRAME {
                drawn = Instant::now();
                typed.draft().clone_into(&mut drawn_draft);
                let mode = self.modes.now().name().map(|mode| format!(" · {mode}")).unwrap_or_default();
                let status = format!("{doing} … {} s (ctrl-C stops){mode}", started_at.elapsed().as_secs());
                self.display.draw(&status, &self.typed_rows(typed.draft()))?;
            }
        }
    }

    /// Sends a message while another one is worked on: so many requests are open besides. One that cannot be sent is given back.
    fn send(&mut self, text: String, when_busy: WhenBusy, typed: &mut TypedAhead) -> Result<usize, Failure> {
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
    fn take_back(&mut self) {
        let last = self.waiting.iter().rfind(|waiting| !self.taken_back.contains(&waiting.id));
        if let Some(Waiting { id, .. }) = last {
            self.open_agent.agent.session().cancel_queued(id);
            self.taken_back.push(id.clone());
        }
    }

    /// The text of a request that is over before anybody has read it.
    fn unread(&mut self, id: &str) -> Option<String> {
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
    fn resume(&mut self) -> Result<(ResponseFuture, usize), Failure> {
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

    fn typed_rows(&self, draft: &str) -> Vec<String> {
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

    fn finish(&mut self, done: &Result<Response, Error>) -> Result<(), Failure> {
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
                self.display.line(&format!("✗ {}. /retry asks again", failure.words))?;
                if let Some(details) = failure.details {
                    self.display.lines(&[format!("  {details}")], true)?;
                }
            }
        }
        Ok(())
    }

    /// What is being done from now on, if that has changed.
    fn on_event(&mut self, event: &Event) -> Result<Option<String>, Failure> {
        if let Event::CompactionEnd { .. } = event
            && let Some(usual) = self.usual_compaction.take()
        {
            self.open_agent.agent.session().set_compaction(usual);
        }
        if let Event::RequestStarted { request } = event {
            self.hides = is_hidden(self.open_agent.agent.session(), Some(request));
            if let Some(at) = self.waiting.iter().position(|waiting| waiting.id == *request) {
                let Waiting { text, .. } = self.waiting.remove(at);
                let lines = text.lines().map(|line| format!("> {}", terminal_text::untrusted_lines(line)));
                self.display.print_lines(&lines.collect::<Vec<_>>(), false)?;
            }
        }
        if let Some(text) = self.said.unseen(event).filter(|_| !self.hides) {
            self.display.markdown(text)?;
        }
        Ok(match event {
            _ if self.hides && is_of_answer(event) => None,
            Event::TextDelta { text } => {
                self.display.add(text)?;
                Some("writing".to_owned())
            }
            Event::ReasoningDelta { .. } => Some("thinking".to_owned()),
            Event::ToolInputDelta { name, .. } => {
                Some(format!("preparing {}", terminal_text::isolated_name(name)))
            }
            Event::ToolUse { id, name, input } => {
                self.calls.called(id, name, input);
                None
            }
            Event::ToolUseResult(result) => {
                let input = self.open_agent.input_of(&result.call_id);
                let change = self.unseen_change(result, input.as_ref());
                let ended = self.calls.ended(result, input.as_ref(), change);
                self.show_calls(ended)?;
                Some(self.calls.running().unwrap_or_else(|| "thinking".to_owned()))
            }
            Event::ModelRetry { code, wait_ms, .. } => Some(terminal_text::waiting(code, *wait_ms)),
            Event::CompactionStart { current_token_consumption } => {
                self.before_summary = *current_token_consumption;
                Some("summarising what was said".to_owned())
            }
            Event::CompactionEnd { current_token_consumption, summary_message: Some(_) } => {
                let told = terminal_text::summarised(self.before_summary, *current_token_consumption);
                self.display.lines(&[format!("! {told}")], true)?;
                Some("thinking".to_owned())
            }
            Event::ModelResponse(_) | Event::ModelResponseComplete(_) => {
                self.display.finish()?;
                let begun = self.calls.begun();
                self.show_calls(begun)?;
                self.calls.running()
            }
            Event::Guard { message, .. }
            | Event::Error { message, .. }
            | Event::ModelNotice { message, .. } => {
                self.display
                    .print_lines(&[format!("! {}", terminal_text::untrusted_lines(message))], true)?;
                None
            }
            _ => None,
        })
    }

    /// Asks what is open, one after the other. True if the user stopped the run instead of an answer.
    fn questions(&mut self, typed: &mut TypedAhead) -> Result<bool, Failure> {
        let display = self.open_agent.agent.display().clone();
        for slot in display.stack().iter().filter(|slot| is_notice(slot)) {
            self.notice(slot)?;
        }
        while let Some(slot) = display.stack().into_iter().find(|slot| slot.waits) {
            if self.is_allowed(&slot) {
                let _ = display.resolve(&slot.id, Json::string("once"));
                continue;
            }
            let rule = rule_for(&slot, &self.open_agent.guard);
            let question = Question::with_rule(&slot, &self.open_agent.workspace, rule.as_ref());
            self.display.line("")?;
            // Whoever began while the question was made is typing too.
            let stops = typed.give_back()?;
            let is_typing = typed.is_typing();
            if stops {
                return Ok(true);
            }
            self.was_asked = true;
            match prompt::put(&question, is_typing)? {
                None => return Ok(true),
                Some(Answer::No(reason)) => drop(display.reject(&slot.id, reason)),
                Some(Answer::Value(value)) => {
                    match display.resolve(&slot.id, self.by_rule(value, rule.as_ref())?) {
                        Ok(true) => {}
                        Ok(false) => self.display.line("! this question is no longer open")?,
                        Err(error @ DisplayError::WrongOutput { .. }) => {
                            self.display.line(&format!("! {error}"))?;
                        }
                        Err(error) => return Err(Failure::new(error.to_string())),
                    }
                }
            }
        }
        Ok(false)
    }

    /// A rule is written before the call runs that it is for. Where that fails, the call runs once: it is what the person allowed.
    fn by_rule(&mut self, value: Json, rule: Option<&Rule>) -> Result<Json, Failure> {
        if value.to_text().as_deref() != Some(BY_RULE) {
            return Ok(value);
        }
        let Some(rule) = rule else { return Ok(Json::string("once")) };
        match self.open_agent.guard.allow_file.add(rule) {
            Ok(()) => {
                let rule = terminal_text::name(&rule.to_string());
                self.display.print_lines(&[format!("{NAME} has the rule now: {rule}")], true)?;
            }
            Err(why) => self.display.line(&format!("! {why}"))?,
        }
        Ok(Json::string("once"))
    }

    fn show_calls(&mut self, shown: Vec<Shown>) -> Result<(), Failure> {
        for Shown { call, result, change } in shown {
            if let Some(call) = call {
                self.display.print_lines(&[format!("● {call}")], false)?;
            }
            self.display.print_lines(&result_rows(&result, pages::size().0), true)?;
            self.display.print_lines(&change, false)?;
        }
        Ok(())
    }

    /// What a call has changed of a file, where nobody was asked about it before.
    fn unseen_change(&mut self, result: &ToolUseResult, input: Option<&Json>) -> Vec<String> {
        let was_seen = std::mem::take(&mut self.was_asked);
        let change = match input {
            Some(input) if !was_seen && result.result.status == ToolStatus::Success => {
                self.open_agent.workspace.change_by(&result.tool_name, input)
            }
            _ => None,
        };
        let Some(change) = change else { return Vec::new() };
        let mut lines = terminal_text::change_lines(&change);
        let more = lines.len().saturating_sub(CHANGE_LINES);
        lines.truncate(CHANGE_LINES);
        let changed = 1..lines.len();
        let mut reading = Reading::with_change(lines, &changed);
        if more > 0 {
            reading
                .extend(Reading::plain([format!("… {more} more lines; /diff shows all that was changed")]));
        }
        reading.indented("  ").lines()
    }

    /// Shows what nobody waits for, once.
    fn notice(&mut self, slot: &Slot) -> Result<(), Failure> {
        if !self.noticed.contains(&slot.id) {
            self.noticed.push(slot.id.clone());
            self.display.print_lines(&terminal_text::notice_lines(slot), false)?;
        }
        Ok(())
    }

    fn is_allowed(&self, slot: &Slot) -> bool {
        slot.renderer == "permission_request" && tool_of(slot).is_some_and(|tool| self.allow.contains(&tool))
    }
}

/// What came of a call below it: a line of a result is one row, and why there is none is told to its end.
fn result_rows(result: &[String], width: usize) -> Vec<String> {
    let width = width.saturating_sub(INDENT.len());
    let is_whole = result.first().is_some_and(|line| line.starts_with('✗'));
    let rows = |line: &String| {
        let mut rows = pages::rows(&[line], width);
        if rows.len() > 1 && !is_whole {
            rows = pages::rows(&[line], width.saturating_sub(1));
            rows.truncate(1);
            rows.iter_mut().for_each(|row| row.push('…'));
        }
        rows.into_iter().map(|row| format!("{INDENT}{row}"))
    };
    result.iter().flat_map(rows).collect()
}

/// The commands and the keys, what each does behind its name.
fn help_rows(width: usize) -> Vec<String> {
    const COLUMN: usize = 13;
    let mut lines = Vec::new();
    for (title, names) in [("", COMMANDS), ("While it works:", KEYS)] {
        if !title.is_empty() {
            lines.push(title.to_owned());
        }
        for (name, about) in names {
            let rows = words_within(about, width.saturating_sub(COLUMN));
            lines.extend(rows.into_iter().enumerate().map(|(at, row)| {
                let name = if at == 0 { name } else { "" };
                format!("{name:COLUMN$}{row}")
            }));
        }
    }
    lines
}

/// Our own words in rows of this width, broken between them.
fn words_within(text: &str, width: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let Some(row) = rows.last_mut() else { break };
        if row.is_empty() {
            row.push_str(word);
        } else if row.chars().count() + 1 + word.chars().count() <= width {
            row.push(' ');
            row.push_str(word);
        } else {
            rows.push(word.to_owned());
        }
    }
    rows
}

/// What would let calls like the one run that is asked about.
fn rule_for(slot: &Slot, guard: &Guard) -> Option<Rule> {
    if slot.renderer != "permission_request" {
        return None;
    }
    let input: serde_json::Value = slot.input.read().ok()?;
    guard.rule_for(input.get("toolName")?.as_str()?, &Json::from(input.get("toolInput")?.clone()))
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

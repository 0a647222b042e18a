//! A question in a terminal, until it is answered or left.

use std::error::Error;
use std::fmt;
use std::io::{self, Write, stdin, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use glove_wasm::json::Json;
use inquire::{InquireError, Password, PasswordDisplayMode, Text};
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, tcflush, tcgetattr, tcsetattr};
use rustyline::error::ReadlineError;
use rustyline::history::{History, MemHistory};
use rustyline::{
    Cmd, ConditionalEventHandler, Config, EditMode, Editor, Event, EventContext, EventHandler, Helper,
    KeyCode, KeyEvent, Modifiers, RepeatCount,
};
use serde_json::{Map, Value};

use crate::parts::decision::{Decision, LineResult};
use crate::parts::keys::{has_input, read_available};
use crate::parts::pages;
use crate::parts::questions::{Answer, Ask, Choice, Field, Question, choice_lines, read_choice};
use crate::parts::reading::Reading;
use crate::parts::text;

/// Rows around what is read: the lines to choose from come besides.
const AROUND: usize = 6;
const ANSWER: &str = "Answer: ";
const FEWEST_ROWS: usize = 5;
/// So long nothing is typed before a question is answered by somebody who was typing.
pub const QUIET: Duration = Duration::from_millis(600);
/// So often it is looked whether a question still stands.
pub const LOOK: Duration = Duration::from_millis(100);
const CTRL_C: u8 = 3;
/// How long a key that begins with Escape may take to arrive.
const ESCAPE_MS: u16 = 50;

/// Asks; of somebody who is typing something else, only when they have seen it. `None` when the person interrupts instead of an answer.
pub fn put(question: &Question, is_typing: bool) -> io::Result<Option<Answer>> {
    ask(question, How { is_typing, stands: None })
}

/// The same for as long as the question stands and nobody has begun to answer it. Fails with [`Gone`] where it does not stand any more.
pub fn put_while(
    question: &Question,
    is_typing: bool,
    stands: &dyn Fn() -> bool,
) -> io::Result<Option<Answer>> {
    ask(question, How { is_typing, stands: Some(stands) })
}

/// A question was answered elsewhere, or taken back.
#[derive(Debug)]
pub struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this question is no longer open")
    }
}

impl Error for Gone {}

impl Gone {
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<Gone>())
    }
}

/// How somebody is asked.
#[derive(Clone, Copy)]
struct How<'a> {
    is_typing: bool,
    stands: Option<&'a dyn Fn() -> bool>,
}

const ALONE: How<'static> = How { is_typing: false, stands: None };

fn ask(question: &Question, how: How<'_>) -> io::Result<Option<Answer>> {
    drop_typed_ahead();
    let message = question.message.as_str();
    if let Ask::Decision(decision) = &question.ask {
        return decide_so(&question.read_first(), question.last_line(), decision.clone(), how);
    }
    print(&question.reading().lines())?;
    if let Ask::Choice { choices, default } = &question.ask {
        let asked = choose(message, choices, *default, how)?;
        return Ok(asked.map(|choice| choice.map_or(Answer::No(None), Choice::answer)));
    }
    if until_seen(how.is_typing)? {
        return Ok(None);
    }
    match typed(message, &question.ask, how) {
        Ok(answer) => Ok(Some(answer)),
        Err(InquireError::OperationCanceled) => Ok(Some(Answer::No(None))),
        Err(InquireError::OperationInterrupted) => Ok(None),
        Err(InquireError::IO(error)) => Err(error),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// Waits for the first key of an answer, which stays to be read. What is shown meanwhile is taken away again.
fn until_key(shown: &str, how: How<'_>) -> io::Result<()> {
    let (Some(stands), Ok(before)) = (how.stands, tcgetattr(stdin())) else { return Ok(()) };
    let mut out = stdout();
    write!(out, "{shown}")?;
    out.flush()?;
    let mut modes = before.clone();
    modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    let _ = tcsetattr(stdin(), OptionalActions::Now, &modes);
    let came = loop {
        match has_input(LOOK) {
            Ok(false) if stands() => {}
            came => break came,
        }
    };
    let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    let shown: Vec<&str> = shown.split('\n').collect();
    let rows = pages::rows(&shown, pages::size().0).len();
    if rows > 1 {
        write!(out, "\x1b[{}A", rows - 1)?;
    }
    write!(out, "\r\x1b[J")?;
    out.flush()?;
    if came? { Ok(()) } else { Err(io::Error::other(Gone)) }
}

/// Whatever was typed before a question was there is no answer to it.
fn drop_typed_ahead() {
    let _ = tcflush(stdin(), QueueSelector::IFlush);
}

/// Whoever was typing something else types on for a moment: the end of their words is no answer to what they have not read. True when they
/// interrupt.
pub fn until_seen(is_typing: bool) -> io::Result<bool> {
    let (true, Ok(before)) = (is_typing, tcgetattr(stdin())) else { return Ok(false) };
    let mut modes = before.clone();
    // Keys come one by one and are not echoed, and ctrl-C is one of them.
    modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    let _ = tcsetattr(stdin(), OptionalActions::Now, &modes);
    drop_typed_ahead();
    let interrupts = until_quiet();
    let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    interrupts
}

fn until_quiet() -> io::Result<bool> {
    let mut last_key = Instant::now();
    // A signal, such as that of a new size, ends a wait and not the quiet.
    while let Some(left) = QUIET.checked_sub(last_key.elapsed()) {
        if !has_input(left)? {
            continue;
        }
        let typed = read_available()?;
        if typed.contains(&CTRL_C) {
            return Ok(true);
        }
        // The terminal is gone.
        if typed.is_empty() {
            break;
        }
        last_key = Instant::now();
    }
    Ok(false)
}

/// A decision about what is to be read first.
pub fn decide(
    text: &Reading,
    message: &str,
    decision: Decision,
    is_typing: bool,
) -> io::Result<Option<Answer>> {
    decide_so(text, message, decision, How { is_typing, stands: None })
}

fn decide_so(
    text: &Reading,
    message: &str,
    mut decision: Decision,
    how: How<'_>,
) -> io::Result<Option<Answer>> {
    drop_typed_ahead();
    let (width, height) = pages::size();
    let rows = text.rows(width);
    let fit = height.saturating_sub(AROUND + decision.lines().len()).max(FEWEST_ROWS);
    if rows.len() > fit {
        // At least what stands for it is folded.
        let shown = fit.saturating_sub(1);
        decision.fold();
        print(rows.get(..shown).unwrap_or_default())?;
        print(&[format!("… {} more rows; v shows all of it", rows.len() - shown)])?;
    } else {
        print(&text.lines())?;
    }
    print(&[format!("? {message}")])?;
    print(&decision.lines())?;
    if until_seen(how.is_typing)? {
        return Ok(None);
    }
    loop {
        let line = match line(ANSWER, how)? {
            Typed::Line(line) => line,
            Typed::Left => return Ok(Some(Answer::No(None))),
            Typed::Interrupted => return Ok(None),
        };
        match decision.read(&line) {
            LineResult::Answer(answer) => return Ok(Some(answer)),
            LineResult::Again(how) => print(&[format!("! {how}")])?,
            LineResult::Open => pages::open(|width| text.rows(width))?,
        }
    }
}

/// One of these clean lines, or none.
pub fn pick(message: &str, labels: &[String]) -> io::Result<Option<usize>> {
    drop_typed_ahead();
    let choice =
        |(at, label): (usize, &String)| Choice { label: label.clone(), value: Some(Value::from(at)) };
    let choices: Vec<_> = labels.iter().enumerate().map(choice).collect();
    let chosen = choose(message, &choices, None, ALONE)?.flatten();
    Ok(chosen.and_then(|chosen| choices.iter().position(|choice| choice == chosen)))
}

/// By its number or its words. An empty line is what the question names as usual, if it does.
fn choose<'a>(
    message: &str,
    choices: &'a [Choice],
    default: Option<usize>,
    how: How<'_>,
) -> io::Result<Option<Option<&'a Choice>>> {
    print(&[format!("? {message}")])?;
    print(&choice_lines(choices, default))?;
    if until_seen(how.is_typing)? {
        return Ok(None);
    }
    loop {
        match line(ANSWER, how)? {
            Typed::Left => return Ok(Some(None)),
            Typed::Interrupted => return Ok(None),
            Typed::Line(line) => match read_choice(choices, default, &line) {
                Ok(choice) => return Ok(Some(Some(choice))),
                Err(how) => print(&[format!("! {how}")])?,
            },
        }
    }
}

fn typed(message: &str, ask: &Ask, how: How<'_>) -> Result<Answer, InquireError> {
    if !matches!(ask, Ask::Form(_)) {
        until_key(&asks(message), how)?;
    }
    Ok(match ask {
        Ask::Text { default } => {
            Answer::Value(Json::string(&Text::new(message).with_initial_value(&preset(default)).prompt()?))
        }
        Ask::Secret => Answer::Value(Json::string(&secret(message)?)),
        Ask::Form(fields) => {
            let mut values = Map::new();
            for (at, field) in fields.iter().enumerate() {
                let message = match fields.len() {
                    1 => message.replace('\n', " "),
                    count => format!("{} ({} of {count})", message.replace('\n', " "), at + 1),
                };
                if let Some(value) = fill(&message, field, how)? {
                    values.insert(field.name.clone(), value);
                }
            }
            Answer::Value(Json::from(Value::Object(values)))
        }
        Ask::Notice | Ask::Choice { .. } | Ask::Decision(_) => {
            Text::new(message).with_help_message("enter goes on").prompt()?;
            Answer::Value(Json::null())
        }
    })
}

/// What stands in the line that is to be edited: a terminal finds nothing in it to obey.
fn preset(default: &str) -> String {
    text::safe_text(default).replace(['\n', '\t'], " ")
}

fn secret(message: &str) -> Result<String, InquireError> {
    Password::new(message).without_confirmation().with_display_mode(PasswordDisplayMode::Hidden).prompt()
}

/// `None` for a field that may stay empty and does.
fn fill(form: &str, field: &Field, how: How<'_>) -> Result<Option<Value>, InquireError> {
    let message = format!("{form} {}:", text::isolated_name(&field.label));
    if !field.options.is_empty() {
        let chosen = choose(&message, &field.options, None, How { is_typing: false, ..how });
        let chosen = chosen.map_err(InquireError::IO)?;
        return match chosen {
            Some(Some(choice)) => Ok(choice.value.clone()),
            Some(None) => Err(InquireError::OperationCanceled),
            None => Err(InquireError::OperationInterrupted),
        };
    }
    loop {
        until_key(&asks(&message), how)?;
        let text = match field.secret {
            true => secret(&message)?,
            false => Text::new(&message).with_initial_value(&preset(&field.default)).prompt()?,
        };
        match (text.trim().is_empty(), field.required) {
            (false, _) => return Ok(Some(Value::String(text))),
            (true, false) => return Ok(None),
            (true, true) => {}
        }
    }
}

fn print(lines: &[String]) -> io::Result<()> {
    let mut out = stdout();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

enum Typed {
    Line(String),
    /// Escape, or the end of the input.
    Left,
    Interrupted,
}

/// Escape leaves, also where a terminal sends it as the beginning of another key.
struct Escape(Arc<AtomicBool>);

impl ConditionalEventHandler for Escape {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        let KeyEvent(code, modifiers) = event.get(0)?;
        (*code == KeyCode::Esc || modifiers.contains(Modifiers::ALT)).then(|| {
            self.0.store(true, Ordering::SeqCst);
            Cmd::Interrupt
        })
    }
}

/// For as long as this is held the editor waits for keys and for signals. Otherwise it waits for keys alone: a signal that arrives
/// after the prompt is shown and before it waits is caught by its handler and heard by nobody.
pub fn hear_signals<H: Helper, I: History>(editor: &mut Editor<H, I>) -> impl Sized + use<H, I> {
    // Where it is no terminal there is nothing to wait for.
    editor.create_external_printer().ok()
}

/// What stands before an answer that an editor reads, as that draws it.
fn asks(message: &str) -> String {
    format!("? {message} ")
}

/// One line. An editor of its own: what was typed in another one is nothing of this.
fn line(prompt: &str, how: How<'_>) -> io::Result<Typed> {
    until_key(prompt, how)?;
    let failed = |error: ReadlineError| io::Error::other(error.to_string());
    // In the other mode Escape and a digit are the beginning of a number.
    let config = Config::builder()
        .edit_mode(EditMode::Vi)
        .keyseq_timeout(Some(ESCAPE_MS))
        .auto_add_history(false)
        .build();
    let mut editor: Editor<(), MemHistory> =
        Editor::with_history(config, MemHistory::new()).map_err(failed)?;
    let escaped = Arc::new(AtomicBool::new(false));
    editor.bind_sequence(Event::Any, EventHandler::Conditional(Box::new(Escape(Arc::clone(&escaped)))));
    let _hears = hear_signals(&mut editor);
    match editor.readline(prompt) {
        Ok(line) => Ok(Typed::Line(line)),
        Err(ReadlineError::Eof) => Ok(Typed::Left),
        Err(ReadlineError::Interrupted) if escaped.load(Ordering::SeqCst) => Ok(Typed::Left),
        Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
        Err(error) => Err(failed(error)),
    }
}

//! What a session shows and asks, in the terminal of the program: beside whatever else it prints there.

use std::fmt;
use std::io::{self, BufRead, IsTerminal, Write, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use glove_wasm::display::Slot;
use glove_wasm::runtime::{Glove, Session, Subscription};
use glove_wasm_coding::Workspace;
use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};

use crate::on_demand::{OnDemand, typed_line, wanted_line};
use crate::parts::prompt::{self, Gone};
use crate::parts::questions::{Answer, Ask, Question, Reply, is_notice, settle};
use crate::parts::text;

/// Whose question stands in the terminal: one at a time, of all displays of the program.
static TERMINAL: Mutex<()> = Mutex::new(());

const NOBODY: &str = "Nobody was there to answer.";
const IGNORED: &str = "! input for a question that is gone was ignored";
/// How often it is looked, in the time of a look, whether the terminal was let go of.
const LOOKS: u32 = 10;

/// Shows the slots of a session in the terminal and asks its questions there: `info`, `confirm`, `input`, `select`, `secret`, `form`, and
/// whether a tool may run. One question at a time, each asked with all that it is about; Escape turns it down, and ctrl-C stops the
/// run. Where the input is no terminal, each question takes a line of it, and where it has ended, questions are turned down. A program that
/// reads the input too takes a line at a time (`stdin().read_line`): `stdin().lines()` and `stdin().lock()` keep it from everybody else.
#[derive(Default)]
pub struct CliDisplay {
    folder: Option<Workspace>,
    lines: Option<Lines>,
}

/// Where lines are read and written in place of a terminal.
struct Lines {
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
}

/// Draws for as long as it is held.
#[must_use = "nothing is shown and asked once this is dropped"]
pub struct Attached {
    listening: Subscription,
    is_held: Arc<AtomicBool>,
    /// How the terminal was before the question that stands in it.
    before: Before,
}

type Before = Arc<Mutex<Option<Termios>>>;

impl CliDisplay {
    pub fn new() -> Self {
        CliDisplay::default()
    }

    /// Calls that write files of this folder are shown as what they change.
    pub fn folder(mut self, folder: Workspace) -> Self {
        self.folder = Some(folder);
        self
    }

    /// In place of the terminal: what is shown and asked goes to one, and answers are lines of the other.
    pub fn through(
        mut self,
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> Self {
        self.lines = Some(Lines { input: Box::new(input), output: Box::new(output) });
        self
    }

    /// Begins with what stands on the display already, such as questions of a session that was opened again.
    pub fn attach(self, agent: &Glove) -> Attached {
        let CliDisplay { folder, lines } = self;
        let (input, output): (_, Box<dyn Write + Send>) = match lines {
            Some(Lines { mut input, output }) => {
                (Input::Lines(OnDemand::read_by(move |wanted| wanted_line(&mut *input, wanted))), output)
            }
            None if !stdin().is_terminal() => {
                let read = |wanted: &AtomicBool| wanted_line(&mut stdin().lock(), wanted);
                (Input::Stdin(OnDemand::read_by(read)), Box::new(stdout()))
            }
            None if stdout().is_terminal() => (Input::Terminal, Box::new(stdout())),
            None => (Input::Typed, Box::new(stdout())),
        };
        let shown =
            Arc::new(Mutex::new(Shown { output, noticed: Vec::new(), held: Vec::new(), is_asking: false }));
        let (changed, changes) = channel();
        let (notices, tells) = (Arc::clone(&shown), Mutex::new(changed.clone()));
        // A notice is printed by whoever shows it, so that what they print next stands below it.
        let listening = agent.display().subscribe(move |stack: &[Slot]| {
            locked(&notices).notices(stack);
            let _ = locked(&tells).send(());
        });
        locked(&shown).notices(&agent.display().stack());
        let _ = changed.send(());
        drop(changed);
        let is_held = Arc::new(AtomicBool::new(true));
        let is_wanted = Arc::clone(&is_held);
        let session = agent.session().clone();
        let before = Before::default();
        let mut asking = Asking {
            session,
            folder,
            input,
            shown,
            is_wanted,
            before: Arc::clone(&before),
            left: Vec::new(),
            was_gone: false,
        };
        thread::spawn(move || {
            while changes.recv().is_ok() && asking.is_wanted() {
                if let Err(error) = asking.ask() {
                    let _ = writeln!(locked(&asking.shown).output, "! {}", text::clean(&error.to_string()));
                    asking.turn_down();
                }
            }
        });
        Attached { listening, is_held, before }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.is_held.store(false, Ordering::SeqCst);
        self.listening.end();
        // The question that stands sees it at its next look, and lets go of the terminal. One that is being answered does not look.
        for _ in 0..2 * LOOKS {
            if locked(&self.before).is_none() {
                return;
            }
            thread::sleep(prompt::LOOK / LOOKS);
        }
        if let Some(modes) = locked(&self.before).take() {
            let _ = tcsetattr(stdin(), OptionalActions::Now, &modes);
        }
    }
}

/// What is printed, by the thread that asks and by whoever shows something.
struct Shown {
    output: Box<dyn Write + Send>,
    /// The notices of the stack that are printed.
    noticed: Vec<String>,
    /// Lines of notices that wait for the end of a question: the call that shows them may be over by then.
    held: Vec<String>,
    /// Nothing is printed into a line that somebody types.
    is_asking: bool,
}

impl Shown {
    fn notices(&mut self, stack: &[Slot]) {
        self.noticed.retain(|known| stack.iter().any(|slot| slot.id == *known));
        for slot in stack.iter().filter(|slot| is_notice(slot)) {
            if !self.noticed.contains(&slot.id) {
                self.noticed.push(slot.id.clone());
                self.held.extend(text::notice_lines(slot));
            }
        }
        if !self.is_asking {
            let held = std::mem::take(&mut self.held);
            let _ = self.print(&held);
        }
    }

    fn print(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            writeln!(self.output, "{line}")?;
        }
        self.output.flush()
    }
}

/// Where answers come from.
enum Input {
    Terminal,
    /// A terminal, while what is shown goes elsewhere.
    Typed,
    Stdin(OnDemand),
    Lines(OnDemand),
}

/// What came of a question.
enum Said {
    Answer(Answer),
    /// The person interrupts.
    Stop,
    /// It is no longer open, or nobody wants to hear of it.
    Gone,
}

struct Asking {
    session: Session,
    folder: Option<Workspace>,
    input: Input,
    shown: Arc<Mutex<Shown>>,
    is_wanted: Arc<AtomicBool>,
    before: Before,
    /// Questions that were open when the person stopped the run: they go with it.
    left: Vec<String>,
    /// The last question was, and somebody may still be answering it.
    was_gone: bool,
}

impl Asking {
    fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::SeqCst)
    }

    /// Asks what is open, one after the other.
    fn ask(&mut self) -> io::Result<()> {
        let display = self.session.display().clone();
        loop {
            if self.next().is_none() {
                break;
            }
            let turn = (!matches!(self.input, Input::Lines(_))).then(|| locked(&TERMINAL));
            let is_terminal = matches!(self.input, Input::Terminal | Input::Typed);
            // First: whoever lets go of the display looks for it.
            *locked(&self.before) = is_terminal.then(|| tcgetattr(stdin()).ok()).flatten();
            // It may have been answered elsewhere while another display had the terminal.
            let Some(slot) = self.next().filter(|_| self.is_wanted()) else {
                *locked(&self.before) = None;
                break;
            };
            let mut question = Question::of(&slot, self.folder.as_ref(), &self.session);
            locked(&self.shown).is_asking = true;
            let said = self.answer_to(&mut question);
            *locked(&self.before) = None;
            self.was_gone = matches!(said, Ok(Said::Gone));
            locked(&self.shown).is_asking = false;
            drop(turn);
            // Who has let go of the display meant something else with what was typed.
            if !self.is_wanted() {
                break;
            }
            // With nothing locked: who hears of the answer prints too.
            let told = match said? {
                Said::Answer(answer) => settle(&display, &slot.id, answer),
                Said::Gone => Some(format!("! {Gone}")),
                Said::Stop => {
                    self.stop(&slot);
                    None
                }
            };
            let mut shown = locked(&self.shown);
            shown.print(&told.into_iter().collect::<Vec<_>>())?;
            shown.notices(&display.stack());
        }
        let stack = display.stack();
        self.left.retain(|id| stack.iter().any(|slot| slot.id == *id));
        Ok(())
    }

    /// Stops the run, and all that it asks goes with it. What the program asks itself is turned down: nothing else would end it.
    fn stop(&mut self, asked: &Slot) {
        let display = self.session.display().clone();
        let is_of_run =
            |slot: &Slot| slot.owner.is_some() || self.session.with_run(|run| run.asked(&slot.id).is_some());
        let open = display.stack().into_iter().filter(|slot| slot.waits && is_of_run(slot));
        let open: Vec<Slot> = open.collect();
        if open.iter().all(|slot| slot.id != asked.id) {
            display.reject(&asked.id, None);
        }
        self.session.abort();
        for slot in open {
            // A tool that goes on to its end would wait for it.
            if self.is_of_un_abortable(&slot) {
                display.reject(&slot.id, None);
            }
            self.left.push(slot.id);
        }
    }

    fn is_of_un_abortable(&self, slot: &Slot) -> bool {
        let Some(call) = &slot.owner else { return false };
        self.session.with_run(|run| {
            let tool = run.call(call).map(|call| call.tool_name);
            run.settings().tools.iter().any(|spec| spec.un_abortable && tool == Some(spec.name.as_str()))
        })
    }

    fn next(&self) -> Option<Slot> {
        let stack = self.session.display().stack();
        stack.into_iter().find(|slot| slot.waits && !self.left.contains(&slot.id))
    }

    fn answer_to(&mut self, question: &mut Question) -> io::Result<Said> {
        let (display, is_wanted) = (self.session.display().clone(), Arc::clone(&self.is_wanted));
        let id = question.slot.clone();
        let stands = move || {
            let stack = display.stack();
            is_wanted.load(Ordering::SeqCst) && stack.iter().any(|slot| slot.waits && slot.id == id)
        };
        if matches!(self.input, Input::Terminal) {
            return match prompt::put_while(question, self.was_gone, &stands) {
                Ok(answer) => Ok(answer.map_or(Said::Stop, Said::Answer)),
                Err(error) if Gone::is(&error) => Ok(Said::Gone),
                Err(error) => Err(error),
            };
        }
        let mut was_gone = self.was_gone;
        if let Input::Lines(lines) | Input::Stdin(lines) = &mut self.input
            && lines.forget()
        {
            was_gone = false;
            locked(&self.shown).print(&[IGNORED.to_owned()])?;
        }
        let mut told = question.lines();
        let is_typed = matches!(self.input, Input::Typed);
        if is_typed {
            // What was typed before the question was asked is no answer to it.
            let _ = tcflush(stdin(), QueueSelector::IFlush);
        }
        let _unseen = (is_typed && question.ask == Ask::Secret).then(text::Unseen::begin);
        loop {
            locked(&self.shown).print(&told)?;
            if std::mem::take(&mut was_gone) {
                let is_ignored = match &mut self.input {
                    Input::Lines(lines) | Input::Stdin(lines) => lines.forget_within(prompt::QUIET),
                    Input::Terminal | Input::Typed if prompt::until_seen(true)? => return Ok(Said::Stop),
                    Input::Terminal | Input::Typed => false,
                };
                if is_ignored {
                    locked(&self.shown).print(&[IGNORED.to_owned()])?;
                }
            }
            let line = match &mut self.input {
                Input::Lines(lines) | Input::Stdin(lines) => lines.next(&stands)?,
                Input::Terminal | Input::Typed => typed_line(&stands)?,
            };
            let Some(line) = line else { return Ok(Said::Gone) };
            if line.is_empty() {
                return Ok(Said::Answer(Answer::No(Some(NOBODY.to_owned()))));
            }
            match question.read(line.trim_end_matches(['\r', '\n'])) {
                Reply::Answer(answer) => return Ok(Said::Answer(answer)),
                Reply::Again(how) => told = vec![format!("! {how}")],
            }
        }
    }

    /// Where nothing can be asked, nothing is allowed.
    fn turn_down(&self) {
        let display = self.session.display();
        for slot in display.stack().into_iter().filter(|slot| slot.waits) {
            display.reject(&slot.id, Some(NOBODY.to_owned()));
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for CliDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CliDisplay")
    }
}

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Attached")
    }
}

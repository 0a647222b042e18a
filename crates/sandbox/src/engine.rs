//! The engine of one call: it runs the code, asks for files and pages, and ends with a word about how that went.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rquickjs::loader::{Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Context, Ctx, Function, Module, Object, Persistent, Runtime};

use super::job::{Job, MAX_LOG_BYTES, Message, READY};

/// The same in pages.
const PRELUDE: &str = include_str!("prelude.js");

/// Recursion ends there, before the thread's own stack does.
const STACK: usize = 256 * 1024;
pub(super) const THREAD_STACK: usize = 4 * 1024 * 1024;
/// What a question costs beside its text.
const QUESTION: usize = 100;

/// There is one module, and it imports none.
struct OnlyTool(String);

impl Resolver for OnlyTool {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        _: &str,
        name: &str,
        _: Option<rquickjs::loader::ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        Ok(name.to_owned())
    }
}

impl Loader for OnlyTool {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<rquickjs::loader::ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        match name {
            "tool" => Module::declare(ctx.clone(), name, self.0.as_str()),
            _ => Err(rquickjs::Exception::throw_type(ctx, &format!("there is no module \"{name}\""))),
        }
    }
}

/// What the code may say, and has said.
struct EnginePort<S, E> {
    say: S,
    ends: E,
    /// Questions without an answer, and what each holds: it is outside of the engine's own memory.
    unanswered: Mutex<Vec<(u32, usize)>>,
    logged: AtomicUsize,
    /// The call has its outcome.
    done: AtomicBool,
    /// That outcome, until the code has come back.
    word: Mutex<Option<Message>>,
    most_held: usize,
}

impl<S: Fn(Message), E: Fn()> EnginePort<S, E> {
    fn hear(&self, mut message: Message) {
        if self.done.load(Ordering::Relaxed) {
            return;
        }
        match (message.id, message.name.as_str()) {
            (0, "log") => {
                let before = self.logged.fetch_add(message.text.len() + 1, Ordering::Relaxed);
                if before >= MAX_LOG_BYTES {
                    return;
                }
                message.text = message.text.chars().take(MAX_LOG_BYTES).collect();
            }
            (0, _) => return self.last(message),
            _ => {
                let mut unanswered = self.unanswered();
                unanswered.push((message.id, message.text.len() + QUESTION));
                let held: usize = unanswered.iter().map(|(_, size)| size).sum();
                drop(unanswered);
                if held > self.most_held {
                    // The code goes on, and nobody knows for how long: the call does not wait for that.
                    if !self.done.swap(true, Ordering::Relaxed) {
                        (self.say)(Message::word("memory", ""));
                    }
                    return;
                }
            }
        }
        (self.say)(message);
    }

    fn last(&self, message: Message) {
        if !self.done.swap(true, Ordering::Relaxed) {
            *self.word() = Some(message);
        }
    }

    /// Nothing of the code runs any more.
    fn end(&self) {
        (self.ends)();
        if let Some(word) = self.word().take() {
            (self.say)(word);
        }
    }

    fn word(&self) -> MutexGuard<'_, Option<Message>> {
        self.word.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unanswered(&self) -> MutexGuard<'_, Vec<(u32, usize)>> {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the code of a job, and says `ready` when it begins. `stopped` ends it wherever the engine looks at it, which is not everywhere: some
/// functions of the language are one long call of the engine's own. Whoever must be sure ends the process. `ends` is called when the code has come
/// back, before the last word is said; code that asks for more than it may has its last word said before.
pub(super) fn run(
    job: &Job,
    stopped: &Arc<AtomicBool>,
    answers: &Receiver<Message>,
    say: impl Fn(Message) + Send + Sync + 'static,
    ends: impl Fn() + Send + Sync + 'static,
) {
    let port = Arc::new(EnginePort {
        say,
        ends,
        unanswered: Mutex::default(),
        logged: AtomicUsize::new(0),
        done: AtomicBool::new(false),
        word: Mutex::default(),
        most_held: job.memory,
    });
    let ended = (|| -> rquickjs::Result<()> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(job.memory);
        runtime.set_max_stack_size(STACK);
        runtime.set_loader(OnlyTool(String::new()), OnlyTool(job.code.clone()));
        let context = Context::full(&runtime)?;
        let ears = Arc::clone(&port);
        let made = context.with(|ctx| -> rquickjs::Result<_> {
            let host = Function::new(ctx.clone(), move |id: u32, name: String, text: String| {
                ears.hear(Message { id, name, text });
            })?;
            let begin: Function<'_> = ctx.eval(PRELUDE)?;
            let made: Object<'_> =
                begin.call((host, job.grants.clone(), "tool", job.output as f64, job.memory as f64))?;
            Ok(Persistent::save(&ctx, made))
        })?;
        (port.say)(Message::word(READY, ""));
        let until = Instant::now() + job.time;
        let stop = Arc::clone(stopped);
        let over = move || stop.load(Ordering::Relaxed) || Instant::now() >= until;
        runtime.set_interrupt_handler(Some(Box::new(over.clone())));
        let method = |name: &str, id: Option<u32>, text: &str| {
            let made = made.clone();
            context.with(|ctx| -> rquickjs::Result<()> {
                let method: Function<'_> = made.restore(&ctx)?.get(name)?;
                match id {
                    Some(id) => method.call((id, text)),
                    None => method.call((text,)),
                }
            })
        };
        let gone_on = (|| {
            method("run", None, &job.input)?;
            loop {
                while !over() && !port.done.load(Ordering::Relaxed) {
                    match runtime.execute_pending_job() {
                        Ok(true) => {}
                        Ok(false) => break,
                        Err(_) => return Err(rquickjs::Error::Exception),
                    }
                }
                if port.done.load(Ordering::Relaxed) || over() {
                    return Ok(());
                }
                if port.unanswered().is_empty() {
                    port.last(Message::word("hangs", ""));
                    return Ok(());
                }
                match answers.recv_timeout(until.saturating_duration_since(Instant::now())) {
                    Ok(answer) => {
                        port.unanswered().retain(|(id, _)| *id != answer.id);
                        method("settle", Some(answer.id), &answer.text)?;
                    }
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
                }
            }
        })();
        if over() {
            port.last(Message::word("time", ""));
        }
        // What the prelude itself throws: there was no room even for that.
        if gone_on.is_err() {
            port.last(Message::word("memory", ""));
        }
        port.end();
        Ok(())
    })();
    if ended.is_err() {
        // There was no room even to begin.
        port.last(Message::word("memory", ""));
        port.end();
    }
}

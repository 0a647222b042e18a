//! The engine of one call, on its thread: it runs the code, asks for files and pages, and ends with a word about how that went.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use futures_channel::mpsc::UnboundedSender;
use rquickjs::loader::{Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Context, Ctx, Function, Module, Object, Runtime};

/// The same in pages.
const PRELUDE: &str = include_str!("../../sandbox/prelude.js");

/// Recursion ends there, before the thread's own stack does.
const STACK: usize = 256 * 1024;
pub(super) const THREAD_STACK: usize = 4 * 1024 * 1024;

/// What the engine says. An id of 0 asks nothing.
pub(super) struct Told {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) text: String,
}

/// An answer to what the code has asked.
pub(super) struct Answer {
    pub(super) id: u32,
    pub(super) json: String,
}

pub(super) struct Job {
    pub(super) code: String,
    pub(super) input: String,
    /// What the prelude has functions for.
    pub(super) grants: Vec<&'static str>,
    pub(super) memory: usize,
    pub(super) output: usize,
    pub(super) until: Instant,
    pub(super) stopped: Arc<AtomicBool>,
    pub(super) told: UnboundedSender<Told>,
    pub(super) answers: Receiver<Answer>,
}

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

fn say(told: &UnboundedSender<Told>, name: &str) {
    let _ = told.unbounded_send(Told { id: 0, name: name.to_owned(), text: String::new() });
}

pub(super) fn run(job: &Job) {
    let told = job.told.clone();
    let over = |job: &Job| job.stopped.load(Ordering::Relaxed) || Instant::now() >= job.until;
    let (stopped, until) = (Arc::clone(&job.stopped), job.until);
    let ended = (|| -> rquickjs::Result<()> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(job.memory);
        runtime.set_max_stack_size(STACK);
        runtime.set_interrupt_handler(Some(Box::new(move || {
            stopped.load(Ordering::Relaxed) || Instant::now() >= until
        })));
        runtime.set_loader(OnlyTool(String::new()), OnlyTool(job.code.clone()));
        let context = Context::full(&runtime)?;
        // Questions without an answer, and whether the call has its outcome.
        let asked = Arc::new(std::sync::atomic::AtomicU32::new(0));
        let done = Arc::new(AtomicBool::new(false));
        let (questions, finished, out) = (Arc::clone(&asked), Arc::clone(&done), job.told.clone());
        let methods = context.with(|ctx| -> rquickjs::Result<_> {
            let host = Function::new(ctx.clone(), move |id: u32, name: String, text: String| {
                if finished.load(Ordering::Relaxed) {
                    return;
                }
                match (id, name.as_str()) {
                    (0, "log") => {}
                    (0, _) => finished.store(true, Ordering::Relaxed),
                    _ => _ = questions.fetch_add(1, Ordering::Relaxed),
                }
                let _ = out.unbounded_send(Told { id, name, text });
            })?;
            let begin: Function<'_> = ctx.eval(PRELUDE)?;
            let grants = job.grants.clone();
            let made: Object<'_> =
                begin.call((host, grants, "tool", job.output as f64, job.memory as f64))?;
            made.get::<_, Function<'_>>("run")?.call::<_, ()>((job.input.as_str(),))?;
            Ok(rquickjs::Persistent::save(&ctx, made))
        })?;
        loop {
            while !over(job) && !done.load(Ordering::Relaxed) {
                match runtime.execute_pending_job() {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(_) => return Err(rquickjs::Error::Exception),
                }
            }
            if done.load(Ordering::Relaxed) || over(job) {
                break;
            }
            if asked.load(Ordering::Relaxed) == 0 {
                say(&job.told, "hangs");
                break;
            }
            let answer = match job.answers.recv_timeout(job.until.saturating_duration_since(Instant::now())) {
                Ok(answer) => answer,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            };
            asked.fetch_sub(1, Ordering::Relaxed);
            let methods = methods.clone();
            context.with(|ctx| {
                methods
                    .restore(&ctx)?
                    .get::<_, Function<'_>>("settle")?
                    .call::<_, ()>((answer.id, answer.json))
            })?;
        }
        Ok(())
    })();
    // Who hears several of these heeds the first.
    match ended {
        _ if over(job) => say(&told, "time"),
        Ok(()) => {}
        // What the prelude itself throws: there was no room even for that.
        Err(_) => say(&told, "memory"),
    }
}

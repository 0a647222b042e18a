//! A task in a folder: it is begun or taken up, watched, and decided about.

use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use futures_executor::block_on;
use glove_wasm_coding::Workspace;
use glove_wasm_native::TaskFolder;
use glove_wasm_task::runtime::{RunOptions, TaskAgent, TaskHandle};
use glove_wasm_task::{
    ApprovalKind, ApprovalPolicy, ApprovalRequest, Budgets, FinishReason, MemoryAccess, TaskError,
    TaskErrorKind, TaskEvent, TaskResult, TaskSpec,
};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::args::{Approve, Places, Run};
use crate::config::{Config, variables};
use crate::decision::Decision;
use crate::failure::Failure;
use crate::model::Models;
use crate::powers::{TaskPowers, usual_budgets};
use crate::questions::Answer;
use crate::reading::Reading;
use crate::task_words::event_line;
use crate::traces::Exporting;
use crate::{prompt, terminal_text};

pub(crate) fn run(places: &Places, options: &Run) -> Result<(), Failure> {
    let config = Config::read(places)?;
    let variables = variables(&config, &[])?;
    let powers = TaskPowers::new(&config, &options.powers, variables)?;
    let mut models = Models::new(config, options.model.base_url.clone());
    let model = models.choose(options.model.model.as_deref())?;
    let (progress, brief) = (options.folder.join("progress"), options.folder.join("task/brief.md"));
    // Nothing is made where a name was mistyped.
    if options.goal.is_none() && options.import.is_none() && !progress.exists() && !brief.is_file() {
        return Err(no_goal(options));
    }
    let _traces = Exporting::begin()?;
    let asks = !options.json && stdin().is_terminal() && stdout().is_terminal();
    let mut agent = powers.agent(model, &options.folder, "")?;
    if asks && (options.powers.shell || options.powers.test.is_some()) {
        // A command could write the files of decisions, and the person is here.
        agent = agent.decided_here();
    }
    let task = open(&agent.build()?, options)?;
    let json = options.json;
    task.subscribe_events(move |event| print(event, json));
    terminal_text::remember_terminal();
    let signals = watch_ctrl_c(&task)?;
    let run = RunOptions { leave_when_waiting: asks || options.leave, ..RunOptions::default() };
    let result = loop {
        let result = block_on(task.run(run))?;
        if result.approvals.is_empty() || !asks || options.leave {
            break result;
        }
        for request in &result.approvals {
            decide(&task, request, &options.folder, &signals)?;
        }
    };
    end(&result, options)?;
    match result.finish_reason {
        Some(FinishReason::Completed) => Ok(()),
        None if options.leave && !result.approvals.is_empty() => Ok(()),
        _ if signals.stopped.load(Ordering::Relaxed) => Err(Failure::interrupted()),
        _ => Err(Failure { message: why(&result), exit: 1 }),
    }
}

fn no_goal(options: &Run) -> Failure {
    Failure::new(format!(
        "there is no task in `{}`. Say what is to be reached with `--goal TEXT`, or write it into task/brief.md",
        options.folder.display()
    ))
}

fn open(agent: &TaskAgent, options: &Run) -> Result<TaskHandle, Failure> {
    let folder = || TaskFolder::open(&options.folder);
    if let Some(path) = &options.import {
        let export = std::fs::read_to_string(path)
            .map_err(|error| Failure::new(format!("`{}` cannot be read: {error}", path.display())))?;
        block_on(folder()?.import(&export))?;
    }
    match block_on(agent.resume(folder()?)) {
        Err(error) if error.kind == TaskErrorKind::Missing => {}
        Err(error) => return Err(error.into()),
        Ok(_) if options.goal.is_some() => {
            let message = format!(
                "there is a task in `{}` already; leave `--goal` out to go on with it, or give another folder",
                options.folder.display()
            );
            return Err(Failure::new(message));
        }
        Ok(task) => {
            // What is given now counts from now on.
            let budgets = task.state().spec.budgets;
            if options.minutes.is_some() || options.steps.is_some() {
                block_on(task.set_budgets(with(budgets, options)))?;
            }
            // What a folder says of approvals is no word of the user's where commands may run.
            let runs_commands = options.powers.shell || options.powers.test.is_some();
            if let Some(approve) = options.approve.or(runs_commands.then_some(Approve::Strict)) {
                block_on(task.set_policy(policy(approve)))?;
            }
            return Ok(task);
        }
    }
    let goal = match &options.goal {
        Some(goal) => goal.clone(),
        None if options.folder.join("task/brief.md").is_file() => {
            "Do what task/brief.md asks for.".to_owned()
        }
        None => return Err(no_goal(options)),
    };
    let spec = TaskSpec::new(goal)
        .budgets(with(usual_budgets(&options.powers), options))
        .approvals(policy(options.approve.unwrap_or(Approve::Strict)));
    Ok(block_on(agent.start_task(folder()?, spec))?)
}

fn with(mut budgets: Budgets, options: &Run) -> Budgets {
    if let Some(minutes) = options.minutes {
        budgets.max_wall_clock_ms = Some(minutes.saturating_mul(60_000));
    }
    if let Some(steps) = options.steps {
        budgets.max_steps = steps;
    }
    budgets
}

pub(crate) fn policy(approve: Approve) -> ApprovalPolicy {
    match approve {
        Approve::Strict => ApprovalPolicy::strict(),
        Approve::Permissive => ApprovalPolicy::permissive(),
        Approve::Automatic => ApprovalPolicy::automatic(),
    }
}

/// What ctrl-C met.
#[derive(Default)]
struct Signals {
    stopped: AtomicBool,
    /// A person is asked, so nothing is in flight.
    asks: AtomicBool,
}

/// The first ctrl-C stops the task after the call in flight, the second one leaves: the task goes on from its files either way.
fn watch_ctrl_c(task: &TaskHandle) -> Result<Arc<Signals>, Failure> {
    let signals = Arc::new(Signals::default());
    let runtime = Builder::new_current_thread().enable_all().build()?;
    // Before anything is shown: whoever asks a question puts back what was there before it.
    let mut arrived = {
        let _inside = runtime.enter();
        signal(SignalKind::interrupt())?
    };
    let (task, seen) = (task.clone(), Arc::clone(&signals));
    let watch = async move {
        while arrived.recv().await.is_some() {
            if seen.stopped.swap(true, Ordering::SeqCst) || seen.asks.load(Ordering::SeqCst) {
                terminal_text::restore_terminal();
                std::process::exit(130);
            }
            terminal_text::print_error("Stopping after the call in flight; ctrl-C again to leave at once.");
            task.stop();
        }
    };
    thread::Builder::new().name("glove-signals".to_owned()).spawn(move || runtime.block_on(watch))?;
    Ok(signals)
}

/// Asks the person at the terminal.
fn decide(
    task: &TaskHandle,
    request: &ApprovalRequest,
    folder: &Path,
    signals: &Signals,
) -> Result<(), Failure> {
    // Before anything is shown: whoever sees the question and stops it is heard here, or where the signals arrive.
    signals.asks.store(true, Ordering::SeqCst);
    if signals.stopped.load(Ordering::SeqCst) {
        return Err(Failure::interrupted());
    }
    let (text, decision) = match request.kind {
        ApprovalKind::Plan => {
            let plan = task.state().plan.map(|known| known.plan).unwrap_or_default();
            (Reading::plain(terminal_text::plan_lines(&plan)), Decision::approval())
        }
        ApprovalKind::Tool => {
            let tool = request.tool_name.as_deref().unwrap_or_default();
            // `fs_write` takes what `write_file` does.
            let change = Workspace::open(folder).ok().filter(|_| tool == "fs_write");
            let change = change.and_then(|workspace| workspace.change_of("write_file", &request.input));
            let input = request.input.read().unwrap_or_default();
            let (text, changed) = terminal_text::call_parts(tool, &input, change.as_ref(), false);
            let text = Reading::with_change(text, &(1..changed));
            match request.interrupted {
                true => (text, Decision::unless("Don't run", "Run again")),
                false => (text, Decision::approval()),
            }
        }
        ApprovalKind::Memory => {
            let entries: serde_json::Value = request.input.read().unwrap_or_default();
            let channel = request.channel.as_deref().unwrap_or_default();
            let shown = match request.access {
                Some(MemoryAccess::Write) => serde_json::json!({ "channel": channel, "entries": entries }),
                Some(MemoryAccess::Read) | None => serde_json::json!({ "channel": channel }),
            };
            let (text, _) = terminal_text::call_parts("memory", &shown, None, false);
            (Reading::plain(text), Decision::approval())
        }
    };
    let text = text.indented("  ");
    let (heading, message) = match request.kind {
        ApprovalKind::Plan => (
            "The plan (progress/plan/current.json; you may edit it before you answer):".to_owned(),
            "Go on with this plan?".to_owned(),
        ),
        ApprovalKind::Tool => (
            terminal_text::untrusted_lines(&request.rationale),
            terminal_text::call_question(
                request.tool_name.as_deref().unwrap_or_default(),
                &request.input.read().unwrap_or_default(),
            ),
        ),
        ApprovalKind::Memory => (
            terminal_text::untrusted_lines(&request.rationale),
            match request.access {
                Some(MemoryAccess::Write) => "Write this into the memory?".to_owned(),
                Some(MemoryAccess::Read) | None => "Let the task read this memory?".to_owned(),
            },
        ),
    };
    terminal_text::line(&mut stdout(), &format!("\n{heading}"))?;
    let answer = prompt::decide(&text, &message, decision, false);
    signals.asks.store(false, Ordering::SeqCst);
    let said = match answer? {
        None => return Err(Failure::interrupted()),
        Some(Answer::Value(value)) if value.as_str() == "true" => {
            block_on(task.approve(&request.id, "terminal"))
        }
        Some(Answer::Value(_)) => block_on(task.deny(&request.id, "terminal", None)),
        Some(Answer::No(reason)) => block_on(task.deny(&request.id, "terminal", reason.as_deref())),
    };
    match said {
        // Somebody else was faster.
        Err(error) if error.kind == TaskErrorKind::ApprovalClosed => Ok(()),
        said => Ok(said?),
    }
}

fn print(event: &TaskEvent, json: bool) {
    let mut out = stdout();
    // Who has closed the output does not want to hear of it.
    let _ = match json {
        true => terminal_text::line(&mut out, event.line().trim_end()),
        false => terminal_text::line(&mut out, &event_line(event)),
    };
}

fn end(result: &TaskResult, options: &Run) -> Result<(), Failure> {
    let mut out = stdout();
    if options.json {
        let text = serde_json::to_string(result).map_err(|error| Failure::new(error.to_string()))?;
        return Ok(terminal_text::line(&mut out, &text)?);
    }
    for request in &result.approvals {
        let path = terminal_text::isolated_name(&format!("progress/approvals/decisions/{}.json", request.id));
        terminal_text::line(
            &mut out,
            &format!("waits for {path}: {}", terminal_text::untrusted_lines(&request.rationale)),
        )?;
    }
    if !result.output_text.is_empty() {
        terminal_text::line(&mut out, &format!("\n{}\n", terminal_text::safe_text(&result.output_text)))?;
    }
    for warning in &result.warnings {
        terminal_text::line(&mut out, &format!("! {}", terminal_text::untrusted_lines(warning)))?;
    }
    for made in &result.deliverables {
        terminal_text::line(&mut out, &format!("{} ({} bytes)", terminal_text::name(&made.path), made.size))?;
    }
    Ok(())
}

fn why(result: &TaskResult) -> String {
    if let Some(error) = &result.error {
        return format!("{} ({}). Run it again to go on", error.message, error.code);
    }
    match result.finish_reason {
        Some(FinishReason::VerifyFailed) => {
            let reasons =
                result.verdict.as_ref().map(|verdict| verdict.reasons.join("; ")).unwrap_or_default();
            format!("the verification failed: {reasons}")
        }
        Some(FinishReason::PlanDenied) => "the plan was denied".to_owned(),
        Some(FinishReason::BudgetWallClock) => used_up(result, "time is", "--minutes"),
        Some(FinishReason::BudgetSteps) => used_up(result, "steps are", "--steps"),
        Some(FinishReason::BudgetNoProgress) => {
            "one step after another failed; see progress/notes.md, then run it again".to_owned()
        }
        Some(FinishReason::Stopped) => {
            "it was stopped; remove progress/STOP, if it is there, and run it again".to_owned()
        }
        _ => "it waits; run it again to go on".to_owned(),
    }
}

/// What is there may have been verified; it is not all that was to be done.
fn used_up(result: &TaskResult, what: &str, option: &str) -> String {
    let verified = match &result.verdict {
        Some(verdict) if verdict.pass => {
            " before all of it was done (the verification of what is there passed)"
        }
        Some(_) => " before all of it was done (the verification of what is there failed)",
        None => "",
    };
    format!("its {what} used up{verified}; give it more with `{option}`")
}

impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Self {
        Failure::new(format!("{error} ({})", error.code()))
    }
}

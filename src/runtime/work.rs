//! Doing the effects: each becomes a future that ends in an input for the machine.

use std::sync::Arc;

use futures_channel::mpsc::UnboundedSender;
use futures_util::future;
use futures_util::future::{AbortRegistration, Abortable, Either};

use crate::answer::MOST_CALLS;
use crate::attachments::Attachments;
use crate::error::{ModelError, ModelErrorKind, StoreError};
use crate::event::Event;
use crate::json::Json;
use crate::portable::{BoxFuture, MaybeSend};
use crate::ports::{
    AbortHandle, CallDisplay, CallRef, Checked, Clock, DeltaSink, DisplayPort, ModelRequest,
    PermissionStatus, Purpose, StoreAdapter, ToolContext,
};
use crate::run::effect::Effect;
use crate::run::input::{ApprovalVerdict, Carry, Input, PermissionVerdict, Reply, ToolOutcome, Validated};
use crate::runtime::driver::Driver;
use crate::runtime::in_flight::{Done, InFlight, Key};
use crate::runtime::partial_answer::PartialAnswer;
use crate::runtime::questions::{answer, show};
use crate::runtime::shared::Shared;
use crate::runtime::tool_run::ToolRun;
use crate::tool::{ToolSpec, find};

/// The longest time of a timer of the page.
const LONGEST_SLEEP_MS: u64 = 0x7fff_ffff;

impl Driver {
    /// Begins an effect that takes its time. `Persist`, `Emit` and `Finish` are the loop's own.
    pub(super) fn begin(&mut self, effect: Effect) {
        match effect {
            Effect::CallModel { call } => self.call_model(call, Purpose::Turn),
            Effect::Compact { call } => self.call_model(call, Purpose::Summary),
            Effect::CheckPermission { call_id } => self.check_permission(call_id),
            Effect::CheckApproval { call_id } => self.check_approval(call_id),
            Effect::RememberPermission { call_id, granted } => self.remember_permission(&call_id, granted),
            Effect::RunTool { call_id, .. } => self.run_tool(call_id),
            Effect::RunUndo { call_id } => self.run_undo(call_id),
            Effect::Ask { question } => self.ask(&question),
            Effect::CancelQuestion { question } => {
                self.cancel(&Key::Question(question.clone()));
                self.shared.display.remove_slot(&question);
                self.shared.display.forget_early(&question);
            }
            Effect::CancelModel { call } => self.cancel(&Key::Model(call)),
            Effect::CancelTool { call_id } => {
                self.cancel(&Key::Undo(call_id.clone()));
                self.shared.display.remove_owned(&call_id);
                self.cancel(&Key::Call(call_id));
            }
            Effect::ResumeTool { call_id, key } => match self.shared.tool_run(&call_id) {
                Some(tool_run) => tool_run.go_on(&key),
                None => self.shared.display.tell(&key),
            },
            Effect::SetTimer { timer, after_ms } => {
                let sleep = self.shared.clock.sleep(after_ms);
                self.start(Key::Timer(timer), async move {
                    sleep.await;
                    Done::from(Input::TimerFired { timer })
                });
            }
            Effect::ConsumeInbox { ids } => {
                let consumed = self.shared.store.consume_inbox(&ids);
                self.note(consumed);
            }
            Effect::Persist { .. } | Effect::Emit(_) | Effect::Finish { .. } => {}
        }
    }

    /// What comes of work that has ended.
    pub(super) fn finish_work(&mut self, key: &Key, done: Done) -> Option<Input> {
        let cancelled = self.ended(key).is_none();
        match done {
            Done::Input(input) => return Some(*input),
            Done::Inbox(inbox) => self.inbox_read(inbox),
            // The host is prepared for a model call, or cannot be.
            Done::Noted(prepared) if let Key::Model(call) = *key => match prepared {
                // It may have been stopped in this moment.
                _ if cancelled => {}
                Ok(()) => {
                    self.prepared = Some(call);
                    self.batch.push(Effect::CallModel { call });
                }
                Err(StoreError { message, .. }) => {
                    let error = ModelError::new(ModelErrorKind::Plugin, message);
                    return Some(Input::ModelFailed { call, error, partial: String::new() });
                }
            },
            Done::Noted(Ok(())) | Done::Nothing => {}
            Done::Noted(Err(error)) => {
                let code = error.kind.code().to_owned();
                self.emit(&Event::Error { code, message: error.message });
            }
        }
        None
    }

    pub(super) fn start(&mut self, key: Key, work: impl Future<Output = Done> + MaybeSend + 'static) {
        self.start_with(key, AbortHandle::new(), None, Box::pin(work));
    }

    fn start_with(
        &mut self,
        key: Key,
        signal: AbortHandle,
        partial: Option<Arc<PartialAnswer>>,
        work: BoxFuture<'static, Done>,
    ) {
        let (future, registration): (_, AbortRegistration) = future::AbortHandle::new_pair();
        self.in_flight.push((key.clone(), InFlight { future, signal, partial }));
        let work: BoxFuture<'static, (Key, Done)> = Box::pin(async move { (key, work.await) });
        self.work.push(Abortable::new(work, registration));
    }

    pub(super) fn is_in_flight(&self, key: &Key) -> bool {
        self.in_flight.iter().any(|(running, _)| running == key)
    }

    fn ended(&mut self, key: &Key) -> Option<InFlight> {
        let at = self.in_flight.iter().position(|(running, _)| running == key)?;
        Some(self.in_flight.swap_remove(at).1)
    }

    fn cancel(&mut self, key: &Key) {
        if let Some(running) = self.ended(key) {
            running.cancel();
            self.sweep();
        }
    }

    fn note(&mut self, writing: BoxFuture<'static, Result<(), StoreError>>) {
        self.notes += 1;
        self.note_as(Key::Note(self.notes), writing);
    }

    fn note_as(&mut self, key: Key, writing: BoxFuture<'static, Result<(), StoreError>>) {
        self.start(key, async move { Done::Noted(writing.await) });
    }

    /// Removes tools that nobody adds any more, now that no call of them is open.
    fn forget_added(&mut self, there: &[ToolSpec]) {
        let is_gone =
            |tool: &ToolSpec| (tool.added || tool.comes_and_goes) && find(there, &tool.name).is_none();
        if !self.shared.run().settings().tools.iter().any(is_gone) {
            return;
        }
        let mut settings = self.shared.run().settings().clone();
        settings.tools.retain(|tool| !is_gone(tool));
        let configured = Input::Configured { settings: Box::new(settings), before_recovered: false };
        for effect in self.step(configured).unwrap_or_default() {
            self.batch.push(effect);
        }
    }

    // ---- the model -----------------------------------------------------------------------------------------------

    fn call_model(&mut self, call: u64, purpose: Purpose) {
        let key = Key::Model(call);
        if self.is_in_flight(&key) {
            return;
        }
        let (kit, signal) = (self.shared.kit(), AbortHandle::new());
        if purpose == Purpose::Turn {
            if self.prepared.take() != Some(call)
                && let Some(preparing) = kit.tools.prepare()
            {
                return self.note_as(key, preparing);
            }
            self.forget_added(&kit.tools.specs());
        }
        let request = self.shared.run().request().map(str::to_owned);
        let partial = Arc::new(PartialAnswer::new(
            purpose,
            request,
            Arc::clone(&self.shared.listeners),
            Arc::clone(&self.shared.noticed),
            Arc::clone(&self.shared.clock),
        ));
        let sink = DeltaSink::new(Arc::clone(&partial) as _);
        let answer = {
            let run = self.shared.run();
            let with_answer;
            let tools = match (purpose, run.answer_schema()) {
                (Purpose::Summary, _) => &[],
                (Purpose::Turn, None) => kit.tools.definitions(),
                (Purpose::Turn, Some(schema)) => {
                    with_answer = kit.tools.with_answer(schema);
                    with_answer.as_slice()
                }
            };
            let request = ModelRequest {
                purpose,
                system_prompt: &kit.system_prompt,
                messages: run.model_request(),
                tools,
            };
            kit.model.prompt(request, sink, signal.signal())
        };
        let (store, so_far) = (Arc::clone(&self.shared.store), Arc::clone(&partial));
        let work = async move {
            let answer = answer.await.and_then(within_limits).map(|mut reply| {
                kit.prices.apply(&kit.model.name(), &mut reply.usage);
                reply
            });
            let answer = match (answer, purpose) {
                (Ok(reply), Purpose::Turn) => Ok((reply, Carry::default())),
                (Ok(reply), Purpose::Summary) => carry(store.as_ref()).await.map(|carry| (reply, carry)),
                (Err(error), _) => Err(error),
            };
            let partial = so_far.end();
            Done::from(match (answer, purpose) {
                (Ok((reply, _)), Purpose::Turn) => {
                    let streamed = reply.streamed || !partial.is_empty();
                    Input::ModelFinished { call, reply: Reply { streamed, ..reply } }
                }
                (Ok((reply, carry)), Purpose::Summary) => Input::Compacted { call, reply, carry },
                (Err(error), _) => Input::ModelFailed { call, error, partial },
            })
        };
        self.start_with(key, signal, Some(partial), Box::pin(work));
    }

    /// The text of the answer in flight that is not kept yet, as an input.
    pub(super) fn unkept(&self) -> Option<Input> {
        for (key, running) in &self.in_flight {
            if let (Key::Model(call), Some(partial)) = (key, &running.partial) {
                let (from, text) = partial.unkept()?;
                return Some(Input::ModelPartial { call: *call, text, from });
            }
        }
        None
    }

    // ---- calls ---------------------------------------------------------------------------------------------------

    fn check_permission(&mut self, call_id: String) {
        let key = Key::Call(call_id.clone());
        let Some(owned) = self.call(&call_id).filter(|_| !self.is_in_flight(&key)) else { return };
        let (tools, store) = (self.shared.kit(), Arc::clone(&self.shared.store));
        let (by_input, tool_inputs) =
            (self.shared.run().permission_is_by_input(&owned.tool_name), self.shared.tool_inputs.clone());
        let shared = Arc::clone(&self.shared);
        let work = async move {
            let check = tools.tools.permission(owned.view());
            let checked = in_time(&shared, &owned, check, PermissionVerdict::Failed).await;
            let Checked { mut verdict, validated, judged } = checked;
            if verdict == PermissionVerdict::Unset || (verdict == PermissionVerdict::NotNeeded && !by_input) {
                let known = validated.as_ref().or(owned.validated.as_ref()).map(|validated| &validated.input);
                let input = known.unwrap_or(&owned.input);
                verdict = match store.permission(&owned.tool_name, by_input.then_some(input)).await {
                    Ok(PermissionStatus::Granted) => PermissionVerdict::Granted,
                    Ok(PermissionStatus::Denied) => PermissionVerdict::Denied,
                    Ok(PermissionStatus::Unset) => PermissionVerdict::Unset,
                    Err(error) => PermissionVerdict::Failed(error.message),
                };
            }
            tell_found(&tool_inputs, &call_id, validated, judged);
            Done::from(Input::PermissionChecked { call_id, verdict })
        };
        self.start(key, work);
    }

    fn remember_permission(&mut self, call_id: &str, granted: bool) {
        // The call may be answered and gone from the run's state, but it is in the record.
        let call = {
            let run = self.shared.run();
            run.called(call_id).map(|call| {
                let name =
                    find(&run.settings().tools, &call.tool_name).map_or(&call.tool_name, |tool| &tool.name);
                let input = run.validated_input(call_id).unwrap_or(&call.input_args);
                (name.clone(), input.clone())
            })
        };
        let Some((tool, input)) = call else { return };
        let by_input = self.shared.run().permission_is_by_input(&tool);
        let remembered = self.shared.store.set_permission(&tool, by_input.then_some(&input), granted);
        self.note(remembered);
    }

    fn check_approval(&mut self, call_id: String) {
        let key = Key::Call(call_id.clone());
        let Some(owned) = self.call(&call_id).filter(|_| !self.is_in_flight(&key)) else { return };
        let (shared, tool_inputs) = (Arc::clone(&self.shared), self.shared.tool_inputs.clone());
        let check = self.shared.kit().tools.approval(owned.view());
        self.start(key, async move {
            let checked = in_time(&shared, &owned, check, ApprovalVerdict::Failed).await;
            let Checked { verdict, validated, judged } = checked;
            tell_found(&tool_inputs, &call_id, validated, judged);
            Done::from(Input::ApprovalChecked { call_id, verdict })
        });
    }

    fn run_tool(&mut self, call_id: String) {
        let key = Key::Call(call_id.clone());
        let Some(owned) = self.call(&call_id).filter(|_| !self.is_in_flight(&key)) else { return };
        let signal = AbortHandle::new();
        let log = self.shared.run().log(&call_id).cloned().unwrap_or_default();
        let display = self.shared.display.clone();
        let tool_run = Arc::new(ToolRun::new(&call_id, log, display, self.shared.tool_inputs.clone()));
        self.shared.enter(Arc::clone(&tool_run));
        let entry = LeaveOnDrop { shared: Arc::clone(&self.shared), tool_run: Arc::clone(&tool_run) };
        let context =
            owned.context(Arc::clone(&tool_run) as _, &signal).with_steps(Arc::clone(&tool_run) as _);
        let context = context.with_answer_schema(|| self.shared.run().answer_schema().cloned());
        let context = context.with_attachments(|| Attachments::new(Arc::clone(&self.shared) as _));
        let running = self.shared.kit().tools.run(owned.view(), context);
        let (stop, limit) = (signal.clone(), out_of_time(Arc::clone(&self.shared), call_id.clone()));
        let work = async move {
            let _entry = entry;
            let running: BoxFuture<'static, ToolOutcome> = Box::pin(Arc::clone(&tool_run).watch(running));
            let outcome = match future::select(running, limit).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right(((), running)) => {
                    // Told before it is dropped: it may have begun something that dropping does not reach.
                    stop.abort();
                    drop(running);
                    ToolOutcome::TimedOut
                }
            };
            Done::from(match tool_run.is_behind() && outcome != ToolOutcome::TimedOut {
                true => Input::ReplayDiverged { call_id },
                false => Input::ToolFinished { call_id, outcome },
            })
        };
        self.start_with(key, signal, None, Box::pin(work));
    }

    fn run_undo(&mut self, call_id: String) {
        let key = Key::Undo(call_id.clone());
        let Some(owned) = self.past_call(&call_id).filter(|_| !self.is_in_flight(&key)) else { return };
        let signal = AbortHandle::new();
        let context = owned.context(Arc::new(self.shared.display.clone()), &signal);
        let context = context.undoes(|| self.shared.run().key_of_past_call(&call_id));
        let context = context.with_attachments(|| Attachments::new(Arc::clone(&self.shared) as _));
        let running = self.shared.kit().tools.undo(owned.view(), context);
        let work = async move { Done::from(Input::UndoFinished { call_id, error: running.await.err() }) };
        self.start_with(key, signal, None, Box::pin(work));
    }

    /// A call that is taken back.
    fn past_call(&self, call_id: &str) -> Option<OwnedCall> {
        let run = self.shared.run();
        let entry = run.undo_entry(call_id)?;
        let validated = run.validated_input(call_id);
        Some(OwnedCall {
            call_id: entry.call_id.clone(),
            tool_name: entry.tool.clone(),
            input: run.called(call_id).map(|call| call.input_args.clone()).unwrap_or_default(),
            validated: validated.map(|input| Validated { input: input.clone(), exact: entry.exact }),
            judged: None,
            attempt: 1,
            idempotency_key: format!("{}.undo", entry.call_id),
        })
    }

    fn call(&self, call_id: &str) -> Option<OwnedCall> {
        self.shared.run().call(call_id).map(|call| OwnedCall {
            call_id: call.call_id.to_owned(),
            tool_name: call.tool_name.to_owned(),
            input: call.input.clone(),
            idempotency_key: call.idempotency_key(),
            validated: call.validated,
            judged: call.judged,
            attempt: call.attempt,
        })
    }

    // ---- questions -----------------------------------------------------------------------------------------------

    /// A question is a slot with the question's id. The first answer counts, from the display or from the session.
    fn ask(&mut self, id: &str) {
        let key = Key::Question(id.to_owned());
        let question = self.shared.run().question(id).cloned();
        let Some(question) = question.filter(|_| !self.is_in_flight(&key)) else { return };
        let kind = question.kind;
        let answered = self.shared.display.ask(id.to_owned(), show(&question));
        let question = id.to_owned();
        self.start(key, async move {
            match answer(kind, answered.await) {
                Some(answer) => Done::from(Input::Answered { question, answer }),
                None => Done::Nothing,
            }
        });
    }
}

/// A call that outlives the look into the run.
struct OwnedCall {
    call_id: String,
    tool_name: String,
    input: Json,
    validated: Option<Validated>,
    judged: Option<Json>,
    attempt: u32,
    idempotency_key: String,
}

/// Ends when a running call has no time left; never for one that may take as long as it likes.
fn out_of_time(shared: Arc<Shared>, call_id: String) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        loop {
            let now = shared.clock.now();
            let left = shared.run().time_left(&call_id, now);
            match left {
                None => future::pending().await,
                Some(0) => return,
                Some(ms) => shared.clock.sleep(ms.min(LONGEST_SLEEP_MS)).await,
            }
        }
    })
}

/// What a check before a call finds. One that never ends lets nothing run.
async fn in_time<V>(
    shared: &Shared,
    call: &OwnedCall,
    checking: BoxFuture<'static, Checked<V>>,
    failed: fn(String) -> V,
) -> Checked<V> {
    let ms = shared.run().time_for_check(&call.call_id);
    match future::select(checking, passed(&*shared.clock, ms)).await {
        Either::Left((checked, _)) => checked,
        Either::Right(_) => {
            let why = format!("it gave no answer in {ms} ms");
            let message =
                format!("A rule or the schema of the tool \"{}\" was stopped: {why}.", call.tool_name);
            let request = shared.run().request().map(str::to_owned);
            shared
                .listeners
                .tell(request.as_deref(), &Event::Error { code: "TOOL_RULE_FAILED".to_owned(), message });
            failed(why).into()
        }
    }
}

/// Timers may be early by a moment, in which a request whose time is used up would go on.
fn passed(clock: &dyn Clock, ms: u64) -> BoxFuture<'_, ()> {
    let end = clock.now().saturating_add(ms);
    Box::pin(async move {
        clock.sleep(ms).await;
        for _ in 0..2 {
            if clock.now() < end {
                clock.sleep(1).await;
            }
        }
    })
}

/// Before the verdict that it belongs to, which comes as the end of the work.
fn tell_found(
    tool_inputs: &UnboundedSender<Input>,
    call_id: &str,
    validated: Option<Validated>,
    judged: Option<Json>,
) {
    // Nobody listens after the session was closed.
    if let Some(validated) = validated {
        let _ = tool_inputs.unbounded_send(Input::Validated { call_id: call_id.to_owned(), validated });
    }
    if let Some(judged) = judged {
        let _ = tool_inputs.unbounded_send(Input::Judged { call_id: call_id.to_owned(), judged });
    }
}

/// A tool is running until this is dropped.
struct LeaveOnDrop {
    shared: Arc<Shared>,
    tool_run: Arc<ToolRun>,
}

impl Drop for LeaveOnDrop {
    fn drop(&mut self) {
        self.shared.leave(&self.tool_run);
    }
}

impl OwnedCall {
    fn view(&self) -> CallRef<'_> {
        CallRef {
            call_id: &self.call_id,
            tool_name: &self.tool_name,
            input: &self.input,
            validated: self.validated.as_ref(),
            judged: self.judged.as_ref(),
            attempt: self.attempt,
            idempotency_key: &self.idempotency_key,
        }
    }

    fn context(&self, display: Arc<dyn DisplayPort>, signal: &AbortHandle) -> ToolContext {
        ToolContext::new(self.view(), CallDisplay::new(&self.call_id, display), signal.signal())
    }
}

/// What a summary must not lose. A summary without it would forget, so a store that fails here fails the summary.
async fn carry(store: &dyn StoreAdapter) -> Result<Carry, ModelError> {
    let unread = |error: StoreError| ModelError::new(ModelErrorKind::Adapter, error.message);
    let (tasks, inbox) = (store.tasks(), store.inbox());
    Ok(Carry { tasks: tasks.await.map_err(unread)?, inbox: inbox.await.map_err(unread)? })
}

/// The decoders hold the same limit while they read.
fn within_limits(reply: Reply) -> Result<Reply, ModelError> {
    let calls: usize = reply.messages.iter().map(|message| message.calls().len()).sum();
    if calls <= MOST_CALLS {
        return Ok(reply);
    }
    let message = format!(
        "the model's answer has {calls} tool calls, more than the limit of {MOST_CALLS}; none of them was run"
    );
    Err(ModelError::new(ModelErrorKind::BadResponse, message))
}

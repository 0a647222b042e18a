//! The machine alone, for programs that drive it themselves: inputs in, effects out, all as JSON.

use std::cell::RefCell;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::values::{protocol, read, thrown};
use crate::error::{Error, StoreError};
use crate::json::codec::{Write, object, object_and, to_text};
use crate::message::Message;
use crate::run::Run;
use crate::run::effect::{Effect, Outcome};
use crate::run::input::Input;
use crate::run::settings::Settings;

#[wasm_bindgen]
#[derive(Debug)]
pub struct CoreRun {
    run: RefCell<Run>,
}

#[wasm_bindgen]
impl CoreRun {
    /// A new run over a record, which may be empty; or, with a checkpoint, the one that was stored.
    #[wasm_bindgen(constructor)]
    pub fn new(settings: &str, messages: &str, checkpoint: Option<String>) -> Result<CoreRun, JsValue> {
        let messages: Vec<Message> = read(messages, "the messages")?;
        let run = match checkpoint {
            Some(checkpoint) => Run::restore(&checkpoint, messages, Vec::new())
                .map_err(|error| thrown(&Error::Store(StoreError::from(&error))))?,
            None => Run::new(read::<Settings>(settings, "the settings")?, messages),
        };
        Ok(CoreRun { run: RefCell::new(run) })
    }

    pub fn step(&self, at: f64, input: &str) -> Result<String, JsValue> {
        let input: Input = read(input, "the input")?;
        let mut run = self.run.borrow_mut();
        let effects = run.step(at as u64, input).map_err(|error| protocol(&error.to_string()))?;
        // What is stored is the checkpoint with all messages; the journal of inputs is for stores that append.
        run.saved();
        Ok(effects_json(&run, &effects))
    }

    pub fn outstanding(&self) -> String {
        let run = self.run.borrow();
        effects_json(&run, &run.outstanding())
    }

    pub fn checkpoint(&self) -> String {
        self.run.borrow().checkpoint()
    }

    pub fn messages(&self) -> String {
        to_text(&self.run.borrow().messages())
    }

    /// What the model is to be sent for the call that is being made.
    #[wasm_bindgen(js_name = modelRequest)]
    pub fn model_request(&self) -> String {
        to_text(&Vec::from_iter(self.run.borrow().model_request().iter()))
    }

    pub fn phase(&self) -> String {
        self.run.borrow().phase().as_str().to_owned()
    }
}

fn effects_json(run: &Run, effects: &[Effect]) -> String {
    let mut all = Vec::new();
    for effect in effects {
        all.push(WholeEffect { run, effect });
    }
    to_text(&all)
}

/// An effect with what belongs to it, so that nothing has to be asked for.
struct WholeEffect<'a> {
    run: &'a Run,
    effect: &'a Effect,
}

impl Write for WholeEffect<'_> {
    fn write(&self, out: &mut String) {
        let run = self.run;
        let mut write = |kind: &str, fields: &[(&str, &dyn Write)]| {
            let mut rest = String::new();
            object(&mut rest, fields);
            object_and(out, &[("type", &kind)], &Raw(rest));
        };
        let call =
            |call_id: &str| run.call(call_id).map(|call| (call.tool_name.to_owned(), call.input.clone()));
        match self.effect {
            Effect::Persist { strict } => write("persist", &[("strict", strict)]),
            Effect::CallModel { call } => write("call_model", &[("call", call)]),
            Effect::Compact { call } => write("compact", &[("call", call)]),
            Effect::CheckPermission { call_id } => {
                let (name, input) = call(call_id).unzip();
                write("check_permission", &[("call_id", call_id), ("tool_name", &name), ("input", &input)]);
            }
            Effect::CheckApproval { call_id } => {
                let (name, input) = call(call_id).unzip();
                write("check_approval", &[("call_id", call_id), ("tool_name", &name), ("input", &input)]);
            }
            Effect::RememberPermission { call_id, granted } => {
                write("remember_permission", &[("call_id", call_id), ("granted", granted)]);
            }
            Effect::RunTool { call_id, attempt } => {
                let (name, input) = call(call_id).unzip();
                let fields: [(&str, &dyn Write); 4] =
                    [("call_id", call_id), ("tool_name", &name), ("input", &input), ("attempt", attempt)];
                write("run_tool", &fields);
            }
            Effect::RunUndo { call_id } => {
                let entry = run.undo_entry(call_id);
                let (name, input) = entry.map(|entry| (entry.tool.clone(), entry.input.clone())).unzip();
                write("run_undo", &[("call_id", call_id), ("tool_name", &name), ("input", &input)]);
            }
            Effect::Ask { question } => {
                write("ask", &[("id", question), ("question", &run.question(question))]);
            }
            Effect::CancelQuestion { question } => write("withdraw", &[("id", question)]),
            Effect::CancelModel { call } => write("cancel_model", &[("call", call)]),
            Effect::CancelTool { call_id } => write("cancel_tool", &[("call_id", call_id)]),
            Effect::ResumeTool { call_id, key } => write("go_on", &[("call_id", call_id), ("key", key)]),
            Effect::SetTimer { timer, after_ms } => {
                write("set_timer", &[("timer", timer), ("after_ms", after_ms)]);
            }
            Effect::ConsumeInbox { ids } => write("consume_inbox", &[("ids", ids)]),
            Effect::Emit(event) => write("event", &[("event", event)]),
            Effect::Finish { request, outcome } => {
                let name = outcome.name();
                match outcome {
                    Outcome::Completed(reply) => {
                        write("finish", &[("request", request), ("outcome", &name), ("reply", reply)]);
                    }
                    Outcome::Undone { steps, error } => {
                        let fields: [(&str, &dyn Write); 4] =
                            [("request", request), ("outcome", &name), ("steps", steps), ("error", error)];
                        write("finish", &fields);
                    }
                    Outcome::Paused { rule, message } => {
                        let fields: [(&str, &dyn Write); 4] =
                            [("request", request), ("outcome", &name), ("rule", rule), ("message", message)];
                        write("finish", &fields);
                    }
                    Outcome::ModelFailed(error) => {
                        write("finish", &[("request", request), ("outcome", &name), ("error", error)]);
                    }
                    Outcome::StoreFailed(error) => {
                        write("finish", &[("request", request), ("outcome", &name), ("error", error)]);
                    }
                    Outcome::Switched | Outcome::Aborted | Outcome::Dropped => {
                        write("finish", &[("request", request), ("outcome", &name)]);
                    }
                }
            }
        }
    }
}

struct Raw(String);

impl Write for Raw {
    fn write(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

//! The machine alone, for programs that drive it themselves: inputs in, effects out, all as JSON.

use std::cell::RefCell;
use std::sync::Arc;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use glove_wasm::error::{Error, StoreError};
use glove_wasm::json::codec::to_text;
use glove_wasm::message::Message;
use glove_wasm::run::Run;
use glove_wasm::run::effect::Effect;
use glove_wasm::run::input::Input;
use glove_wasm::run::settings::Settings;
use glove_wasm::wire::effect::RunEffect;
use glove_wasm_page::values::{protocol, read, thrown};

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
        let messages: Vec<Arc<Message>> = read(messages, "the messages")?;
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
        all.push(RunEffect::of(run, effect));
    }
    to_text(&all)
}

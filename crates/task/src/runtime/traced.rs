//! What a host is told of tasks, for its traces.

use std::sync::Arc;

use glove_wasm::event::Event;
use glove_wasm::portable::{MaybeSend, MaybeSync};
use glove_wasm::ports::{ModelAdapter, Tool};

pub trait TaskTraces: MaybeSend + MaybeSync {
    /// A run of the task begins. It ends when what this gives is dropped.
    fn run(&self, task: &str) -> Arc<dyn RunTraces>;
}

pub trait RunTraces: MaybeSend + MaybeSync {
    /// A step begins, in a session of its own.
    fn step(&self, step: &str) -> Arc<dyn StepTraces>;

    fn failed(&self, code: &str);
}

pub trait StepTraces: MaybeSend + MaybeSync {
    fn model(&self, model: Arc<dyn ModelAdapter>) -> Arc<dyn ModelAdapter>;

    fn tool(&self, tool: Tool) -> Tool;

    fn note(&self, event: &Event);
}

//! What a host is told of tasks, for its traces.

use std::sync::Arc;

use crate::event::Event;
use crate::portable::{MaybeSend, MaybeSync};
use crate::ports::{ModelAdapter, Tool};

pub(crate) trait TaskTraces: MaybeSend + MaybeSync {
    /// A run of the task begins. It ends when what this gives is dropped.
    fn run(&self, task: &str) -> Arc<dyn RunTraces>;
}

pub(crate) trait RunTraces: MaybeSend + MaybeSync {
    /// A step begins, in a session of its own.
    fn step(&self, step: &str) -> Arc<dyn StepTraces>;

    fn failed(&self, code: &str);
}

pub(crate) trait StepTraces: MaybeSend + MaybeSync {
    fn model(&self, model: Arc<dyn ModelAdapter>) -> Arc<dyn ModelAdapter>;

    fn tool(&self, tool: Tool) -> Tool;

    fn note(&self, event: &Event);
}

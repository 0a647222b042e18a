//! The events of a task as its files tell them, read on from where a reader was.

use glove_wasm::json::codec::from_text;
use glove_wasm_native::TaskFolder;
use glove_wasm_task::layout::{self, WorkspacePath};
use glove_wasm_task::runtime::state;
use glove_wasm_task::{TaskError, TaskErrorKind, TaskEvent, TaskState, TaskStatus};

pub(super) struct Tail {
    folder: TaskFolder,
    /// How much of the journal is read: whole lines.
    read: u64,
    /// The number of the last event that was given.
    last_sent: u64,
}

/// What was missed, and whether the task is at its end.
pub(super) struct More {
    pub(super) events: Vec<TaskEvent>,
    pub(super) over: bool,
}

impl Tail {
    /// `after` is the id of an event; anything else is the beginning.
    pub(super) fn new(folder: TaskFolder, after: &str) -> Self {
        let after = TaskEvent { id: after.to_owned(), ..TaskEvent::default() };
        Tail { folder, read: 0, last_sent: after.number() }
    }

    pub(super) async fn more(&mut self) -> Result<More, TaskError> {
        // First the state: what it tells of stands in the journal, or in its own outbox.
        let state = match state(&self.folder).await {
            Err(error) if error.kind == TaskErrorKind::Missing => {
                return Ok(More { events: Vec::new(), over: true });
            }
            state => state?,
        };
        let TaskState { status, outbox, .. } = state;
        let mut events = self.journal().await?;
        let gap = |events: &[TaskEvent]| {
            events.first().is_some_and(|event| event.number() > self.last_sent.saturating_add(1))
        };
        if gap(&events) {
            // It is another one since: a hand, or a process that put aside what was broken in it.
            self.read = 0;
            events = self.journal().await?;
        }
        for event in outbox {
            let last = events.last().map_or(self.last_sent, TaskEvent::number);
            if event.number() == last.saturating_add(1) {
                events.push(event);
            }
        }
        self.last_sent = events.last().map_or(self.last_sent, TaskEvent::number);
        Ok(More { events, over: status == TaskStatus::Finished })
    }

    /// The events of the journal that were not given yet, in order.
    async fn journal(&mut self) -> Result<Vec<TaskEvent>, TaskError> {
        let path = WorkspacePath::known(layout::EVENTS);
        let (start, content) = self.folder.read_on(&path, self.read).await?;
        let whole = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.read = start.saturating_add(u64::try_from(whole).unwrap_or_default());
        let content = content.get(..whole).unwrap_or_default();
        let mut events: Vec<TaskEvent> = Vec::new();
        for line in String::from_utf8_lossy(content).lines() {
            let Ok(event) = from_text::<TaskEvent>(line) else { continue };
            let last = events.last().map_or(self.last_sent, TaskEvent::number);
            if event.number() > last {
                events.push(event);
            }
        }
        Ok(events)
    }
}

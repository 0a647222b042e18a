//! The agent's task list, which the model keeps by sending the whole of it.

use std::sync::Arc;

use futures_util::future;

use crate::json::codec::{Read, Ts, Write, from_checked, object};
use crate::json::{self, Json};
use crate::message::{Task, ToolResultData};
use crate::portable::BoxFuture;
use crate::ports::{CallRef, Checked, IdSource, StoreAdapter, ToolContext, ToolHost};
use crate::run::input::{ApprovalVerdict, Issue, PermissionVerdict, ToolOutcome};
use crate::tool::{ToolDefinition, ToolSpec};

pub const TASK_TOOL: &str = "glove_update_tasks";

const DESCRIPTION: &str = "Create or update your task list for the current work. Always send the whole list: it replaces \
the one before. Use it for work with several steps; keep exactly one task in_progress, and mark a task completed as \
soon as it is done.";

#[derive(Read)]
struct Todos {
    todos: Vec<Todo>,
}

#[derive(Read)]
#[json(rename_all = "camelCase")]
struct Todo {
    content: String,
    active_form: String,
    status: TaskStatus,
}

/// How far a task is.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Read, Ts, Write)]
pub enum TaskStatus {
    Pending,
    InProgress,
    Completed,
}

/// The tool over a store that keeps tasks. A task keeps its id as long as its content stays the same.
pub(crate) struct TaskTool {
    pub(crate) store: Arc<dyn StoreAdapter>,
    pub(crate) ids: Arc<dyn IdSource>,
}

impl ToolHost for TaskTool {
    fn definitions(&self) -> Vec<ToolDefinition> {
        vec![ToolDefinition {
            name: TASK_TOOL.to_owned(),
            description: DESCRIPTION.to_owned(),
            schema: json::written(SCHEMA),
        }]
    }

    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec { idempotent: true, ..ToolSpec::new(TASK_TOOL) }]
    }

    fn permission(&self, _call: CallRef<'_>) -> BoxFuture<'static, Checked<PermissionVerdict>> {
        Box::pin(future::ready(PermissionVerdict::Unset.into()))
    }

    fn approval(&self, _call: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>> {
        Box::pin(future::ready(ApprovalVerdict::Needed { reason: None }.into()))
    }

    fn run(&self, call: CallRef<'_>, _context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        let (store, ids, input) = (Arc::clone(&self.store), Arc::clone(&self.ids), call.input.clone());
        Box::pin(async move {
            let todos = match from_checked::<Todos>(input.as_str()) {
                Ok(Todos { todos }) => todos,
                Err(fault) => {
                    let issue = Issue { path: Vec::new(), message: fault.to_string() };
                    return ToolOutcome::Invalid(vec![issue]);
                }
            };
            let empty = empty_fields(&todos);
            if !empty.is_empty() {
                return ToolOutcome::Invalid(empty);
            }
            let reading = store.tasks();
            let tasks = match reading.await {
                Ok(old) => update(&old, todos, || ids.fresh()),
                Err(error) => return ToolOutcome::Threw(error.message),
            };
            let mut result = String::new();
            object(&mut result, &[("tasks", &tasks)]);
            let writing = store.set_tasks(tasks);
            match writing.await {
                Ok(()) => ToolOutcome::Returned {
                    result: ToolResultData::success(json::written(result)),
                    outputs: Vec::new(),
                },
                Err(error) => ToolOutcome::Threw(error.message),
            }
        })
    }

    fn undo(&self, _call: CallRef<'_>, _context: ToolContext) -> BoxFuture<'static, Result<(), String>> {
        Box::pin(future::ready(Err("a task list cannot be undone".to_owned())))
    }
}

fn update(old: &[Task], todos: Vec<Todo>, mut fresh: impl FnMut() -> String) -> Vec<Task> {
    let mut free: Vec<&Task> = old.iter().collect();
    let mut tasks = Vec::new();
    for Todo { content, active_form, status } in todos {
        let kept = free.iter().position(|task| task.content == content);
        let id = kept.map_or_else(&mut fresh, |at| free.remove(at).id.clone());
        tasks.push(Task { id, status: status.word().to_owned(), content, active_form, ..Task::default() });
    }
    tasks
}

fn empty_fields(todos: &[Todo]) -> Vec<Issue> {
    let mut empty = Vec::new();
    for (index, todo) in todos.iter().enumerate() {
        for (field, text) in [("content", &todo.content), ("activeForm", &todo.active_form)] {
            if text.is_empty() {
                let path = vec![Json::string("todos"), json::written(index.to_string()), Json::string(field)];
                empty.push(Issue { path, message: "must not be empty".to_owned() });
            }
        }
    }
    empty
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"todos":{"type":"array","description":"The whole list, in order","#,
    r#""items":{"type":"object","properties":{"#,
    r#""content":{"type":"string","minLength":1,"description":"What is to be done"},"#,
    r#""activeForm":{"type":"string","minLength":1,"#,
    r#""description":"The same as it is being done, like \"Running tests\""},"#,
    r#""status":{"type":"string","enum":["pending","in_progress","completed"]}},"#,
    r#""required":["content","activeForm","status"]}}},"required":["todos"]}"#
);

#[cfg(test)]
mod tests {
    use super::*;

    fn todo(content: &str) -> Todo {
        Todo { content: content.to_owned(), active_form: "…".to_owned(), status: TaskStatus::Pending }
    }

    #[test]
    fn a_task_keeps_its_id_while_its_content_is_the_same_and_two_equal_ones_stay_two() {
        let mut n = 0;
        let mut fresh = || {
            n += 1;
            format!("t{n}")
        };
        let ids = |tasks: &[Task]| tasks.iter().map(|task| task.id.clone()).collect::<Vec<_>>();
        let first = update(&[], vec![todo("a"), todo("b"), todo("a")], &mut fresh);
        assert_eq!(ids(&first), ["t1", "t2", "t3"]);
        let second = update(&first, vec![todo("b"), todo("c"), todo("a"), todo("a")], &mut fresh);
        assert_eq!(ids(&second), ["t2", "t4", "t1", "t3"]);
    }

    #[test]
    fn empty_texts_are_refused_by_their_place() {
        let issues = empty_fields(&[todo("a"), todo("")]);
        let path = [r#""todos""#, "1", r#""content""#].map(|step| Json::parse(step).unwrap()).to_vec();
        assert_eq!(issues, [Issue { path, message: "must not be empty".to_owned() }]);
    }
}

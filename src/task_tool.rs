//! The agent's task list, which the model keeps by sending the whole of it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::host::{Data, IdSource, StoreAdapter, Tool, ToolContext, ToolFailure};
use crate::json::Json;
use crate::message::{Task, ToolResultData};
use crate::run::input::{Issue, ToolOutcome};

pub const TASK_TOOL: &str = "glove_update_tasks";

const DESCRIPTION: &str = "Create or update your task list for the current work. Always send the whole list: it replaces \
the one before. Use it for work with several steps; keep exactly one task in_progress, and mark a task completed as \
soon as it is done.";

#[derive(Deserialize)]
struct Todos {
    todos: Vec<Todo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Todo {
    content: String,
    active_form: String,
    status: TaskStatus,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum TaskStatus {
    Pending,
    InProgress,
    Completed,
}

impl TaskStatus {
    fn as_str(self) -> &'static str {
        match self {
            TaskStatus::Pending => "pending",
            TaskStatus::InProgress => "in_progress",
            TaskStatus::Completed => "completed",
        }
    }
}

/// The tool over a store that keeps tasks. A task keeps its id as long as its content stays the same.
pub(crate) fn task_tool(store: Arc<dyn StoreAdapter>, ids: Arc<dyn IdSource>) -> Tool {
    Tool::new(TASK_TOOL, DESCRIPTION, schema(), move |input: Todos, _: ToolContext| {
        let (store, ids) = (Arc::clone(&store), Arc::clone(&ids));
        async move {
            let empty = empty_fields(&input.todos);
            if !empty.is_empty() {
                return Ok::<_, ToolFailure>(ToolOutcome::Invalid(empty));
            }
            let reading = store.tasks();
            let tasks = update(&reading.await?, input.todos, || ids.fresh());
            let returned = Data(json!({ "tasks": tasks }));
            let writing = store.set_tasks(tasks);
            writing.await?;
            let result = ToolResultData::success(Json::of(&returned.0)?);
            Ok(ToolOutcome::Returned { result, outputs: Vec::new() })
        }
    })
    .idempotent(0)
}

fn update(old: &[Task], todos: Vec<Todo>, mut fresh: impl FnMut() -> String) -> Vec<Task> {
    let mut free: Vec<&Task> = old.iter().collect();
    let mut keep = |content: &str| {
        let at = free.iter().position(|task| task.content == content)?;
        Some(free.remove(at).id.clone())
    };
    let todos = todos.into_iter().map(|todo| Task {
        id: keep(&todo.content).unwrap_or_else(&mut fresh),
        status: todo.status.as_str().to_owned(),
        content: todo.content,
        active_form: todo.active_form,
        ..Task::default()
    });
    todos.collect()
}

fn empty_fields(todos: &[Todo]) -> Vec<Issue> {
    let fields = todos.iter().enumerate().flat_map(|(index, todo)| {
        [(index, "content", &todo.content), (index, "activeForm", &todo.active_form)]
    });
    let empty = fields.filter(|(_, _, text)| text.is_empty()).map(|(index, field, _)| Issue {
        path: vec![Json::string("todos"), Json::from(Value::from(index)), Json::string(field)],
        message: "must not be empty".to_owned(),
    });
    empty.collect()
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "description": "The whole list, in order",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": { "type": "string", "minLength": 1, "description": "What is to be done" },
                        "activeForm": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The same as it is being done, like \"Running tests\""
                        },
                        "status": { "type": "string", "enum": ["pending", "in_progress", "completed"] }
                    },
                    "required": ["content", "activeForm", "status"]
                }
            }
        },
        "required": ["todos"]
    })
}

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

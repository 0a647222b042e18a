//! How a server refuses what a task refuses. What is wrong with a request is told; what is wrong with the server is for its log.

use glove_wasm::endpoint::Refusal;

use crate::error::TaskError;

impl From<TaskError> for Refusal {
    fn from(error: TaskError) -> Self {
        let status = match error.code() {
            "TASK_MISSING" | "TASK_APPROVAL_UNKNOWN" | "TASK_FILE_MISSING" => 404,
            "TASK_APPROVAL_CLOSED" | "TASK_BUSY" | "TASK_EXISTS" | "TASK_FINISHED" | "TASK_IN_USE" => 409,
            "TASK_CONFIG_INVALID"
            | "TASK_DECISION_INVALID"
            | "TASK_GOAL_INVALID"
            | "TASK_HISTORY_INVALID"
            | "TASK_PATH_INVALID"
            | "TASK_PATH_READ_ONLY" => 400,
            "TASK_STATE_BROKEN" | "TASK_STATE_NEWER" => 500,
            _ => {
                let detail = format!("{}: {error}", error.code());
                return Refusal {
                    detail,
                    ..Refusal::new(500, "INTERNAL", "The server failed. Try again later.")
                };
            }
        };
        Refusal::new(status, error.code(), error.to_string())
    }
}

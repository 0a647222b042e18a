//! Tools that read, change and run what is in a folder.

mod files;
mod names;
mod orphans;
mod search;
mod shell;
mod undo_buffer;
mod workspace;

pub use files::{FileChange, FileFound};
pub use workspace::Workspace;

use glove_wasm::json::Json;
use glove_wasm::ports::Tool;

impl Workspace {
    /// All of them, to be folded into an agent.
    pub fn tools(&self) -> Vec<Tool> {
        let tools = vec![
            files::read_file(self),
            files::list_dir(self),
            search::search(self),
            files::write_file(self),
            files::edit_file(self),
            shell::bash(self),
        ];
        tools.into_iter().map(with_other_names).collect()
    }

    /// The arguments of a call of one of these tools by the names that its schema has: models may write `cwd` for `folder`. `None` where two
    /// names of one argument are given, which is refused.
    pub fn own_names(&self, tool: &str, input: &Json) -> Option<Json> {
        names::own_names(tool, input).ok()
    }

    /// `shell`: commands of the model in this folder, each of which a person permits.
    pub fn shell(&self) -> Tool {
        with_other_names(shell::shell(self))
    }

    /// `test_runner`: this command in a folder below, and no other one. A person permits each call, since it runs what the model wrote.
    pub fn test_runner(&self, command: &str, folder: &str, seconds: u64) -> Tool {
        shell::test_runner(self, command, folder, seconds)
    }
}

fn with_other_names(tool: Tool) -> Tool {
    let name = tool.name().to_owned();
    tool.read_as(move |input: Json| names::own_names(&name, &input))
}

//! Tools that read, change and run what is in a folder.

mod files;
mod orphans;
mod search;
mod shell;
mod undo_buffer;
mod workspace;

pub use files::{FileChange, FileFound};
pub use workspace::Workspace;

use glove_wasm::ports::Tool;

impl Workspace {
    /// All of them, to be folded into an agent.
    pub fn tools(&self) -> Vec<Tool> {
        vec![
            files::read_file(self),
            files::list_dir(self),
            search::search(self),
            files::write_file(self),
            files::edit_file(self),
            shell::bash(self),
        ]
    }

    /// `shell`: commands of the model in this folder, each of which a person permits.
    pub fn shell(&self) -> Tool {
        shell::shell(self)
    }

    /// `test_runner`: this command in a folder below, and no other one. A person permits each call, since it runs what the model wrote.
    pub fn test_runner(&self, command: &str, folder: &str, seconds: u64) -> Tool {
        shell::test_runner(self, command, folder, seconds)
    }
}

//! What sandboxed code may use, and what it reaches beside its input.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use glove_wasm_native::internal::{Hosts, Web};
use glove_wasm_task::runtime::Workspace;
use glove_wasm_task::{TaskError, TaskErrorKind, WorkspacePath};

const LEAST_MEMORY: usize = 1 << 20;

/// What sandboxed code may use, and what it reaches beside its input: nothing, unless it is named.
#[derive(Clone)]
pub struct Sandbox {
    pub(super) time: Duration,
    pub(super) memory: usize,
    pub(super) output: usize,
    pub(super) mounts: Vec<Mount>,
    pub(super) files: Option<Arc<dyn Workspace>>,
    pub(super) web: Option<(Web, Hosts)>,
    pub(super) credentials: Vec<(String, Hosts)>,
    pub(super) program: Option<PathBuf>,
}

#[derive(Debug, Clone)]
pub(super) struct Mount {
    pub(super) folder: WorkspacePath,
    pub(super) right: MountRight,
}

/// What sandboxed code may do below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MountRight {
    Read,
    /// And read.
    Write,
}

impl Default for Sandbox {
    fn default() -> Self {
        Sandbox {
            time: Duration::from_secs(10),
            memory: 64 << 20,
            output: 1_000_000,
            mounts: Vec::new(),
            files: None,
            web: None,
            credentials: Vec::new(),
            program: None,
        }
    }
}

impl Sandbox {
    /// Ten seconds, 64 MiB, no files and no network.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long a call may take from the moment at which its code begins, waiting for files and answers too.
    ///
    /// In a process of its own (see [`program`](Sandbox::program)) the code is ended by then, whatever it does. On a thread of this process the
    /// call ends by then too, and the code where its engine looks at the time: one long call of the language itself
    /// (`Array.prototype.join.call({ length: 2 ** 53 - 1 })`) runs on and takes a core. While four of them do, no other call begins
    /// (`SANDBOX_EXHAUSTED`).
    #[must_use]
    pub fn time(mut self, most: Duration) -> Self {
        self.time = most;
        self
    }

    /// In bytes; less than one MiB counts as one.
    #[must_use]
    pub fn memory(mut self, most: usize) -> Self {
        self.memory = most.max(LEAST_MEMORY);
        self
    }

    /// The bytes of the result as JSON.
    #[must_use]
    pub fn output(mut self, most: usize) -> Self {
        self.output = most;
        self
    }

    /// Runs the code of each call in a process that this program is started for: the program `glove`, or one of yours whose `main` calls
    /// [`sandbox_main`](super::sandbox_main) first. It has no environment, no files and no network of its own; what the code is granted is done here.
    /// A path is looked for from the folder of this program, and a name alone in its `PATH`. Not needed where this program calls `sandbox_main` itself.
    #[must_use]
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// Whose files `mount` grants.
    #[must_use]
    pub fn files(mut self, files: impl Workspace + 'static) -> Self {
        self.files = Some(Arc::new(files));
        self
    }

    /// Grants a folder of the workspace. Code writes below `progress/artifacts` alone: what governs a task is not its own to write.
    pub fn mount(mut self, folder: &str, right: MountRight) -> Result<Self, TaskError> {
        let folder = WorkspacePath::parse(folder)?;
        if right == MountRight::Write && !folder.is_below("progress/artifacts") {
            let message =
                format!("sandboxed code may write below progress/artifacts alone, and not in `{folder}`");
            return Err(TaskError::new(TaskErrorKind::ReadOnly, message));
        }
        self.mounts.push(Mount { folder, right });
        Ok(self)
    }

    /// Hosts that `fetch` may ask over HTTPS: `api.example.com`, `*.example.com`, `*` for the public web; one with a port or an address as it
    /// stands, `http://127.0.0.1:8080`. Names that lead into this network are asked only where they are named by their origin.
    pub fn hosts<H: Into<String>>(mut self, hosts: impl IntoIterator<Item = H>) -> Result<Self, TaskError> {
        let hosts = Hosts::new(hosts)?;
        self.web = if hosts.is_empty() { None } else { Some((Web::start()?, hosts)) };
        Ok(self)
    }

    /// Lets the code name a credential of its call in a header of `fetch`, as `{{NAME}}`, in requests to these hosts alone. The code never
    /// has its value, which `TaskAgentBuilder::credentials` gives for the call.
    pub fn credential<H: Into<String>>(
        mut self,
        name: &str,
        hosts: impl IntoIterator<Item = H>,
    ) -> Result<Self, TaskError> {
        let hosts = Hosts::new(hosts)?;
        let wrong = |why: String| Err(TaskError::new(TaskErrorKind::Config, why));
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return wrong(format!("\"{name}\" is not a valid credential name; use letters, digits and _"));
        }
        if hosts.is_empty() || hosts.is_everywhere() {
            return wrong(format!("the credential `{name}` must name the hosts that may have it"));
        }
        self.credentials.push((name.to_owned(), hosts));
        Ok(self)
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("time", &self.time)
            .field("mounts", &self.mounts)
            .field("hosts", &self.web.as_ref().map(|(_, hosts)| hosts))
            .field("credentials", &self.credentials)
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

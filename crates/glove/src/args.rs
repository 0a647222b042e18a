//! What the program is called with.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// An agent in the terminal
#[derive(Debug, Parser)]
#[command(name = "glove", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub places: Places,
}

/// Where things are kept.
#[derive(Debug, clap::Args)]
pub(crate) struct Places {
    /// The database of sessions: a file, or for `glove serve` also `postgres://…` or `redis://…` [env: GLOVE_DATABASE] [default:
    /// `glove/sessions.db` in the user's data folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub database: Option<PathBuf>,
    /// A file with `NAME=value` lines: keys, GLOVE_MODEL, and GLOVE_PRICES [default: `glove/config` in the user's configuration folder]
    #[arg(long, global = true, env = "GLOVE_CONFIG", value_name = "FILE", hide_env_values = true)]
    pub config: Option<PathBuf>,
}

/// The model, and where it is.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelChoice {
    /// A provider, and one of its models if not the usual one: `anthropic`, `openai:gpt-6-luna`, `ollama:qwen3`; `scripted` needs no key,
    /// and `scripted:FILE` answers from a file of JSON lines
    #[arg(long, short, env = "GLOVE_MODEL", value_name = "PROVIDER[:MODEL]", hide_env_values = true)]
    pub model: Option<String>,
    /// The address of this provider's API, if not the usual one; its key goes there, and no other one
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Begins a session with an agent that works in a folder
    Chat(Chat),
    /// Continues a session
    Resume(Resume),
    /// Lists the sessions, or deletes one
    Sessions(Sessions),
    /// Writes a session as JSON, in the form that pages read
    Export(Export),
    /// Adds a session that was exported here or by a page, and prints its id
    Import(Import),
    /// Plays a recorded run again, without model and tools, and compares what comes of it to the byte
    Replay(Replay),
    /// Serves the endpoint that pages ask a model through, and sessions that live here
    Serve(Serve),
    /// Serves the agent of a folder to a client of MCP, such as an editor, on the standard input and output
    Mcp(Mcp),
    /// Works a task through in a folder: `task/` in it holds the inputs, `progress/` what comes of it
    Run(Run),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Chat {
    /// The folder that the agent works in
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub talk: Talk,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Resume {
    /// The session, or the beginning of its id [default: the one that was used last]
    pub session: Option<String>,
    /// The folder that the agent works in [default: the session's]
    #[arg(long)]
    pub folder: Option<PathBuf>,
    #[command(flatten)]
    pub talk: Talk,
}

/// How the agent and the user talk.
#[derive(Debug, clap::Args)]
pub(crate) struct Talk {
    #[command(flatten)]
    pub model: ModelChoice,
    /// Replaces the instructions for the model
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// Says this instead of reading messages, and ends with the answer
    #[arg(long, short = 'p', value_name = "TEXT")]
    pub message: Option<String>,
    /// A value of the environment or the configuration that commands of `bash` have too, beside ordinary variables such as PATH and HOME; may be
    /// given several times
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// Runs this tool without asking; may be given several times
    #[arg(long, value_name = "TOOL")]
    pub allow: Vec<String>,
    /// Writes the run to a file that `glove replay` plays, without keys
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Reads and writes JSON, one object a line
    #[arg(long)]
    pub json: bool,
    /// Prints plain lines, as it does without a terminal
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Sessions {
    /// Deletes this session
    #[arg(long, value_name = "SESSION")]
    pub delete: Option<String>,
    /// Writes JSON, one session a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// The session, or the beginning of its id [default: the one that was used last]
    pub session: Option<String>,
    /// Where it is written [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// What was exported; `-` for the standard input
    pub file: PathBuf,
    /// Imports it under another id than its own
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub id: Option<String>,
    /// Continues its run too: tools whose calls were under way may run here
    #[arg(long)]
    pub with_run: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Replay {
    /// What `--record` wrote; `-` for the standard input
    pub file: PathBuf,
    /// Writes the events of the run as JSON, one a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// A folder that the agents of sessions work in; they have no tools without one
    pub folder: Option<PathBuf>,
    /// Where it listens
    #[arg(long, default_value = "127.0.0.1:8787", value_name = "ADDRESS")]
    pub listen: std::net::SocketAddr,
    /// Where other servers with the same database reach this one, if that is another address
    #[arg(long, env = "GLOVE_ADDRESS", value_name = "URL", hide_env_values = true, value_parser = address)]
    pub address: Option<String>,
    #[command(flatten)]
    pub model: ModelChoice,
    /// Replaces the instructions for the model, also those that pages send
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// A value of the environment or the configuration that commands of `bash` have too, beside ordinary variables such as PATH and HOME; may be
    /// given several times
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// A folder for tasks that clients start; without one, the server takes none
    #[arg(long, value_name = "FOLDER")]
    pub tasks: Option<PathBuf>,
    /// What a person approves in tasks: the plan and each file that is written, nothing, or everything at once [default: strict]
    #[arg(long, value_enum, requires = "tasks")]
    pub approve: Option<Approve>,
    #[command(flatten)]
    pub powers: Powers,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Mcp {
    /// The folder that the agent and the tools work in
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub model: ModelChoice,
    /// Replaces the instructions for the model
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// Offers the tools for files and commands too, beside the agent
    #[arg(long)]
    pub tools: bool,
    /// Offers the tools alone, which needs no model
    #[arg(long, requires = "tools", conflicts_with_all = ["base_url", "system"])]
    pub no_agent: bool,
    /// A value of the environment or the configuration that commands of `bash` have too, beside ordinary variables such as PATH and HOME; may be
    /// given several times
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// Runs this tool without asking; may be given several times
    #[arg(long, value_name = "TOOL")]
    pub allow: Vec<String>,
}

/// What agents of tasks may use, in a folder and on a server alike.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Powers {
    /// Lets the model run JavaScript in a sandbox, which reads task/, writes progress/artifacts/, asks what `--web` names, and reaches
    /// nothing else
    #[arg(long)]
    pub sandbox: bool,
    /// A host that the agent may ask: `api.example.com`, `*.example.com`, `*` for the public web; may be given several times
    #[arg(long, value_name = "HOST")]
    pub web: Vec<String>,
    /// A server of SearXNG, by which the agent searches the web
    #[arg(long, value_name = "URL")]
    pub search: Option<String>,
    /// A value of the environment or the configuration that sandboxed code may name in a header, as `{{NAME}}`, in requests to this host, and
    /// never has itself; may be given several times
    #[arg(long, value_name = "NAME=HOST")]
    pub credential: Vec<String>,
    /// A folder with a skill for the task (skill.json or SKILL.md); may be given several times
    #[arg(long, value_name = "FOLDER")]
    pub skill: Vec<PathBuf>,
    /// A file in which the agent remembers what its tasks came to; made where there is none
    #[arg(long, value_name = "FILE")]
    pub memory: Option<PathBuf>,
    /// Gives acting steps `shell`: commands in the folder of the task, each approved by a person
    #[arg(long)]
    pub shell: bool,
    /// Gives acting and verifying steps `test_runner`: this command in the folder of the task, each run approved by a person
    #[arg(long, value_name = "COMMAND")]
    pub test: Option<String>,
}

impl Powers {
    pub(crate) fn is_any(&self) -> bool {
        let Powers { sandbox, web, search, credential, skill, memory, shell, test } = self;
        let lists = [web.len(), credential.len(), skill.len()];
        *sandbox
            || *shell
            || lists.iter().any(|count| *count > 0)
            || search.is_some()
            || memory.is_some()
            || test.is_some()
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The folder of the task; one that has a task already goes on with it
    pub folder: PathBuf,
    /// What is to be reached [default: what `task/brief.md` asks for]
    #[arg(long, value_name = "TEXT")]
    pub goal: Option<String>,
    /// A workspace that a page has exported: its files come into the folder first, which must have no task
    #[arg(long, value_name = "FILE")]
    pub import: Option<PathBuf>,
    /// What a person approves: the plan and each file that is written, nothing, or everything at once [default: strict]
    #[arg(long, value_enum)]
    pub approve: Option<Approve>,
    /// How long it may work
    #[arg(long, value_name = "MINUTES")]
    pub minutes: Option<u64>,
    /// How many steps it may take
    #[arg(long)]
    pub steps: Option<u32>,
    /// Ends when a person is to decide, instead of waiting
    #[arg(long)]
    pub leave: bool,
    #[command(flatten)]
    pub powers: Powers,
    #[command(flatten)]
    pub model: ModelChoice,
    /// Writes the events as JSON, one a line, and the result as the last one
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Approve {
    Strict,
    Permissive,
    Automatic,
}

fn address(text: &str) -> Result<String, String> {
    match text.starts_with("http://") || text.starts_with("https://") {
        true => Ok(text.to_owned()),
        false => Err("it has the form http://host:port".to_owned()),
    }
}

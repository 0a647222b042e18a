//! What may run without a question in a project: by tool, by the words with which a command begins, and by folder. Each rule is a line.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

pub(crate) const BASH: &str = "bash";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Calls of this tool.
    Tool(String),
    /// Commands that begin with these words.
    Command(Vec<String>),
    /// Edits of files in this folder, and in those below it.
    Folder(PathBuf),
}

/// A call, as rules look at it.
pub(crate) struct Asked<'a> {
    pub tool: &'a str,
    pub input: &'a Value,
    /// The file that it would write, below the folder of the project and through all links.
    pub writes: Option<&'a Path>,
}

/// Programs that run what they are given: their second word says nothing about what that is.
const RUNNERS: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "env",
    "exec",
    "eval",
    "command",
    "time",
    "timeout",
    "nice",
    "nohup",
    "setsid",
    "xargs",
    "find",
    "watch",
    "parallel",
    "strace",
    "busybox",
    "chroot",
    "sh",
    "bash",
    "dash",
    "zsh",
    "fish",
    "ksh",
    "pwsh",
    "python",
    "python3",
    "node",
    "perl",
    "ruby",
    "php",
    "lua",
    "awk",
    "ssh",
    "flock",
    "pkexec",
    "runuser",
    "systemd-run",
    "deno",
];

/// What these go on with may run what it is given, as `git bisect run` does after `git bisect start`.
const GO_ON: &[(&str, &str)] = &[("git", "bisect"), ("git", "rebase"), ("git", "submodule")];

/// Second words behind which a program runs what it is given, as in `uv run`, `docker exec` and `pnpm dlx`.
const RUNS: &[&str] = &["run", "exec", "x", "dlx"];

/// Their `run` is for a script of the project, which the third word names.
const SCRIPTS: &[&str] = &["npm", "pnpm", "yarn", "bun"];

impl Rule {
    /// What it lets run, in words.
    pub(crate) fn about(&self) -> String {
        match self {
            Rule::Tool(tool) => format!("each call of {tool}"),
            Rule::Command(words) => format!("commands that begin with {}", words.join(" ")),
            Rule::Folder(folder) if folder.as_os_str().is_empty() => "edits of all files here".to_owned(),
            Rule::Folder(folder) => format!("edits of files below {}", folder.display()),
        }
    }

    /// `Err` says what a rule looks like.
    pub(crate) fn parse(line: &str) -> Result<Rule, String> {
        let wrong = || format!("`{line}` is no rule: write `tool NAME`, `command WORDS` or `folder PATH`");
        let (kind, rest) = line.split_once(' ').ok_or_else(wrong)?;
        let rest = rest.trim();
        if rest.is_empty() || rest.chars().any(char::is_control) {
            return Err(wrong());
        }
        match kind {
            "tool" if !rest.contains(char::is_whitespace) => Ok(Rule::Tool(rest.to_owned())),
            "command" if is_simple(rest) => Ok(Rule::Command(words(rest).map(str::to_owned).collect())),
            "command" => {
                Err(format!("`{line}` is no rule: a command with {NOT_SIMPLE} is always asked about"))
            }
            "folder" => match below(Path::new(rest)) {
                Some(folder) => Ok(Rule::Folder(folder)),
                None => Err(format!(
                    "`{line}` is no rule: the folder is given from that of the project, without `..`"
                )),
            },
            _ => Err(wrong()),
        }
    }

    /// All rules of a file: lines that are empty or begin with `#` say nothing. One line that is none, and no rule holds.
    pub(crate) fn parse_all(text: &str) -> Result<Vec<Rule>, String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(Rule::parse).collect()
    }

    pub(crate) fn allows(&self, asked: &Asked<'_>) -> bool {
        // What has more in it than one command is asked about, whatever rule there is.
        let command = command_of(asked);
        if asked.tool == BASH && !command.is_some_and(is_simple) {
            return false;
        }
        match self {
            Rule::Tool(tool) => tool == asked.tool,
            Rule::Command(rule) => command.is_some_and(|command| {
                // The same words may be other programs in another folder.
                if !asked.input.as_object().is_some_and(is_in_project) {
                    return false;
                }
                let mut said = words(command);
                rule.iter().all(|word| said.next() == Some(word))
            }),
            Rule::Folder(folder) => asked.writes.is_some_and(|file| file.starts_with(folder)),
        }
    }

    /// The narrowest rule that is still of use after this call; `None` for what is always asked about.
    pub(crate) fn for_call(asked: &Asked<'_>) -> Option<Rule> {
        let rule = match (command_of(asked), asked.writes) {
            (Some(command), _) if is_simple(command) => {
                let mut all: Vec<String> = words(command).map(str::to_owned).collect();
                let named = words_that_name(&all);
                all.truncate(named);
                Rule::Command(all)
            }
            (Some(_), _) => return None,
            (None, _) if asked.tool == BASH => return None,
            (None, Some(file)) => Rule::Folder(file.parent()?.to_owned()),
            (None, None) => Rule::Tool(asked.tool.to_owned()),
        };
        // As it would be read again.
        let is_kept = Rule::parse(&rule.to_string()).is_ok_and(|read| read == rule);
        (is_kept && rule.allows(asked)).then_some(rule)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Tool(tool) => write!(f, "tool {tool}"),
            Rule::Command(words) => write!(f, "command {}", words.join(" ")),
            Rule::Folder(folder) if folder.as_os_str().is_empty() => f.write_str("folder ."),
            Rule::Folder(folder) => write!(f, "folder {}", folder.display()),
        }
    }
}

fn command_of<'a>(asked: &Asked<'a>) -> Option<&'a str> {
    if asked.tool == BASH { asked.input.get("command")?.as_str() } else { None }
}

/// Whether a command runs in the folder of the project itself.
pub(crate) fn is_in_project(input: &Map<String, Value>) -> bool {
    matches!(input.get("folder").map(Value::as_str), None | Some(Some("" | "." | "./")))
}

/// How many words say what runs; all of them where fewer would let anything run.
fn words_that_name(all: &[String]) -> usize {
    let word = |at: usize| all.get(at).map_or("", String::as_str);
    let (first, second, third) = (word(0), word(1), word(2));
    let is_script = SCRIPTS.contains(&first) && second == "run" && is_plain(third);
    if is_script {
        3
    } else if is_plain(second)
        && !RUNNERS.contains(&first)
        && !RUNS.contains(&second)
        && !GO_ON.contains(&(first, second))
    {
        2
    } else {
        all.len()
    }
}

const NOT_SIMPLE: &str = "`;`, `&`, `|`, `$(`, a backtick, a redirection or a line break";

/// One command, which starts no other and writes no file by the shell.
fn is_simple(command: &str) -> bool {
    !command.contains([';', '&', '|', '`', '<', '>', '\n', '\r', '\0']) && !command.contains("$(")
}

/// As a shell parts them, which knows two kinds of space.
fn words(command: &str) -> impl Iterator<Item = &str> {
    command.split([' ', '\t']).filter(|word| !word.is_empty())
}

/// As in `cargo test`: no option and no path.
fn is_plain(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

fn below(path: &Path) -> Option<PathBuf> {
    let mut folder = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => folder.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(folder)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn allows(rule: &str, tool: &str, input: &Value, writes: Option<&str>) -> bool {
        Rule::parse(rule).unwrap().allows(&Asked { tool, input, writes: writes.map(Path::new) })
    }

    fn runs(rule: &str, command: &str) -> bool {
        allows(rule, "bash", &json!({ "command": command }), None)
    }

    #[test]
    fn a_command_is_allowed_by_the_words_that_it_begins_with() {
        for command in ["cargo test", "cargo test --all", "  cargo \t test x"] {
            assert!(runs("command cargo test", command), "{command:?}");
        }
        for command in [
            "cargo",
            "cargo testify",
            "cargo\u{a0}test",
            "X=1 cargo test",
            "cargo 'test'",
            "./cargo test",
            "",
        ] {
            assert!(!runs("command cargo test", command), "{command:?}");
        }
    }

    #[test]
    fn a_rule_for_commands_holds_in_the_folder_of_the_project_alone() {
        let of = |folder: &str| json!({ "command": "./run.sh x", "folder": folder });
        for here in ["", ".", "./"] {
            assert!(allows("command ./run.sh", "bash", &of(here), None), "{here:?}");
        }
        for elsewhere in ["vendor", "./vendor", "..", "/tmp"] {
            assert!(!allows("command ./run.sh", "bash", &of(elsewhere), None), "{elsewhere:?}");
            let asked = Asked { tool: "bash", input: &of(elsewhere), writes: None };
            assert_eq!(Rule::for_call(&asked), None);
        }
        let odd = json!({ "command": "./run.sh x", "folder": 1 });
        assert!(!allows("command ./run.sh", "bash", &odd, None));
    }

    #[test]
    fn what_is_more_than_one_command_is_asked_about_whatever_rule_there_is() {
        for more in [
            "; rm x", "& rm x", "&& rm x", "| sh", "$(rm x)", "`rm x`", "> x", "< x", "2>&1", "\nrm x",
            "\rrm x", "\0",
        ] {
            for rule in ["command cargo test", "tool bash"] {
                assert!(!runs(rule, &format!("cargo test {more}")), "{rule}: {more:?}");
                assert!(!runs(rule, &format!("cargo test{more}")), "{rule}: {more:?}");
            }
            assert_eq!(
                Rule::for_call(&Asked {
                    tool: "bash",
                    input: &json!({ "command": format!("ls {more}") }),
                    writes: None
                }),
                None
            );
            assert!(Rule::parse(&format!("command ls {more}")).is_err(), "{more:?}");
        }
        assert!(runs("tool bash", "rm x"));
        assert!(!allows("tool bash", "bash", &json!({}), None), "nobody knows what it would run");
    }

    #[test]
    fn an_edit_is_allowed_by_its_folder_and_any_call_by_its_tool() {
        let input = json!({ "path": "src/../secret" });
        assert!(allows("folder src", "edit_file", &input, Some("src/deep/a.rs")));
        assert!(allows("folder .", "write_file", &input, Some("a.rs")));
        for file in [Some("srcs/a.rs"), Some("a.rs"), None] {
            assert!(!allows("folder src", "edit_file", &input, file), "{file:?}");
        }
        assert!(allows("tool ask", "ask", &input, None));
        assert!(!allows("tool ask", "asks", &input, None) && !allows("tool Ask", "ask", &input, None));
    }

    #[test]
    fn a_rule_for_a_call_is_the_narrowest_that_is_of_use() {
        let of = |command: &str| {
            let input = json!({ "command": command });
            Rule::for_call(&Asked { tool: "bash", input: &input, writes: None }).map(|rule| rule.to_string())
        };
        for (command, rule) in [
            ("cargo  test --all", "command cargo test"),
            ("npm run test:unit --watch", "command npm run test:unit"),
            ("npm run -s build", "command npm run -s build"),
            ("uv run pytest -q", "command uv run pytest -q"),
            ("docker exec web ls", "command docker exec web ls"),
            ("pnpm dlx cowsay hi", "command pnpm dlx cowsay hi"),
            ("cargo run --bin x", "command cargo run --bin x"),
            ("rm -rf build", "command rm -rf build"),
            ("ls", "command ls"),
            ("./run.sh x", "command ./run.sh x"),
            ("sudo rm x", "command sudo rm x"),
            ("python script.py", "command python script.py"),
            ("deno eval 1+1", "command deno eval 1+1"),
            ("git bisect start", "command git bisect start"),
            ("git rebase main", "command git rebase main"),
            ("git submodule update x", "command git submodule update x"),
            ("git status -s", "command git status"),
            ("flock lock make", "command flock lock make"),
            ("pkexec ls", "command pkexec ls"),
            ("systemd-run ls x", "command systemd-run ls x"),
        ] {
            assert_eq!(of(command).as_deref(), Some(rule));
        }
        assert_eq!(of("  "), None);
        let edit = |file: &str| {
            let asked = Asked { tool: "edit_file", input: &json!({}), writes: Some(Path::new(file)) };
            Rule::for_call(&asked).map(|rule| rule.to_string())
        };
        assert_eq!(edit("src/a.rs").as_deref(), Some("folder src"));
        assert_eq!(edit("a.rs").as_deref(), Some("folder ."));
        assert_eq!(edit("two\nlines/a.rs"), None);
        let other = Asked { tool: "book_table", input: &json!({}), writes: None };
        assert_eq!(Rule::for_call(&other), Some(Rule::Tool("book_table".to_owned())));
    }

    #[test]
    fn one_line_that_is_no_rule_leaves_none() {
        let rules = Rule::parse_all("# ours\n\ntool ask\n  folder src/core/ \ncommand cargo test\n").unwrap();
        assert_eq!(
            rules.iter().map(Rule::to_string).collect::<Vec<_>>(),
            ["tool ask", "folder src/core", "command cargo test"]
        );
        for line in [
            "all",
            "tool",
            "tool a b",
            "folder ..",
            "folder /",
            "folder a/../..",
            "command",
            "Tool ask",
            "command a; b",
        ] {
            assert!(Rule::parse_all(&format!("tool ask\n{line}\n")).is_err(), "{line:?}");
        }
    }
}

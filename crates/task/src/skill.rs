//! Skills of tasks as bundles: a manifest, instructions, folders to read and tools, named by the hash of them all. A folder with a
//! `SKILL.md`, as many agents read it, is one too: all its other files are to be read, and it has no tools.

use crate::error::{TaskError, TaskErrorKind};
use crate::front_matter::FrontMatter;
use crate::layout::{ARTIFACTS, SKILLS, WorkspacePath};
use crate::text::sha256;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, Ts, Write, from_text, through_codec, to_text};
use glove_wasm::message::Extra;

const MANIFEST: &str = "skill.json";
/// In place of a manifest.
const AGENT_SKILL: &str = "SKILL.md";
const INSTRUCTIONS: &str = "instructions.md";
/// As for the skills of chats.
const MAX_LETTERS: usize = 200_000;
const MAX_FILES: usize = 1_000;
const MAX_BYTES: usize = 5_000_000;

/// A skill that a task works with, as its state says it: going on needs the same one.
#[derive(Debug, Clone, PartialEq, Eq, Read, Ts, Write)]
#[ts(name = "TaskSkillUse")]
pub struct SkillUse {
    pub name: String,
    /// Of the bundle.
    pub sha256: String,
}

through_codec! { SkillUse }

/// A skill, read and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillBundle {
    pub name: String,
    pub description: String,
    pub instructions: String,
    /// Of the list of its files: `sha256  path`, one to a line, in the order of their paths.
    pub sha256: String,
    pub tools: Vec<SkillTool>,
    /// What its mounts show to the agent and to its tools: path in the workspace and content, in the order of the paths.
    pub files: Vec<(WorkspacePath, String)>,
}

/// A tool of a skill: a module of JavaScript that runs in a sandbox.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillTool {
    pub name: String,
    pub description: String,
    pub input_schema: Json,
    pub code: String,
    /// All but planning where it is missing.
    pub phases: Option<Vec<String>>,
    /// The folders of the workspace that its code reads, and whether it also writes there. The files of its skill are among them.
    pub mounts: Vec<(WorkspacePath, bool)>,
}

#[derive(Read)]
#[json(rename_all = "camelCase")]
struct Manifest {
    name: String,
    description: String,
    instructions: Option<String>,
    #[json(default)]
    mounts: Vec<String>,
    #[json(default)]
    tools: Vec<ManifestTool>,
}

#[derive(Read)]
#[json(rename_all = "camelCase")]
struct ManifestTool {
    name: String,
    description: String,
    input_schema: Json,
    code: String,
    phases: Option<Vec<String>>,
    #[json(default)]
    mounts: Extra,
}

fn refused(why: &[&str]) -> TaskError {
    let mut message = "this is no skill: ".to_owned();
    message.extend(why.iter().copied());
    TaskError::new(TaskErrorKind::Skill, message)
}

impl SkillBundle {
    /// A bundle of these files, by their paths in it. What begins with a dot is none of it.
    pub fn of_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<SkillBundle, TaskError> {
        let files = checked(files)?;
        let has = |path: &str| files.iter().any(|(known, _)| known == path);
        if has(AGENT_SKILL) && !has(MANIFEST) {
            return of_agent_skill(&files);
        }
        let text = |path: &str, wanted_by: &str| {
            let missing = || refused(&["`", path, "` is not among its files, and ", wanted_by, " names it"]);
            let found = files.iter().find(|(known, _)| known == path).map(|(_, text)| text.clone());
            found.ok_or_else(missing)
        };
        let manifest = text(MANIFEST, "every skill")?;
        let manifest: Manifest = from_text(&manifest)
            .map_err(|fault| refused(&["`", MANIFEST, "` cannot be read: ", &fault.to_string()]))?;
        let Manifest { name, description, instructions, mounts, tools } = manifest;
        let root = root_of(&name)?;
        let instructions = text(instructions.as_deref().unwrap_or(INSTRUCTIONS), MANIFEST)?;
        is_short(&instructions)?;
        let mut mounted: Vec<(WorkspacePath, String)> = Vec::new();
        for folder in &mounts {
            let below = WorkspacePath::parse(folder)?;
            let mut is_there = false;
            for (path, content) in &files {
                if WorkspacePath::known(path.as_str()).is_below(below.as_str()) {
                    is_there = true;
                    let path = WorkspacePath::known([root.as_str(), "/", path].concat());
                    insert(&mut mounted, path, content.clone());
                }
            }
            if !is_there {
                return Err(refused(&["it has no files below `", folder, "`, which `mounts` names"]));
            }
        }
        let mut made: Vec<SkillTool> = Vec::new();
        for tool in tools {
            let code = text(&tool.code, &["the tool ", &tool.name].concat())?;
            let mut mounts = Vec::new();
            for (folder, right) in tool.mounts.0 {
                mounts.push(mount(&tool.name, &folder, &right)?);
            }
            if !mounted.is_empty() {
                mounts.push((root.clone(), false));
            }
            let ManifestTool { name, description, input_schema, phases, .. } = tool;
            made.push(SkillTool { name, description, input_schema, code, phases, mounts });
        }
        Ok(SkillBundle { name, description, instructions, sha256: hash(&files), tools: made, files: mounted })
    }

    /// Refuses a bundle that has another hash than this one.
    pub fn pinned(self, wanted: &str) -> Result<SkillBundle, TaskError> {
        if self.sha256.eq_ignore_ascii_case(wanted.trim()) {
            return Ok(self);
        }
        let why =
            format!("it was to be {}; look at what changed in it, then give its new hash", wanted.trim());
        Err(self.changed(&why))
    }

    pub fn as_use(&self) -> SkillUse {
        SkillUse { name: self.name.clone(), sha256: self.sha256.clone() }
    }

    fn changed(&self, why: &str) -> TaskError {
        let message = format!("the skill \"{}\" has the hash {}, and {why}", self.name, self.sha256);
        TaskError::new(TaskErrorKind::SkillChanged, message)
    }

    /// What the model reads of it in every prompt.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n\n{}", self.description.trim(), self.instructions.trim());
        if !self.files.is_empty() {
            text.push_str("\n\nIts files, to be read with file_read:");
        }
        for (path, _) in &self.files {
            text.push_str("\n- ");
            text.push_str(path.as_str());
        }
        text
    }
}

/// Where its files stand in the workspace.
fn root_of(name: &str) -> Result<WorkspacePath, TaskError> {
    let fits = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    if name.is_empty() || !name.chars().all(fits) {
        return Err(refused(&["its `name` must be letters, digits, \"_\" and \"-\", got ", &to_text(&name)]));
    }
    WorkspacePath::parse(&format!("{SKILLS}/{name}"))
}

fn is_short(instructions: &str) -> Result<(), TaskError> {
    let letters = instructions.encode_utf16().count();
    if letters <= MAX_LETTERS {
        return Ok(());
    }
    let (letters, most) = (letters.to_string(), MAX_LETTERS.to_string());
    let why = [
        "its instructions have ",
        &letters,
        " letters, and may have ",
        &most,
        "; put what is long into a file beside them",
    ];
    Err(refused(&why))
}

fn of_agent_skill(files: &[(String, String)]) -> Result<SkillBundle, TaskError> {
    let text = files.iter().find(|(path, _)| path == AGENT_SKILL).map_or("", |(_, text)| text);
    let read = FrontMatter::read(text).map_err(|why| refused(&[&why]))?;
    let [name, description] =
        ["name", "description"].map(|key| read.field(key).unwrap_or_default().to_owned());
    let root = root_of(&name)?;
    if description.is_empty() {
        return Err(refused(&["the front matter of `", AGENT_SKILL, "` has no `description`"]));
    }
    if read.body.is_empty() {
        return Err(refused(&["there is no text below the front matter of `", AGENT_SKILL, "`"]));
    }
    is_short(&read.body)?;
    let others = files.iter().filter(|(path, _)| path != AGENT_SKILL);
    let mounted = others
        .map(|(path, content)| (WorkspacePath::known([root.as_str(), "/", path].concat()), content.clone()));
    Ok(SkillBundle {
        files: mounted.collect(),
        name,
        description,
        instructions: read.body,
        sha256: hash(files),
        tools: Vec::new(),
    })
}

/// Those of `there` that a task began with; refused where one of them is another one by now, or is gone.
pub(crate) fn known_again<'a>(
    used: &[SkillUse],
    there: &'a [SkillBundle],
) -> Result<Vec<&'a SkillBundle>, TaskError> {
    let mut known = Vec::new();
    for SkillUse { name, sha256 } in used {
        match there.iter().find(|skill| skill.name == *name) {
            Some(skill) if skill.sha256 == *sha256 => known.push(skill),
            Some(skill) => {
                let why = format!("the task began with {sha256}; give it that one, or begin another task");
                return Err(skill.changed(&why));
            }
            None => {
                let message = format!(
                    "the task began with the skill \"{name}\" ({sha256}), which its agent has not; register it, or begin another task"
                );
                return Err(TaskError::new(TaskErrorKind::SkillChanged, message));
            }
        }
    }
    Ok(known)
}

/// Clean paths with texts.
fn checked(given: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Vec<(String, String)>, TaskError> {
    let mut files = Vec::new();
    let mut bytes = 0;
    for (path, content) in given {
        if path.split('/').any(|name| name.starts_with('.') && name != "." && name != "..") {
            continue;
        }
        let clean = WorkspacePath::parse(&path)?;
        bytes += content.len();
        let text = String::from_utf8(content)
            .map_err(|_| refused(&["`", &path, "` is not UTF-8; its files are texts"]))?;
        if !insert(&mut files, clean.as_str().to_owned(), text) {
            return Err(refused(&["`", &path, "` is there twice"]));
        }
    }
    if files.len() > MAX_FILES || bytes > MAX_BYTES {
        let (count, size) = (files.len().to_string(), bytes.to_string());
        let most = [MAX_FILES.to_string(), MAX_BYTES.to_string()];
        let [most_files, most_bytes] = &most;
        return Err(refused(&[
            "it has ",
            &count,
            " files with ",
            &size,
            " bytes, and may have ",
            most_files,
            " with ",
            most_bytes,
        ]));
    }
    Ok(files)
}

/// False where there was one of this name, which stays.
fn insert<K: Ord>(files: &mut Vec<(K, String)>, path: K, text: String) -> bool {
    match files.binary_search_by(|(known, _)| known.cmp(&path)) {
        Ok(_) => false,
        Err(at) => {
            files.insert(at, (path, text));
            true
        }
    }
}

fn mount(tool: &str, folder: &str, right: &Json) -> Result<(WorkspacePath, bool), TaskError> {
    let path = WorkspacePath::parse(folder)?;
    match from_text::<String>(right.as_str()).ok().as_deref() {
        Some("read") => Ok((path, false)),
        Some("write") if path.is_below(ARTIFACTS) => Ok((path, true)),
        Some("write") => Err(refused(&[
            "the tool ",
            tool,
            " wants to write `",
            folder,
            "`, and may write below ",
            ARTIFACTS,
        ])),
        _ => Err(refused(&[
            "`mounts` of the tool ",
            tool,
            " must say \"read\" or \"write\" of `",
            folder,
            "`",
        ])),
    }
}

/// What `sha256sum` prints of the files in the order of their paths, hashed.
fn hash(files: &[(String, String)]) -> String {
    let mut list = String::new();
    for (path, content) in files {
        list.push_str(&sha256(content.as_bytes()));
        list.push_str("  ");
        list.push_str(path);
        list.push('\n');
    }
    sha256(list.as_bytes())
}

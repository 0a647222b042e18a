//! Reading, listing, writing and editing.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

use cap_std::fs::MetadataExt;
use ignore::WalkBuilder;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::names::own_names;
use super::workspace::{Workspace, failed, on_thread};
use glove_wasm::json::Json;
use glove_wasm::ports::{Tool, ToolContext, ToolFailure};

/// Lines that are read at once.
const LINES: usize = 2_000;
/// What a file may weigh to be read, searched or edited.
pub(super) const LARGEST: u64 = 20_000_000;
const ENTRIES: usize = 1_000;

#[derive(Deserialize)]
struct ReadFile {
    path: String,
    first_line: Option<usize>,
    last_line: Option<usize>,
}

pub(super) fn read_file(workspace: &Workspace) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "Relative to the working folder" },
            "first_line": { "type": "integer", "minimum": 1 },
            "last_line": { "type": "integer", "minimum": 1 }
        },
        "required": ["path"]
    });
    let about = "Reads a text file, with line numbers. Reads 2000 lines at once: give first_line and last_line for more.";
    let workspace = workspace.clone();
    Tool::new("read_file", about, schema, move |input: ReadFile, _: ToolContext| {
        let workspace = workspace.clone();
        on_thread(move || {
            let path = workspace.below(&input.path)?;
            let text = text_of(&workspace, &path)?;
            Ok(numbered(&text, input.first_line.unwrap_or(1), input.last_line))
        })
    })
    .parallel()
    .idempotent(0)
}

fn numbered(text: &str, first: usize, last: Option<usize>) -> String {
    let count = text.lines().count();
    let last = last.unwrap_or(usize::MAX).min(count).min(first.saturating_add(LINES - 1));
    let width = last.to_string().len();
    let mut out = String::new();
    for (at, line) in text.lines().enumerate().skip(first - 1).take((last + 1).saturating_sub(first)) {
        out.push_str(&format!("{:width$}  {line}\n", at + 1));
    }
    if count == 0 {
        return "(the file is empty)".to_owned();
    }
    if first > count {
        return format!("(the file has {count} lines; line {first} is behind its end)");
    }
    if last < count {
        out.push_str(&format!("(lines {first} to {last} of {count})\n"));
    }
    out
}

/// A file as text; what is none is refused.
pub(super) fn text_of(workspace: &Workspace, path: &Path) -> Result<String, ToolFailure> {
    let bytes = bytes_of(workspace, path)?;
    String::from_utf8(bytes).map_err(|error| {
        let size = error.as_bytes().len();
        ToolFailure::new(format!(
            "`{}` is no text: a binary file of {size} bytes, or one that is not UTF-8",
            path.display()
        ))
    })
}

fn bytes_of(workspace: &Workspace, path: &Path) -> Result<Vec<u8>, ToolFailure> {
    let folder = workspace.folder();
    let metadata = folder.metadata(path).map_err(|error| failed(path, &error))?;
    if metadata.is_dir() {
        return Err(ToolFailure::new(format!("`{}` is a folder; list it with list_dir", path.display())));
    }
    if metadata.len() > LARGEST {
        let size = metadata.len();
        return Err(ToolFailure::new(format!(
            "`{}` is too large ({size} bytes); use search or bash",
            path.display()
        )));
    }
    let file = workspace.open_file(path)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| failed(path, &error))?;
    if bytes.iter().take(8_000).any(|byte| *byte == 0) {
        let size = bytes.len();
        return Err(ToolFailure::new(format!(
            "`{}` is no text: a binary file of {size} bytes",
            path.display()
        )));
    }
    Ok(bytes)
}

#[derive(Deserialize)]
struct ListDir {
    #[serde(default)]
    path: String,
    depth: Option<usize>,
}

pub(super) fn list_dir(workspace: &Workspace) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "Relative to the working folder, which is the default" },
            "depth": { "type": "integer", "minimum": 1, "maximum": 20, "description": "Default 3" }
        }
    });
    let about = "Lists a folder as a tree. Leaves out .git and what .gitignore names.";
    let workspace = workspace.clone();
    Tool::new("list_dir", about, schema, move |input: ListDir, _: ToolContext| {
        let workspace = workspace.clone();
        on_thread(move || {
            let folder = workspace.real_folder(&workspace.below(&input.path)?)?;
            let mut out = String::new();
            let walk = WalkBuilder::new(&folder)
                .max_depth(Some(input.depth.unwrap_or(3)))
                .hidden(false)
                .filter_entry(|entry| entry.file_name() != ".git" && entry.file_name() != "node_modules")
                .sort_by_file_name(|a, b| a.cmp(b))
                .require_git(false)
                .build();
            for (at, entry) in walk.flatten().filter(|entry| entry.depth() > 0).enumerate() {
                if at == ENTRIES {
                    out.push_str(&format!(
                        "(more than {ENTRIES} entries; list a folder below, or a smaller depth)\n"
                    ));
                    break;
                }
                // The walk goes by names: one that leads out, by a link that was put in its place meanwhile, is no entry of this folder.
                let below = entry.path().strip_prefix(workspace.path());
                let Ok(Ok(found)) = below.map(|below| workspace.folder().symlink_metadata(below)) else {
                    continue;
                };
                let is_folder = found.is_dir();
                let indent = "  ".repeat(entry.depth() - 1);
                let name = entry.file_name().to_string_lossy();
                out.push_str(&format!("{indent}{name}{}\n", if is_folder { "/" } else { "" }));
            }
            Ok(if out.is_empty() { "(the folder is empty)".to_owned() } else { out })
        })
    })
    .parallel()
    .idempotent(0)
}

#[derive(Deserialize)]
struct WriteFile {
    path: String,
    content: String,
    #[serde(default)]
    create_dirs: bool,
}

pub(super) fn write_file(workspace: &Workspace) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "Relative to the working folder" },
            "content": { "type": "string" },
            "create_dirs": { "type": "boolean", "description": "Creates the folders of the path" }
        },
        "required": ["path", "content"]
    });
    let about = "Creates a text file, or replaces all of it. For a change in a file use edit_file.";
    let (writes, undoes) = (workspace.clone(), workspace.clone());
    Tool::new("write_file", about, schema, move |input: WriteFile, context: ToolContext| {
        let workspace = writes.clone();
        async move {
            let path = workspace.below(&input.path)?;
            // A step: if this call runs again after a crash, it knows what it found the first time.
            let (looks, looked_at) = (workspace.clone(), path.clone());
            let before = context
                .step("look", move || {
                    on_thread(move || {
                        let found = existing(&looks, &looked_at)?;
                        Before::of(&looks, &looked_at, found.as_deref())
                    })
                })
                .await?;
            let key = kept_as(&context, &path);
            on_thread(move || write(&workspace, &path, &input, before, key)).await
        }
    })
    .requires_permission()
    .idempotent(0)
    .undo(move |input: WriteFile, context: ToolContext| {
        let workspace = undoes.clone();
        on_thread(move || {
            let path = workspace.below(&input.path)?;
            let key = kept_as(&context, &path);
            take_back(&workspace, &path, &key, |_| Some(input.content.clone().into_bytes()))
        })
    })
}

/// A call and its undo have the same key.
fn kept_as(context: &ToolContext, path: &Path) -> String {
    format!("{} {}", context.call_key(), path.display())
}

/// Old text up to this size is stored with a call until it has ended.
const STORED: usize = 1_000_000;

/// A file as a call found it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Before {
    Missing,
    Text(String),
    /// Too large to be stored, or no text. Number, size, and time of the last change.
    Other(u64, u64, i64, i64),
}

impl Before {
    fn of(workspace: &Workspace, path: &Path, found: Option<&[u8]>) -> Result<Before, ToolFailure> {
        let Some(bytes) = found else { return Ok(Before::Missing) };
        match std::str::from_utf8(bytes) {
            Ok(text) if text.len() <= STORED => Ok(Before::Text(text.to_owned())),
            _ => {
                let metadata = workspace.folder().metadata(path).map_err(|error| failed(path, &error))?;
                Ok(Before::Other(metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
            }
        }
    }
}

fn write(
    workspace: &Workspace,
    path: &Path,
    input: &WriteFile,
    before: Before,
    key: String,
) -> Result<String, ToolFailure> {
    let said = |what| format!("{what} {} ({} lines)", path.display(), input.content.lines().count());
    let what = if before == Before::Missing { "created" } else { "replaced" };
    let found = existing(workspace, path)?;
    if Before::of(workspace, path, found.as_deref())? != before {
        if found.as_deref() != Some(input.content.as_bytes()) {
            return Err(ToolFailure::new(format!(
                "`{}` was changed by somebody else meanwhile; nothing was written. Read it, then write it again if that is still right",
                path.display()
            )));
        }
        // This call has written it before it was interrupted.
        match before {
            Before::Missing => workspace.undo_buffer().keep(key, path, None),
            Before::Text(text) => workspace.undo_buffer().keep(key, path, Some(text.into_bytes())),
            Before::Other(..) => {}
        }
        return Ok(said(what));
    }
    if let (true, Some(folder)) = (input.create_dirs, target(workspace, path)?.parent()) {
        workspace.folder().create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    }
    replace_kept(workspace, path, &key, found, input.content.as_bytes())?;
    Ok(said(what))
}

/// Keeps what was in a file, and puts something else there.
fn replace_kept(
    workspace: &Workspace,
    path: &Path,
    key: &str,
    before: Option<Vec<u8>>,
    after: &[u8],
) -> Result<(), ToolFailure> {
    // First: what was there is known also if the program dies right after the change.
    workspace.undo_buffer().keep(key.to_owned(), path, before);
    let replaced = replace(workspace, path, after);
    if replaced.is_err() {
        workspace.undo_buffer().remove(key);
    }
    replaced
}

/// Gives back what was in a file, if it still is as the call left it: `after` says how, from what was in it.
fn take_back(
    workspace: &Workspace,
    path: &Path,
    key: &str,
    after: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
) -> Result<(), ToolFailure> {
    let Some(before) = workspace.undo_buffer().get(key) else {
        let message = "what was in the file before is not known any more: too much was changed since, or the program that knew it has ended";
        return Err(ToolFailure::new(message));
    };
    if existing(workspace, path)? != after(before.as_deref()) {
        return Err(ToolFailure::new(format!("`{}` was changed since; undo it by hand", path.display())));
    }
    match before {
        Some(before) => replace(workspace, path, &before)?,
        None => workspace.folder().remove_file(path).map_err(|error| failed(path, &error))?,
    }
    workspace.undo_buffer().remove(key);
    Ok(())
}

/// What is in a file that may not exist. Whatever is in it: it is given back as it was.
fn existing(workspace: &Workspace, path: &Path) -> Result<Option<Vec<u8>>, ToolFailure> {
    match workspace.folder().metadata(path) {
        Ok(metadata) if metadata.len() > LARGEST => {
            let size = metadata.len();
            Err(ToolFailure::new(format!(
                "`{}` is too large to be replaced ({size} bytes): what is in it could not be given back; use bash",
                path.display()
            )))
        }
        Ok(_) => {
            let mut bytes = Vec::new();
            let read = workspace.open_file(path)?.read_to_end(&mut bytes);
            read.map_err(|error| failed(path, &error))?;
            Ok(Some(bytes))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, &error)),
    }
}

/// How many links and missing folders of a path are followed.
const DEEPEST: usize = 200;

/// The file that is written: what is behind a link is changed, not the link, also where nothing is there yet. Folders of it may be
/// missing.
fn target(workspace: &Workspace, path: &Path) -> Result<PathBuf, ToolFailure> {
    let folder = workspace.folder();
    let mut rest = path.to_owned();
    let mut missing: Vec<OsString> = Vec::new();
    for _ in 0..DEEPEST {
        let here = if rest.as_os_str().is_empty() { Path::new(".") } else { &rest };
        let unresolved = match folder.canonicalize(here) {
            Ok(mut target) => {
                target.extend(missing.iter().rev());
                return match target.components().find_map(|part| why_not(part.as_os_str())) {
                    Some(why) => Err(ToolFailure::new(why)),
                    None => Ok(target),
                };
            }
            Err(error) => error,
        };
        let parent = rest.parent().unwrap_or(Path::new(""));
        rest = match (folder.symlink_metadata(here), rest.file_name()) {
            (Ok(metadata), _) if metadata.is_symlink() => {
                parent.join(folder.read_link(here).map_err(|error| failed(path, &error))?)
            }
            (Err(error), Some(name)) if error.kind() == std::io::ErrorKind::NotFound => {
                missing.push(name.to_owned());
                parent.to_owned()
            }
            _ => return Err(failed(path, &unresolved)),
        };
    }
    Err(ToolFailure::new(format!("`{}` leads through too many links", path.display())))
}

/// Folders that decide what programs do later, also as file systems read them that pass over letters nobody sees.
fn why_not(name: &OsStr) -> Option<&'static str> {
    let unseen = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen = name.to_string_lossy().chars().filter(|c| !unseen(c)).collect::<String>();
    match seen.to_ascii_lowercase().as_str() {
        ".git" => Some("files of .git are not written; use git by way of bash"),
        ".glove" => Some(
            "files of .glove are not written: they say what may run without a question, which is for the user to say",
        ),
        _ => None,
    }
}

/// All of the new content or all of the old: it is written beside the file and put in its place.
fn replace(workspace: &Workspace, path: &Path, content: &[u8]) -> Result<(), ToolFailure> {
    let folder = workspace.folder();
    let target = target(workspace, path)?;
    if let Some(parent) = target.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        folder.metadata(parent).map_err(|error| failed(parent, &error))?;
    }
    if folder.metadata(&target).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(ToolFailure::new(format!(
            "`{}` is write-protected; change its permissions by way of bash if it is to be written",
            path.display()
        )));
    }
    glove_wasm_native::internal::replace(folder, &target, content).map_err(|error| failed(path, &error))
}

#[derive(Deserialize)]
struct EditFile {
    path: String,
    old: String,
    new: String,
}

pub(super) fn edit_file(workspace: &Workspace) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "Relative to the working folder" },
            "old": { "type": "string", "minLength": 1, "description": "As it stands in the file, without line numbers; exactly once" },
            "new": { "type": "string" }
        },
        "required": ["path", "old", "new"]
    });
    let about = "Replaces a piece of a text file by another. The piece must be in the file exactly once: give more lines around it if not.";
    let (edits, undoes) = (workspace.clone(), workspace.clone());
    Tool::new("edit_file", about, schema, move |input: EditFile, context: ToolContext| {
        let workspace = edits.clone();
        on_thread(move || {
            let path = workspace.below(&input.path)?;
            let key = kept_as(&context, &path);
            edit(&workspace, &path, &input, &key)
        })
    })
    .requires_permission()
    .undo(move |input: EditFile, context: ToolContext| {
        let workspace = undoes.clone();
        on_thread(move || {
            let path = workspace.below(&input.path)?;
            let key = kept_as(&context, &path);
            take_back(&workspace, &path, &key, |before| {
                let before = std::str::from_utf8(before?).ok()?;
                Some(before.replacen(&input.old, &input.new, 1).into_bytes())
            })
        })
    })
}

fn edit(workspace: &Workspace, path: &Path, input: &EditFile, key: &str) -> Result<String, ToolFailure> {
    let EditFile { old, new, .. } = input;
    let text = text_of(workspace, path)?;
    let places = places_of(&text, old);
    let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    match places.as_slice() {
        [at] => {
            let changed = replaced(&text, *at, old, new);
            let said = format!("edited {} at line {}", path.display(), line(*at));
            replace_kept(workspace, path, key, Some(text.into_bytes()), changed.as_bytes())?;
            Ok(said)
        }
        [] => Err(ToolFailure::new(format!(
            "`{}` does not contain that piece; read the file and copy it as it stands there{}",
            path.display(),
            similar(&text, old)
        ))),
        many => {
            let lines: Vec<String> = many
                .iter()
                .take(20)
                .map(|at| {
                    let number = line(*at);
                    format!("{number}: {}", text.lines().nth(number - 1).unwrap_or_default())
                })
                .collect();
            Err(ToolFailure::new(format!(
                "the piece is in `{}` {} times; give more lines around the one that is meant:\n{}",
                path.display(),
                many.len(),
                lines.join("\n")
            )))
        }
    }
}

fn places_of(text: &str, piece: &str) -> Vec<usize> {
    match piece.is_empty() {
        true => Vec::new(),
        false => text.match_indices(piece).map(|(at, _)| at).collect(),
    }
}

fn replaced(text: &str, at: usize, old: &str, new: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    changed.push_str(text.get(..at).unwrap_or_default());
    changed.push_str(new);
    changed.push_str(text.get(at + old.len()..).unwrap_or_default());
    changed
}

/// What a call would make of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// As the call writes it.
    pub path: String,
    pub before: FileFound,
    pub after: String,
}

/// What is in a file that a call would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFound {
    /// There is no such file.
    Nothing,
    Text(String),
    /// No text, or too much of it.
    Other,
}

impl Workspace {
    /// The file that a call of `write_file` or `edit_file` would write, below the folder and through all links. `None` for another tool,
    /// and for what would not be written.
    pub fn written_file(&self, tool: &str, input: &Json) -> Option<PathBuf> {
        target(self, &self.below(&path_of(tool, input)?).ok()?).ok()
    }

    /// What the calls whose files are known have changed so far, as one change of each file; what was changed back is none. Commands are not
    /// known.
    pub fn changes(&self) -> Vec<FileChange> {
        let first = self.undo_buffer().first();
        first.into_iter().filter_map(|(path, before)| self.change_since(&path, before)).collect()
    }

    /// What a call that has just ended changed. `None` for a call that changes no file.
    pub fn change_by(&self, tool: &str, input: &Json) -> Option<FileChange> {
        let below = self.below(&path_of(tool, input)?).ok()?;
        let before = self.undo_buffer().last(&below)?;
        self.change_since(&below, before)
    }

    fn change_since(&self, path: &Path, before: Option<Vec<u8>>) -> Option<FileChange> {
        let now = existing(self, path).ok()?;
        if now == before {
            return None;
        }
        let before = match before {
            None => FileFound::Nothing,
            Some(bytes) => String::from_utf8(bytes).map_or(FileFound::Other, FileFound::Text),
        };
        let after = String::from_utf8_lossy(&now.unwrap_or_default()).into_owned();
        Some(FileChange { path: path.display().to_string(), before, after })
    }

    /// What a call of `write_file` or `edit_file` would do, so that a person sees it before allowing it. `None` for another tool, and
    /// where the call could not be done.
    pub fn change_of(&self, tool: &str, input: &Json) -> Option<FileChange> {
        let input = own_names(tool, input).ok()?;
        if tool == "write_file" {
            let WriteFile { path, content, .. } = input.read().ok()?;
            let below = self.below(&path).ok()?;
            let before = match existing(self, &below) {
                Ok(None) => FileFound::Nothing,
                Ok(Some(bytes)) => String::from_utf8(bytes).map_or(FileFound::Other, FileFound::Text),
                Err(_) => FileFound::Other,
            };
            return Some(FileChange { path, before, after: content });
        }
        if tool != "edit_file" {
            return None;
        }
        let EditFile { path, old, new } = input.read().ok()?;
        let before = text_of(self, &self.below(&path).ok()?).ok()?;
        let [at] = *places_of(&before, &old).as_slice() else { return None };
        let after = replaced(&before, at, &old, &new);
        Some(FileChange { path, before: FileFound::Text(before), after })
    }
}

/// As a call names the file that it changes.
fn path_of(tool: &str, input: &Json) -> Option<String> {
    let input = own_names(tool, input).ok()?;
    match tool {
        "write_file" => Some(input.read::<WriteFile>().ok()?.path),
        "edit_file" => Some(input.read::<EditFile>().ok()?.path),
        _ => None,
    }
}

/// Where the first line of the piece stands with other spaces.
fn similar(text: &str, old: &str) -> String {
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let found = text.lines().enumerate().find(|(_, line)| !wanted.is_empty() && line.trim() == wanted);
    found.map_or_else(String::new, |(at, line)| format!(". Its first line is like line {}: {line}", at + 1))
}

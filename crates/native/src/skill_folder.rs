//! A folder as a skill of tasks.

use std::fs;
use std::io;
use std::path::Path;

use glove_wasm_task::{SkillBundle, TaskError, TaskErrorKind};

/// The skill in a folder, with `skill.json` in it. Links are refused: what they lead to is none of its hash.
pub fn open_skill(folder: impl AsRef<Path>) -> Result<SkillBundle, TaskError> {
    let folder = folder.as_ref();
    let mut files = Vec::new();
    collect(folder, "", &mut files).map_err(|error| {
        let message = format!("the skill in `{}` cannot be read: {error}", folder.display());
        TaskError::new(TaskErrorKind::Skill, message)
    })?;
    SkillBundle::of_files(files)
}

fn collect(folder: &Path, above: &str, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name =
            name.to_str().ok_or_else(|| io::Error::other(format!("`{}` is not UTF-8", name.display())))?;
        // Of a version control system or an editor.
        if name.starts_with('.') {
            continue;
        }
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), &path, files)?;
        } else if kind.is_file() {
            files.push((path, fs::read(entry.path())?));
        } else {
            return Err(io::Error::other(format!("`{path}` is a link or no file; a skill is made of files")));
        }
    }
    Ok(())
}

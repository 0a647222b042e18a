//! What a project says to whoever works on it: `AGENTS.md` of the folder and of those above it, up to the root of the repository.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const NAME: &str = "AGENTS.md";
/// Of one file, and of all of them together.
const LARGEST: usize = 32 * 1024;
const MOST: usize = 64 * 1024;
/// So many folders are looked at.
const DEEPEST: usize = 30;

/// What was found.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Notes {
    /// For the model, the farthest folder first: what is nearer is said last.
    pub text: String,
    /// In one line, for the person.
    pub told: Option<String>,
}

impl Notes {
    pub(crate) fn of(folder: &Path) -> Notes {
        let above: Vec<&Path> = folder.ancestors().take(DEEPEST).collect();
        // Elsewhere what stands above the folder is not known to be of the project.
        let root = above.iter().position(|folder| folder.join(".git").exists()).unwrap_or_default();
        let (mut notes, mut names, mut size) = (Notes::default(), Vec::new(), 0);
        for (up, at) in above.iter().enumerate().take(root + 1).rev() {
            let name = format!("{}{NAME}", "../".repeat(up));
            let is_ours = |path: &Path, about: &Metadata| {
                let root = above.get(root).copied().unwrap_or(folder);
                path.starts_with(root) && is_trusted(about, folder)
            };
            match read(&at.join(NAME), is_ours, LARGEST.min(MOST - size)) {
                Seen::Nothing => {}
                Seen::Refused(why) => names.push(format!("{name} is not read ({why})")),
                Seen::Text(text, is_cut) => {
                    size += text.len();
                    let cut = if is_cut { "\n(the rest is left out)" } else { "" };
                    notes.text.push_str(&format!("\n\n# {name}\n\n{}{cut}", text.trim_end()));
                    let told = match text.len() {
                        bytes @ 0..1_024 => format!("{bytes} bytes"),
                        bytes => format!("{:.1} kB", bytes as f64 / 1_024.0),
                    };
                    let cut = if is_cut { ", its beginning" } else { "" };
                    names.push(format!("{name} ({told}{cut})"));
                }
            }
        }
        if !names.is_empty() {
            notes.told = Some(format!("reads {}", names.join(", ")));
        }
        notes
    }

    /// Behind what the model is told anyway.
    pub(crate) fn behind(&self, instructions: String) -> String {
        if self.text.is_empty() {
            return instructions;
        }
        format!(
            "{instructions}\n\nThe project says this to whoever works on it; what stands later is nearer to the folder and counts more:{}",
            self.text
        )
    }
}

pub(crate) enum Seen {
    Nothing,
    Refused(&'static str),
    /// Whether it is the beginning alone.
    Text(String, bool),
}

/// What another user of the machine has put above the folder is none of the project.
pub(crate) fn is_trusted(about: &Metadata, folder: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let of_folder = fs::metadata(folder).map(|about| about.uid()).ok();
    about.uid() == own || about.uid() == 0 || Some(about.uid()) == of_folder
}

pub(crate) fn read(path: &Path, is_ours: impl Fn(&Path, &Metadata) -> bool, most: usize) -> Seen {
    // A link may lead to any file of the person, and what is read goes to a model.
    let Ok(real): Result<PathBuf, _> = path.canonicalize() else { return Seen::Nothing };
    let Ok(about) = fs::metadata(&real) else { return Seen::Nothing };
    if !about.is_file() {
        return Seen::Refused("it is no regular file");
    }
    if !is_ours(&real, &about) {
        return Seen::Refused("it is outside of the project, or another user's");
    }
    let mut bytes = Vec::new();
    let most_bytes = u64::try_from(most).unwrap_or_default();
    if File::open(&real).and_then(|file| file.take(most_bytes + 1).read_to_end(&mut bytes)).is_err() {
        return Seen::Refused("it cannot be opened");
    }
    let is_cut = bytes.len() > most;
    bytes.truncate(most);
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // The last letter may be cut in two.
        Err(error) if is_cut && error.utf8_error().error_len().is_none() => {
            let until = error.utf8_error().valid_up_to();
            String::from_utf8_lossy(error.as_bytes().get(..until).unwrap_or_default()).into_owned()
        }
        Err(_) => return Seen::Refused("it is no text"),
    };
    if text.trim().is_empty() { Seen::Nothing } else { Seen::Text(text, is_cut) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Folders(PathBuf);

    impl Folders {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("glove-notes-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(folder.join("outside/repo/.git")).unwrap();
            fs::create_dir_all(folder.join("outside/repo/a/b")).unwrap();
            Folders(folder.canonicalize().unwrap())
        }

        fn write(&self, path: &str, text: &str) {
            fs::write(self.0.join(path), text).unwrap();
        }

        fn of(&self, path: &str) -> Notes {
            Notes::of(&self.0.join(path))
        }
    }

    impl Drop for Folders {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn notes_are_read_from_the_root_of_the_repository_down_to_the_folder() {
        let folders = Folders::new("order");
        assert_eq!(folders.of("outside/repo/a/b"), Notes::default());
        folders.write("outside/AGENTS.md", "not of the project");
        folders.write("outside/repo/AGENTS.md", "of the root\n");
        folders.write("outside/repo/a/b/AGENTS.md", "of the folder\n");
        let notes = folders.of("outside/repo/a/b");
        assert_eq!(notes.text, "\n\n# ../../AGENTS.md\n\nof the root\n\n# AGENTS.md\n\nof the folder");
        assert_eq!(notes.told.as_deref(), Some("reads ../../AGENTS.md (12 bytes), AGENTS.md (14 bytes)"));
        assert!(notes.behind("Be brief.".to_owned()).starts_with("Be brief.\n\nThe project says"));
        assert_eq!(
            folders.of("outside").text,
            "\n\n# AGENTS.md\n\nnot of the project",
            "without a repository the folder alone"
        );
    }

    #[test]
    fn notes_are_cut_where_they_are_long_and_links_out_of_the_project_are_not_followed() {
        let folders = Folders::new("bound");
        folders.write("outside/repo/AGENTS.md", &"ä".repeat(LARGEST));
        folders.write("outside/repo/a/AGENTS.md", &"b".repeat(2 * LARGEST));
        folders.write("outside/secret", "planted-4711");
        symlink(folders.0.join("outside/secret"), folders.0.join("outside/repo/a/b/AGENTS.md")).unwrap();
        let notes = folders.of("outside/repo/a/b");
        assert!(notes.text.len() < MOST + 200 && notes.text.matches("(the rest is left out)").count() == 2);
        assert!(!notes.text.contains("planted"));
        let told = notes.told.unwrap();
        assert!(told.contains("AGENTS.md is not read (it is outside of the project"), "{told}");
        assert!(told.contains("../../AGENTS.md (32.0 kB, its beginning)"), "{told}");
    }
}

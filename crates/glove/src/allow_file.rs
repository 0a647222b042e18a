//! The rules of a project, in `.glove/allow`. A file that the person has not trusted on this machine allows nothing: it may have come
//! with the project. What they have trusted is known by its fingerprint, which is kept in the user's own folder.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use glove_wasm_task::sha256;

use crate::rules::{Asked, Rule};

const FOLDER: &str = ".glove";
const FILE: &str = "allow";
/// As a person names it.
pub(crate) const NAME: &str = ".glove/allow";
const LARGEST: u64 = 64 * 1024;
const HEADING: &str =
    "# What may run here without a question: `tool NAME`, `command WORDS`, `folder PATH`.\n";

/// What was found in a project.
#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    Nothing,
    /// So many rules are used.
    Used(usize),
    /// Rules that nobody has trusted here: all of the file.
    Untrusted(String),
    /// A sentence.
    Unusable(String),
}

/// The rules that hold now. Clones are the same ones.
#[derive(Debug, Clone)]
pub(crate) struct AllowFile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    project: PathBuf,
    /// The folder of fingerprints, if there is one.
    trusted: Option<PathBuf>,
    rules: Mutex<Vec<Rule>>,
}

impl AllowFile {
    /// `data` is the user's folder.
    pub(crate) fn new(project: &Path, data: Option<&Path>) -> Self {
        let trusted = data.map(|data| data.join("trusted"));
        AllowFile(Arc::new(Inner { project: project.to_owned(), trusted, rules: Mutex::default() }))
    }

    /// Uses what is trusted.
    pub(crate) fn load(&self) -> Found {
        let text = match self.read() {
            Ok(Some(text)) => text,
            Ok(None) => return Found::Nothing,
            Err(why) => return Found::Unusable(why),
        };
        match Rule::parse_all(&text) {
            Ok(rules) if self.is_trusted(&text) => {
                let count = rules.len();
                self.set(rules);
                Found::Used(count)
            }
            Ok(_) => Found::Untrusted(text),
            Err(why) => Found::Unusable(format!("{NAME} is not used: {why}")),
        }
    }

    /// Uses this text of the file, which a person has read.
    pub(crate) fn trust(&self, text: &str) -> Result<(), String> {
        let rules = Rule::parse_all(text)?;
        self.remember(text)?;
        self.set(rules);
        Ok(())
    }

    /// Writes a rule and uses it.
    pub(crate) fn add(&self, rule: &Rule) -> Result<(), String> {
        let mut text = match self.read()? {
            None => HEADING.to_owned(),
            Some(text) if self.is_trusted(&text) => text,
            Some(_) => {
                return Err(format!(
                    "{NAME} is another one than you have trusted, so nothing was written; begin again to look at it"
                ));
            }
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("{rule}\n"));
        // Nothing is written of which it is not known that it can be read again.
        let rules = Rule::parse_all(&text)?;
        self.write(&text).map_err(|error| format!("{NAME}: {error}"))?;
        self.remember(&text)?;
        self.set(rules);
        Ok(())
    }

    pub(crate) fn allows(&self, asked: &Asked<'_>) -> bool {
        let rules = self.0.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules.iter().any(|rule| rule.allows(asked))
    }

    fn set(&self, rules: Vec<Rule>) {
        *self.0.rules.lock().unwrap_or_else(PoisonError::into_inner) = rules;
    }

    fn folder(&self) -> PathBuf {
        self.0.project.join(FOLDER)
    }

    /// A link would lead to what somebody else can change.
    fn read(&self) -> Result<Option<String>, String> {
        let (folder, file) = (self.folder(), self.folder().join(FILE));
        let failed = |error: io::Error| format!("{NAME}: {error}");
        for (path, is_folder) in [(&folder, true), (&file, false)] {
            match fs::symlink_metadata(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed(error)),
                Ok(about) if about.is_dir() == is_folder && (is_folder || about.is_file()) => {}
                Ok(_) => {
                    return Err(format!(
                        "{NAME} is not used: it is to be a regular file in a folder, and no link"
                    ));
                }
            }
        }
        let mut text = String::new();
        let read = fs::File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
        read.map_err(failed)?;
        if text.len() as u64 > LARGEST {
            return Err(format!("{NAME} is not used: it is longer than {} kB", LARGEST / 1024));
        }
        Ok(Some(text))
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let folder = self.folder();
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        replace(&folder.join(FILE), text, 0o644)
    }

    /// Where the fingerprint of this project's file is.
    fn mark(&self) -> Option<PathBuf> {
        let project = sha256(self.0.project.as_os_str().as_encoded_bytes());
        self.0.trusted.as_ref().map(|trusted| trusted.join(project))
    }

    fn is_trusted(&self, text: &str) -> bool {
        let known = self.mark().and_then(|mark| fs::read_to_string(mark).ok());
        known.is_some_and(|known| known.trim_end() == sha256(text.as_bytes()))
    }

    fn remember(&self, text: &str) -> Result<(), String> {
        let mark =
            self.mark().ok_or("there is no folder of yours in which to keep that you trust it: set HOME")?;
        let kept = mark
            .parent()
            .map_or(Ok(()), |folder| DirBuilder::new().recursive(true).mode(0o700).create(folder));
        kept.and_then(|()| replace(&mark, &format!("{}\n", sha256(text.as_bytes())), 0o600))
            .map_err(|error| format!("{}: {error}", mark.display()))
    }
}

/// All of the new text or all of the old.
fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&beside)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    let done = written.and_then(|()| fs::rename(&beside, path));
    if done.is_err() {
        let _ = fs::remove_file(&beside);
    }
    done
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use serde_json::json;

    use super::*;

    struct Folders(PathBuf);

    impl Folders {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("glove-allow-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(folder.join("project/.glove")).unwrap();
            Folders(folder)
        }

        fn allow_file(&self) -> AllowFile {
            AllowFile::new(&self.0.join("project"), Some(&self.0.join("data")))
        }

        fn write(&self, text: &str) {
            fs::write(self.0.join("project/.glove/allow"), text).unwrap();
        }

        fn text(&self) -> String {
            fs::read_to_string(self.0.join("project/.glove/allow")).unwrap()
        }
    }

    impl Drop for Folders {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn runs(file: &AllowFile, command: &str) -> bool {
        file.allows(&Asked { tool: "bash", input: &json!({ "command": command }), writes: None })
    }

    #[test]
    fn a_file_that_came_with_a_project_allows_nothing_until_it_is_trusted_as_it_is() {
        let folders = Folders::new("trust");
        let text = "command cargo test\n";
        folders.write(text);
        let file = folders.allow_file();
        assert_eq!(file.load(), Found::Untrusted(text.to_owned()));
        assert!(!runs(&file, "cargo test"));
        file.trust(text).unwrap();
        assert!(runs(&file, "cargo test"));
        let again = folders.allow_file();
        assert_eq!(again.load(), Found::Used(1));
        assert!(runs(&again, "cargo test"));
        folders.write("command rm\n");
        let changed = folders.allow_file();
        assert_eq!(changed.load(), Found::Untrusted("command rm\n".to_owned()));
        assert!(!runs(&changed, "rm x"));
        let elsewhere = AllowFile::new(&folders.0.join("project"), Some(&folders.0.join("other")));
        folders.write(text);
        assert!(matches!(elsewhere.load(), Found::Untrusted(_)), "what another user trusted is not trusted");
    }

    #[test]
    fn a_rule_that_is_written_holds_at_once_and_after_a_restart() {
        let folders = Folders::new("add");
        fs::remove_dir(folders.0.join("project/.glove")).unwrap();
        let file = folders.allow_file();
        assert_eq!(file.load(), Found::Nothing);
        file.add(&Rule::parse("command cargo test").unwrap()).unwrap();
        file.add(&Rule::parse("folder src").unwrap()).unwrap();
        assert!(folders.text().ends_with("\ncommand cargo test\nfolder src\n"), "{}", folders.text());
        assert!(runs(&file, "cargo test"));
        assert_eq!(folders.allow_file().load(), Found::Used(2));
        folders.write("command rm\n");
        assert!(
            file.add(&Rule::parse("tool ask").unwrap())
                .unwrap_err()
                .contains("another one than you have trusted")
        );
        assert_eq!(folders.text(), "command rm\n");
    }

    #[test]
    fn a_file_that_is_a_link_or_no_list_of_rules_is_not_used() {
        let folders = Folders::new("link");
        fs::write(folders.0.join("elsewhere"), "tool bash\n").unwrap();
        symlink(folders.0.join("elsewhere"), folders.0.join("project/.glove/allow")).unwrap();
        let file = folders.allow_file();
        assert!(matches!(file.load(), Found::Unusable(why) if why.contains("no link")));
        assert!(file.add(&Rule::parse("tool ask").unwrap()).is_err());
        fs::remove_file(folders.0.join("project/.glove/allow")).unwrap();
        folders.write("tool bash\nall of it\n");
        assert!(matches!(file.load(), Found::Unusable(why) if why.contains("`all of it` is no rule")));
        assert!(file.trust(&folders.text()).is_err());
        assert!(!runs(&file, "ls"));
        folders.write(&"# long\n".repeat(20_000));
        assert!(matches!(file.load(), Found::Unusable(why) if why.contains("longer than 64 kB")));
    }
}

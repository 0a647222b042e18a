//! Skills that a project holds for whoever works on it: folders with a `SKILL.md` in `.agents/skills` and `.claude/skills`. The model
//! knows what each is about, and reads one when it begins such work.

use std::fs;
use std::path::Path;

use glove_wasm_task::front_matter::FrontMatter;

use crate::project_notes::{Seen, is_trusted, read};

const FOLDERS: [&str; 2] = [".agents/skills", ".claude/skills"];
const NAME: &str = "SKILL.md";
/// Of one file: its front matter stands at the beginning.
const LARGEST: usize = 64 * 1024;
/// The model reads so many names with every call.
const MOST: usize = 64;
const MOST_LETTERS: usize = 1_024;

/// What was found.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Skills {
    /// For the model.
    pub text: String,
    /// In one line, for the person.
    pub told: Option<String>,
}

impl Skills {
    pub(crate) fn of(folder: &Path) -> Skills {
        let (mut known, mut told): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut skills = Skills::default();
        let is_ours =
            |path: &Path, about: &fs::Metadata| path.starts_with(folder) && is_trusted(about, folder);
        for path in FOLDERS.iter().flat_map(|place| below(folder, place)) {
            let text = match read(&folder.join(&path), is_ours, LARGEST) {
                Seen::Nothing => continue,
                Seen::Refused(why) => {
                    told.push(format!("{path} is not read ({why})"));
                    continue;
                }
                Seen::Text(text, _) => text,
            };
            let front = match FrontMatter::read(&text) {
                Ok(front) => front,
                Err(why) => {
                    told.push(format!("{path} is not read ({why})"));
                    continue;
                }
            };
            let [name, description] =
                ["name", "description"].map(|key| in_line(front.field(key).unwrap_or_default()));
            if name.is_empty() || description.is_empty() {
                told.push(format!("{path} is not read (it has no name or no description)"));
            } else if known.contains(&name) {
                told.push(format!("{path} is not read (another skill has its name)"));
            } else if known.len() == MOST {
                told.push(format!("{path} is not read (there are {MOST} already)"));
                break;
            } else {
                skills.text.push_str(&format!("\n- {name}: {description} ({path})"));
                told.push(name.clone());
                known.push(name);
            }
        }
        if !told.is_empty() {
            skills.told = Some(format!("has skills: {}", told.join(", ")));
        }
        skills
    }

    /// Behind what the model is told anyway.
    pub(crate) fn behind(&self, instructions: String) -> String {
        if self.text.is_empty() {
            return instructions;
        }
        format!(
            "{instructions}\n\nThe project has skills. Before you begin work that one of them is about, and when the person names one, read its \
             {NAME} and do as it says; paths in it are those of its own folder.{}",
            self.text
        )
    }
}

/// Each `SKILL.md` in a folder of `place`, by name.
fn below(folder: &Path, place: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder.join(place)) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut paths: Vec<String> = names.map(|name| format!("{place}/{name}/{NAME}")).collect();
    paths.sort();
    paths
}

/// One line of at most so many letters.
fn in_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|letter| !letter.is_control()).take(MOST_LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let folder = std::env::temp_dir().join(format!("glove-skills-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
            for (path, text) in files {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Folder(folder.canonicalize().unwrap())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_model_knows_what_each_skill_is_about_and_where_it_is() {
        let folder = Folder::new(
            "found",
            &[
                (
                    ".agents/skills/release/SKILL.md",
                    "---\nname: release\ndescription: >\n  Makes a\n  release.\n---\nSteps",
                ),
                (".claude/skills/mail/SKILL.md", "---\nname: mail\ndescription: Mails.\n---\nText"),
                (".claude/skills/release/SKILL.md", "---\nname: release\ndescription: Another.\n---\nText"),
                (".claude/skills/odd/SKILL.md", "no front matter"),
                (".claude/skills/readme.md", "of none"),
            ],
        );
        let skills = Skills::of(&folder.0);
        let lines = "\n- release: Makes a release. (.agents/skills/release/SKILL.md)\n- mail: Mails. (.claude/skills/mail/SKILL.md)";
        assert_eq!(skills.text, lines);
        let told = skills.told.clone().unwrap();
        assert!(told.starts_with("has skills: release, mail, "), "{told}");
        assert!(told.contains("odd/SKILL.md is not read (it must begin with a line `---`"), "{told}");
        assert!(told.contains("another skill has its name"), "{told}");
        assert!(skills.behind("You work.".to_owned()).ends_with(lines));
        assert_eq!(Skills::of(&Folder::new("none", &[]).0).behind("You work.".to_owned()), "You work.");
    }

    #[test]
    fn a_link_out_of_the_folder_is_not_followed() {
        let outside = Folder::new("outside", &[("SKILL.md", "---\nname: a\ndescription: secret\n---\nText")]);
        let folder = Folder::new("link", &[(".agents/skills/a/readme.md", "")]);
        symlink(outside.0.join("SKILL.md"), folder.0.join(".agents/skills/a/SKILL.md")).unwrap();
        let skills = Skills::of(&folder.0);
        assert_eq!(skills.text, "");
        assert!(skills.told.unwrap().contains("is not read (it is outside of the project"));
    }
}

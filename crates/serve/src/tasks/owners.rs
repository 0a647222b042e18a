//! Where the folder of a task is: its name says whose it is.

use std::path::{Path, PathBuf};

use glove_wasm::endpoint::Refusal;
use glove_wasm_native::TaskFolder;
use glove_wasm_task::{TaskError, layout, sha256};

const MAX_ID: usize = 64;
/// With an id behind it, a folder of this name is none that a system refuses.
const LONGEST_OWNER: usize = 150;

/// A task, as one of the caller's: its name is that of its folder, too.
pub(super) fn name(user: &str, id: &str) -> Result<String, Refusal> {
    match (is_id(id), user) {
        (false, _) => Err(unknown()),
        (true, "") => Ok(id.to_owned()),
        (true, user) => Ok(format!("{}.{id}", owner(user))),
    }
}

/// The id of the user's task whose folder has this name.
pub(super) fn id_of<'a>(user: &str, name: &'a str) -> Option<&'a str> {
    let id = match user {
        "" => name,
        user => name.strip_prefix(&owner(user))?.strip_prefix('.')?,
    };
    is_id(id).then_some(id)
}

fn is_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= MAX_ID
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// `user` has the letters that [`in_letters`](crate::session_owners::in_letters) leaves. Folders of some systems do not tell Ada from ada.
fn owner(user: &str) -> String {
    if user.len() > LONGEST_OWNER {
        return format!("~user-{}", sha256(user.as_bytes()));
    }
    let mut name = String::new();
    for letter in user.chars() {
        match letter.is_ascii_uppercase() {
            true => name.push_str(&format!("~{:02x}", u32::from(letter))),
            false => name.push(letter),
        }
    }
    if name.len() > LONGEST_OWNER { format!("~user-{}", sha256(user.as_bytes())) } else { name }
}

/// The folder of a task that was begun; nothing is made where there is none.
pub(super) fn known(base: &Path, name: &str) -> Result<TaskFolder, Refusal> {
    let path = base.join(name);
    let is_there = [layout::STATE, layout::STATE_BEFORE].iter().any(|state| path.join(state).exists());
    if !is_there {
        return Err(unknown());
    }
    Ok(TaskFolder::open(path)?)
}

pub(super) fn made(base: &Path, name: &str) -> Result<(PathBuf, TaskFolder), TaskError> {
    let path = base.join(name);
    TaskFolder::open(&path).map(|folder| (path, folder))
}

pub(super) fn unknown() -> Refusal {
    Refusal::new(404, "TASK_MISSING", "There is no task with this id.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_has_folders_of_their_own_also_where_letters_have_no_case() {
        assert_eq!(name("", "x-1").unwrap(), "x-1");
        assert_eq!(name("ada~40example~2ecom", "x").unwrap(), "ada~40example~2ecom.x");
        assert_eq!(name("Ada", "x").unwrap(), "~41da.x");
        let long = name(&"A".repeat(60), "x").unwrap();
        assert!(long.len() < 255 && name(&"A".repeat(61), "x").unwrap() != long);
        for id in ["", ".", "..", "a.b", "a/b", "../x", "é", &"x".repeat(65)] {
            assert_eq!(name("ada", id).unwrap_err().code, "TASK_MISSING", "{id}");
        }
        for user in ["", "ada", "Ada", &"A".repeat(61)] {
            assert_eq!(id_of(user, &name(user, "x-1").unwrap()), Some("x-1"), "{user}");
        }
        for (user, folder) in
            [("", "ada.x"), ("ada", "x"), ("ada", "adab.x"), ("ada", "ada."), ("a", "ada.x")]
        {
            assert_eq!(id_of(user, folder), None, "{user} {folder}");
        }
    }
}

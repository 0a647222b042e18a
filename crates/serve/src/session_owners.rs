//! Whose a session is: its id says so.

use glove_wasm::endpoint::Refusal;
use glove_wasm::ports::IdSource;
use glove_wasm::system::RandomIds;

const MAX_ID: usize = 100;

pub(super) fn in_letters(user: &str) -> String {
    let mut letters = String::new();
    for byte in user.bytes() {
        match byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            true => letters.push(char::from(byte)),
            false => letters.push_str(&format!("~{byte:02x}")),
        }
    }
    letters
}

/// The first part of a session's id is its owner. Ids of sessions without an owner have one part.
pub(super) fn new_id(user: &str) -> String {
    let fresh = RandomIds.fresh();
    if user.is_empty() { fresh } else { format!("{user}.{fresh}") }
}

/// The whole id where the caller left the name out.
pub(super) fn owned(user: &str, id: &str) -> String {
    if user.is_empty() || id.contains('.') { id.to_owned() } else { format!("{user}.{id}") }
}

/// One that a client made up for a session of its own.
pub(super) fn checked_id(user: &str, id: &str) -> Result<String, Refusal> {
    let is_id = !id.is_empty()
        && id.len() <= MAX_ID
        && id != "import"
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    match is_id {
        true => Ok(owned(user, id)),
        false => {
            let message = "The id of a session must have 1 to 100 letters, digits, - and _.";
            Err(Refusal::new(400, "REQUEST_INVALID", message))
        }
    }
}

pub(super) fn is_of(user: &str, id: &str) -> bool {
    match id.split_once('.') {
        Some((owner, _)) => owner == user,
        None => user.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_the_sessions_that_begin_with_the_name_and_no_others() {
        let id = new_id(&in_letters("ada@example.com"));
        assert!(id.starts_with("ada~40example~2ecom."), "{id}");
        assert!(is_of("ada~40example~2ecom", &id));
        for (user, id) in [("", "ada.x"), ("ada", "ada"), ("ada", "adam.x"), ("ad", "ada.x"), ("ada", "")] {
            assert!(!is_of(user, id), "{user} {id}");
        }
        assert!(is_of("", &new_id("")));
    }

    #[test]
    fn an_id_that_a_client_makes_up_is_one_of_its_own() {
        assert_eq!(checked_id("ada", "x-1").unwrap(), "ada.x-1");
        assert_eq!(checked_id("", "glove_1").unwrap(), "glove_1");
        assert_eq!((owned("ada", "ada.x"), owned("ada", "bob.x")), ("ada.x".to_owned(), "bob.x".to_owned()));
        for id in ["", "bob.x", "a/b", "import", "é", &"x".repeat(101)] {
            assert_eq!(checked_id("ada", id).unwrap_err().code, "REQUEST_INVALID", "{id}");
        }
    }
}

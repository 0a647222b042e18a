//! Keys, struck out of what is written for others.

use crate::environment::variable;
use glove_wasm::providers::table::PROVIDERS;

/// How keys of providers and of services begin.
const BEGINNINGS: [&str; 15] = [
    "sk-",
    "sk_",
    "pk-",
    "pk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "gsk_",
    "xai-",
    "hf_",
    "AIza",
    "AKIA",
];
/// A shorter word is none.
const SHORTEST: usize = 16;
const STRUCK: &str = "[key]";

/// The keys of providers that the program knows.
pub(super) struct KnownKeys(Vec<String>);

impl KnownKeys {
    pub(super) fn of_environment() -> Self {
        let keys = PROVIDERS.iter().filter_map(|provider| variable(provider.env_var));
        KnownKeys(keys.filter(|key| key.len() >= SHORTEST).collect())
    }

    /// The text without them and without what looks like a key.
    pub(super) fn struck(&self, text: &str) -> String {
        let known = self.0.iter().fold(text.to_owned(), |text, key| text.replace(key, STRUCK));
        without_keys(&known)
    }
}

fn without_keys(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(from) = rest.find(is_part) {
        let (between, word) = rest.split_at(from);
        let (word, after) = word.split_at(word.find(|c| !is_part(c)).unwrap_or(word.len()));
        out.push_str(between);
        let follows_bearer = out.to_ascii_lowercase().ends_with("bearer ");
        let is_key = BEGINNINGS.iter().any(|beginning| word.starts_with(beginning)) || follows_bearer;
        out.push_str(if is_key && word.len() >= SHORTEST { STRUCK } else { word });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::without_keys;

    #[test]
    fn what_looks_like_a_key_is_struck() {
        let cases: Vec<(String, String)> =
            serde_json::from_str(include_str!("../../../tests/fixtures/keys.json")).unwrap();
        for (text, struck) in cases {
            assert_eq!(without_keys(&text), struck);
        }
    }
}

//! Runs that are recorded, to be played again. `js/src/recording` writes the same form.

use std::env;

use crate::error::Error;
use crate::providers::table::PROVIDERS;
use crate::run::Run;
use crate::run::replay::ReplayError;
use crate::runtime::Session;

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

impl Session {
    /// Keeps every input of the run from now on, in memory. Opens the session if it is not open yet.
    pub async fn record(&self) -> Result<(), Error> {
        self.opened().await?;
        self.change_run(Run::record);
        Ok(())
    }

    /// What was recorded as a file that `run::replay` plays without model and tools. Keys that are known (those of the environment) or
    /// look like keys are struck out of it; `redact` gets each text and gives what is to stand there, always the same for the same.
    pub fn export_run(&self, redact: impl Fn(&str) -> String) -> Result<String, ReplayError> {
        let known: Vec<String> = PROVIDERS
            .iter()
            .filter_map(|provider| env::var(provider.env_var).ok())
            .filter(|key| key.len() >= SHORTEST)
            .collect();
        let redact = |text: &str| {
            let mut text = text.to_owned();
            for key in &known {
                text = text.replace(key, STRUCK);
            }
            redact(&without_keys(&text))
        };
        self.with_run(|run| run.recorded(&redact))
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
            serde_json::from_str(include_str!("../../tests/fixtures/keys.json")).unwrap();
        for (text, struck) in cases {
            assert_eq!(without_keys(&text), struck);
        }
    }
}

//! What no error may tell: the keys that a request carries in its headers and in its address.

use crate::error::ModelError;
use crate::scan::word_at;

/// Shorter values are no keys, and striking them out would leave no sentence whole.
const SHORTEST: usize = 6;

/// Parts of the names of query fields that carry keys.
const CARRIERS: [&str; 6] = ["key", "token", "secret", "sig", "auth", "password"];

/// The keys of one request.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// Of the headers every value counts but those that say what is sent and wanted.
    pub(super) fn of(url: &str, headers: &[(String, String)]) -> Self {
        let mut secrets = Secrets::default();
        for (name, value) in headers {
            let name = name.to_ascii_lowercase();
            if !(name.starts_with("anthropic-") || name.starts_with("content-") || name == "accept") {
                secrets.add(value);
                // `Bearer …`
                secrets.add(value.rsplit(' ').next().unwrap_or_default());
            }
        }
        let rest = word_at(url, "://").and_then(|at| url.get(at + 3..)).unwrap_or_default();
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if let Some((login, _)) = authority.rsplit_once('@') {
            secrets.add(login.split_once(':').map_or(login, |(_, password)| password));
        }
        let query = url.split_once('?').map_or("", |(_, query)| query);
        for (name, value) in query.split(['&', '#']).filter_map(|field| field.split_once('=')) {
            let name = name.to_ascii_lowercase();
            if CARRIERS.iter().any(|part| word_at(&name, part).is_some()) {
                secrets.add(value);
            }
        }
        secrets
    }

    fn add(&mut self, value: &str) {
        if value.len() >= SHORTEST {
            self.0.push(value.to_owned());
        }
    }

    /// Strikes the keys out of what an error says. A quotation may have been cut off in the middle of one.
    pub(super) fn strike(&self, mut error: ModelError) -> ModelError {
        for secret in &self.0 {
            while let Some(at) = word_at(&error.message, secret) {
                let (before, rest) = error.message.split_at(at);
                error.message = format!("{before}…{}", rest.get(secret.len()..).unwrap_or_default());
            }
            let said = error.message.trim_end_matches('…');
            let part = |length: usize| said.strip_suffix(secret.get(..length)?);
            if let Some(rest) = (SHORTEST..secret.len()).rev().find_map(part) {
                error.message = format!("{rest}…");
            }
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ModelErrorKind;

    const KEY: &str = "sk-canary-4711";

    fn said(url: &str, headers: &[(&str, &str)], message: &str) -> String {
        let headers: Vec<_> = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        Secrets::of(url, &headers).strike(ModelError::new(ModelErrorKind::Server, message)).message
    }

    #[test]
    fn a_key_is_struck_out_wherever_it_is_carried() {
        let echo = format!("bad key {KEY}, again {KEY}.");
        for headers in [[("Authorization", "Bearer sk-canary-4711")], [("x-api-key", KEY)], [("x-own", KEY)]]
        {
            assert_eq!(said("https://h/v1", &headers, &echo), "bad key …, again ….");
        }
        for url in [
            "https://h/v1?alt=sse&key=sk-canary-4711",
            "https://h/v1?Access_Token=sk-canary-4711#x",
            "https://me:sk-canary-4711@h/v1",
            "https://sk-canary-4711@h/v1",
        ] {
            let told = said(url, &[], &format!("cannot reach {url}"));
            assert!(!told.contains(KEY) && told.contains("cannot reach"), "{told}");
        }
    }

    #[test]
    fn half_a_key_at_the_end_of_a_quotation_is_struck_out_too() {
        let headers = [("x-api-key", KEY)];
        assert_eq!(said("https://h", &headers, "bad key sk-canar…"), "bad key …");
        assert_eq!(said("https://h", &headers, "bad key sk-canary-471"), "bad key …");
        assert_eq!(said("https://h", &headers, "task sk-c"), "task sk-c");
    }

    #[test]
    fn what_is_no_key_stays() {
        let headers =
            [("anthropic-version", "2023-06-01"), ("content-type", "application/json"), ("x", "true")];
        let message = "version 2023-06-01 takes application/json, true, 2024-10-21";
        assert_eq!(said("https://h/?api-version=2024-10-21", &headers, message), message);
    }
}

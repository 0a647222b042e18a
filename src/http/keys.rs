//! What no error may tell: the keys that a request carries in its headers and in its address.

use crate::error::ModelError;
use crate::http::key_encodings;
use crate::json::scan::word_at;
use crate::portable::SPEAKS_TO_PROVIDERS;
use crate::providers::base64;
use crate::providers::error_text::cut;

/// Shorter values are no keys, and striking them out would leave no sentence whole.
const SHORTEST: usize = 6;

/// As much of a key is struck out wherever it stands. The beginnings of addresses and of keys of one kind are shorter.
const MOST: usize = 10;

/// As long are the prefixes of keys, as `sk-ant-api03-`.
const PREFIX: usize = 14;

/// Parts of the names of query fields that carry keys.
const CARRIERS: [&str; 6] = ["key", "token", "secret", "sig", "auth", "password"];

/// What an [`Http`](super::Http) says of a request that it could not send, without the keys in headers of its own.
pub fn without_keys(message: &str, headers: &[(String, String)]) -> String {
    Secrets::of("", headers).struck(message.to_owned())
}

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
                let last = value.rsplit_once(' ').map_or(value.as_str(), |(_, last)| last);
                secrets.add(last);
                secrets.parts(value);
                if SPEAKS_TO_PROVIDERS
                    && value.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("basic "))
                {
                    let login = base64::text_of(last).unwrap_or_default();
                    secrets.add(login.split_once(':').map_or("", |(_, password)| password));
                }
            }
        }
        let rest = word_at(url, "://").and_then(|at| url.get(at + 3..)).unwrap_or_default();
        let authority = rest.split(&['/', '?', '#'][..]).next().unwrap_or_default();
        if let Some((login, _)) = authority.rsplit_once('@') {
            secrets.add(login.split_once(':').map_or(login, |(_, password)| password));
        }
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        // The path of an endpoint is the page's own.
        if SPEAKS_TO_PROVIDERS {
            for segment in address.split(&['/', '#'][..]).skip(3).filter(|segment| is_key(segment)) {
                secrets.add(segment);
            }
        }
        for field in query.split(&['&', '#'][..]) {
            let Some((name, value)) = field.split_once('=') else { continue };
            let name = name.to_ascii_lowercase();
            if CARRIERS.iter().any(|part| word_at(&name, part).is_some()) {
                secrets.add(value);
            }
        }
        secrets
    }

    /// Collects the parts of a header that look like keys: parts that contain a digit or are longer than a word.
    fn parts(&mut self, value: &str) {
        for part in value.split(&[' ', ',', ';', '=', ':', '"'][..]) {
            if part.len() < value.len()
                && (part.len() >= 20 || part.bytes().any(|byte| byte.is_ascii_digit()))
            {
                self.add(part);
            }
        }
    }

    fn add(&mut self, value: &str) {
        if value.len() < SHORTEST || self.0.iter().any(|known| known == value) {
            return;
        }
        self.0.push(value.to_owned());
        self.form(key_encodings::from_percent(value).unwrap_or_default());
        let (percent, base64) = (key_encodings::percent(value), key_encodings::base64(value));
        let hex = key_encodings::hex(value);
        // Each in both of its forms: the cases of digits, and the alphabet for addresses.
        self.form(key_encodings::small_digits(&percent, false));
        self.form(key_encodings::small_digits(&hex, true));
        self.form(key_encodings::for_addresses(&base64));
        for form in [percent, base64, hex] {
            self.form(form);
        }
    }

    /// Most keys are the same in several forms, and each is looked for.
    fn form(&mut self, form: String) {
        if form.len() >= SHORTEST && !self.0.contains(&form) {
            self.0.push(form);
        }
    }

    /// Strikes the keys out of what an error says, and cuts it where it says too much.
    pub(super) fn strike(&self, mut error: ModelError) -> ModelError {
        error.message = self.struck(error.message);
        error.request_id = error.request_id.map(|id| self.struck(id));
        error.provider_code = error.provider_code.map(|code| self.struck(code));
        error
    }

    fn struck(&self, text: String) -> String {
        let mut all = Vec::new();
        for secret in &self.0 {
            all.push(secret.as_str());
            // Some providers quote a key without the prefix that says whose it is.
            if SPEAKS_TO_PROVIDERS {
                all.extend(without_prefix(secret));
            }
        }
        struck(&cut(text), &all)
    }
}

fn without_prefix(key: &str) -> impl Iterator<Item = &str> {
    let marks = key.char_indices().filter(|(at, c)| *at < PREFIX && matches!(c, '-' | '_'));
    marks.filter_map(|(at, _)| key.get(at + 1..)).filter(|rest| rest.len() >= MOST)
}

/// Whether a part of a path is a key: words, versions and names of models have no such long rows of letters and digits. A key of words
/// cannot be told from them.
fn is_key(segment: &str) -> bool {
    let (mut row, mut digits, mut found) = (0, 0, false);
    let mut is_uuid = segment.len() >= 32;
    for byte in segment.bytes() {
        (row, digits) = match byte.is_ascii_alphanumeric() {
            true => (row + 1, digits + usize::from(byte.is_ascii_digit())),
            false => (0, 0),
        };
        found |= row >= 16 && digits > 0 && digits < row;
        is_uuid &= byte == b'-' || byte.is_ascii_hexdigit();
    }
    found || is_uuid
}

/// The text without what is most of a secret. A quotation may have been cut off in the middle of one. Two forms of a key may begin alike:
/// the one that goes on counts, or the rest of it would stay.
fn struck(text: &str, secrets: &[&str]) -> String {
    let mut out = String::new();
    let end = text.trim_end_matches('…').len();
    let (mut from, mut at) = (0, 0);
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        let mut longest = 0;
        for secret in secrets {
            let mut same = rest.iter().zip(secret.as_bytes()).take_while(|(a, b)| a == b).count();
            while same > 0 && !text.is_char_boundary(at + same) {
                same -= 1;
            }
            if same >= secret.len().min(MOST) || same >= SHORTEST && at + same == end {
                longest = longest.max(same);
            }
        }
        if longest > 0 {
            out.push_str(text.get(from..at).unwrap_or_default());
            out.push('…');
            at += longest;
            // What was cut off is said once.
            from = if at == end { text.len() } else { at };
        } else {
            at += 1;
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ModelErrorKind;

    const KEY: &str = "sk-canary-4711";

    fn redacted(url: &str, headers: &[(&str, &str)], message: &str) -> String {
        let headers: Vec<_> = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        Secrets::of(url, &headers).strike(ModelError::new(ModelErrorKind::Server, message)).message
    }

    #[test]
    fn a_key_is_struck_out_wherever_it_is_carried() {
        let echo = format!("bad key {KEY}, again {KEY}.");
        for headers in [[("Authorization", "Bearer sk-canary-4711")], [("x-api-key", KEY)], [("x-own", KEY)]]
        {
            assert_eq!(redacted("https://h/v1", &headers, &echo), "bad key …, again ….");
        }
        for url in [
            "https://h/v1?alt=sse&key=sk-canary-4711",
            "https://h/v1?Access_Token=sk-canary-4711#x",
            "https://me:sk-canary-4711@h/v1",
            "https://sk-canary-4711@h/v1",
        ] {
            let output = redacted(url, &[], &format!("cannot reach {url}"));
            assert!(!output.contains(KEY) && output.contains("cannot reach"), "{output}");
        }
    }

    #[test]
    fn a_key_that_is_quoted_without_its_prefix_is_struck_out_too() {
        for (key, bare) in [
            ("sk-ant-api03-Zx81kQpL0aTmW3", "Zx81kQpL0aTmW3"),
            ("sk-proj-Zx81kQpL0aTmW3", "Zx81kQpL0aTmW3"),
            ("gsk_Zx81kQpL0aTmW3", "Zx81kQpL0aTmW3"),
            ("sk-ant-api03-Zx81kQpL0aTmW3", "ant-api03-Zx81kQpL0aTmW3"),
        ] {
            let headers = [("authorization", format!("Bearer {key}"))];
            let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
            assert_eq!(
                redacted("https://h/v1", &headers, &format!("no key {bare} here")),
                "no key … here",
                "{key}"
            );
        }
    }

    #[test]
    fn a_key_in_the_path_of_an_address_is_struck_out_and_its_words_stay() {
        const PATH_KEYS: [&str; 5] = [
            "9f86d081884c7d659a2feaa0c55ad015",
            "sk-or-v1-9f86d081884c7d659a2f",
            "550e8400-e29b-41d4-a716-446655440000",
            "bot4711:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
            "AbCdEf%2F012345678901234567",
        ];
        for key in PATH_KEYS {
            for url in [
                format!("https://h/{key}/v1"),
                format!("https://h/v1/{key}?a=1"),
                format!("https://h:1/a/{key}#x"),
            ] {
                let output = redacted(&url, &[], &format!("cannot reach {url}, {key} is unknown"));
                assert!(!output.contains(key) && output.contains("cannot reach https://h"), "{output}");
                assert!(output.ends_with(", … is unknown"), "{output}");
            }
        }
        for words in [
            "chat/completions",
            "openai/deployments/my-gpt-4o-mini-2024-07-18",
            "models/gemini-2.5-flash-preview-05-20:streamGenerateContent",
            "accounts/fireworks/models/llama-v3p1-405b-instruct",
            "projects/my-project-123456/locations/europe-west1/publishers/google",
            "internationalisierungsdienst/v2",
            "20240718123456789012345678",
        ] {
            let message = format!("the model of /{words} does not exist");
            assert_eq!(redacted(&format!("https://h.example/{words}"), &[], &message), message);
        }
    }

    #[test]
    fn half_a_key_at_the_end_of_a_quotation_is_struck_out_too() {
        let headers = [("x-api-key", KEY)];
        assert_eq!(redacted("https://h", &headers, "bad key sk-canar…"), "bad key …");
        assert_eq!(redacted("https://h", &headers, "bad key sk-canary-471"), "bad key …");
        assert_eq!(redacted("https://h", &headers, "task sk-c"), "task sk-c");
    }

    #[test]
    fn a_key_is_struck_out_in_whatever_form_it_comes_back() {
        const ODD: &str = "sk/canary+4711=";
        let forms = [
            "sk%2Fcanary%2B4711%3D",
            "sk%2fcanary%2b4711%3d",
            "c2svY2FuYXJ5KzQ3MTE9",
            "c2svY2FuYXJ5KzQ3MTE9=",
            "736B2F63616E6172792B343731313D",
            "736b2f63616e6172792b343731313d",
            ODD,
        ];
        for form in forms {
            let output = redacted("https://h", &[("x-api-key", ODD)], &format!("bad {form} here"));
            assert!(output.starts_with("bad …") && output.len() < 16, "{output}");
        }
        let headers = [("x-api-key", "schl\u{fc}ssel>>???")];
        for form in ["c2NobMO8c3NlbD4-Pz8_", "c2NobMO8c3NlbD4+Pz8/"] {
            assert_eq!(redacted("https://h", &headers, &format!("bad {form} here")), "bad … here");
        }
        // An address has it in another form than its server tells it.
        let output = redacted("https://h/v1?key=sk%2Fcanary%2b4711=", &[], &format!("bad {ODD} here"));
        assert_eq!(output, "bad … here");
        assert_eq!(
            redacted("https://me:sk%2Fcanary%2b4711=@h", &[], &format!("bad {ODD} here")),
            "bad … here"
        );
        // "me:sk-canary-4711"
        let basic = [("Authorization", "basic bWU6c2stY2FuYXJ5LTQ3MTE=")];
        assert_eq!(
            redacted("https://h", &basic, "wrong password sk-canary-4711 here"),
            "wrong password … here"
        );
    }

    #[test]
    fn a_key_among_other_things_in_a_header_is_struck_out() {
        for header in [
            ("cookie", "a=1; session=sk-canary-4711"),
            ("x-sig", "v1,t=3;sk-canary-4711"),
            ("authorization", r#"Key id=7, secret="sk-canary-4711""#),
        ] {
            assert_eq!(redacted("https://h", &[header], "a session of sk-canary-4711"), "a session of …");
        }
        let title = [("x-title", "An application for all")];
        assert_eq!(redacted("https://h", &title, "no such application"), "no such application");
    }

    #[test]
    fn most_of_a_key_is_struck_out_in_the_middle_too() {
        let headers = [("x-api-key", KEY)];
        assert_eq!(redacted("https://h", &headers, "no sk-canary-47 and sk-canary-4***"), "no … and …***");
        assert_eq!(redacted("https://h", &headers, "sk-canary is no key"), "sk-canary is no key");
        assert_eq!(redacted("https://h", &[("x-api-key", "schlüssel-é1")], "no schlüssel-è"), "no …è");
    }

    #[test]
    fn the_id_of_a_request_is_no_place_for_a_key() {
        let headers = vec![("x-api-key".to_owned(), KEY.to_owned())];
        let mut error = ModelError::new(ModelErrorKind::Server, "no");
        error.request_id = Some(format!("r-{KEY}"));
        assert_eq!(Secrets::of("", &headers).strike(error).request_id.as_deref(), Some("r-…"));
    }

    #[test]
    fn what_is_told_is_short_and_striking_takes_no_time() {
        let headers: Vec<_> =
            (0..20).map(|n| (format!("x-{n}"), format!("sk-canary-{n:05}-{}", "k".repeat(2_000)))).collect();
        let secrets = Secrets::of("", &headers);
        let started = std::time::Instant::now();
        for message in ["sk-canary-4711 ".repeat(500_000), "é".repeat(4_000_000)] {
            let output = secrets.strike(ModelError::new(ModelErrorKind::Server, message)).message;
            assert!(output.len() < 5_000 && output.ends_with('…'), "{}", output.len());
        }
        assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    }

    #[test]
    fn what_is_no_key_stays() {
        let headers =
            [("anthropic-version", "2023-06-01"), ("content-type", "application/json"), ("x", "true")];
        let message = "version 2023-06-01 takes application/json, true, 2024-10-21, see https://h.example";
        assert_eq!(redacted("https://h/?api-version=2024-10-21", &headers, message), message);
    }
}

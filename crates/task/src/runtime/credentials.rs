//! Credentials of calls: asked for when a tool is called, given to that call alone, and struck out of all that it says and writes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use glove_wasm::display::DisplayError;
use glove_wasm::http::key_encodings;
use glove_wasm::json::codec::{Ts, Write, from_text, to_text};
use glove_wasm::json::scan::word_at;
use glove_wasm::json::{self, Json};
use glove_wasm::message::ToolResultData;
use glove_wasm::portable::{BoxFuture, MaybeSend, MaybeSync};
use glove_wasm::ports::{Credentials, DisplayPort, Show, Step, Steps, ToolFailure};
use glove_wasm::run::input::{Issue, ToolOutcome};
use glove_wasm::run::log::StepResult;

const STRUCK: &str = "[redacted]";
/// Striking out what is shorter would leave no sentence whole.
const SHORTEST: usize = 6;
/// Tokens that are made anew for each call are many over a long task.
const MAX_KEPT: usize = 100;

/// Who asks for credentials.
#[derive(Debug, Clone, PartialEq, Eq, Ts, Write)]
pub struct CredentialRequest {
    pub tool: String,
    pub task_id: String,
    pub call_id: String,
}

/// Has the secrets of tools: environment, vault or the application itself.
pub trait CredentialBroker: MaybeSend + MaybeSync {
    /// None for a tool that needs none. What it says when it fails nobody reads but itself.
    fn credentials(&self, request: CredentialRequest)
    -> BoxFuture<'static, Result<Credentials, ToolFailure>>;
}

pub(super) struct Asking<F>(pub(super) F);

impl<F, R, E> CredentialBroker for Asking<F>
where
    F: Fn(CredentialRequest) -> R + MaybeSend + MaybeSync,
    R: Future<Output = Result<Credentials, E>> + MaybeSend + 'static,
    E: Into<ToolFailure>,
{
    fn credentials(
        &self,
        request: CredentialRequest,
    ) -> BoxFuture<'static, Result<Credentials, ToolFailure>> {
        let asking = (self.0)(request);
        Box::pin(async move { asking.await.map_err(Into::into) })
    }
}

/// The secrets that calls had, also of those that have ended: what a tool does late is told without them too.
#[derive(Debug, Default)]
pub struct Secrets(Mutex<Vec<String>>);

impl Secrets {
    /// `Err`: one of them could not be struck out.
    pub fn keep(&self, credentials: &Credentials) -> Result<(), String> {
        if let Some((name, _)) = credentials.all().iter().find(|(_, value)| value.len() < SHORTEST) {
            return Err(format!(
                "the credential `{name}` is shorter than {SHORTEST} bytes and could not be kept out of what the tool says, so it did not run"
            ));
        }
        let mut known = self.lock();
        for (_, secret) in credentials.all() {
            known.retain(|other| other != secret);
            known.push(secret.clone());
        }
        let over = known.len().saturating_sub(MAX_KEPT.max(credentials.all().len()));
        known.drain(..over);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Each secret in the forms in which a text may hold it, the longest first.
    fn forms(&self) -> Vec<String> {
        let mut forms: Vec<String> = Vec::new();
        for secret in self.lock().iter() {
            let quoted = json_escaped(secret);
            let twice = json_escaped(&quoted);
            let (percent, base64) = (key_encodings::percent(secret), key_encodings::base64(secret));
            for form in [secret.clone(), quoted, twice, percent, base64] {
                if !forms.contains(&form) {
                    let at = forms.iter().position(|known| known.len() < form.len()).unwrap_or(forms.len());
                    forms.insert(at, form);
                }
            }
        }
        forms
    }

    pub fn text(&self, text: &str) -> String {
        struck(text, &self.forms())
    }

    /// The same value without them: what is no string and holds one becomes one.
    pub(super) fn json(&self, json: &str) -> String {
        let forms = self.forms();
        // With escapes in it a text may hold one in other letters.
        if !json.as_bytes().contains(&b'\\') && !forms.iter().any(|form| word_at(json, form).is_some()) {
            return json.to_owned();
        }
        let mut out = String::with_capacity(json.len());
        let mut rest = json;
        while !rest.is_empty() {
            let is_string = rest.starts_with('"');
            let end = match is_string {
                true => end_of_string(rest),
                false => {
                    let after = rest.as_bytes().iter().position(|byte| b"\",:[]{}".contains(byte));
                    after.map_or(rest.len(), |at| at.max(1))
                }
            };
            let (piece, after) = rest.split_at(end);
            rest = after;
            // A string is read first: an escape in it is no letter of a secret.
            let meant = if is_string { from_text::<String>(piece) } else { Ok(piece.to_owned()) };
            let clean = meant.as_ref().map(|meant| struck(meant, &forms));
            match (meant.as_ref(), clean) {
                (Ok(meant), Ok(clean)) if clean == *meant => out.push_str(piece),
                (Ok(_), Ok(clean)) if is_string => out.push_str(&to_text(&clean)),
                _ => out.push_str(&to_text(&STRUCK)),
            }
        }
        out
    }

    pub(super) fn outcome(&self, outcome: ToolOutcome) -> ToolOutcome {
        let text = |text: String| self.text(&text);
        let result = |result: ToolResultData| from_text(&self.json(&to_text(&result)));
        match outcome {
            ToolOutcome::Returned { result: given, outputs } => {
                match (result(given), from_text(&self.json(&to_text(&outputs)))) {
                    (Ok(result), Ok(outputs)) => ToolOutcome::Returned { result, outputs },
                    _ => unreadable(),
                }
            }
            ToolOutcome::Summing { result: given, outputs } => {
                match (result(given), from_text(&self.json(&to_text(&outputs)))) {
                    (Ok(result), Ok(outputs)) => ToolOutcome::Summing { result, outputs },
                    _ => unreadable(),
                }
            }
            ToolOutcome::Summed(sentence) => ToolOutcome::Summed(sentence.map(text)),
            ToolOutcome::Invalid(issues) => {
                let clean = |issue: Issue| Issue { message: self.text(&issue.message), ..issue };
                ToolOutcome::Invalid(issues.into_iter().map(clean).collect())
            }
            ToolOutcome::Threw(why) => ToolOutcome::Threw(text(why)),
            ToolOutcome::Rejected(why) => ToolOutcome::Rejected(why.map(text)),
            other @ (ToolOutcome::Changed | ToolOutcome::TimedOut) => other,
        }
    }

    fn step(&self, result: StepResult) -> StepResult {
        match result {
            StepResult::Returned(value) => StepResult::Returned(json::written(self.json(value.as_str()))),
            StepResult::Threw(why) => StepResult::Threw(self.text(&why)),
        }
    }
}

/// Nothing of it is said: in doubt it holds a secret.
fn unreadable() -> ToolOutcome {
    ToolOutcome::Threw(
        "the tool ended, and what it returned cannot be told without its credentials".to_owned(),
    )
}

/// As it stands between the quotes of a JSON string.
fn json_escaped(text: &str) -> String {
    let quoted = to_text(&text);
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

fn struck(text: &str, forms: &[String]) -> String {
    let mut text = text.to_owned();
    for form in forms {
        let mut clean = String::new();
        let mut rest = text.as_str();
        while let Some(at) = word_at(rest, form) {
            clean.push_str(rest.get(..at).unwrap_or_default());
            clean.push_str(STRUCK);
            rest = rest.get(at + form.len()..).unwrap_or_default();
        }
        if !clean.is_empty() {
            clean.push_str(rest);
            text = clean;
        }
    }
    text
}

/// Where a text that begins with a JSON string goes on behind it.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The steps of a call, whose results are stored without its secrets.
pub(super) struct CleanSteps {
    pub(super) steps: Arc<dyn Steps>,
    pub(super) secrets: Arc<Secrets>,
}

impl Steps for CleanSteps {
    fn begin(&self, name: &str) -> BoxFuture<'static, Result<Step, DisplayError>> {
        self.steps.begin(&self.secrets.text(name))
    }

    fn end(&self, key: String, result: StepResult) -> BoxFuture<'static, ()> {
        self.steps.end(key, self.secrets.step(result))
    }
}

/// The display of a call: what it shows is in the record.
pub(super) struct CleanDisplay {
    pub(super) port: Arc<dyn DisplayPort>,
    pub(super) secrets: Arc<Secrets>,
}

impl CleanDisplay {
    fn clean(&self, show: Show) -> Show {
        Show { input: json::written(self.secrets.json(show.input.as_str())), ..show }
    }
}

impl DisplayPort for CleanDisplay {
    fn push_and_forget(&self, show: Show) -> Result<String, DisplayError> {
        self.port.push_and_forget(self.clean(show))
    }

    fn push_and_wait(&self, show: Show) -> BoxFuture<'static, Result<Json, DisplayError>> {
        self.port.push_and_wait(self.clean(show))
    }

    fn remove_slot(&self, id: &str) -> bool {
        self.port.remove_slot(id)
    }
}

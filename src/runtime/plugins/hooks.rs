//! Work of a program on messages that name it as `/name`, before they are sent.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use crate::error::Error;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::ports::Function;
use crate::runtime::response::Prompt;
use crate::runtime::session::Session;

use super::{USUAL_MS, within};

/// What a hook gets.
#[derive(Debug, Clone)]
pub struct HookCall {
    /// The whole message, as the hooks before have left it.
    pub text: String,
    /// What stands behind the name.
    pub args: String,
    /// Where the message is going.
    pub session: Session,
}

/// What a hook makes of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum HookResult {
    /// It is sent as it is.
    Send,
    /// The model reads this; the chat shows what was written.
    Text(String),
    /// This is the answer, and no model is asked.
    Answer(String),
    /// It is not sent, for this reason.
    Stop(String),
}

type Run = dyn Function<HookCall, BoxFuture<'static, Result<HookResult, String>>>;

#[derive(Clone)]
struct Hook {
    name: String,
    description: String,
    run: Arc<Run>,
}

/// Hooks by their names. A message calls them as `/name`, between white space or the ends of the text.
///
/// ```
/// use glove_wasm::runtime::{Glove, HookCall, HookResult, Hooks};
/// use glove_wasm::testing::{Line, ScriptedModel};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let model = ScriptedModel::new([Line::text("Bonjour.")]);
/// let hooks = Hooks::new()
///     .hook("fr", "Answers in French", async |call: HookCall| {
///         Ok(HookResult::Text(format!("Answer in French: {}", call.args)))
///     })?
///     .hook("help", "What I can do", async |_: HookCall| Ok(HookResult::Answer("Ask me.".to_owned())))?;
///
/// let agent = Glove::builder(model).build()?;
/// # futures_executor::block_on(async {
/// let prompt = hooks.prompt(agent.session(), "/help").await?;
/// assert_eq!(agent.process_request(prompt).await?.text(), "Ask me.");
/// let prompt = hooks.prompt(agent.session(), "/fr good day").await?;
/// assert_eq!(agent.process_request(prompt).await?.text(), "Bonjour.");
/// # Ok(())
/// # })
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Hooks {
    list: Vec<Hook>,
}

impl Hooks {
    pub fn new() -> Self {
        Hooks::default()
    }

    /// Adds a hook. Fails where its name is none, or taken.
    pub fn hook<F, R>(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        run: F,
    ) -> Result<Self, Error>
    where
        F: Fn(HookCall) -> R + MaybeSend + MaybeSync + 'static,
        R: Future<Output = Result<HookResult, String>> + MaybeSend + 'static,
    {
        let name = name.into();
        let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
        if name.is_empty() || !name.chars().all(is_letter) {
            let message =
                format!("The name of a hook has letters, digits, `_` and `-`; \"{name}\" has others.");
            return Err(Error::Refused { code: "HOOK_INVALID", message });
        }
        if self.named(&name).is_some() {
            let message = format!("Two hooks are called \"{name}\"; rename one of them.");
            return Err(Error::Refused { code: "COMMAND_NAME_TAKEN", message });
        }
        let run: Arc<Run> = Arc::new(move |call: HookCall| -> BoxFuture<'static, _> { Box::pin(run(call)) });
        self.list.push(Hook { name, description: description.into(), run });
        Ok(self)
    }

    /// The names and descriptions, for people who choose from a list.
    pub fn commands(&self) -> impl Iterator<Item = (&str, &str)> {
        self.list.iter().map(|hook| (hook.name.as_str(), hook.description.as_str()))
    }

    /// What is sent in the place of what a person wrote: the hooks that it names run on it, one after the other and each once. Fails with
    /// `HOOK_STOPPED` where one stops it, and with `HOOK_FAILED` where one fails or takes longer than ten seconds; nothing was sent then.
    pub async fn prompt(&self, session: &Session, written: &str) -> Result<Prompt, Error> {
        let mut text = written.to_owned();
        let mut answer = None;
        for hook in self.called(written) {
            // One before may have taken it out.
            let end = self
                .ends(&text)
                .into_iter()
                .find(|(other, _)| other.name == hook.name)
                .map_or(text.len(), |(_, end)| end);
            let args = text.get(end..).unwrap_or_default().trim().to_owned();
            match ran(hook, HookCall { text: text.clone(), args, session: session.clone() }).await? {
                HookResult::Send => {}
                HookResult::Text(other) => text = other,
                HookResult::Answer(given) => {
                    answer = Some(given);
                    break;
                }
                HookResult::Stop(why) => {
                    return Err(Error::Refused { code: "HOOK_STOPPED", message: why });
                }
            }
        }
        let is_other = text != written;
        let mut prompt = Prompt::new(text);
        prompt.message.pre_modified_text = is_other.then(|| written.to_owned());
        prompt.message.answer_by_hook(answer);
        Ok(prompt)
    }

    fn called(&self, text: &str) -> Vec<&Hook> {
        let mut called: Vec<&Hook> = Vec::new();
        for (hook, _) in self.ends(text) {
            if !called.iter().any(|other| other.name == hook.name) {
                called.push(hook);
            }
        }
        called
    }

    /// The hooks that a text names, and where each name ends.
    fn ends(&self, text: &str) -> Vec<(&Hook, usize)> {
        let (mut named, mut at) = (Vec::new(), 0);
        for word in text.split_inclusive(char::is_whitespace) {
            let name = word.trim_end();
            if let Some(hook) = name.strip_prefix('/').and_then(|name| self.named(name)) {
                named.push((hook, at + name.len()));
            }
            at += word.len();
        }
        named
    }

    /// Keyboards begin words with a capital letter.
    fn named(&self, name: &str) -> Option<&Hook> {
        self.list.iter().find(|hook| hook.name.to_lowercase() == name.to_lowercase())
    }
}

async fn ran(hook: &Hook, call: HookCall) -> Result<HookResult, Error> {
    let clock = Arc::clone(&call.session.shared.clock);
    let why = match within(clock.as_ref(), USUAL_MS, hook.run.call(call)).await {
        Some(Ok(HookResult::Text(text) | HookResult::Answer(text) | HookResult::Stop(text)))
            if text.trim().is_empty() =>
        {
            "it gave no words".to_owned()
        }
        Some(Ok(result)) => return Ok(result),
        Some(Err(why)) => why,
        None => format!("it took longer than {} seconds", USUAL_MS / 1000),
    };
    let message = format!("The hook \"{}\" failed, and the message was not sent: {why}.", hook.name);
    Err(Error::Refused { code: "HOOK_FAILED", message })
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.commands()).finish()
    }
}

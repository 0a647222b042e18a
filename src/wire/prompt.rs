//! A request as a page says it.

use crate::json::codec::Read;
use crate::message::{ContentPart, Extra, Message, TRIGGER};
use crate::run::input::WhenBusy;
use crate::runtime::Prompt;

#[derive(Read)]
#[json(rename_all = "camelCase")]
pub(crate) struct PromptInput {
    id: Option<String>,
    #[json(default)]
    text: String,
    content: Option<Vec<ContentPart>>,
    #[json(default)]
    when_busy: WhenBusy,
    #[json(null_as_default)]
    regenerate: bool,
    edits: Option<String>,
    /// No person says it: the text is why it begins.
    #[json(default)]
    trigger: bool,
    #[json(default)]
    leave_when_waiting: bool,
    /// Fields that the application puts on its message.
    #[json(default)]
    extra: Extra,
}

impl From<PromptInput> for Prompt {
    fn from(input: PromptInput) -> Self {
        let PromptInput {
            id,
            text,
            content,
            when_busy,
            regenerate,
            edits,
            trigger,
            leave_when_waiting,
            extra,
        } = input;
        let mut message = Message::user(text);
        message.framework_context = trigger.then(|| TRIGGER.to_owned());
        message.content = content;
        message.extra = extra;
        Prompt { id, message, when_busy, regenerate, edits, leave_when_waiting }
    }
}

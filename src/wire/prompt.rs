//! A request as a page says it.

use crate::json::codec::Read;
use crate::message::{ContentPart, Extra, Message, TRIGGER};
use crate::run::input::WhenBusy;
use crate::runtime::Prompt;

#[derive(Debug, Read)]
#[json(rename_all = "camelCase")]
pub struct PromptInput {
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
    /// Nor does a person see it.
    #[json(default)]
    hidden: bool,
    /// What the person wrote, where a hook of the page has made the text of it.
    pre_modified_text: Option<String>,
    /// A hook of the page has answered it already.
    hook_answer: Option<String>,
    /// A person has stopped its answer before the core was there, and saw so much of it.
    stopped_answer: Option<String>,
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
            hidden,
            pre_modified_text,
            hook_answer,
            stopped_answer,
            leave_when_waiting,
            extra,
        } = input;
        let mut message = Message::user(text);
        message.framework_context = trigger.then(|| TRIGGER.to_owned());
        message.hidden = hidden;
        message.content = content;
        message.pre_modified_text = pre_modified_text;
        message.extra = extra;
        message.answer_by_hook(hook_answer);
        message.stop_answer(stopped_answer);
        Prompt { id, message, when_busy, regenerate, edits, leave_when_waiting }
    }
}

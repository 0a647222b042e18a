//! Whether a model may use tools, must, or must not; and how many at once.

use crate::message::{Message, Sender};
use crate::providers::facts::ThinkingForm;
use crate::providers::format::Format;
use crate::providers::request::effort::form;
use crate::providers::request::options::ToolChoice;
use crate::providers::request::options::{Options, Thinking};
use crate::providers::request::parts::RequestParts;
use crate::tool::ANSWER_TOOL;

/// Where a conversation is.
pub(in crate::providers) struct Standing {
    /// Results of the last calls are there: the model goes on with its answer.
    pub answered: bool,
    /// The turn that goes on has no thoughts at its beginning.
    thoughtless: bool,
}

impl Standing {
    pub(in crate::providers) fn of(messages: &[&Message]) -> Self {
        let mut standing = Standing { answered: false, thoughtless: false };
        let mut turns = 0;
        for message in messages.iter().rev() {
            match message.sender {
                // What was said before the turn that goes on may lack its thoughts.
                Sender::User if turns > 0 && message.results().is_empty() => break,
                Sender::User => standing.answered |= turns == 0 && !message.results().is_empty(),
                Sender::Agent if message.partial => {}
                Sender::Agent => {
                    turns += 1;
                    standing.answered &= !message.calls().is_empty() || turns > 1;
                    standing.thoughtless |= !message.calls().is_empty()
                        && !crate::providers::anthropic::request::begins_with_thoughts(message);
                }
            }
        }
        standing.thoughtless &= standing.answered;
        standing
    }
}

impl Options {
    /// The options as they hold for the next answer in a conversation that ends so.
    pub(in crate::providers) fn at(&self, prompt: &RequestParts<'_>, messages: &[&Message]) -> Options {
        let standing = Standing::of(messages);
        let mut options = self.clone();
        // Who has to use a tool again and again never comes to an end.
        if standing.answered && options.tool_choice.as_ref().is_some_and(ToolChoice::is_forced) {
            options.tool_choice = Some(ToolChoice::Auto);
        }
        let in_tokens = prompt.format == Format::Anthropic && form(prompt) == ThinkingForm::Budget;
        if in_tokens && standing.thoughtless && self.anthropic_thinks() {
            prompt.notices.add(
                "OPTION_LEFT_OUT",
                "Thinking was turned on between a tool call and its result, where Anthropic does not allow it, so the \
                 model answers this request without thinking.",
            );
            options.thinking = Thinking::default();
        }
        options
    }
}

impl RequestParts<'_> {
    /// Whether the model takes tools; where it does not, the developer is told of those that are left out.
    pub(in crate::providers) fn takes_tools(&self) -> bool {
        let takes = self.options.facts.tools != Some(false);
        if !takes && !self.tools.is_empty() {
            self.notices.add(
                "TOOLS_LEFT_OUT",
                format!(
                    "The tools were left out of the request: `{}` does not support tools. Set `toolUse: \"text\"` to \
                     describe them in the prompt, or use another model.",
                    self.options.model
                ),
            );
        }
        takes && !self.tools.is_empty()
    }

    /// What is to be said of tools, as far as the provider takes it.
    pub(in crate::providers) fn tool_choice(&self) -> Option<ToolChoice> {
        let Some(choice) = self.options.tool_choice.clone() else { return self.answer_choice() };
        let why = match &choice {
            ToolChoice::Tool(name) if !self.tools.iter().any(|tool| tool.name == *name) => {
                format!("there is no tool `{name}` in this request")
            }
            choice if !choice.is_forced() => return Some(choice.clone()),
            _ if self.options.facts.forced_tools == Some(false) => {
                format!("`{}` cannot be forced to call a tool", self.options.model)
            }
            _ if self.format == Format::Anthropic && self.options.is_told_to_think() => {
                "Anthropic's models cannot be forced to call a tool while they think".to_owned()
            }
            _ => return Some(choice),
        };
        self.notices.add("OPTION_LEFT_OUT", format!("`toolChoice` was sent as `auto`: {why}."));
        Some(ToolChoice::Auto)
    }

    /// An answer with a schema comes by a tool, so the model is made to use one, where it can be. It is not named: not all servers take
    /// a name.
    fn answer_choice(&self) -> Option<ToolChoice> {
        let wanted = self.tools.iter().any(|tool| tool.name == ANSWER_TOOL);
        let free = self.options.facts.forced_tools == Some(false)
            || self.format == Format::Anthropic && self.options.is_told_to_think();
        (wanted && !free).then_some(ToolChoice::Required)
    }

    /// Whether several calls at once are allowed, where something is to be said of it and the provider takes it.
    pub(in crate::providers) fn parallel(&self) -> Option<bool> {
        let facts = &self.options.facts;
        self.taken(self.options.parallel_tool_calls, facts.parallel_tool_calls, "parallelToolCalls")
    }
}

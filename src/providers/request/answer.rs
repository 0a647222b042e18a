//! How a model is asked for an answer that has a schema: by a tool that it is made to use, or as its text, which the provider keeps to the
//! schema. A model that has neither reads the schema in its prompt.

use crate::json::writer::Object;
use crate::message::{Message, Sender};
use crate::providers::facts::Answers;
use crate::providers::format::Format;
use crate::providers::request::fragments::each_field;
use crate::providers::request::options::{AnswerFormat, Options};
use crate::providers::request::schema;
use crate::tool::{ANSWER_TOOL, GIVE_ANSWER, ToolDefinition};

/// What is different in a request whose answer comes as text.
#[derive(Debug)]
pub struct AnswerInText {
    /// Without the one that takes the answer.
    pub tools: Vec<ToolDefinition>,
    pub options: Options,
    pub system: String,
    /// Where the provider refuses the form, the tool can stand for it.
    pub tool_instead: bool,
}

/// `None`: no answer with a schema is wanted, or it comes by the tool. `refused`: the provider did not take the form before.
pub fn answer_in_text<'m>(
    format: Format,
    options: &Options,
    system: &str,
    tools: &[ToolDefinition],
    messages: impl FnOnce() -> Vec<&'m Message>,
    refused: bool,
) -> Option<AnswerInText> {
    let wanted = tools.iter().find(|tool| tool.name == ANSWER_TOOL)?;
    if format.spoken() == Format::Endpoint {
        return None;
    }
    let facts = &options.facts;
    let takes_tools = facts.tools != Some(false);
    let alone = tools.len() == 1 || !takes_tools;
    let knows = !refused && (alone || facts.answers_beside_tools == Some(true));
    let answer = match facts.answers.filter(|_| knows) {
        Some(Answers::Strict) => schema::closed_answer(format, facts, &wanted.schema)
            .map(|schema| AnswerFormat { schema, strict: true }),
        Some(Answers::JsonSchema) => {
            schema::answer(format, facts, &wanted.schema).map(|schema| AnswerFormat { schema, strict: false })
        }
        Some(Answers::Tool) | None => None,
    };
    // What was not right the first time is put right by the tool, whose result says what was wrong.
    if takes_tools && (answer.is_none() || is_asked_again(&messages())) {
        return None;
    }
    let mut system = system.to_owned();
    if !takes_tools {
        let between = if system.trim().is_empty() { "" } else { "\n\n" };
        system.push_str(&format!(
            "{between}Answer with one JSON object that fits the JSON Schema below, and with nothing else. Where you are asked to call \
             `{ANSWER_TOOL}`, this is meant.\n\n{}",
            wanted.schema.as_str()
        ));
    }
    let tools = tools.iter().filter(|tool| tool.name != ANSWER_TOOL).cloned().collect();
    let options = Options { answer, ..options.clone() };
    Some(AnswerInText { tools, options, system, tool_instead: takes_tools })
}

/// Whether the model has answered this request before, in another form than was wanted.
fn is_asked_again(messages: &[&Message]) -> bool {
    for message in messages.iter().rev() {
        match message.sender {
            Sender::Agent if message.calls().iter().any(|call| call.tool_name == ANSWER_TOOL) => return true,
            Sender::User if message.results().is_empty() => return message.text == GIVE_ANSWER,
            Sender::Agent | Sender::User => {}
        }
    }
    false
}

impl AnswerInText {
    /// A body with everything of another one's head, where what was said stays as it is. `head` is open in front of its messages, which
    /// both bodies have in their last field.
    pub fn with_head(head: &str, body: &str) -> Option<String> {
        let head = format!("{head}]}}");
        let (mut fields, mut list) = (Vec::new(), None);
        each_field(&head, |key, value| fields.push((key, value))).ok()?;
        let (name, _) = fields.pop()?;
        each_field(body, |key, value| list = (key == name).then_some(value).or(list)).ok()?;
        let mut out = String::with_capacity(body.len() + head.len());
        let mut written = Object::new(&mut out);
        for (key, value) in fields {
            written.raw(key, value);
        }
        written.raw(name, list?);
        written.end();
        Some(out)
    }
}

impl AnswerFormat {
    /// As OpenAI's formats have it: with a name.
    pub(in crate::providers) fn write_named(&self, object: &mut Object<'_>) {
        object.text("name", "answer");
        if self.strict {
            object.raw("strict", "true");
        }
        object.raw("schema", &self.schema);
    }
}

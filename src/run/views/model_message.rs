//! A message as a model of the application reads it: without what is for people only, and with each result as all models are told it.

use std::borrow::Cow;

use crate::json::Json;
use crate::message::{ANSWER_SCHEMA, Message, SKILLS, ToolResult};

/// What the application says of its own message, whose it is, and what is told by a tool: not for models.
const NOT_FOR_MODELS: [&str; 4] = ["metadata", "userId", SKILLS, ANSWER_SCHEMA];

pub fn for_model(message: &Message) -> Cow<'_, Message> {
    let is_ours = |(key, _): &(String, Json)| NOT_FOR_MODELS.contains(&key.as_str());
    let changed = message.pre_modified_text.is_some();
    if message.tool_results.is_none() && !changed && !message.extra.0.iter().any(is_ours) {
        return Cow::Borrowed(message);
    }
    let mut message = message.clone();
    // A hook may have taken out what no model is to read.
    message.pre_modified_text = None;
    message.extra.0.retain(|field| !is_ours(field));
    message.tool_results.iter_mut().flatten().for_each(strip);
    Cow::Owned(message)
}

/// The same as a message of its own. Not generic, so that it is compiled once and not in each crate that copies a message.
pub fn copy_for_model(message: &Message) -> Message {
    for_model(message).into_owned()
}

fn strip(result: &mut ToolResult) {
    if let Cow::Owned(data) = result.data_for_model() {
        result.result.data = data;
    }
    result.outputs = None;
    result.input = None;
    result.slots.clear();
    result.result.summary = None;
    result.result.usage = None;
    result.result.render_data = None;
    result.result.generate_summary_args = None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::codec::{from_text, to_text};

    fn read(message: &str) -> String {
        to_text(for_model(&from_text::<Message>(message).unwrap()).as_ref())
    }

    #[test]
    fn a_result_is_told_by_its_summary_and_with_its_files_and_without_what_is_for_people() {
        let table = [
            (
                r#"{"tool_name":"t","result":{"data":{"n":1},"status":"success","renderData":{"secret":1},"summary":"one"},"slots":[],"input":{"n":2}}"#,
                r#"{"tool_name":"t","result":{"data":"one","status":"success"}}"#,
            ),
            (
                r#"{"tool_name":"t","result":{"data":"Done","status":"success"},"outputs":[{"type":"file","data":{"name":"a.pdf"},"summary":"a report"}]}"#,
                r#"{"tool_name":"t","result":{"data":"Done\na report","status":"success"}}"#,
            ),
            (
                r#"{"tool_name":"t","result":{"data":"Done","status":"success"},"outputs":[{"type":"file","data":{"name":"a.pdf"}}]}"#,
                r#"{"tool_name":"t","result":{"data":"Done\n[File: a.pdf]","status":"success"}}"#,
            ),
            (
                r#"{"tool_name":"t","result":{"data":"Done","status":"success"},"outputs":[{"type":"widget","data":{}}]}"#,
                r#"{"tool_name":"t","result":{"data":"Done","status":"success"}}"#,
            ),
            (
                r#"{"tool_name":"t","result":{"data":{"n":1},"status":"error","message":"no","summary":"one"}}"#,
                r#"{"tool_name":"t","result":{"data":{"n":1},"status":"error","message":"no"}}"#,
            ),
        ];
        for (stored, told) in table {
            let message = |result| format!(r#"{{"sender":"user","text":"","tool_results":[{result}]}}"#);
            assert_eq!(read(&message(stored)), message(told), "{stored}");
        }
    }

    #[test]
    fn metadata_of_the_application_is_for_no_model_and_other_fields_stay() {
        let message = r#"{"sender":"user","text":"Hi","pre_modified_text":"/hi","metadata":{"from":"a button"},"userId":"u1","skills":["s"],"mood":"good"}"#;
        assert_eq!(read(message), r#"{"sender":"user","text":"Hi","mood":"good"}"#);
    }
}

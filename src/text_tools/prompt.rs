//! What a model is told of its tools, and how it reads what it called before.

use crate::message::{ContentPart, Message, Sender};
use crate::tool::ToolDefinition;

const HOW: &str = "\
# Tools

You can use the tools that are listed below. To use one, write these two lines and then stop:

Action: the name of one tool
Action Input: its arguments, as one JSON object

What came of it is told to you in a message that begins with \"Observation:\". Never write an observation yourself. \
What you think before may stand on a line that begins with \"Thought:\"; it is not shown. Use one tool at a time, as \
often as you need. When you know the answer, or need no tool, write:

Final Answer: the answer
";

/// The system prompt with the tools in it.
pub(super) fn system(system: &str, tools: &[ToolDefinition]) -> String {
    let mut out = system.to_owned();
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(HOW);
    for tool in tools {
        out.push_str("\n## ");
        out.push_str(&tool.name);
        out.push('\n');
        out.push_str(&tool.description);
        out.push_str("\nArguments: ");
        out.push_str(tool.schema.as_str());
        out.push('\n');
    }
    out
}

/// A message with its calls or results as text.
pub(super) fn rewritten(message: &Message) -> Message {
    let mut message = message.clone();
    let (calls, results) = (message.tool_calls.take(), message.tool_results.take());
    match message.sender {
        Sender::Agent => {
            let mut text = String::new();
            if let Some(thoughts) = message.reasoning_content.take().filter(|_| calls.is_some()) {
                line(&mut text, "Thought: ", &thoughts);
            }
            line(&mut text, "", &message.text);
            for call in calls.into_iter().flatten() {
                line(&mut text, "Action: ", &call.tool_name);
                let args = call.input_args.to_text();
                line(&mut text, "Action Input: ", args.as_deref().unwrap_or(call.input_args.as_str()));
            }
            message.text = text;
            message.content = None;
        }
        Sender::User => {
            let Some(results) = results else { return message };
            let mut text = String::new();
            let many = results.len() > 1;
            for result in &results {
                let of = if many {
                    format!("Observation of {}: ", result.tool_name)
                } else {
                    "Observation: ".to_owned()
                };
                line(&mut text, &of, &result.text_for_model());
            }
            // What a person added to the results stands behind them.
            if let Some(parts) = &mut message.content {
                let reading = Some(text.clone());
                let kind = "text".to_owned();
                parts.insert(0, ContentPart { kind, text: reading, ..ContentPart::default() });
            }
            message.text = text;
        }
    }
    message
}

fn line(out: &mut String, label: &str, text: &str) {
    if text.is_empty() && label.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(label);
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use crate::message::{ToolCall, ToolResult, ToolResultData, ToolStatus};

    #[test]
    fn calls_and_results_are_read_as_they_were_written() {
        let mut agent = Message::agent("Let me look.");
        agent.reasoning_content = Some("It asks for weather.".to_owned());
        let call = ToolCall::new("weather", Json::parse(r#"{"city":"Bern"}"#).unwrap());
        agent.tool_calls = Some(vec![call, ToolCall::from_model("weather", None, "{\"city\"")]);
        assert_eq!(
            rewritten(&agent).text,
            "Thought: It asks for weather.\nLet me look.\nAction: weather\nAction Input: {\"city\":\"Bern\"}\n\
             Action: weather\nAction Input: {\"city\""
        );
        let result = |status, message: Option<&str>| ToolResult {
            tool_name: "weather".to_owned(),
            result: ToolResultData {
                status,
                data: Json::parse("20").unwrap(),
                message: message.map(str::to_owned),
                ..ToolResultData::default()
            },
            ..ToolResult::default()
        };
        let mut user = Message::user("tool results");
        user.tool_results = Some(vec![result(ToolStatus::Success, None)]);
        assert_eq!(rewritten(&user).text, "Observation: 20");
        user.tool_results.as_mut().unwrap().push(result(ToolStatus::Error, Some("no such city")));
        let both = rewritten(&user);
        assert_eq!(both.text, "Observation of weather: 20\nObservation of weather: Error: no such city\n20");
        assert_eq!((both.tool_results, both.tool_calls), (None, None));
    }
}

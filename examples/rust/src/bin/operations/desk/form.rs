//! Asks for one field after the other. After a restart of the program it goes on with the one that was open.

use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Form {
    title: String,
    fields: Vec<Field>,
}

#[derive(Deserialize)]
struct Field {
    name: String,
    label: Option<String>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default = "yes")]
    required: bool,
}

fn yes() -> bool {
    true
}

pub fn collect_form() -> Tool {
    let field = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "label": { "type": "string" },
            "options": { "type": "array", "items": { "type": "string" } },
            "required": { "type": "boolean", "default": true }
        },
        "required": ["name"]
    });
    let schema = json!({
        "type": "object",
        "properties": { "title": { "type": "string" }, "fields": { "type": "array", "items": field, "minItems": 1 } },
        "required": ["title", "fields"]
    });
    Tool::new(
        "collect_form",
        "Asks the person for several details",
        schema,
        async |form: Form, context: ToolContext| {
            let mut values = Map::new();
            for field in &form.fields {
                let value = ask(&form.title, field, &context).await?;
                values.insert(field.name.clone(), Value::String(value));
            }
            Ok::<_, ToolFailure>(Value::Object(values))
        },
    )
}

async fn ask(title: &str, field: &Field, context: &ToolContext) -> Result<String, ToolFailure> {
    let label = field.label.as_deref().unwrap_or(&field.name);
    if !field.options.is_empty() {
        let question = json!({ "message": format!("{title}: {label}"), "options": field.options });
        return Ok(context.display.push_and_wait("select", &question).await?);
    }
    let mut message = format!("{title}: {label}");
    loop {
        let value: String = context.display.push_and_wait("input", &json!({ "message": message })).await?;
        if !field.required || !value.trim().is_empty() {
            return Ok(value.trim().to_owned());
        }
        message = format!("{title}: {label} is needed");
    }
}

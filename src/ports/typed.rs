//! Tools whose schema is written from the Rust type of their arguments.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ports::outcome::IntoOutcome;
use crate::ports::registry::Tool;
use crate::ports::tools::ToolContext;

impl Tool {
    /// A tool that is called as its type of arguments, in snake_case, and does what the documentation of that type says.
    ///
    /// ```
    /// use glove_wasm::ports::{Tool, ToolContext};
    /// use glove_wasm::schemars::JsonSchema;
    ///
    /// /// Books a table in our restaurant.
    /// #[derive(serde::Deserialize, JsonSchema)]
    /// #[schemars(crate = "glove_wasm::schemars")]
    /// struct BookTable {
    ///     /// How many will come.
    ///     people: u8,
    /// }
    ///
    /// let book = Tool::of(async |input: BookTable, _: ToolContext| format!("A table for {}.", input.people));
    /// assert_eq!(book.name(), "book_table");
    /// assert_eq!(book.definition().description, "Books a table in our restaurant.");
    /// ```
    pub fn of<I, F, R>(body: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + 'static,
        F: Fn(I, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoOutcome> + Send + 'static,
    {
        let mut schema = schema_of::<I>();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        let description = description.and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
        Tool::new(in_snake_case(&I::schema_name()), description, schema, body)
    }

    /// A tool whose schema is that of its type of arguments.
    pub fn described<I, F, R>(name: impl Into<String>, description: impl Into<String>, body: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + 'static,
        F: Fn(I, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoOutcome> + Send + 'static,
    {
        Tool::new(name, description, schema_of::<I>(), body)
    }
}

/// The JSON Schema of a type, as models are told it: for tools, and for answers with a schema.
pub fn schema_of<T: JsonSchema>() -> Value {
    // Providers read references less well than what they refer to; recursive types have some all the same.
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let settings = settings.with_transform(RecursiveTransform(without_widths));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

/// `int64`, `float` and the like are no formats of JSON Schema, and some providers refuse what they do not know.
fn without_widths(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    let is_width = matches!(format, "float" | "double")
        || format
            .strip_prefix('u')
            .unwrap_or(format)
            .strip_prefix("int")
            .is_some_and(|bits| bits.bytes().all(|bit| bit.is_ascii_digit()));
    if is_width {
        schema.remove("format");
    }
}

fn in_snake_case(name: &str) -> String {
    let mut words = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && was_small {
            words.push('_');
        }
        was_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        words.push(letter.to_ascii_lowercase());
    }
    words
}

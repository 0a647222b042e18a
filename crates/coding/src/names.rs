//! Names that models are used to from other coding tools, beside ours: read in one place, for the tool, for the question before it and for rules.

use glove_wasm::json::Json;
use serde_json::Value;

/// Tool, a name that is taken, and ours.
const NAMES: [(&str, &str, &str); 14] = [
    ("read_file", "file_path", "path"),
    ("read_file", "start_line", "first_line"),
    ("read_file", "end_line", "last_line"),
    ("write_file", "file_path", "path"),
    ("edit_file", "file_path", "path"),
    ("edit_file", "old_string", "old"),
    ("edit_file", "new_string", "new"),
    ("list_dir", "max_depth", "depth"),
    ("bash", "cwd", "folder"),
    ("bash", "working_dir", "folder"),
    ("bash", TIMEOUT, "seconds"),
    ("shell", "cwd", "folder"),
    ("shell", "working_dir", "folder"),
    ("shell", TIMEOUT, "seconds"),
];

const TIMEOUT: &str = "timeout";
/// From here on a `timeout` is one of milliseconds, as most tools have it.
const MILLISECONDS: u64 = 1_000;

/// The arguments of a call of one of our tools by our names. An error where two names of one argument are given: nobody knows which of them is
/// meant.
pub(crate) fn own_names(tool: &str, input: &Json) -> Result<Json, String> {
    let names = || NAMES.iter().filter(|(of, ..)| *of == tool);
    let Ok(Value::Object(mut fields)) = input.read::<Value>() else { return Ok(input.clone()) };
    if !names().any(|(_, other, _)| fields.contains_key(*other)) {
        return Ok(input.clone());
    }
    for (_, other, own) in names() {
        let Some(value) = fields.remove(*other) else { continue };
        let value = match value.as_u64() {
            Some(limit) if *other == TIMEOUT && limit >= MILLISECONDS => limit.div_ceil(1_000).into(),
            _ => value,
        };
        if fields.insert((*own).to_owned(), value).is_some() {
            return Err(format!(
                "`{other}` is another name of `{own}`, which is given too: give one of them"
            ));
        }
    }
    Ok(Json::from(Value::Object(fields)))
}

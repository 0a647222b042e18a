//! Arguments checked against a tool's JSON Schema, as pages check them (`js/src/schema/validator.ts`). With the feature `schema-check`, which native programs have.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::{Map, Value};

use crate::json::{self, Json};
use crate::ports::schema_formats::with_formats;
use crate::run::input::Issue;

/// More issues than this help no model to put its arguments right.
const MOST: usize = 500;

/// A compiled schema.
#[derive(Debug)]
pub(super) struct SchemaCheck {
    validator: Validator,
}

impl SchemaCheck {
    /// Refuses what is no JSON Schema, and references that lead nowhere. Nothing is fetched.
    pub(super) fn of(schema: &Json) -> Result<Self, String> {
        let schema: Value = schema.read().map_err(|error| error.to_string())?;
        let options = with_formats(jsonschema::options()).with_draft(Draft::Draft202012).offline();
        let built = options.should_validate_formats(true).build(&as_pages_read_it(schema, false));
        match built {
            Ok(validator) => Ok(SchemaCheck { validator }),
            Err(error) if error.instance_path().as_str().is_empty() => Err(error.to_string()),
            Err(error) => Err(format!("{error}, at {}", error.instance_path())),
        }
    }

    /// What is wrong with these arguments.
    pub(super) fn issues(&self, input: &Json) -> Vec<Issue> {
        let value: Value = match input.read() {
            Ok(value) => value,
            Err(error) => return vec![Issue { path: Vec::new(), message: error.to_string() }],
        };
        if self.validator.is_valid(&value) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for error in self.validator.iter_errors(&value).take(MOST) {
            collect(&error, &value, &mut found);
        }
        if found.is_empty() {
            let message = "The arguments do not match the schema.".to_owned();
            found.push(Found { path: String::new(), message, kind: Kind::Other });
        }
        let mut issues = Vec::new();
        for Found { path, message, .. } in found.into_iter().take(MOST) {
            issues.push(Issue { path: steps(&path), message });
        }
        issues
    }
}

/// Keywords that hold data, and those that hold schemas by names of the application's.
const DATA: &[&str] = &["const", "enum", "default", "examples"];
const MAPS: &[&str] = &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Pages read every schema as one of draft 2020-12, and know what earlier drafts wrote in another way.
fn as_pages_read_it(schema: Value, is_map: bool) -> Value {
    match schema {
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| as_pages_read_it(item, false)).collect())
        }
        Value::Object(parts) if is_map => Value::Object(
            parts.into_iter().map(|(name, part)| (name, as_pages_read_it(part, false))).collect(),
        ),
        Value::Object(parts) => Value::Object(modern(parts)),
        plain => plain,
    }
}

fn modern(parts: Map<String, Value>) -> Map<String, Value> {
    let mut made = Map::new();
    for (key, part) in parts {
        let is_data = DATA.contains(&key.as_str());
        let is_map = MAPS.contains(&key.as_str());
        let part = if is_data { part } else { as_pages_read_it(part, is_map) };
        made.insert(key, part);
    }
    made.remove("$schema");
    if let Some(tuple @ Value::Array(_)) = made.get("items").cloned() {
        made.remove("items");
        made.entry("prefixItems").or_insert(tuple);
        if let Some(rest) = made.get("additionalItems").cloned() {
            made.insert("items".to_owned(), rest);
        }
    }
    if let Some(reference) = made.remove("$recursiveRef") {
        made.entry("$ref").or_insert(reference);
    }
    if let Some(Value::String(reference)) = made.get_mut("$ref") {
        *reference = of_tuples(reference);
    }
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if let Some(Value::Bool(is_exclusive)) = made.get(exclusive) {
            let bound = if *is_exclusive { made.remove(bound) } else { None };
            made.remove(exclusive);
            if let Some(bound) = bound {
                made.insert(exclusive.to_owned(), bound);
            }
        }
    }
    made
}

/// `#/items/0` was a place in a tuple, which is called `#/prefixItems/0` today.
fn of_tuples(reference: &str) -> String {
    let mut made = String::with_capacity(reference.len());
    let mut parts = reference.split('/').peekable();
    while let Some(part) = parts.next() {
        let is_tuple = part == "items"
            && parts
                .peek()
                .is_some_and(|next| !next.is_empty() && next.bytes().all(|byte| byte.is_ascii_digit()));
        made.push_str(if is_tuple { "prefixItems" } else { part });
        if parts.peek().is_some() {
            made.push('/');
        }
    }
    made
}

/// One thing that is wrong, at a place in the value.
struct Found {
    path: String,
    message: String,
    kind: Kind,
}

#[derive(PartialEq)]
enum Kind {
    Type,
    Constant,
    Other,
}

/// What an error says of the value; of a union, what is wrong by the branches that the value is meant for.
fn collect(error: &ValidationError<'_>, root: &Value, found: &mut Vec<Found>) {
    let path = error.instance_path().as_str().to_owned();
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let inside = meant(&path, context, root);
            if inside.is_empty() {
                found.push(Found { path, message: message(error), kind: Kind::Other });
            }
            found.extend(inside);
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            for key in unexpected {
                let path = format!("{path}/{}", escaped(key));
                found.push(Found { path, message: NOTHING.to_owned(), kind: Kind::Other });
            }
        }
        ValidationErrorKind::FalseSchema
            if error.schema_path().as_str().ends_with("/additionalProperties") =>
        {
            // Where nothing else is said of an object, the error is one of the whole.
            for key in root.pointer(&path).and_then(Value::as_object).into_iter().flat_map(Map::keys) {
                let path = format!("{path}/{}", escaped(key));
                found.push(Found { path, message: NOTHING.to_owned(), kind: Kind::Other });
            }
        }
        ValidationErrorKind::AdditionalItems { limit } => {
            for index in *limit..error.instance().as_array().map_or(0, Vec::len) {
                let path = format!("{path}/{index}");
                found.push(Found { path, message: NOTHING.to_owned(), kind: Kind::Other });
            }
        }
        ValidationErrorKind::PropertyNames { error: of_name } => {
            let name = of_name.instance().as_str().unwrap_or_default();
            let path = format!("{path}/{}", escaped(name));
            found.push(Found { path, message: message(of_name), kind: Kind::Other });
        }
        kind => {
            let kind = match kind {
                ValidationErrorKind::Type { .. } => Kind::Type,
                ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => Kind::Constant,
                _ => Kind::Other,
            };
            found.push(Found { path, message: message(error), kind });
        }
    }
}

/// The errors of a union without those of branches that the value, by its type or a constant, tells not to be of, while there is a
/// branch without such an error.
fn meant(path: &str, context: &[Vec<ValidationError<'static>>], root: &Value) -> Vec<Found> {
    let (mut all, mut told_apart) = (Vec::new(), Vec::new());
    for branch in context {
        let mut errors = Vec::new();
        for error in branch {
            collect(error, root, &mut errors);
        }
        let apart = errors.iter().any(|error| tells_apart(error, path));
        if apart { &mut told_apart } else { &mut all }.append(&mut errors);
    }
    if all.is_empty() { told_apart } else { all }
}

fn tells_apart(error: &Found, union: &str) -> bool {
    match error.path.strip_prefix(union) {
        Some("") => error.kind == Kind::Type,
        Some(inside) => error.kind == Kind::Constant && inside.matches('/').count() == 1,
        None => false,
    }
}

const NOTHING: &str = "No value is allowed here.";

fn message(error: &ValidationError<'_>) -> String {
    let value = error.instance().as_ref();
    let length = || value.as_str().map_or(0, |text| text.chars().count());
    let items = || value.as_array().map_or(0, Vec::len);
    match error.kind() {
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(many) => {
                    many.iter().map(|one| one.to_string()).collect::<Vec<_>>().join("\", \"")
                }
            };
            format!("Instance type \"{}\" is invalid. Expected \"{expected}\".", type_of(value))
        }
        ValidationErrorKind::Required { property } => {
            format!("Instance does not have required property {property}.")
        }
        ValidationErrorKind::Constant { expected_value } => {
            format!("Instance does not match {expected_value}.")
        }
        ValidationErrorKind::Enum { options } => format!("Instance does not match any of {options}."),
        ValidationErrorKind::Minimum { limit } => {
            format!("{} is less than {}.", number(value), number(limit))
        }
        ValidationErrorKind::Maximum { limit } => {
            format!("{} is greater than {}.", number(value), number(limit))
        }
        ValidationErrorKind::ExclusiveMinimum { limit } => {
            format!("{} is less than or equal to {}.", number(value), number(limit))
        }
        ValidationErrorKind::ExclusiveMaximum { limit } => {
            format!("{} is greater than or equal to {}.", number(value), number(limit))
        }
        ValidationErrorKind::MultipleOf { multiple_of } => {
            format!("{} is not a multiple of {multiple_of}.", number(value))
        }
        ValidationErrorKind::MinLength { limit } => {
            format!("String is too short ({} < {limit}).", length())
        }
        ValidationErrorKind::MaxLength { limit } => format!("String is too long ({} > {limit}).", length()),
        ValidationErrorKind::MinItems { limit } => {
            format!("Array has too few items ({} < {limit}).", items())
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("Array has too many items ({} > {limit}).", items())
        }
        ValidationErrorKind::MinProperties { limit } => {
            format!("Instance does not have at least {limit} properties.")
        }
        ValidationErrorKind::MaxProperties { limit } => {
            format!("Instance has more than {limit} properties.")
        }
        ValidationErrorKind::UniqueItems => "Array has an item twice.".to_owned(),
        ValidationErrorKind::Contains => {
            let place = error.schema_path().as_str();
            let how = if place.ends_with("/maxContains") {
                "contains too many items"
            } else if place.ends_with("/minContains") {
                "contains too few items"
            } else {
                "does not contain item"
            };
            format!("Array {how} matching schema.")
        }
        ValidationErrorKind::Pattern { pattern } => format!("String does not match pattern {pattern}"),
        ValidationErrorKind::Format { format } => format!("String does not match format \"{format}\"."),
        ValidationErrorKind::Not { .. } => "Instance matched \"not\" schema.".to_owned(),
        ValidationErrorKind::AnyOf { .. } => "Instance does not match any subschemas.".to_owned(),
        ValidationErrorKind::OneOfNotValid { .. } => one_of(0),
        ValidationErrorKind::OneOfMultipleValid { context } => {
            one_of(context.iter().filter(|errors| errors.is_empty()).count())
        }
        ValidationErrorKind::FalseSchema => NOTHING.to_owned(),
        // The value is the model's own: it need not read it again.
        _ => error.masked_with("The value").to_string(),
    }
}

fn one_of(matches: usize) -> String {
    format!("Instance does not match exactly one subschema ({matches} matches).")
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Without the `.0` of whole numbers.
fn number(value: &Value) -> String {
    value.to_string().trim_end_matches(".0").to_owned()
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn steps(pointer: &str) -> Vec<Json> {
    let mut path = Vec::new();
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let index =
            name.bytes().all(|byte| byte.is_ascii_digit()).then(|| name.parse::<usize>().ok()).flatten();
        path.push(match index {
            Some(index) => json::written(index.to_string()),
            None => Json::string(&name),
        });
    }
    path
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// One line of the file that `tests/js/schema-verdicts.test.ts` writes.
    #[derive(serde::Deserialize)]
    struct Case {
        #[serde(default)]
        about: String,
        schema: Value,
        values: Vec<Value>,
        /// One letter for each value: `1` fits, `0` does not, `x` where the schema itself is refused.
        valid: String,
        #[serde(default)]
        issues: Vec<Vec<(Vec<Value>, String)>>,
    }

    fn cases() -> Vec<Case> {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/schema-verdicts.jsonl"));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What is read in another way here, and why that stays so. A page can read none of it but the first pattern, and refuses every call.
    const OTHERWISE: &[(&str, &str)] = &[
        (r"pattern \bfoo\b", "letters of all scripts make a word here, those of ASCII in JavaScript"),
        (r"pattern \-", "an escape that is not needed is allowed here"),
        (r"pattern \_", "an escape that is not needed is allowed here"),
        ("format regex", "an escape that is not needed is allowed here"),
        ("pattern (?i)a", "flags inside a pattern are known here"),
        ("pattern [[:alpha:]]", "named classes are known here"),
        ("pattern [a-z&&[^b]]", "intersections of classes are known here"),
        ("a schema that is itself", "it asks for nothing; a page runs out of stack"),
        ("a schema that is itself in a list", "it asks for nothing; a page runs out of stack"),
        (r"pattern \A", "other anchors are known here"),
    ];

    #[test]
    fn the_verdicts_are_those_of_a_page() {
        let (mut compared, mut differing, mut otherwise) = (0, Vec::new(), BTreeSet::new());
        for Case { about, schema, values, valid, .. } in cases() {
            let check = SchemaCheck::of(&Json::of(&schema).unwrap());
            if check.is_err() {
                // Refused when the tool is registered; a page finds it out with the first value that it matters to.
                assert!(valid.contains('x'), "{about}: {schema} is refused: {check:?}");
                continue;
            }
            let check = check.unwrap();
            for (value, page) in values.iter().zip(valid.chars()) {
                compared += 1;
                let fits = check.issues(&Json::of(value).unwrap()).is_empty();
                let same = fits == (page == '1') && page != 'x';
                if !same && OTHERWISE.iter().any(|(known, _)| *known == about) {
                    otherwise.insert(about.clone());
                } else if !same {
                    differing
                        .push(format!("{about}: {value} is {page} in a page, fits here: {fits}: {schema}"));
                }
            }
        }
        assert!(compared > 5_000, "{compared}");
        assert!(differing.is_empty(), "{} of {compared} differ:\n{}", differing.len(), differing.join("\n"));
        assert_eq!(otherwise.len(), OTHERWISE.len(), "{otherwise:?}");
    }

    /// Where a page names places further in, or further out.
    const OTHER_PLACES: &[&str] =
        &["items that nobody knows", "items that only a branch knows", "a recursive reference"];

    #[test]
    fn the_issues_are_those_of_a_page_in_place_and_mostly_in_words() {
        let (mut all, mut same) = (0, 0);
        for Case { about, schema, values, issues, .. } in cases() {
            let known = OTHERWISE.iter().any(|(known, _)| *known == about);
            let check = SchemaCheck::of(&Json::of(&schema).unwrap());
            let Some(check) = check.ok().filter(|_| !known && !OTHER_PLACES.contains(&about.as_str())) else {
                continue;
            };
            for (value, mut page) in values.iter().zip(issues).filter(|(_, page)| !page.is_empty()) {
                let here = check.issues(&Json::of(value).unwrap());
                let mut here: Vec<(Vec<Value>, String)> = Vec::from_iter(here.into_iter().map(|issue| {
                    (issue.path.iter().map(|step| step.read().unwrap()).collect(), issue.message)
                }));
                let order = |one: &(Vec<Value>, String)| Json::of(one).unwrap().as_str().to_owned();
                page.sort_by_key(order);
                here.sort_by_key(order);
                let places = |issues: &[(Vec<Value>, String)]| {
                    Vec::from_iter(issues.iter().map(|(path, _)| path.clone()))
                };
                assert_eq!(places(&here), places(&page), "{about}: {value}");
                (all, same) = (all + 1, same + usize::from(here == page));
            }
        }
        assert!(all > 350 && same * 10 > all * 8, "{same} of {all} issues have the words of a page");
    }

    #[test]
    fn what_is_no_schema_and_what_leads_nowhere_is_refused() {
        let refused = |schema: &str| SchemaCheck::of(&Json::parse(schema).unwrap()).unwrap_err();
        assert!(refused(r#"{"properties":{"a":{"type":"text"}}}"#).contains("/properties/a/type"));
        assert!(refused(r##"{"properties":{"a":{"$ref":"#/$defs/gone"}}}"##).contains("gone"));
        assert!(
            refused(r#"{"properties":{"a":{"$ref":"https://example.com/a.json"}}}"#).contains("example.com")
        );
        assert!(refused(r#"{"properties":{"a":{"pattern":"("}}}"#).contains("pattern"));
    }
}

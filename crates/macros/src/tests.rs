//! What is refused, and with which words; what is taken is tested where the types are.

use syn::parse_str;

use crate::model::Type;
use crate::tool;

fn refused(item: &str) -> String {
    let item = parse_str(item).unwrap();
    Type::of(&item).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_a_type_cannot_say_is_refused_with_what_it_can() {
    let table = [
        ("struct A<T> { a: T }", "a type with parameters has no one form in JSON"),
        ("struct A(u64);", "fields need names, which are their keys"),
        ("enum A {}", "an enum without variants has no form in JSON"),
        ("union A { a: u64 }", "a union has no form in JSON"),
        ("#[json(rename_all = \"kebab-case\")] struct A { a: u64 }", "only \"camelCase\" is known"),
        (
            "#[json(untagged)] struct A { a: u64 }",
            "unknown; a type may say `default`, `tag`, `content` and `rename_all = \"camelCase\"`",
        ),
        ("#[json(tag = \"type\")] struct A { a: u64 }", "only an enum takes a `tag`"),
        ("#[json(content = \"data\")] enum A { B }", "`content` needs a `tag`"),
        ("#[json(default)] enum A { B }", "`default` and `rename_all` are not allowed on an enum"),
        ("enum A { B(u64, u64) }", "a variant holds one value, or fields with names"),
        ("enum A { #[json(other)] B }", "unknown; a variant may say `rename = \"…\"`"),
    ];
    for (item, message) in table {
        assert_eq!(refused(item), message, "{item}");
    }
}

#[test]
fn what_a_field_cannot_say_is_refused_with_what_it_can() {
    let only_options = "only an `Option` can say this";
    let no_option = "an `Option` may be missing and is left out while `None` as it is; `write_null` and `keep_null` say otherwise";
    let table = [
        (
            "#[json(skip)] a: u64",
            "unknown; a field may say `rename`, `read_with`, `flatten`, `default`, `null_as_default`, `skip_if_default`, \
             `write_null`, `keep_null`",
        ),
        ("#[json(default)] a: Option<u64>", no_option),
        ("#[json(skip_if_default)] a: std::option::Option<u64>", no_option),
        ("#[json(write_null)] a: u64", only_options),
        ("#[json(keep_null)] a: Vec<u64>", only_options),
        ("#[json(read_with = read, null_as_default)] a: u64", "`read_with` says alone how null is read"),
        ("#[json(rename = \"b\")] a: u64, b: u64", "another field has the key `b` too"),
        (
            "#[json(rename = \"a\\\"\")] a: u64",
            "a key is written as it is: without quotes, backslashes and control characters",
        ),
        (
            "#[json(flatten)] a: Extra, #[json(flatten)] b: Extra",
            "only one field can hold the keys that are not known",
        ),
        ("#[json(rename)] a: u64", "expected `=`"),
    ];
    for (fields, message) in table {
        assert_eq!(refused(&format!("struct A {{ {fields} }}")), message, "{fields}");
        let variant = format!("enum A {{ B {{ {fields} }} }}");
        assert_eq!(refused(&variant), message, "{variant}");
    }
    let fields: Vec<String> = (0..65).map(|at| format!("f{at}: u64")).collect();
    assert_eq!(refused(&format!("struct A {{ {} }}", fields.join(","))), "more than 64 fields");
}

#[test]
fn fields_and_variants_have_their_own_names_as_keys() {
    let camel = parse_str("#[json(rename_all = \"camelCase\")] struct A { r#type: u64, first_byte_ms: u64 }")
        .unwrap();
    let words = parse_str("enum A { HostGone, #[json(rename = \"5m\")] FiveMinutes, A }").unwrap();
    let keys = |item| match Type::of(item).unwrap().kind {
        crate::model::Kind::Struct(object) => object.fields.into_iter().map(|field| field.key).collect(),
        crate::model::Kind::Words(all) | crate::model::Kind::Variants(all) => {
            all.into_iter().map(|variant| variant.key).collect::<Vec<_>>()
        }
    };
    assert_eq!(keys(&camel), ["type", "firstByteMs"]);
    assert_eq!(keys(&words), ["host_gone", "5m", "a"]);
}

#[test]
fn what_is_no_tool_is_refused_with_how_it_becomes_one() {
    let documented = "a tool needs documentation: by it a model knows when to call `a`";
    let generic = "a tool has no parameters of types: its arguments have one form in JSON";
    let owned =
        "arguments are read from JSON and owned: `String` instead of `&str`, `Vec<T>` instead of `&[T]`";
    let named = "an argument needs a name, which the model is told";
    let table = [
        ("", "fn a() {}", documented),
        ("", "#[doc = \" \"] fn a() {}", documented),
        ("", "#[doc = \"A\"] struct A;", "`#[tool]` goes on a function; make a type a tool with `Tool::of`"),
        ("", "#[doc = \"A\"] async fn a<T>(b: T) {}", generic),
        ("", "#[doc = \"A\"] async fn a(b: impl Sized) where {}", generic),
        (
            "",
            "#[doc = \"A\"] async fn a(&self) {}",
            "a method cannot be a tool: give what it uses to a closure, `Tool::of(move |input: Arguments, context| …)`",
        ),
        ("", "#[doc = \"A\"] async fn a(b: &str) {}", owned),
        ("", "#[doc = \"A\"] async fn a((b, c): (u8, u8)) {}", named),
        ("", "#[doc = \"A\"] async fn a(b @ c: u8) {}", named),
        (
            "",
            "#[doc = \"A\"] async fn a(#[cfg(test)] b: u8) {}",
            "an argument takes documentation, `#[serde(…)]` and `#[schemars(…)]`",
        ),
        ("", "#[doc = \"A\"] fn a(b: ToolContext, c: ports::ToolContext) {}", "a call has one context"),
        (
            "permission",
            "#[doc = \"A\"] fn a() {}",
            "unknown; a tool may say `name = \"…\"`, and how its calls are treated is said by methods, as in \
             `weather().requires_permission()`",
        ),
    ];
    for (options, item, message) in table {
        let error = tool::expand(parse_str(options).unwrap(), parse_str(item).unwrap()).err();
        assert_eq!(error.map(|error| error.to_string()).unwrap_or_default(), message, "{item}");
    }
}

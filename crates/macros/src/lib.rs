//! The attribute `tool`, for functions of applications, and the derives of glove-wasm, for its own types: `Read` and `Write` say how a type stands in JSON.
//!
//! They expand to a table of keys and to matches of one line each; the loops over objects, lists and variants are
//! functions of `codec`, compiled once for all types.
//!
//! A struct is an object, an enum of units is a word, another enum is `"unit"` or `{"variant": value}`. A field has its
//! own name as key, a variant its name in snake_case. A field must be there, unless it is an `Option`: that may be missing
//! or null, and is written while it is `Some`. `#[json(...)]` says what differs:
//!
//! | on a field | |
//! |---|---|
//! | `rename = "key"` | its key |
//! | `default` | it may be missing |
//! | `null_as_default` | it may be missing or null |
//! | `skip_if_default` | it may be missing, and is not written while it has the default |
//! | `write_null` | an `Option` that is written as null while it is `None` |
//! | `keep_null` | an `Option` for which null is a value, and only what is missing is `None` |
//! | `read_with = path` | it may be missing, and is read by a function of one's own |
//! | `flatten` | holds the keys that are not known (`Extra`) |
//!
//! | on a type | |
//! |---|---|
//! | `rename_all = "camelCase"` | the keys of its fields |
//! | `default` | what is missing is as in `Default::default()` of the whole |
//! | `tag = "key"` | an enum is an object that has the name of its variant under this key; it can only be written |
//! | `content = "key"` | its fields or its value stand under this key, and not beside the tag |
//!
//! On a variant stands `rename`.
//!
//! `Ts` says the type to TypeScript, for tests alone: one of them writes `js/src/wire`. Documentation goes along. A field
//! is optional where it may be left out when it is written. `#[ts(...)]` says what differs:
//!
//! | on a type | |
//! |---|---|
//! | `name = "Name"` | its name there |
//! | `inline` | it has none, and stands where it is used |
//! | `input` | it is given to the core: what may be missing there is optional |
//! | `tag = "key"` | each variant is an object with its name under this key |
//! | `mutable` | its fields are not `readonly` |
//! | `open` | it may hold other keys too |
//!
//! On a field stand `type = "…"`, `optional` and `required`.

mod model;
mod read;
#[cfg(test)]
mod tests;
mod tool;
mod typescript;
mod write;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use syn::{DeriveInput, Error, parse_macro_input};

/// Implements `codec::Read`.
#[proc_macro_derive(Read, attributes(json, ts))]
pub fn derive_read(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    expanded(&item, read::expand)
}

/// Implements `codec::Write`, and gives an enum of units `word()`.
#[proc_macro_derive(Write, attributes(json, ts))]
pub fn derive_write(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    expanded(&item, write::expand)
}

/// Implements `codec::ts::Ts` with the feature `typescript` of the crate.
#[proc_macro_derive(Ts, attributes(json, ts))]
pub fn derive_ts(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    expanded(&item, typescript::expand)
}

/// Makes a function a tool: its documentation tells a model what it does, and its arguments and their documentation are the schema.
///
/// What stands there then is a function without arguments that gives a `Tool`, so how its calls are treated is said by methods:
/// `weather().requires_permission()`. An argument of the type `ToolContext` is the context of the call; others are read from JSON, and take
/// `#[serde(...)]` and `#[schemars(...)]`. `#[tool(name = "...")]` gives another name than the function's.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), item.into()).unwrap_or_else(Error::into_compile_error).into()
}

fn expanded(item: &DeriveInput, expand: fn(&model::Type) -> Tokens) -> TokenStream {
    model::Type::of(item).map_or_else(Error::into_compile_error, |model| expand(&model)).into()
}

//! All that one request is made of.

use std::borrow::Cow;

use crate::json::writer::Object;
use crate::providers::format::Format;
use crate::providers::request::names::ToolNames;
use crate::providers::request::notice::Notices;
use crate::providers::request::options::{CacheTtl, Options};
use crate::providers::request::project::{Group, WireCall};
use crate::tool::ToolDefinition;

/// All that one request is made of.
#[derive(Debug, Clone, Copy)]
pub struct RequestParts<'a> {
    pub format: Format,
    pub system: &'a str,
    pub tools: &'a [ToolDefinition],
    pub names: &'a ToolNames,
    pub options: &'a Options,
    /// Where it is told what the provider does not take.
    pub notices: &'a Notices,
}

/// How the requests of one format are written.
pub(in crate::providers) struct FormatWriter {
    /// What comes before the messages.
    pub(in crate::providers) head: fn(&RequestParts<'_>, &mut Object<'_>),
    /// The field that holds the messages.
    pub(in crate::providers) list: &'static str,
    /// What comes first in it.
    pub(in crate::providers) lead: Option<fn(&RequestParts<'_>, &mut String)>,
    /// `last` puts the cache mark where there is one.
    pub(in crate::providers) group:
        fn(prompt: &RequestParts<'_>, group: &Group<'_>, last: bool, out: &mut String),
}

impl RequestParts<'_> {
    /// The arguments of an earlier call as the model would write them.
    pub(in crate::providers) fn input<'c>(&self, call: &'c WireCall<'_>) -> Cow<'c, str> {
        match self.names.form(&call.call.tool_name) {
            Some(form) => Cow::Owned(form.on_wire(&call.input())),
            None => call.input(),
        }
    }

    /// The mark that asks for caching up to here.
    pub(in crate::providers) fn cache_mark(&self) -> Option<&'static str> {
        self.options.cache.map(|ttl| match ttl {
            CacheTtl::FiveMinutes => r#"{"type":"ephemeral"}"#,
            CacheTtl::OneHour => r#"{"type":"ephemeral","ttl":"1h"}"#,
        })
    }
}

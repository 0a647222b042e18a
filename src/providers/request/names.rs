//! Names of tools and of their arguments that a provider accepts, and the way back to the real ones.

use std::borrow::Cow;

use std::sync::Arc;

use crate::answer::ArgumentForm;
use crate::answer::WireNames;
use crate::ids::Ids;
use crate::providers::facts::Facts;
use crate::providers::format::Format;
use crate::providers::request::schema;
use crate::tool::ToolDefinition;

/// Which names had to be changed for a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolNames {
    format: Option<Format>,
    /// What differs on the wire.
    wire: WireNames,
}

impl ToolNames {
    pub fn new(format: Format, facts: &Facts, tools: &[ToolDefinition]) -> Self {
        let mut names = ToolNames { format: Some(format), ..ToolNames::default() };
        names.arguments(format, facts, tools);
        if tools.iter().all(|tool| fits(format, &tool.name)) {
            return names;
        }
        let mut taken = Ids::default();
        for tool in tools.iter().filter(|tool| fits(format, &tool.name)) {
            taken.insert(&tool.name);
        }
        for tool in tools.iter().filter(|tool| !fits(format, &tool.name)) {
            let base = fitting(format, &tool.name);
            let mut name = base.clone();
            let mut count = 1;
            while !taken.insert(&name) {
                count += 1;
                let suffix = format!("_{count}");
                let room = longest(format).saturating_sub(suffix.len());
                name = base.chars().take(room).collect::<String>() + &suffix;
            }
            names.wire.tools.push((name, tool.name.clone()));
        }
        names
    }

    /// A tool's name as the provider takes it, also for tools that are not there any more.
    pub fn on_wire<'n>(&'n self, name: &'n str) -> Cow<'n, str> {
        match (self.wire.tools.iter().find(|(_, real)| real == name), self.format) {
            (Some((wire, _)), _) => Cow::Borrowed(wire),
            (None, Some(format)) if !fits(format, name) => Cow::Owned(fitting(format, name)),
            (None, _) => Cow::Borrowed(name),
        }
    }

    /// What a decoder needs to give the real names back.
    pub fn into_wire(self) -> WireNames {
        self.wire
    }

    fn arguments(&mut self, format: Format, facts: &Facts, tools: &[ToolDefinition]) {
        for tool in tools.iter().filter(|_| format.spoken() != Format::Endpoint) {
            if let Some(form) = schema::form(format, facts, &tool.schema) {
                self.wire.arguments.push((tool.name.clone(), Arc::new(form)));
            }
        }
    }

    /// How the arguments of a tool differ on the wire.
    pub(in crate::providers) fn form(&self, tool: &str) -> Option<&ArgumentForm> {
        self.wire.arguments.iter().find(|(name, _)| name == tool).map(|(_, form)| form.as_ref())
    }
}

fn longest(format: Format) -> usize {
    match format {
        Format::Anthropic => 128,
        Format::OpenAiChat | Format::OpenAiResponses | Format::Gemini => 64,
        Format::Endpoint => usize::MAX,
    }
}

fn fits(format: Format, name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let starts = |c: char| format != Format::Gemini || c.is_ascii_alphabetic() || c == '_';
    format.spoken() == Format::Endpoint
        || (name.len() <= longest(format)
            && name.chars().all(plain)
            && name.chars().next().is_some_and(starts))
}

fn fitting(format: Format, name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let mut made: String = name.chars().map(plain).take(longest(format)).collect();
    if !fits(format, &made) {
        made.insert(0, '_');
        made.truncate(longest(format));
    }
    made
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::json::Json;

    #[test]
    fn every_name_becomes_one_that_the_provider_takes_and_none_is_taken_twice() {
        let tools: Vec<_> = ["a b", "a_b", "a.b", "ünï", "", "9lives", &"x".repeat(70), &"x".repeat(80)]
            .map(|name| ToolDefinition {
                name: name.to_owned(),
                description: String::new(),
                schema: Json::null(),
            })
            .into();
        for format in [Format::Anthropic, Format::OpenAiChat, Format::OpenAiResponses, Format::Gemini] {
            let names = ToolNames::new(format, &Facts::default(), &tools);
            let wire: HashSet<_> = tools.iter().map(|tool| names.on_wire(&tool.name).into_owned()).collect();
            assert_eq!(wire.len(), tools.len(), "{format:?} {wire:?}");
            assert!(wire.iter().all(|name| fits(format, name)), "{format:?} {wire:?}");
            assert!(wire.contains("a_b_2"));
            assert_eq!(names.on_wire("gone tool"), "gone_tool");
            assert!(names.into_wire().tools.contains(&("a_b_2".to_owned(), "a b".to_owned())));
        }
        let names = ToolNames::new(Format::Endpoint, &Facts::default(), &tools);
        assert_eq!(names.into_wire(), WireNames::default());
    }
}

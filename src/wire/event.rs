//! What the page is told of a session, each an entry of a batch.

use super::outcome::CoreError;
use crate::event::{Event, Question};
#[cfg(feature = "typescript")]
use crate::json::codec::ts;
use crate::json::codec::{Ts, Write, object_and};
use crate::json::partial::{Kind, Op, Patch};
use crate::json::writer::{array, string};
use crate::message::{ContentPart, Slot, Usage};
use crate::run::UndoEntry;
use crate::run::input::{Request, WhenBusy};
use crate::run::views::timeline::TimelinePatch;

/// One entry of a batch of `events`.
#[derive(Debug, Ts, Write)]
#[json(tag = "kind")]
pub enum CoreEvent<'a> {
    /// An event for subscribers: `record(type, data)`.
    Event(EventOf<'a>),
    /// A change of the timeline.
    Timeline(&'a TimelinePatch<'a>),
    /// More of the arguments that a model writes.
    Input { id: &'a str, name: &'a str, patches: Patches },
    /// The display stack, whole.
    Slots { slots: &'a Vec<Slot> },
    /// A request came to its end or to a stop, with the error that its promise has. Without a name, all that waited.
    Ended {
        #[json(write_null)]
        request: Option<&'a str>,
        #[json(write_null)]
        error: Option<CoreError<'a>>,
    },
    /// Where the run is; sent when any of it changed.
    State {
        #[ts(type = "CorePhase | \"interrupted\"")]
        phase: &'a str,
        #[json(write_null)]
        request: Option<&'a str>,
        queue: Vec<QueuedRequest<'a>>,
        questions: Vec<&'a Question>,
        /// The next one first.
        undoable: Vec<UndoableCall<'a>>,
        turns: u64,
        usage: &'a Usage,
        #[json(rename = "contextTokens")]
        context_tokens: u64,
        /// At so many older messages are summarised.
        #[json(rename = "contextLimit")]
        context_limit: u64,
        /// The request is of a prompt that no person sees.
        #[json(skip_if_default)]
        hidden: bool,
    },
}

/// The event with the request that it belongs to.
#[derive(Debug)]
pub struct EventOf<'a>(pub Option<&'a str>, pub &'a Event);

impl Write for EventOf<'_> {
    fn write(&self, out: &mut String) {
        object_and(out, &[("request", &self.0)], self.1);
    }
}

#[cfg(feature = "typescript")]
impl ts::Ts for EventOf<'_> {
    fn ts(_: bool) -> String {
        String::new()
    }

    fn fields() -> Vec<ts::Field> {
        let field = |key, ty: &str| ts::Field { docs: "", key, optional: false, ty: ty.to_owned() };
        vec![field("request", "string | null"), field("type", "string"), field("data", "unknown")]
    }
}

#[derive(Debug, Ts, Write)]
#[ts(inline)]
pub struct QueuedRequest<'a> {
    id: &'a str,
    text: &'a str,
    /// How many images and files it has.
    files: usize,
    /// No person sees it.
    #[json(skip_if_default)]
    hidden: bool,
    /// The request that runs reads it before its next model call.
    #[json(skip_if_default)]
    steers: bool,
}

impl<'a> From<&'a Request> for QueuedRequest<'a> {
    fn from(request: &'a Request) -> Self {
        // Why a trigger waits is for the model alone.
        let text = if request.message.is_trigger() { "" } else { request.message.as_written() };
        // Files of text are read as text.
        let is_file = |part: &&ContentPart| part.source.is_some() || part.file.is_some();
        let files = request.message.content.iter().flatten().filter(is_file).count();
        let steers = request.when_busy == WhenBusy::Steer;
        QueuedRequest { id: &request.id, text, files, hidden: request.message.hidden, steers }
    }
}

#[derive(Debug, Ts, Write)]
#[json(rename_all = "camelCase")]
#[ts(inline)]
pub struct UndoableCall<'a> {
    tool_call_id: &'a str,
    tool_name: &'a str,
}

impl<'a> From<&'a UndoEntry> for UndoableCall<'a> {
    fn from(entry: &'a UndoEntry) -> Self {
        UndoableCall { tool_call_id: &entry.call_id, tool_name: &entry.tool }
    }
}

#[derive(Debug)]
pub struct Patches(pub Vec<Patch>);

impl Write for Patches {
    fn write(&self, out: &mut String) {
        array(out, &self.0, |out, Patch { path, op }| {
            let (mark, value) = match op {
                Op::Start { kind: Kind::Object } => ("=", "{}"),
                Op::Start { kind: Kind::Array } => ("=", "[]"),
                Op::Start { kind: Kind::Text } => ("=", "\"\""),
                Op::Append { .. } => ("+", ""),
                Op::Set { value } => ("!", value.as_str()),
                Op::Complete => (".", "0"),
            };
            out.push('[');
            string(out, path);
            out.push_str(",\"");
            out.push_str(mark);
            out.push_str("\",");
            out.push_str(value);
            if let Op::Append { text } = op {
                string(out, text);
            }
            out.push(']');
        });
    }
}

#[cfg(feature = "typescript")]
impl ts::Ts for Patches {
    fn ts(_: bool) -> String {
        "readonly InputPatch[]".to_owned()
    }

    fn declaration() -> String {
        "/** A change at a JSON Pointer: `=` begins there with an empty value, `+` adds text, `!` is a whole value, `.` an end. */\n\
         export type InputPatch = readonly [path: string, mark: \"=\" | \"+\" | \"!\" | \".\", value: unknown];\n"
            .to_owned()
    }
}

//! An answer that streams: its pieces, put together as they come.

mod arguments;
mod json_in_text;
mod outcome;

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

pub use arguments::{ArgumentForm, ArgumentReader, KeyNames};
pub use outcome::{Failure, Finish, Outcome, Turn};

use crate::answer::json_in_text::{AnswerText, Piece};
use crate::error::{ModelError, ModelErrorKind};
use crate::json::Json;
use crate::message::{Extra, ToolCall, Usage};
use crate::portable::SPEAKS_TO_PROVIDERS;
use crate::tool::ANSWER_TOOL;

/// What a network chunk added, in order; neighbouring pieces of the same text come joined.
pub type Batch = Vec<Delta>;

/// One addition to the turn. `index` counts the turn's tool calls from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Delta {
    Text {
        text: String,
    },
    Reasoning {
        text: String,
    },
    /// The model declines. It is part of the turn's text too.
    Refusal {
        text: String,
    },
    CallStarted {
        index: usize,
        id: Option<String>,
        name: String,
    },
    /// Arguments as far as they came. They are for looking at: nothing runs before the turn is answered.
    CallArgs {
        index: usize,
        text: String,
    },
    CallEnded {
        index: usize,
    },
    /// What a chat handler says of the request: no part of the turn.
    Notice {
        code: String,
        message: String,
    },
    /// It waits before it asks its model again: no part of the turn either.
    Retry {
        code: String,
        wait_ms: u64,
    },
}

impl Delta {
    /// What the model wrote in it.
    pub fn text(&self) -> &str {
        match self {
            Delta::Text { text }
            | Delta::Reasoning { text }
            | Delta::Refusal { text }
            | Delta::CallArgs { text, .. } => text,
            Delta::CallStarted { .. }
            | Delta::CallEnded { .. }
            | Delta::Notice { .. }
            | Delta::Retry { .. } => "",
        }
    }
}

/// More calls than a model makes at once. Each piece of a call is looked for among those before it, so without an end of them a
/// hostile answer could keep a page busy.
pub const MOST_CALLS: usize = 1_000;

/// How often the arguments of one call are read to see whether another call may begin: real ones are whole at the first look
/// or the next few.
const MAX_LOOKS: u8 = 32;

/// Assembles one turn. The provider mappings write into it; time is linear in what they write.
#[derive(Debug, Default)]
pub struct TurnBuilder {
    batch: Batch,
    text: String,
    reasoning: String,
    calls: Vec<CallBuilder>,
    usage: Usage,
    finish: Option<(Finish, Option<String>)>,
    ended: bool,
    failed: Option<ModelError>,
    refused: bool,
    /// Arguments came that belong to no call.
    has_stray_args: bool,
    extra: Extra,
    names: WireNames,
    sources: Option<Json>,
    in_text: Option<InText>,
}

/// An answer in the form of a schema that comes as text, and becomes the call that it stands for.
#[derive(Debug, Default)]
struct InText {
    reader: AnswerText,
    /// All of the text, for providers that repeat it.
    said: String,
    call: Option<usize>,
}

/// Endpoints are told of arguments as tools take them: what reads any others is left out where nothing else is spoken.
const BOTH_FORMS: bool = SPEAKS_TO_PROVIDERS;

/// How a provider was told of tools and their arguments, to read its calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WireNames {
    /// Names of tools as the provider knows them, and as they are called.
    pub tools: Vec<(String, String)>,
    /// Tools, by their own names, whose arguments are others on the wire.
    pub arguments: Vec<(String, Arc<ArgumentForm>)>,
    /// The model gives the answer that has a schema as its text: the id of the call that it becomes.
    pub answer_in_text: Option<String>,
}

impl WireNames {
    fn form(&self, tool: &str) -> Option<&Arc<ArgumentForm>> {
        self.arguments.iter().find(|(name, _)| BOTH_FORMS && name == tool).map(|(_, form)| form)
    }

    fn reader(&self, tool: &str) -> Option<ArgumentReader> {
        Some(ArgumentReader::new(Arc::clone(self.form(tool)?)))
    }

    /// Arguments as the tool takes them. Those that are not whole stay as the model wrote them.
    fn real_arguments<'a>(&self, tool: &str, written: &'a str) -> Cow<'a, str> {
        match self.form(tool) {
            Some(form) if Json::parse(written).is_ok() => Cow::Owned(form.real(written)),
            _ => Cow::Borrowed(written),
        }
    }
}

impl From<Vec<(String, String)>> for WireNames {
    fn from(tools: Vec<(String, String)>) -> Self {
        WireNames { tools, ..WireNames::default() }
    }
}

#[derive(Debug, Default)]
struct CallBuilder {
    id: Option<String>,
    name: String,
    args: String,
    started: bool,
    ended: bool,
    /// How often its arguments were found not to be whole yet.
    looks: u8,
    extra: Extra,
    /// Makes what is shown of the arguments, where they are others on the wire.
    reader: Option<ArgumentReader>,
}

impl CallBuilder {
    fn is(&self, id: Option<&str>, name: &str) -> bool {
        match (self.id.as_deref(), id.filter(|id| !id.is_empty())) {
            (Some(known), Some(id)) => known == id,
            _ => self.name == name,
        }
    }

    /// What a piece of the arguments adds to those that the tool takes.
    fn visible<'t>(&mut self, piece: &'t str) -> Cow<'t, str> {
        match &mut self.reader {
            Some(reader) if BOTH_FORMS => Cow::Owned(reader.push(piece)),
            _ => Cow::Borrowed(piece),
        }
    }

    /// Its name is there, and its arguments are an object.
    fn is_whole(&self) -> bool {
        !self.name.is_empty() && self.args.trim_start().starts_with('{') && Json::parse(&self.args).is_ok()
    }

    /// Its arguments came, and its name did not. (One without either is a gap that some providers leave.)
    fn is_nameless(&self) -> bool {
        self.name.is_empty() && !self.args.is_empty()
    }
}

impl TurnBuilder {
    /// `names` are those that had to be changed for the provider.
    pub fn new(names: impl Into<WireNames>) -> Self {
        let names = names.into();
        let in_text = (BOTH_FORMS && names.answer_in_text.is_some()).then(InText::default);
        TurnBuilder { names, in_text, ..TurnBuilder::default() }
    }

    pub fn text(&mut self, text: &str) {
        if BOTH_FORMS && let Some(mut in_text) = self.in_text.take() {
            in_text.said.push_str(text);
            for piece in in_text.reader.push(text) {
                self.answer_piece(&mut in_text.call, piece);
            }
            self.in_text = Some(in_text);
        } else {
            self.words(text);
        }
    }

    fn answer_piece(&mut self, call: &mut Option<usize>, piece: Piece) {
        match piece {
            Piece::Words(words) => self.words(&words),
            Piece::Answer(text) => {
                let index = *call.get_or_insert_with(|| {
                    let id = self.names.answer_in_text.clone();
                    self.call_start(id.as_deref(), ANSWER_TOOL)
                });
                self.call_args(index, &text);
            }
            Piece::End => {
                if let Some(index) = *call {
                    self.call_end(index);
                }
            }
        }
    }

    fn words(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.ended = false;
        self.text.push_str(text);
        match self.batch.last_mut() {
            Some(Delta::Text { text: last }) => last.push_str(text),
            _ => self.batch.push(Delta::Text { text: text.to_owned() }),
        }
    }

    pub fn reasoning(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.ended = false;
        self.reasoning.push_str(text);
        match self.batch.last_mut() {
            Some(Delta::Reasoning { text: last }) => last.push_str(text),
            _ => self.batch.push(Delta::Reasoning { text: text.to_owned() }),
        }
    }

    pub fn refusal(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.ended = false;
        self.refused = true;
        self.text.push_str(text);
        match self.batch.last_mut() {
            Some(Delta::Refusal { text: last }) => last.push_str(text),
            _ => self.batch.push(Delta::Refusal { text: text.to_owned() }),
        }
    }

    pub fn notice(&mut self, code: &str, message: String) {
        self.batch.push(Delta::Notice { code: code.to_owned(), message });
    }

    pub fn retry(&mut self, code: &str, wait_ms: u64) {
        self.batch.push(Delta::Retry { code: code.to_owned(), wait_ms });
    }

    /// A further call; its place is the `index` for the methods below. A call without a name is announced when
    /// its name comes.
    pub fn call_start(&mut self, id: Option<&str>, name: &str) -> usize {
        let index = self.calls.len();
        self.ended = false;
        if index == MOST_CALLS {
            self.too_many("tool calls");
            return index;
        }
        self.calls.push(CallBuilder::default());
        self.call_head(index, id, name);
        index
    }

    /// Adds what was missing of a call's id and name; what is there stays.
    pub fn call_head(&mut self, index: usize, id: Option<&str>, name: &str) {
        let real = self.real_name(name).to_owned();
        let Some(call) = self.calls.get_mut(index) else { return };
        if call.id.is_none() {
            call.id = id.filter(|id| !id.is_empty()).map(str::to_owned);
        }
        if call.name.is_empty() && !name.is_empty() {
            call.reader = self.names.reader(&real);
            call.name = real;
        }
        if !call.started && !call.name.is_empty() {
            call.started = true;
            let (id, name) = (call.id.clone(), call.name.clone());
            self.batch.push(Delta::CallStarted { index, id, name });
            let args = call.args.clone();
            let text = call.visible(&args).into_owned();
            if !text.is_empty() {
                self.batch.push(Delta::CallArgs { index, text });
            }
        }
    }

    pub fn call_args(&mut self, index: usize, text: &str) {
        let Some(call) = self.calls.get_mut(index).filter(|_| !text.is_empty()) else { return };
        self.ended = false;
        call.args.push_str(text);
        if !call.started {
            return;
        }
        let visible = call.visible(text);
        match self.batch.last_mut() {
            _ if visible.is_empty() => {}
            Some(Delta::CallArgs { index: last, text: args }) if *last == index => args.push_str(&visible),
            _ => self.batch.push(Delta::CallArgs { index, text: visible.into_owned() }),
        }
    }

    /// The complete arguments, from a provider that repeats them: they count.
    pub fn call_args_whole(&mut self, index: usize, text: &str) {
        match self.calls.get_mut(index) {
            Some(call) if !call.args.is_empty() && !text.is_empty() => text.clone_into(&mut call.args),
            _ => self.call_args(index, text),
        }
    }

    /// Arguments of a call whose beginning never came. The turn is no answer then.
    pub fn stray_args(&mut self, text: &str) {
        self.has_stray_args |= !text.is_empty();
    }

    pub fn call_end(&mut self, index: usize) {
        let Some(call) = self.calls.get_mut(index) else { return };
        if call.started && !call.ended {
            call.ended = true;
            self.batch.push(Delta::CallEnded { index });
        }
    }

    /// The whole list of calls with their arguments, from a provider that repeats it: it counts, and what was streamed
    /// was a look at it. A call without an id is told by its name.
    pub fn calls_whole(&mut self, calls: impl ExactSizeIterator<Item = (ToolCall, String)>) {
        if calls.len() == 0 {
            return;
        }
        if calls.len() > MOST_CALLS {
            self.too_many("tool calls");
            return;
        }
        let mut streamed = std::mem::take(&mut self.calls);
        for (call, args) in calls {
            // Skip a call that the stream already contains.
            if self.has_call(call.id(), &call.tool_name, &args) {
                continue;
            }
            let index = match streamed.iter().position(|known| known.is(call.id.as_deref(), &call.tool_name))
            {
                Some(at) => {
                    self.calls.push(streamed.remove(at));
                    self.calls.len() - 1
                }
                None => self.call_start(call.id.as_deref(), &call.tool_name),
            };
            self.call_args_whole(index, &args);
            self.call_end(index);
            for (key, value) in call.extra.0 {
                self.call_extra(index, &key, value);
            }
        }
    }

    /// Something of the provider's that has to be sent back with a call.
    pub fn call_extra(&mut self, index: usize, key: &str, value: Json) {
        if let Some(call) = self.calls.get_mut(index) {
            call.extra.0.push((key.to_owned(), value));
        }
    }

    /// Something of the provider's that has to be sent back with the message, in the place of what was there.
    pub fn extra(&mut self, key: &str, value: Json) {
        self.extra.0.retain(|(other, _)| other != key);
        self.extra.0.push((key.to_owned(), value));
    }

    /// Where the answer says that it comes from, in the place of what was there.
    pub fn sources(&mut self, sources: Option<Json>) {
        self.sources = sources;
    }

    /// The tokens so far, to be overwritten where the provider gives a newer figure.
    pub fn usage(&mut self) -> &mut Usage {
        &mut self.usage
    }

    pub fn finish_reason(&mut self, finish: Finish, raw: Option<&str>) {
        self.finish = Some((finish, raw.map(str::to_owned)));
    }

    /// The provider's end statement came. More of the answer behind it takes that back.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// The stream says that it is whole: an end statement counts whatever came behind it. Where none came, the answer counts if its
    /// tokens were told and nothing is missing of any call.
    pub fn close(&mut self) {
        self.ended |= self.finish.is_some();
        let counted = self.usage.tokens_in > 0 || self.usage.tokens_out > 0;
        if self.is_ended() || self.is_failed() || self.is_blank() || !counted {
            return;
        }
        if !self.calls.iter().all(CallBuilder::is_whole) {
            return;
        }
        for index in 0..self.calls.len() {
            self.call_end(index);
        }
        let finish = if self.calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        self.finish_reason(finish, None);
        self.end();
    }

    /// The provider reported a failure; the first one counts.
    pub fn fail(&mut self, error: ModelError) {
        self.failed.get_or_insert(error);
    }

    /// There is more in the answer than any model says.
    pub fn too_many(&mut self, what: &str) {
        let message = format!("the model's answer has more than {MOST_CALLS} {what}; none of them was run");
        self.fail(ModelError::new(ModelErrorKind::BadResponse, message));
    }

    /// The first half of a character came, and the other one never will: it stands behind what was said last.
    pub fn half_lost(&mut self) {
        if !self.calls.is_empty() {
            return;
        }
        let last_text = if self.text.is_empty() && !self.reasoning.is_empty() {
            &mut self.reasoning
        } else {
            &mut self.text
        };
        last_text.push(char::REPLACEMENT_CHARACTER);
    }

    /// Nothing was said and nothing called.
    pub fn is_blank(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_empty() && self.calls.is_empty()
    }

    pub fn is_failed(&self) -> bool {
        self.failed.is_some()
    }

    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// The whole text, from a provider that repeats it: what had not come yet is added.
    pub fn text_whole(&mut self, whole: &str) {
        if BOTH_FORMS && let Some(in_text) = &self.in_text {
            // If the repeated text differs from the streamed text, keep the streamed text.
            let rest = whole.strip_prefix(in_text.said.as_str()).map(str::to_owned);
            self.text(&rest.unwrap_or_default());
        } else if let Some(rest) = whole.strip_prefix(self.text.as_str()) {
            self.text(rest);
        } else if !whole.is_empty() {
            self.text = whole.to_owned();
        }
    }

    pub fn reasoning_whole(&mut self, whole: &str) {
        if self.reasoning.is_empty() {
            self.reasoning(whole);
        }
    }

    /// The text so far.
    pub fn text_so_far(&self) -> &str {
        &self.text
    }

    pub fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// The call with this id.
    pub fn call_by_id(&self, id: &str) -> Option<usize> {
        self.calls.iter().position(|call| call.id.as_deref() == Some(id))
    }

    /// The call with this id, or without one with this name, that still waits for the rest of its arguments.
    pub fn open_call(&self, id: Option<&str>, name: &str) -> Option<usize> {
        self.calls
            .iter()
            .position(|call| !call.ended && call.id.as_deref() == id && (id.is_some() || call.name == name))
    }

    /// This very call is there: its id, its name, and all of its arguments.
    pub fn has_call(&self, id: &str, name: &str, args: &str) -> bool {
        let call = self.call_by_id(id).and_then(|index| self.calls.get(index));
        let same = |call: &CallBuilder| call.name == self.real_name(name) && call.args == args;
        let whole = || args.is_empty() || args.starts_with('{') && Json::parse(args).is_ok();
        call.is_some_and(same) && whole()
    }

    fn real_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.names.tools.iter().find(|(wire, _)| wire == name).map_or(name, |(_, real)| real)
    }

    pub fn call_id(&self, index: usize) -> Option<&str> {
        self.calls.get(index).and_then(|call| call.id.as_deref())
    }

    /// The arguments that came for this call are a whole JSON value. Who asks too often is told that they are not.
    pub fn args_are_whole(&mut self, index: usize) -> bool {
        let Some(call) = self.calls.get_mut(index).filter(|call| call.looks < MAX_LOOKS) else {
            return false;
        };
        let whole = Json::parse(&call.args).is_ok();
        call.looks += u8::from(!whole);
        whole
    }

    /// What came since the last batch was taken.
    pub fn take_batch(&mut self) -> Batch {
        std::mem::take(&mut self.batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Delta {
        Delta::Text { text: text.to_owned() }
    }

    #[test]
    fn neighbouring_text_is_joined_and_order_kept() {
        let mut turn = TurnBuilder::default();
        turn.text("a");
        turn.text("b");
        turn.reasoning("r");
        turn.text("c");
        assert_eq!(turn.take_batch(), [text("ab"), Delta::Reasoning { text: "r".to_owned() }, text("c")]);
        turn.text("d");
        assert_eq!(turn.take_batch(), [text("d")]);
    }

    #[test]
    fn interleaved_calls_keep_their_own_arguments() {
        let mut turn = TurnBuilder::default();
        let (a, b) = (turn.call_start(Some("1"), "x"), turn.call_start(Some("2"), "y"));
        for (index, piece) in [(a, "{\"n\""), (b, "{}"), (a, ":1}")] {
            turn.call_args(index, piece);
        }
        turn.call_end(a);
        turn.call_end(b);
        turn.end();
        let Outcome::Answered(turn) = turn.into_outcome() else { panic!("not answered") };
        let args: Vec<_> = turn.message.calls().iter().map(|c| (c.id(), c.input_args.as_str())).collect();
        assert_eq!(args, [("1", "{\"n\":1}"), ("2", "{}")]);
    }

    #[test]
    fn a_cut_stream_is_never_answered() {
        let mut turn = TurnBuilder::default();
        turn.text("half");
        let call = turn.call_start(Some("1"), "x");
        turn.call_args(call, "{}");
        turn.call_end(call);
        turn.finish_reason(Finish::ToolCalls, Some("tool_use"));
        let Outcome::Failed(failure) = turn.into_outcome() else { panic!("answered") };
        let partial = failure.partial.unwrap();
        assert_eq!((failure.error.kind, failure.error.retryable), (ModelErrorKind::Cut, true));
        assert_eq!((partial.text.as_str(), partial.partial, partial.calls().len()), ("half", true, 0));
    }

    #[test]
    fn a_failure_beats_an_end_and_the_first_failure_counts() {
        let mut turn = TurnBuilder::default();
        turn.end();
        turn.fail(ModelError::new(ModelErrorKind::Overloaded, "one"));
        turn.fail(ModelError::new(ModelErrorKind::Server, "two"));
        let Outcome::Failed(failure) = turn.into_outcome() else { panic!("answered") };
        assert_eq!((failure.error.message.as_str(), failure.partial), ("one", None));
    }

    #[test]
    fn arguments_without_a_call_are_no_answer_and_take_no_place_among_the_calls() {
        let mut turn = TurnBuilder::default();
        turn.stray_args("{");
        assert_eq!(turn.call_start(Some("1"), "x"), 0);
        turn.end();
        let Outcome::Failed(failure) = turn.into_outcome() else { panic!("answered") };
        assert_eq!(failure.error.kind, ModelErrorKind::BadResponse);
    }

    #[test]
    fn a_call_is_announced_when_its_name_comes() {
        let mut turn = TurnBuilder::new(vec![("my_tool".to_owned(), "my tool".to_owned())]);
        let call = turn.call_start(Some("1"), "");
        turn.call_args(call, "{");
        assert_eq!(turn.take_batch(), []);
        turn.call_head(call, Some("other"), "my_tool");
        turn.call_head(call, None, "");
        let expected = [
            Delta::CallStarted { index: 0, id: Some("1".to_owned()), name: "my tool".to_owned() },
            Delta::CallArgs { index: 0, text: "{".to_owned() },
        ];
        assert_eq!(turn.take_batch(), expected);
    }

    #[test]
    fn an_empty_call_is_one_without_arguments_only_where_the_model_was_done_with_it() {
        let table = [
            (Finish::Length, true, true),
            (Finish::Other, true, true),
            (Finish::ToolCalls, true, false),
            (Finish::Stop, true, false),
            (Finish::ToolCalls, false, true),
        ];
        for (finish, ended, unparsed) in table {
            let mut turn = TurnBuilder::default();
            let call = turn.call_start(None, "x");
            if ended {
                turn.call_end(call);
            }
            turn.finish_reason(finish, None);
            turn.end();
            let Outcome::Answered(turn) = turn.into_outcome() else { panic!("not answered") };
            assert_eq!(turn.message.calls()[0].unparsed_args, unparsed);
        }
    }
}

//! The timeline: what a chat shows of a run. It follows the run and gives each change as a patch, so that every host
//! draws the same and nothing is computed twice.

use std::collections::BinaryHeap;

use crate::error::ModelError;
#[cfg(feature = "typescript")]
use crate::json::codec::ts;
use crate::json::codec::{Read, Ts, Write, through_codec};
use crate::json::writer::Object;
use crate::json::{self, Json};
use crate::message::{
    ContentPart, Message, Sender, SideOutput, ToolCall, ToolResult, ToolResultData, ToolStatus,
};
use crate::run::state::{CallState, Failed};
use crate::run::{Alternatives, Run, long_list, texts};

/// One entry, in the original's form with fields added. Its texts are those of the record.
#[derive(Debug, Clone, PartialEq, Ts, Write)]
#[json(tag = "kind")]
#[ts(name = "CoreEntry")]
pub enum TimelineEntry<'a> {
    User {
        id: String,
        text: &'a str,
        #[json(skip_if_default)]
        images: Vec<String>,
        /// What else came with it; the size is in bytes.
        #[ts(type = "readonly { readonly name: string; readonly type: string; readonly size: number }[]")]
        files: Option<Json>,
        /// The model does not read what came with it.
        #[json(rename = "leftOut", skip_if_default)]
        left_out: bool,
        /// When it was written.
        at: Option<u64>,
        /// Its request ended here with this error, and another one was served then.
        error: Option<EntryError>,
        /// Others that stand in its place on other branches.
        branches: Option<Alternatives>,
    },
    AgentText {
        id: String,
        text: &'a str,
        /// The answer was cut off here.
        #[json(skip_if_default)]
        partial: bool,
        /// By the person, or by what they said next.
        #[json(skip_if_default)]
        stopped: bool,
        /// It ends where the model may write no more, and can be gone on with.
        #[json(rename = "atLimit", skip_if_default)]
        at_limit: bool,
        /// What the model thought before it.
        reasoning: Option<&'a str>,
        /// When it was written.
        at: Option<u64>,
        /// Where it says that it comes from: what it has is the model's.
        #[ts(type = "readonly Source[]")]
        sources: Option<&'a Json>,
        /// Its request ended here with this error, and another one was served then.
        error: Option<EntryError>,
        /// Other answers in its place.
        branches: Option<Alternatives>,
    },
    Tool(&'a ToolEntry),
    /// Here older messages were summarised for the model. They are all still there.
    Compaction {
        id: String,
        text: &'a str,
    },
}

/// As the end of its request told it.
#[derive(Debug, Clone, PartialEq, Ts, Write)]
#[ts(name = "CoreEntryError")]
pub struct EntryError {
    pub code: String,
    pub message: String,
    /// What is known of the call of the model; it lacks what is false.
    #[ts(type = "ToldFailure")]
    pub model: ModelError,
}

#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[json(rename_all = "camelCase")]
pub struct ToolEntry {
    pub id: String,
    pub name: String,
    pub input: Json,
    pub status: EntryStatus,
    /// It has not begun: others of its answer come before it.
    #[json(null_as_default, skip_if_default)]
    pub queued: bool,
    /// Its tool is not in the page: it waits for the component that brings it, and Stop ends it.
    #[json(null_as_default, skip_if_default)]
    pub away: bool,
    /// What the tool gave, as text: the data as it is or as JSON, or the error.
    pub output: Option<String>,
    /// Why there is no result of the tool's own.
    #[ts(type = "CallOutcome")]
    pub outcome: Option<String>,
    #[json(keep_null)]
    pub render_data: Option<Json>,
    pub duration_ms: Option<u64>,
    /// What it showed beside its result: files, widgets and types of the application.
    #[ts(type = "readonly SideOutput[]")]
    pub outputs: Option<Vec<SideOutput>>,
    /// It was taken back.
    #[json(null_as_default, skip_if_default)]
    pub undone: bool,
    /// What the model thought before it, when it said nothing.
    pub reasoning: Option<String>,
    /// Other answers in its place, where it begins one.
    pub branches: Option<Alternatives>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum EntryStatus {
    Running,
    /// Waits for a person.
    Pending,
    Success,
    Error,
    Aborted,
}

/// The entries at these places are now these, and the list has this length. They are made when they are looked at.
#[derive(Debug)]
pub struct TimelinePatch<'a> {
    timeline: &'a Timeline,
    run: &'a Run,
    /// In order.
    places: Vec<usize>,
    /// What stands behind all entries without being one of the record.
    last: Option<TimelineEntry<'a>>,
}

impl<'a> TimelinePatch<'a> {
    /// Nothing has changed in the timeline itself.
    pub fn of_none(timeline: &'a Timeline, run: &'a Run) -> Self {
        TimelinePatch { timeline, run, places: Vec::new(), last: None }
    }

    /// All that there is.
    pub fn of_all(timeline: &'a Timeline, run: &'a Run) -> Self {
        TimelinePatch { timeline, run, places: (0..timeline.count()).collect(), last: None }
    }

    pub fn set_last(&mut self, last: Option<TimelineEntry<'a>>) {
        self.last = last;
    }
}

impl<'a> TimelinePatch<'a> {
    /// The length of the list.
    pub fn len(&self) -> usize {
        self.timeline.count() + usize::from(self.last.is_some())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries, each with its place.
    pub fn set(&self) -> impl Iterator<Item = (usize, TimelineEntry<'a>)> {
        let entry = |at: &usize| Some((*at, self.timeline.entry(self.run, *at)?));
        self.places
            .iter()
            .filter_map(entry)
            .chain(self.last.clone().map(|last| (self.timeline.count(), last)))
    }
}

/// Entries that follow each other stand together behind the place of the first: `[[3, [entry, entry]]]`.
impl Write for TimelinePatch<'_> {
    fn write(&self, out: &mut String) {
        let mut object = Object::new(out);
        self.len().write(object.key("len"));
        let set = object.key("set");
        let mut next = None;
        set.push('[');
        for (at, entry) in self.set() {
            if next == Some(at) {
                set.push(',');
            } else {
                set.push_str(if next.is_none() { "[" } else { "]],[" });
                at.write(set);
                set.push_str(",[");
            }
            entry.write(set);
            next = Some(at + 1);
        }
        set.push_str(if next.is_none() { "]" } else { "]]]" });
        object.end();
    }
}

#[cfg(feature = "typescript")]
impl ts::Ts for TimelinePatch<'_> {
    fn ts(_: bool) -> String {
        String::new()
    }

    fn fields() -> Vec<ts::Field> {
        let field = |key, ty| ts::Field { docs: "", key, optional: false, ty };
        let set = <Vec<(usize, Vec<TimelineEntry<'_>>)> as ts::Ts>::ts(false);
        vec![field("len", "number".to_owned()), field("set", set)]
    }
}

through_codec! { ToolEntry, EntryStatus }
through_codec! { write EntryError, TimelineEntry<'_>, TimelinePatch<'_> }

/// An entry as it is kept. The list of them is as long as the conversation, so that each is small there.
#[derive(Debug, Clone)]
enum StoredEntry {
    /// What the message on this line says.
    Text(usize),
    Tool(Box<ToolEntry>),
}

impl StoredEntry {
    fn tool(&mut self) -> Option<&mut ToolEntry> {
        match self {
            StoredEntry::Tool(tool) => Some(tool),
            StoredEntry::Text(_) => None,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Timeline {
    entries: Vec<StoredEntry>,
    /// The lines of the record that were taken in, each with how many entries there were before it.
    lines: Vec<(usize, usize)>,
    /// Where the entries of the last answer's calls are.
    open: std::ops::Range<usize>,
    /// The messages that media were left out of when it was drawn.
    without_media: usize,
    /// The messages that were marked with an error then.
    failed: Vec<usize>,
    /// What those who are told it may know of a failure: all of it unless given.
    safe: Option<fn(&ModelError) -> ModelError>,
}

impl Timeline {
    /// All that a chat shows of the run that it follows.
    pub fn entries<'a>(&'a self, run: &'a Run) -> Vec<TimelineEntry<'a>> {
        (0..self.count()).filter_map(|at| self.entry(run, at)).collect()
    }

    pub fn count(&self) -> usize {
        self.entries.len()
    }

    fn entry<'a>(&'a self, run: &'a Run, at: usize) -> Option<TimelineEntry<'a>> {
        match self.entries.get(at)? {
            StoredEntry::Tool(tool) => Some(TimelineEntry::Tool(tool)),
            StoredEntry::Text(line) => text_entry(run, *line, self.safe),
        }
    }

    /// Takes in what happened since the last time. The work is in what is new, whatever the length of the history; on another
    /// branch, in what is different there.
    pub fn follow<'a>(&'a mut self, run: &'a Run) -> Option<TimelinePatch<'a>> {
        let before = self.entries.len();
        let mut changed = Vec::new();
        // Once two paths are apart they never meet again.
        let mut same = self.lines.partition_point(|(line, _)| run.next_line(*line) == *line);
        // After a request that was refused for what it carried, all is drawn anew with the marks.
        if std::mem::replace(&mut self.without_media, run.without_media.len()) != run.without_media.len() {
            same = 0;
        }
        if let Some(&(_, start)) = self.lines.get(same) {
            self.entries.truncate(start);
            self.lines.truncate(same);
            self.open = 0..0;
        }
        let mut at = run.next_line(self.lines.last().map_or(0, |(line, _)| line + 1));
        while let Some(message) = run.messages().get(at) {
            long_list::push(&mut self.lines, (at, self.entries.len()));
            self.take_in(run, at, message, &mut changed);
            at = run.next_line(at + 1);
        }
        if run.has_open_calls() {
            self.answer(&run.open_results(), &mut changed);
            self.follow_queued(run, &mut changed);
        }
        self.follow_failed(run, &mut changed);
        if changed.is_empty() && self.entries.len() == before {
            return None;
        }
        // A record that is read for the first time is in order.
        if !changed.is_sorted() {
            changed = BinaryHeap::from(changed).into_sorted_vec();
        }
        changed.dedup();
        // What was cut off again.
        changed.truncate(changed.partition_point(|at| *at < self.entries.len()));
        Some(TimelinePatch { timeline: self, run, places: changed, last: None })
    }

    fn take_in(&mut self, run: &Run, at: usize, message: &Message, changed: &mut Vec<usize>) {
        for id in &message.undone {
            self.take_back(id, changed);
        }
        if message.hidden {
            self.close_open(changed);
            return;
        }
        if !message.results().is_empty() {
            self.answer(message.results(), changed);
            return;
        }
        self.close_open(changed);
        if message.sender == Sender::User {
            if message.is_compaction || message.is_from_person() {
                self.push(StoredEntry::Text(at), changed);
            }
            return;
        }
        self.entries.pop_if(|last| matches!(last, StoredEntry::Text(line) if run.messages().get(*line).is_some_and(|message| message.partial)));
        // They stand at the first of what it led to.
        let (mut reasoning, mut branches) = (reasoning_of(message), run.alternatives(at));
        // Some models write an empty line or two before a call.
        if !message.text.trim_ascii().is_empty() || (reasoning.is_some() && message.calls().is_empty()) {
            (reasoning, branches) = (None, None);
            self.push(StoredEntry::Text(at), changed);
        }
        let first = self.entries.len();
        for call in message.calls() {
            let (reasoning, branches) = (reasoning.take().map(str::to_owned), branches.take());
            self.push(
                StoredEntry::Tool(Box::new(ToolEntry { reasoning, branches, ..running(call) })),
                changed,
            );
        }
        self.open = first..self.entries.len();
    }

    /// Draws those anew that were marked since, and those that are marked no more.
    fn follow_failed(&mut self, run: &Run, changed: &mut Vec<usize>) {
        let failed = &run.state.failed;
        if failed.len() == self.failed.len()
            && failed.iter().zip(&self.failed).all(|(now, line)| now.line == *line)
        {
            return;
        }
        let mut lines = Vec::new();
        for Failed { line, .. } in failed {
            lines.push(*line);
        }
        let before = std::mem::replace(&mut self.failed, lines);
        for line in before.iter().chain(&self.failed) {
            if before.contains(line) == self.failed.contains(line) {
                continue;
            }
            let Ok(at) = self.lines.binary_search_by_key(line, |(line, _)| *line) else { continue };
            let Some((_, place)) = self.lines.get(at) else { continue };
            // A continued answer is shown in the entry of the answer that was cut off.
            for place in [*place, place.saturating_sub(1)] {
                if matches!(self.entries.get(place), Some(StoredEntry::Text(shown)) if shown == line) {
                    changed.push(place);
                    break;
                }
            }
        }
    }

    fn take_back(&mut self, call_id: &str, changed: &mut Vec<usize>) {
        for (at, entry) in self.entries.iter_mut().enumerate().rev() {
            if let Some(tool) = entry.tool().filter(|tool| tool.id == call_id) {
                tool.undone = true;
                changed.push(at);
                return;
            }
        }
    }

    fn push(&mut self, entry: StoredEntry, changed: &mut Vec<usize>) {
        changed.push(self.entries.len());
        long_list::push(&mut self.entries, entry);
    }

    fn answer(&mut self, results: &[ToolResult], changed: &mut Vec<usize>) {
        let first = self.open.start;
        let entries = self.entries.get_mut(self.open.clone()).unwrap_or_default();
        for (index, result) in results.iter().enumerate() {
            let is_its = |entry: &mut StoredEntry| {
                entry.tool().is_some_and(|tool| Some(&tool.id) == result.call_id.as_ref())
            };
            // Results stand in call order; only foreign records may have them otherwise.
            let at = match entries.get_mut(index).is_some_and(is_its) {
                true => Some(index),
                false => entries.iter_mut().position(is_its),
            };
            let Some((at, tool)) = at.and_then(|at| Some((at, entries.get_mut(at)?.tool()?))) else {
                continue;
            };
            let status = status_of(result);
            if tool.status != status {
                tool.status = status;
                if !matches!(status, EntryStatus::Running | EntryStatus::Pending) {
                    (tool.queued, tool.away) = (false, false);
                    tool.output = output_of(result);
                    tool.outcome = result.result.outcome.clone();
                    tool.render_data = result.result.render_data.clone();
                    tool.duration_ms = result.duration_ms;
                    tool.outputs = result.outputs.clone();
                }
                changed.push(first + at);
            }
        }
    }

    /// Calls that a record has no result for were cut off, whatever came after them.
    fn close_open(&mut self, changed: &mut Vec<usize>) {
        let open = std::mem::take(&mut self.open);
        for at in open {
            if let Some(tool) = self.entries.get_mut(at).and_then(StoredEntry::tool)
                && matches!(tool.status, EntryStatus::Running | EntryStatus::Pending)
            {
                tool.status = EntryStatus::Aborted;
                (tool.queued, tool.away) = (false, false);
                changed.push(at);
            }
        }
    }

    /// Which of the open calls wait for their turn, or for their tool.
    fn follow_queued(&mut self, run: &Run, changed: &mut Vec<usize>) {
        let first = self.open.start;
        let entries = self.entries.get_mut(self.open.clone()).unwrap_or_default();
        for (index, call) in run.calls().iter().enumerate() {
            let Some(tool) = entries.get_mut(index).and_then(StoredEntry::tool) else { return };
            let queued = matches!(call.state, CallState::Queued) && tool.id == call.id;
            let away = run.waits_for_tool(call) && tool.id == call.id;
            if (tool.queued, tool.away) != (queued, away) {
                (tool.queued, tool.away) = (queued, away);
                changed.push(first + index);
            }
        }
    }
}

impl Timeline {
    /// One that tells only this of failures.
    pub fn with_safe_failures(safe: fn(&ModelError) -> ModelError) -> Self {
        Timeline { safe: Some(safe), ..Timeline::default() }
    }
}

impl Run {
    /// The last line of this request that an entry is made of.
    pub(in crate::run) fn last_line_shown_of(&self, request: &str) -> Option<usize> {
        let mut answered = false;
        for (at, message) in self.read_back() {
            if message.prompt_id.as_deref() != Some(request) || message.hidden {
                continue;
            }
            let shown = match message.sender {
                Sender::User => message.is_from_person() && message.results().is_empty(),
                Sender::Agent => {
                    let says = !message.text.trim_ascii().is_empty();
                    let reasons = message.calls().is_empty() && reasoning_of(message).is_some();
                    // A cut answer gives way to what follows it.
                    (says || reasons) && !(message.partial && answered)
                }
            };
            if shown {
                return Some(at);
            }
            answered = message.sender == Sender::Agent;
        }
        None
    }
}

/// Whether a person has stopped the answer of this line. One that broke off is gone on with, or what was said next says so.
fn was_stopped(run: &Run, line: usize) -> bool {
    match run.messages().get(run.next_line(line + 1)) {
        Some(next) => next.sender == Sender::User && !next.broke_off,
        None => run.state.current.is_none() && run.state.broke_off != Some(line),
    }
}

/// What the message on this line says, as a chat shows it.
fn text_entry(
    run: &Run,
    line: usize,
    safe: Option<fn(&ModelError) -> ModelError>,
) -> Option<TimelineEntry<'_>> {
    let message = run.messages().get(line)?;
    let (id, at, branches) = (run.shown_id(line), message.at, run.alternatives(line));
    let failed = run.state.failed.iter().find(|failed| failed.line == line);
    let error = failed.map(|Failed { error, .. }| {
        let model = safe.map_or_else(|| error.clone(), |safe| safe(error));
        EntryError { code: model.code().to_owned(), message: model.message.clone(), model }
    });
    if message.sender == Sender::Agent {
        let sources = message.sources.as_ref().filter(|sources| sources.as_str().starts_with('['));
        let (text, partial, reasoning) = (message.text.as_str(), message.partial, reasoning_of(message));
        let stopped = partial && was_stopped(run, line);
        return Some(TimelineEntry::AgentText {
            id,
            text,
            partial,
            stopped,
            at_limit: message.at_limit,
            reasoning,
            at,
            sources,
            error,
            branches,
        });
    }
    if message.is_compaction {
        return Some(TimelineEntry::Compaction { id, text: &message.text });
    }
    let (mut images, mut files) = (Vec::new(), String::new());
    for part in message.content.iter().flatten() {
        if let Some(url) = image_url(part) {
            images.push(url);
        } else if let Some(file) = &part.file {
            files.push(if files.is_empty() { '[' } else { ',' });
            files.push_str(file.as_str());
        }
    }
    let files = (!files.is_empty()).then(|| json::written(files + "]"));
    let left_out = run.without_media.iter().any(|(left_out, _)| *left_out == line);
    Some(TimelineEntry::User { id, text: message.as_written(), images, files, left_out, at, error, branches })
}

fn reasoning_of(message: &Message) -> Option<&str> {
    message.reasoning_content.as_deref().filter(|text| !text.is_empty())
}

fn running(call: &ToolCall) -> ToolEntry {
    ToolEntry {
        id: call.id().to_owned(),
        name: call.tool_name.clone(),
        input: call.input_args.clone(),
        status: EntryStatus::Running,
        queued: false,
        away: false,
        output: None,
        outcome: None,
        render_data: None,
        duration_ms: None,
        outputs: None,
        undone: false,
        reasoning: None,
        branches: None,
    }
}

fn status_of(result: &ToolResult) -> EntryStatus {
    match result.result.status {
        ToolStatus::Success => EntryStatus::Success,
        ToolStatus::Error => EntryStatus::Error,
        ToolStatus::Aborted => EntryStatus::Aborted,
        ToolStatus::Pending if result.is_asking() => EntryStatus::Pending,
        ToolStatus::Pending => EntryStatus::Running,
    }
}

/// What a result says of its error, without what is told to a model around it.
pub fn error_text(result: &ToolResultData) -> Option<&str> {
    result.message.as_deref().map(texts::own_error)
}

fn output_of(result: &ToolResult) -> Option<String> {
    let data = &result.result.data;
    if data.is_null() {
        return error_text(&result.result).map(str::to_owned);
    }
    Some(data.to_text().unwrap_or_else(|| data.to_string()))
}

fn image_url(part: &ContentPart) -> Option<String> {
    let source = part.source.as_ref().filter(|_| part.kind == "image")?;
    match &source.data {
        Some(data) => Some(format!("data:{};base64,{data}", source.media_type)),
        None => source.url.clone(),
    }
}

//! The timeline: what a chat shows of a run. It follows the run and gives each change as a patch, so that every host
//! draws the same and nothing is computed twice.

use std::collections::BinaryHeap;

use crate::json::Json;
use crate::json::codec::{Read, Ts, Write, through_codec};
use crate::message::{ContentPart, Message, Sender, SideOutput, ToolCall, ToolResult, ToolStatus};
use crate::run::{Alternatives, Run, long_list, texts};

/// One entry, in the original's form with fields added.
#[derive(Debug, Clone, PartialEq, Ts, Write)]
#[json(tag = "kind")]
#[ts(name = "CoreEntry")]
pub enum TimelineEntry {
    User {
        id: String,
        text: String,
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
        /// Others that stand in its place on other branches.
        branches: Option<Alternatives>,
    },
    AgentText {
        id: String,
        text: String,
        /// The answer was cut off here.
        #[json(skip_if_default)]
        partial: bool,
        /// What the model thought before it.
        reasoning: Option<String>,
        /// When it was written.
        at: Option<u64>,
        /// Where it says that it comes from: what it has is the model's.
        #[ts(type = "readonly Source[]")]
        sources: Option<Json>,
        /// Other answers in its place.
        branches: Option<Alternatives>,
    },
    Tool(ToolEntry),
    /// Here older messages were summarised for the model. They are all still there.
    Compaction {
        id: String,
        text: String,
    },
}

#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[json(rename_all = "camelCase")]
pub struct ToolEntry {
    pub id: String,
    pub name: String,
    pub input: Json,
    pub status: EntryStatus,
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

/// The entries at these indexes are now these, and the list has this length.
#[derive(Debug, Clone, Default, PartialEq, Ts, Write)]
#[ts(inline)]
pub struct TimelinePatch {
    pub len: usize,
    pub set: Vec<(usize, TimelineEntry)>,
}

through_codec! { ToolEntry, EntryStatus }
through_codec! { write TimelineEntry, TimelinePatch }

/// An entry as it is kept. The list of them is as long as the conversation, so that each is small there.
#[derive(Debug, Clone)]
enum Kept {
    Whole(Box<TimelineEntry>),
    /// The host has it. Whether a text was cut off is all that is asked of it again.
    Told {
        partial: bool,
    },
}

impl Kept {
    fn whole(&mut self) -> Option<TimelineEntry> {
        match self {
            Kept::Whole(entry) => Some(TimelineEntry::clone(entry)),
            Kept::Told { .. } => None,
        }
    }

    /// Calls change later and are kept, texts do not.
    fn handed_over(&mut self) -> Option<TimelineEntry> {
        if self.tool().is_some() {
            return self.whole();
        }
        match std::mem::replace(self, Kept::Told { partial: self.is_partial() }) {
            Kept::Whole(entry) => Some(*entry),
            Kept::Told { .. } => None,
        }
    }

    fn is_partial(&self) -> bool {
        match self {
            Kept::Whole(entry) => matches!(**entry, TimelineEntry::AgentText { partial: true, .. }),
            Kept::Told { partial } => *partial,
        }
    }

    fn tool(&mut self) -> Option<&mut ToolEntry> {
        match self {
            Kept::Whole(entry) => match &mut **entry {
                TimelineEntry::Tool(tool) => Some(tool),
                _ => None,
            },
            Kept::Told { .. } => None,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Timeline {
    entries: Vec<Kept>,
    /// The lines of the record that were taken in, each with how many entries there were before it.
    lines: Vec<(usize, usize)>,
    /// Where the entries of the last answer's calls are.
    open: std::ops::Range<usize>,
    /// The messages that media were left out of when it was drawn.
    without_media: usize,
}

impl Timeline {
    /// A copy of all that it holds whole: all of them, where the timeline was followed and not told.
    pub fn entries(&self) -> Vec<TimelineEntry> {
        let mut entries = Vec::new();
        for kept in &self.entries {
            if let Kept::Whole(entry) = kept {
                entries.push(TimelineEntry::clone(entry));
            }
        }
        entries
    }

    /// How many entries there are, held whole or told.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Takes in what happened since the last time. The work is in what is new, whatever the length of the history; on another
    /// branch, in what is different there.
    pub fn follow(&mut self, run: &Run) -> Option<TimelinePatch> {
        self.changes(run, Kept::whole)
    }

    /// The same for a host that keeps what it was told: the texts are in the record and there, and not here as well. What is left
    /// in `entries` is what later changes need.
    pub fn tell(&mut self, run: &Run) -> Option<TimelinePatch> {
        self.changes(run, Kept::handed_over)
    }

    fn changes(&mut self, run: &Run, told: fn(&mut Kept) -> Option<TimelineEntry>) -> Option<TimelinePatch> {
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
        }
        if changed.is_empty() && self.entries.len() == before {
            return None;
        }
        // A record that is read for the first time is in order.
        if !changed.is_sorted() {
            changed = BinaryHeap::from(changed).into_sorted_vec();
        }
        let mut set: Vec<(usize, TimelineEntry)> = Vec::with_capacity(changed.len());
        for at in changed {
            if set.last().is_none_or(|(last, _)| *last != at)
                && let Some(entry) = self.entries.get_mut(at).and_then(told)
            {
                set.push((at, entry));
            }
        }
        Some(TimelinePatch { len: self.entries.len(), set })
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
        let id = run.shown_id(at);
        match message.sender {
            Sender::User if message.is_compaction => {
                self.push(TimelineEntry::Compaction { id, text: message.text.clone() }, changed);
            }
            Sender::User if message.is_from_person() => {
                let text = message.as_written().to_owned();
                let (mut images, mut files) = (Vec::new(), String::new());
                for part in message.content.iter().flatten() {
                    if let Some(url) = image_url(part) {
                        images.push(url);
                    } else if let Some(file) = &part.file {
                        files.push(if files.is_empty() { '[' } else { ',' });
                        files.push_str(file.as_str());
                    }
                }
                let files = (!files.is_empty()).then(|| Json::written(files + "]"));
                let left_out = run.without_media.iter().any(|(left_out, _)| *left_out == at);
                let (at, branches) = (message.at, run.alternatives(at));
                self.push(TimelineEntry::User { id, text, images, files, left_out, at, branches }, changed);
            }
            Sender::User => {}
            Sender::Agent => {
                self.entries.pop_if(|last| last.is_partial());
                // They stand at the first of what it led to.
                let mut branches = run.alternatives(at);
                let mut reasoning = message.reasoning_content.clone().filter(|text| !text.is_empty());
                // Some models write an empty line or two before a call.
                if !message.text.trim_ascii().is_empty()
                    || (reasoning.is_some() && message.calls().is_empty())
                {
                    let (text, partial) = (message.text.clone(), message.partial);
                    let (reasoning, branches, at) = (reasoning.take(), branches.take(), message.at);
                    let sources = message.sources.clone().filter(|sources| sources.as_str().starts_with('['));
                    let entry =
                        TimelineEntry::AgentText { id, text, partial, reasoning, at, sources, branches };
                    self.push(entry, changed);
                }
                let first = self.entries.len();
                for call in message.calls() {
                    let (reasoning, branches) = (reasoning.take(), branches.take());
                    self.push(
                        TimelineEntry::Tool(ToolEntry { reasoning, branches, ..running(call) }),
                        changed,
                    );
                }
                self.open = first..self.entries.len();
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

    fn push(&mut self, entry: TimelineEntry, changed: &mut Vec<usize>) {
        changed.push(self.entries.len());
        long_list::push(&mut self.entries, Kept::Whole(Box::new(entry)));
    }

    fn answer(&mut self, results: &[ToolResult], changed: &mut Vec<usize>) {
        let first = self.open.start;
        let entries = self.entries.get_mut(self.open.clone()).unwrap_or_default();
        for (index, result) in results.iter().enumerate() {
            let is_its =
                |entry: &mut Kept| entry.tool().is_some_and(|tool| Some(&tool.id) == result.call_id.as_ref());
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
            if let Some(tool) = self.entries.get_mut(at).and_then(Kept::tool)
                && matches!(tool.status, EntryStatus::Running | EntryStatus::Pending)
            {
                tool.status = EntryStatus::Aborted;
                changed.push(at);
            }
        }
    }
}

fn running(call: &ToolCall) -> ToolEntry {
    ToolEntry {
        id: call.id().to_owned(),
        name: call.tool_name.clone(),
        input: call.input_args.clone(),
        status: EntryStatus::Running,
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

fn output_of(result: &ToolResult) -> Option<String> {
    let data = &result.result.data;
    if data.is_null() {
        return result.result.message.as_deref().map(|text| texts::own_error(text).to_owned());
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

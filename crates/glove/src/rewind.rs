//! Going back to an earlier message: which ones there are, and what was done since that can be taken back.

use glove_wasm::run::Run;
use glove_wasm::run::views::timeline::{Timeline, TimelineEntry};
use glove_wasm::runtime::Session;

/// So many messages are offered.
const OFFERED: usize = 20;

/// A message of a person, and how many actions since can be taken back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    pub id: String,
    pub text: String,
    pub actions: u32,
}

/// The last messages of the conversation as it is read now, in order.
pub(crate) fn points(session: &Session) -> Vec<Point> {
    session.with_run(|run| {
        let mut timeline = Timeline::default();
        drop(timeline.follow(run));
        of_entries(&timeline.entries(run), run)
    })
}

fn of_entries(entries: &[TimelineEntry<'_>], run: &Run) -> Vec<Point> {
    let (mut points, mut actions) = (Vec::new(), 0);
    for entry in entries.iter().rev() {
        match entry {
            TimelineEntry::Tool(tool) => actions += u32::from(run.undo_entry(&tool.id).is_some()),
            TimelineEntry::User { id, text, .. } => {
                points.push(Point { id: id.clone(), text: (*text).to_owned(), actions });
            }
            TimelineEntry::AgentText { .. } | TimelineEntry::Compaction { .. } => {}
        }
        if points.len() == OFFERED {
            break;
        }
    }
    points.reverse();
    points
}

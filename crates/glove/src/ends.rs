//! The ends of requests: one that came into another request ends with it, and both are told once.

use glove_wasm::event::Event;

#[derive(Default)]
pub(crate) struct Ends {
    /// So many have finished.
    finished: usize,
    /// Those that have begun, and how many had finished before.
    begun: Vec<(String, usize)>,
    told: Vec<usize>,
}

impl Ends {
    pub(crate) fn follow(&mut self, event: &Event) {
        match event {
            Event::RequestStarted { request } => self.begun.push((request.clone(), self.finished)),
            Event::RequestFinished { .. } => self.finished += 1,
            _ => {}
        }
    }

    /// Whether nobody was told yet how this one ends. What is no request of this time was there first.
    pub(crate) fn is_new(&mut self, id: Option<&str>) -> bool {
        let begun = self.begun.iter().rfind(|(begun, _)| Some(begun.as_str()) == id);
        let time = begun.map_or(0, |(_, time)| *time);
        let is_new = !self.told.contains(&time);
        if is_new {
            self.told.push(time);
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_end_together_are_told_once_and_each_other_one_also() {
        let started = |id: &str| Event::RequestStarted { request: id.to_owned() };
        let finished = |id: &str| Event::RequestFinished { request: id.to_owned(), outcome: "completed" };
        let mut ends = Ends::default();
        for event in [started("a"), started("joined"), finished("a"), finished("joined"), started("b")] {
            ends.follow(&event);
        }
        assert!(ends.is_new(Some("a")) && !ends.is_new(Some("joined")));
        ends.follow(&finished("b"));
        assert!(ends.is_new(Some("b")), "it ends as the one before, and is another one");
        let mut ends = Ends::default();
        ends.follow(&started("joined"));
        assert!(ends.is_new(None) && !ends.is_new(Some("joined")));
    }
}

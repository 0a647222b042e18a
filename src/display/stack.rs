//! Slots in the order they were pushed, the last on top. Each change says what it changed.

use crate::json::Json;
use crate::message::{Slot, SlotStatus};

/// The stack of one session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stack {
    slots: Vec<Slot>,
}

impl Stack {
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub fn get(&self, id: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.id == id)
    }

    /// False when the id is taken; nothing is pushed then.
    pub fn push(&mut self, slot: Slot) -> bool {
        let free = self.get(&slot.id).is_none();
        if free {
            self.slots.push(slot);
        }
        free
    }

    /// Marks an open question. `None` when there is no question with this id that still waits.
    pub fn settle(&mut self, id: &str, status: SlotStatus, answer: Option<Json>) -> Option<&Slot> {
        let slot = self.slots.iter_mut().find(|slot| slot.id == id && slot.waits)?;
        slot.waits = false;
        (slot.status, slot.answer) = (status, answer);
        Some(slot)
    }

    pub fn remove(&mut self, id: &str) -> Option<Slot> {
        let at = self.slots.iter().position(|slot| slot.id == id)?;
        Some(self.slots.remove(at))
    }

    /// Removes what a call pushed.
    pub fn remove_owned(&mut self, owner: &str) -> Vec<Slot> {
        let mut gone = Vec::new();
        for slot in std::mem::take(&mut self.slots) {
            let list = if slot.owner.as_deref() == Some(owner) { &mut gone } else { &mut self.slots };
            list.push(slot);
        }
        gone
    }

    pub fn clear(&mut self) -> Vec<Slot> {
        std::mem::take(&mut self.slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(id: &str, owner: Option<&str>, waits: bool) -> Slot {
        Slot {
            id: id.to_owned(),
            renderer: "r".to_owned(),
            input: Json::null(),
            owner: owner.map(str::to_owned),
            waits,
            created_at: 1,
            status: SlotStatus::Pending,
            answer: None,
        }
    }

    fn stack() -> Stack {
        let mut stack = Stack::default();
        for slot in [slot("a", Some("call"), true), slot("b", None, false), slot("c", Some("call"), false)] {
            assert!(stack.push(slot));
        }
        stack
    }

    #[test]
    fn a_question_is_answered_once_and_stays_with_its_status() {
        let mut stack = stack();
        let answer = Some(Json::null());
        let answered = Slot {
            waits: false,
            status: SlotStatus::Resolved,
            answer: answer.clone(),
            ..slot("a", Some("call"), true)
        };
        assert_eq!(stack.settle("a", SlotStatus::Resolved, answer), Some(&answered));
        assert_eq!(stack.settle("a", SlotStatus::Rejected, None), None);
        assert_eq!(stack.settle("b", SlotStatus::Resolved, None), None, "nobody waits for it");
        assert_eq!(stack.settle("__proto__", SlotStatus::Resolved, None), None);
        assert_eq!(stack.slots().first(), Some(&answered));
    }

    #[test]
    fn a_taken_id_is_refused() {
        let mut stack = stack();
        assert!(!stack.push(slot("b", None, true)));
        assert_eq!(stack.slots().len(), 3);
    }

    #[test]
    fn removing_says_what_was_removed_and_keeps_the_order() {
        let mut stack = stack();
        assert_eq!(
            stack.remove_owned("call").into_iter().map(|slot| slot.id).collect::<Vec<_>>(),
            ["a", "c"]
        );
        assert_eq!(stack.remove("b"), Some(slot("b", None, false)));
        assert_eq!((stack.remove("b"), stack.clear()), (None, vec![]));
    }
}

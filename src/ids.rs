//! Ids that were met, each with a number. A hash table of the standard library is three times as long in the wasm file.

/// Lists in order, whose lengths are different powers of two: few are looked through, and an id moves but once for each.
#[derive(Debug, Clone, Default)]
pub struct Ids {
    lists: Vec<Vec<IdEntry>>,
}

impl Ids {
    pub fn contains(&self, id: &str) -> bool {
        self.get(id).is_some()
    }

    pub fn get(&self, id: &str) -> Option<usize> {
        for list in &self.lists {
            if let Ok(at) = place(list, id) {
                return list.get(at).map(|(_, number)| *number);
            }
        }
        None
    }

    /// False when it is there already.
    pub fn insert(&mut self, id: &str) -> bool {
        let is_new = !self.contains(id);
        if is_new {
            self.add(id, 0);
        }
        is_new
    }

    /// Adds one that is not there.
    pub fn add(&mut self, id: &str, number: usize) {
        let mut list = vec![(id.to_owned(), number)];
        while let Some(other) = self.lists.pop_if(|last| last.len() <= list.len()) {
            list = merged(other, list);
        }
        self.lists.push(list);
    }
}

type IdEntry = (String, usize);

fn place(list: &[IdEntry], id: &str) -> Result<usize, usize> {
    list.binary_search_by(|(known, _)| known.as_str().cmp(id))
}

fn merged(mut some: Vec<IdEntry>, mut others: Vec<IdEntry>) -> Vec<IdEntry> {
    let mut all = Vec::with_capacity(some.len() + others.len());
    // From the last one down, as the ends of lists are what can be taken.
    while let Some(entry) = if last(&some) > last(&others) { some.pop() } else { others.pop() } {
        all.push(entry);
    }
    all.reverse();
    all
}

fn last(list: &[IdEntry]) -> Option<&str> {
    list.last().map(|(id, _)| id.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::Ids;

    proptest! {
        #[test]
        fn it_knows_what_a_set_knows(words in prop::collection::vec("[a-c]{0,4}", 0..300)) {
            let (mut ids, mut set) = (Ids::default(), BTreeSet::new());
            for word in &words {
                prop_assert_eq!(ids.contains(word), set.contains(word));
                prop_assert_eq!(ids.insert(word), set.insert(word));
                prop_assert!(ids.contains(word));
            }
            prop_assert_eq!(ids.lists.iter().map(Vec::len).sum::<usize>(), set.len());
            for two in ids.lists.windows(2) {
                prop_assert!(two[0].len() > two[1].len());
            }
        }
    }

    #[test]
    fn each_id_keeps_its_number() {
        let mut ids = Ids::default();
        for number in 0..100 {
            ids.add(&format!("call{number}"), number);
        }
        for number in 0..100 {
            assert_eq!(ids.get(&format!("call{number}")), Some(number));
        }
        assert_eq!(ids.get("call100"), None);
    }

    #[test]
    fn many_ids_are_kept_in_few_lists() {
        let mut ids = Ids::default();
        for number in 0..10_000 {
            ids.insert(&format!("call{number}"));
        }
        assert!(ids.lists.len() <= 14, "{} lists", ids.lists.len());
    }
}

//! Lists that are as long as the conversation.

/// Adds to one. It grows by a quarter and not twofold, because a wasm file keeps for good what it once reserved. What the list leaves
/// behind each time, texts and messages fill.
pub(in crate::run) fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 16);
    }
    list.push(item);
}

#[cfg(test)]
mod tests {
    use super::push;

    #[test]
    fn a_list_never_has_more_than_a_quarter_to_spare_and_seldom_moves() {
        let (mut list, mut moves) = (Vec::new(), 0);
        for item in 0..10_000_usize {
            let before = list.capacity();
            push(&mut list, item);
            moves += usize::from(list.capacity() != before);
            assert!(
                list.capacity() <= list.len() + list.len() / 4 + 16,
                "{} for {}",
                list.capacity(),
                list.len()
            );
        }
        assert!(moves < 40, "{moves}");
    }
}

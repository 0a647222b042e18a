//! Lists that are as long as the conversation.

/// Adds to one. It grows by a quarter and not twofold, because a wasm file keeps for good what it once reserved. What the list leaves
/// behind each time, texts and messages fill.
pub(in crate::run) fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 16);
    }
    list.push(item);
}

//! Fields of a message in which a provider gave what it wants back word for word.

/// The message field that keeps signed thinking for the next request.
pub(crate) const THINKING_BLOCKS: &str = "thinking_blocks";

/// The one that keeps where they stood, unless all of them came first: for each how many bytes of the text and how many calls were
/// before it.
pub(crate) const THINKING_PLACES: &str = "thinking_places";

/// The call field that Google's endpoint wants back word for word.
pub(crate) const EXTRA_CONTENT: &str = "extra_content";

/// The message field that keeps OpenRouter's thoughts, which some of its models want back word for word.
pub(crate) const REASONING_DETAILS: &str = "reasoning_details";

/// The message field that keeps encrypted reasoning for the next request.
pub(crate) const REASONING_ITEMS: &str = "reasoning_items";

/// The call field that keeps the token which the provider wants back.
pub(crate) const THOUGHT_SIGNATURE: &str = "thought_signature";

/// Fields of a message that a model's provider wants back.
pub(crate) const PROVIDER_FIELDS: [&str; 5] =
    [THINKING_BLOCKS, THINKING_PLACES, REASONING_ITEMS, REASONING_DETAILS, WANTED_BACK];

/// The field of a message by which a chat handler says that the model's provider wants its thoughts back.
pub(crate) const WANTED_BACK: &str = "wanted_back";

//! What Redis runs for us.

use std::sync::LazyLock;

use ::redis::Script;

// Answers are kept by a server alone.
pub(super) struct Scripts {
    pub abandoned: Script,
    pub add_answer: Script,
    pub add_inbox_item: Script,
    pub append: Script,
    pub consume_inbox: Script,
    pub contains: Script,
    pub delete: Script,
    pub delete_answer: Script,
    pub get: Script,
    pub give_back: Script,
    pub holder: Script,
    pub import: Script,
    pub inbox: Script,
    pub load: Script,
    pub messages: Script,
    pub permission: Script,
    pub read_answer: Script,
    pub renew: Script,
    pub sessions: Script,
    pub set: Script,
    pub set_permission: Script,
    pub take: Script,
}

macro_rules! scripts {
    ($($name:ident),+) => {
        Scripts {
            $($name: Script::new(concat!(include_str!("lua/prelude.lua"), include_str!(concat!("lua/", stringify!($name), ".lua")))),)+
        }
    };
}

pub(super) static SCRIPTS: LazyLock<Scripts> = LazyLock::new(|| {
    scripts!(
        abandoned,
        add_answer,
        add_inbox_item,
        append,
        consume_inbox,
        contains,
        delete,
        delete_answer,
        get,
        give_back,
        holder,
        import,
        inbox,
        load,
        messages,
        permission,
        read_answer,
        renew,
        sessions,
        set,
        set_permission,
        take
    )
});

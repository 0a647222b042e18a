//! What was changed or left out of a request because the provider does not take it: told to the developer, once each.

use std::cell::RefCell;

/// One thing that the model is asked without, or in another form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Stays the same between releases, as `MEDIA_LEFT_OUT`.
    pub code: &'static str,
    /// What was done, and what the application can do about it.
    pub message: String,
}

/// The notices of one request, collected while its body is written.
#[derive(Debug, Default)]
pub struct Notices(RefCell<Vec<Notice>>);

impl Notices {
    /// The same sentence is kept once.
    pub fn add(&self, code: &'static str, message: impl Into<String>) {
        let notice = Notice { code, message: message.into() };
        let mut notices = self.0.borrow_mut();
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }

    pub fn take(&self) -> Vec<Notice> {
        self.0.take()
    }
}

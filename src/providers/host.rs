//! Whose a host is.

use crate::json::scan::word_at;

/// The host of a URL, without port and login.
pub fn host(url: &str) -> &str {
    let rest = word_at(url, "://").and_then(|at| url.get(at + 3..)).unwrap_or(url);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default().trim_end_matches('.')
}

/// Whether a host is this domain or one below it.
pub fn is_at(host: &str, domain: &str) -> bool {
    let front = ends_with(host, domain);
    front.is_some_and(|front| front.is_empty() || front.ends_with('.'))
}

/// What stands before the end of a host, where it ends so.
pub fn ends_with<'h>(host: &'h str, end: &str) -> Option<&'h str> {
    let (front, rest) = host.split_at_checked(host.len().checked_sub(end.len())?)?;
    rest.eq_ignore_ascii_case(end).then_some(front)
}

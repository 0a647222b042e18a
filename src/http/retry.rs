//! Whether a failed model call is made again, and after how long.

use super::date;
use crate::error::ModelError;
use crate::json::codec::{Read, Ts, Write, through_codec};

/// A server may ask to wait; a longer wait than this is not one that a person would sit through.
const LONGEST_RETRY_AFTER_MS: u64 = 60_000;
const FIRST_PAUSE_MS: u64 = 500;
const LONGEST_PAUSE_MS: u64 = 8_000;
/// From here on a person who waits wants to know what for.
pub(super) const TOLD_FROM_MS: u64 = 2_000;
/// After so long of such a wait it is told.
pub(super) const SILENT_MS: u64 = 500;

/// Limits; 0 is no limit. Models think in silence for minutes, so they are long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[json(default, rename_all = "camelCase")]
#[ts(inline, input)]
pub struct Policy {
    /// How often a call is repeated after a failure that may pass.
    pub max_retries: u32,
    /// Until the first byte of a streamed answer.
    pub first_byte_ms: u64,
    /// Between two pieces of the answer or other events of its own; keep-alive pings of a provider do not count, those
    /// of a chat handler do.
    pub idle_ms: u64,
    /// For one attempt in all.
    pub total_ms: u64,
    /// How much text and arguments an answer may have. No model writes so much: what does is broken, and would fill the memory.
    pub answer_bytes: u64,
}

through_codec! { Policy }

impl Default for Policy {
    fn default() -> Self {
        Policy {
            max_retries: 2,
            first_byte_ms: 300_000,
            idle_ms: 300_000,
            total_ms: 600_000,
            answer_bytes: 8 * 1024 * 1024,
        }
    }
}

/// Takes what the headers of a failed response say about a retry into the error. `now` is in milliseconds since 1970.
pub fn heed_headers(error: &mut ModelError, header: impl Fn(&str) -> Option<String>, now: u64) {
    if let Some(id) = ["request-id", "x-request-id"].into_iter().find_map(&header) {
        error.request_id = Some(id);
    }
    match header("x-should-retry").as_deref() {
        Some("true") => error.retryable = true,
        Some("false") => error.retryable = false,
        _ => {}
    }
    let millis = header("retry-after-ms").and_then(|text| Some(thousandths(&text)? / 1_000));
    let wanted_ms = millis.or_else(|| header("retry-after").and_then(|text| retry_after(&text, now)));
    if wanted_ms.is_some() {
        error.retry_after_ms = wanted_ms;
    }
}

/// Seconds, or a date.
fn retry_after(text: &str, now: u64) -> Option<u64> {
    thousandths(text).or_else(|| date::millis(text)?.checked_sub(now))
}

/// A decimal number times a thousand. Read by hand: the standard library's floats weigh more than all of this file.
fn thousandths(text: &str) -> Option<u64> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000)?.checked_add(fraction)
}

/// The pause before the next attempt; `None` when there is none. `attempt` counts from 0, `random` is in 0..1.
pub fn pause_ms(policy: &Policy, error: &ModelError, attempt: u32, random: f64) -> Option<u64> {
    if !error.retryable || attempt >= policy.max_retries {
        return None;
    }
    if let Some(wanted_ms) = error.retry_after_ms {
        // To ask again sooner is what the server said not to do; who waits longer reads in the error how long.
        return (wanted_ms <= LONGEST_RETRY_AFTER_MS).then_some(wanted_ms);
    }
    let full = FIRST_PAUSE_MS.saturating_mul(1 << attempt.min(16)).min(LONGEST_PAUSE_MS);
    Some((full as f64 * (1.0 - 0.25 * random.clamp(0.0, 1.0))).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ModelErrorKind;

    /// 2015-10-21T07:28:00Z
    const DATE: u64 = 1_445_412_480_000;

    type Headers = &'static [(&'static str, &'static str)];

    fn heeded(headers: Headers, now: u64) -> ModelError {
        let mut error = ModelError::new(ModelErrorKind::RateLimit, "slow down");
        let header = |name: &str| headers.iter().find(|(key, _)| *key == name);
        heed_headers(&mut error, |name| header(name).map(|(_, value)| (*value).to_owned()), now);
        error
    }

    #[test]
    fn every_form_of_waiting_time_is_read() {
        const DATE_TEXT: &str = "Wed, 21 Oct 2015 07:28:00 GMT";
        let table: [(Headers, u64, Option<u64>); 16] = [
            (&[("retry-after-ms", "1500")], 0, Some(1_500)),
            (&[("retry-after-ms", "1.4")], 0, Some(1)),
            (&[("retry-after-ms", "-5")], 0, None),
            (&[("retry-after-ms", "soon"), ("retry-after", "2")], 0, Some(2_000)),
            (&[("retry-after-ms", "10"), ("retry-after", "2")], 0, Some(10)),
            (&[("retry-after", "0")], 0, Some(0)),
            (&[("retry-after", "0.25")], 0, Some(250)),
            (&[("retry-after", " 7 ")], 0, Some(7_000)),
            (&[("retry-after", "-1")], 0, None),
            (&[("retry-after", "NaN")], 0, None),
            (&[("retry-after", "inf")], 0, None),
            (&[("retry-after", DATE_TEXT)], DATE - 3_000, Some(3_000)),
            (&[("retry-after", DATE_TEXT)], DATE + 1, None),
            (&[("retry-after", "Wednesday, 21-Oct-15 07:28:00 GMT")], DATE - 1, Some(1)),
            (&[("retry-after", "tomorrow")], 0, None),
            (&[], 0, None),
        ];
        for (headers, now, wanted_ms) in table {
            assert_eq!(heeded(headers, now).retry_after_ms, wanted_ms, "{headers:?}");
        }
    }

    #[test]
    fn the_server_decides_whether_a_retry_makes_sense() {
        assert!(!heeded(&[("x-should-retry", "false")], 0).retryable);
        let mut refused = ModelError::new(ModelErrorKind::BadRequest, "no");
        heed_headers(&mut refused, |name| (name == "x-should-retry").then(|| "true".to_owned()), 0);
        assert!(refused.retryable);
    }

    #[test]
    fn pauses_double_up_to_a_limit_and_longer_waits_than_that_of_a_person_are_left_to_the_caller() {
        let policy = Policy { max_retries: 9, ..Policy::default() };
        let mut error = ModelError::new(ModelErrorKind::Overloaded, "busy");
        let pauses = |error: &ModelError, random| -> Vec<_> {
            (0..6).filter_map(|attempt| pause_ms(&policy, error, attempt, random)).collect()
        };
        assert_eq!(pauses(&error, 0.0), [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
        assert_eq!(pauses(&error, 1.0), [375, 750, 1_500, 3_000, 6_000, 6_000]);
        error.retry_after_ms = Some(60_000);
        assert_eq!(pause_ms(&policy, &error, 3, 0.5), Some(60_000));
        error.retry_after_ms = Some(86_400_000);
        assert_eq!(pause_ms(&policy, &error, 0, 0.0), None);
    }

    #[test]
    fn what_cannot_pass_and_what_was_tried_enough_is_not_repeated() {
        let policy = Policy::default();
        assert_eq!(pause_ms(&policy, &ModelError::new(ModelErrorKind::BadRequest, ""), 0, 0.0), None);
        assert_eq!(pause_ms(&policy, &ModelError::new(ModelErrorKind::Server, ""), 2, 0.0), None);
    }
}

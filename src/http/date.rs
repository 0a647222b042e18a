//! The dates of HTTP headers, in all three forms that a client has to read.

/// Milliseconds since 1970; `None` for what is no date, or one before.
pub(super) fn millis(text: &str) -> Option<u64> {
    let mut words = text.split([' ', ',', '-']).filter(|word| !word.is_empty());
    let mut word = || words.next();
    let (_, second) = (word()?, word()?);
    let (day, month, year, time) = if second.starts_with(|c: char| c.is_ascii_digit()) {
        // `Sun, 06 Nov 1994 08:49:37 GMT` or `Sunday, 06-Nov-94 08:49:37 GMT`
        let (month, year, time) = (word()?, word()?, word()?);
        if word()? != "GMT" {
            return None;
        }
        (second, month, year, time)
    } else {
        // `Sun Nov  6 08:49:37 1994`
        let (day, time) = (word()?, word()?);
        (day, second, word()?, time)
    };
    if word().is_some() {
        return None;
    }
    let day = number(day, 31)?;
    let month = MONTHS.iter().position(|name| *name == month)? as u64;
    let year = match number(year, 9999)? {
        year @ 0..70 if year_is_short(text) => year + 2000,
        year @ 70..100 if year_is_short(text) => year + 1900,
        year => year,
    };
    let mut clock = time.split(':');
    let (hours, minutes, seconds) = (clock.next()?, clock.next()?, clock.next()?);
    let seconds = number(hours, 23)? * 3600 + number(minutes, 59)? * 60 + number(seconds, 60)?;
    if clock.next().is_some() || day == 0 {
        return None;
    }
    // Counted from March, so that the day that is not always there is the last of its year.
    let (year, month) = if month < 2 { (year.checked_sub(1)?, month + 10) } else { (year, month - 2) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
    Some((days.checked_sub(719_468)? * 86_400 + seconds) * 1_000)
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Only the form with dashes writes two digits.
fn year_is_short(text: &str) -> bool {
    text.bytes().any(|byte| byte == b'-')
}

fn number(text: &str, most: u64) -> Option<u64> {
    text.parse().ok().filter(|number| *number <= most)
}

#[cfg(test)]
mod tests {
    use super::millis;
    use proptest::prelude::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn all_three_forms_are_read() {
        for text in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(millis(text), Some(784_111_777_000), "{text}");
        }
        for text in [
            "",
            "Sun",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Mon, 32 Jan 2024 00:00:00 GMT",
        ] {
            assert_eq!(millis(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_date_that_was_written_is_read(seconds in 0u64..250_000_000_000) {
            let text = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds));
            prop_assert_eq!(millis(&text), Some(seconds * 1_000), "{}", text);
        }

        #[test]
        fn no_text_is_too_odd(text in any::<String>(), like in "[A-Z][a-z]{2},? [0-9]{1,2}[ -][A-Z][a-z]{2}[ -][0-9]{1,5} [0-9:]{1,9} ?(GMT)?") {
            let _ = (millis(&text), millis(&like));
        }
    }
}

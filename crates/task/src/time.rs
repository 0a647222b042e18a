//! Times as files have them: `2025-01-01T12:00:00Z`.

const DAY: u64 = 86_400_000;
/// Days from the first of March of the year 0 to 1970.
const EPOCH: u64 = 719_468;

/// Milliseconds since 1970 as text, in seconds, or with milliseconds where there are any.
pub fn to_text(millis: u64) -> String {
    let (days, rest) = (millis / DAY + EPOCH, millis % DAY);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    // Counted from March, so that the day that is not always there is the last of its year.
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60);
    let date = format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}");
    match rest % 1_000 {
        0 => format!("{date}Z"),
        millis => format!("{date}.{millis:03}Z"),
    }
}

/// Reads what RFC 3339 allows, with any offset. `None` for anything else, and for what lies before 1970.
pub fn from_text(text: &str) -> Option<u64> {
    let text = text.trim();
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u64>().ok()).flatten()
    };
    let sign = |at: usize, signs: &[&str]| text.get(at..at + 1).is_some_and(|found| signs.contains(&found));
    if !(sign(4, &["-"])
        && sign(7, &["-"])
        && sign(10, &["T", "t", " "])
        && sign(13, &[":"])
        && sign(16, &[":"]))
    {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hours, minutes, seconds) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_of = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day == 0 || day > days_of || hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let (millis, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let zone = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = rest.get(..rest.len() - zone.len())?;
            if digits.is_empty() {
                return None;
            }
            let thousandths: String = digits.chars().chain("000".chars()).take(3).collect();
            (thousandths.parse::<u64>().ok()?, zone)
        }
        None => (0, rest),
    };
    let (year, month) = if month <= 2 { (year.checked_sub(1)?, month + 9) } else { (year, month - 3) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let of_day = hours * 3_600_000 + minutes * 60_000 + seconds * 1_000 + millis;
    let local = days.checked_sub(EPOCH)? * DAY + of_day;
    if zone.eq_ignore_ascii_case("z") {
        return Some(local);
    }
    let at = text.len() - zone.len();
    let offset = (number(at + 1, at + 3)? * 60 + number(at + 4, at + 6)?) * 60_000;
    match zone.as_bytes() {
        [b'+', _, _, b':', _, _] => local.checked_sub(offset),
        [b'-', _, _, b':', _, _] => local.checked_add(offset),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read_back() {
        let table = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_735_732_800_000, "2025-01-01T12:00:00Z"),
            (1_735_732_800_042, "2025-01-01T12:00:00.042Z"),
            (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
        ];
        for (millis, text) in table {
            assert_eq!(to_text(millis), text);
            assert_eq!(from_text(text), Some(millis), "{text}");
        }
        for day in 0..60_000 {
            assert_eq!(from_text(&to_text(day * DAY + 1)), Some(day * DAY + 1));
        }
    }

    #[test]
    fn offsets_count_and_what_is_no_time_is_none() {
        assert_eq!(from_text("2025-01-01T13:30:00+01:30"), Some(1_735_732_800_000));
        assert_eq!(from_text("2025-01-01T07:00:00.000001-05:00"), Some(1_735_732_800_000));
        for text in [
            "",
            "soon",
            "2025-01-01",
            "2025-13-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2025-01-01T12:00:00",
            "2025-01-01T24:00:00Z",
            "1969-12-31T23:59:59Z",
            "2025-01-01T12:00:00.Z",
            "2025-01-01T12:00:00+1:00",
            "2025-01-01T12:00:00Z ü",
            "ü025-01-01T12:00:00Z",
        ] {
            assert_eq!(from_text(text), None, "{text}");
        }
    }
}

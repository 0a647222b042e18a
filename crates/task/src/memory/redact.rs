//! Personal data in texts that every step reads: addresses of mail, and numbers as long as those of phones, cards and accounts.

const STRUCK: &str = "[redacted]";

/// Digits of a phone number; dates and years have fewer.
const LONG_NUMBER: usize = 9;

/// The text without them.
pub fn redacted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        match is_mail(bare) {
            true => {
                out.push_str(STRUCK);
                out.push_str(word.get(bare.len()..).unwrap_or_default());
            }
            false => out.push_str(word),
        }
    }
    without_numbers(&out)
}

fn is_mail(word: &str) -> bool {
    word.split_once('@').is_some_and(|(name, host)| {
        name.chars().any(char::is_alphanumeric)
            && host.split_once('.').is_some_and(|(_, end)| !end.is_empty())
    })
}

/// Runs of digits with what people put between them.
fn without_numbers(text: &str) -> String {
    let (mut out, mut run) = (String::with_capacity(text.len()), String::new());
    let end = |run: &mut String, out: &mut String| {
        let digits = run.chars().filter(char::is_ascii_digit).count();
        let kept = run.trim_end_matches(|letter: char| !letter.is_ascii_digit()).len();
        let (number, rest) = run.split_at(kept);
        out.push_str(if digits >= LONG_NUMBER { STRUCK } else { number });
        out.push_str(rest);
        run.clear();
    };
    for letter in text.chars() {
        let begins = letter.is_ascii_digit() || letter == '+';
        if begins || (!run.is_empty() && matches!(letter, ' ' | '-' | '.' | '/' | '(' | ')')) {
            run.push(letter);
        } else {
            end(&mut run, &mut out);
            out.push(letter);
        }
    }
    end(&mut run, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_long_numbers_are_struck_out_and_dates_are_not() {
        let table = [
            ("Write to ada@example.com, please", "Write to [redacted] please"),
            ("Call +49 (30) 1234-5678 now", "Call [redacted] now"),
            ("Card 4111 1111 1111 1111.", "Card [redacted]."),
            ("Due on 2026-11-26, at 14:30", "Due on 2026-11-26, at 14:30"),
            ("Likes 3 short pages", "Likes 3 short pages"),
            ("Ends +", "Ends +"),
            ("", ""),
        ];
        for (text, expected) in table {
            assert_eq!(redacted(text), expected);
        }
    }
}

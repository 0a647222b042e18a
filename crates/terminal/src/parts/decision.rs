//! What a line says to a question after which something may run or be spent: read here alone, for a terminal, for plain lines and for
//! tasks. One letter or one number is one answer, and nothing else is any.

use glove_wasm::json::Json;
use glove_wasm::visible_text::isolated;
use serde_json::Value;

/// What the person said.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Value(Json),
    /// Turned down, perhaps for a reason that is told.
    No(Option<String>),
}

/// A line that can be chosen, by its number or its key.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub key: Option<char>,
    pub label: String,
    /// `None` turns the question down.
    pub value: Option<Value>,
    /// Something may run or be spent after it.
    pub allows: bool,
    /// What the person is asked then, to be sure.
    pub sure: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    lines: Vec<Line>,
    folded: Folded,
    /// The line that was chosen, while the person is asked again.
    chosen: Option<usize>,
}

/// Whether all of what is decided about was shown.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Folded {
    No,
    Unread,
    Opened,
}

#[derive(Debug, PartialEq)]
pub enum LineResult {
    Answer(Answer),
    /// Nothing is decided. This is told, and the question is still there.
    Again(String),
    /// All of what was folded is to be shown.
    Open,
}

/// What the line with a rule gives: whoever asked writes it, and then allows the call once.
pub const BY_RULE: &str = "by a rule";

/// Escape, ctrl-C and ctrl-D where a line has them as characters.
const LEAVES: [char; 3] = ['\u{1b}', '\u{3}', '\u{4}'];

impl Decision {
    pub fn new(lines: Vec<Line>) -> Self {
        Decision { lines, folded: Folded::No, chosen: None }
    }

    /// May this tool run? It is called as it is shown.
    pub fn permission(tool: &str) -> Self {
        let always = Line {
            sure: Some(format!(
                "Always allow {tool}? It then runs without a question. y if you are sure, n to decide anew"
            )),
            ..Line::new('a', "Always allow", Some(Value::Bool(true)), true)
        };
        Decision::new(vec![
            Line::new('y', "Allow once", Some(Value::String("once".to_owned())), true),
            always,
            Line::new('n', "Deny", None, false),
            Line::new('x', "Never allow", Some(Value::Bool(false)), false),
        ])
    }

    /// The same where an answer for good holds for the same arguments alone.
    pub fn exactly(mut self, tool: &str) -> Self {
        for line in &mut self.lines {
            if line.sure.is_some() {
                line.label = "Always allow exactly this".to_owned();
                line.sure = Some(format!(
                    "Always allow {tool} with exactly these arguments? It then runs without a question. y if you are sure, n to decide anew"
                ));
            } else if line.value == Some(Value::Bool(false)) {
                line.label = "Never allow exactly this".to_owned();
            }
        }
        self
    }

    /// The same, and calls like it may run from now on in this project, by a rule that is written down.
    pub fn with_rule(mut self, rule: &str, about: &str, file: &str) -> Self {
        let line = Line {
            sure: Some(format!(
                "Write `{rule}` to {file}? Such calls then run here without a question. y if you are sure, n to decide anew"
            )),
            ..Line::new(
                'p',
                &format!("Allow in this project: {about}"),
                Some(Value::String(BY_RULE.to_owned())),
                true,
            )
        };
        // Last: the numbers of the others are the same where no rule is offered.
        self.lines.push(line);
        self
    }

    /// May this one call run, or this plan?
    pub fn approval() -> Self {
        Decision::new(vec![
            Line::new('y', "Allow", Some(Value::Bool(true)), true),
            Line::new('n', "Deny", None, false),
        ])
    }

    /// A question with the default answer no.
    pub fn unless(refuse: &str, allow: &str) -> Self {
        Decision::new(vec![
            Line::new('n', refuse, Some(Value::Bool(false)), false),
            Line::new('y', allow, Some(Value::Bool(true)), true),
        ])
    }

    /// Only what lets nothing happen: of something that cannot be shown as what it is.
    pub fn without_yes(mut self) -> Self {
        self.lines.retain(|line| !line.allows);
        self
    }

    /// A part of what is decided about is not shown yet.
    pub fn fold(&mut self) {
        self.folded = Folded::Unread;
    }

    /// As they are shown.
    pub fn lines(&self) -> Vec<String> {
        let shown = |(at, line): (usize, &Line)| {
            let key = line.key.map_or_else(|| " ".to_owned(), String::from);
            format!("  {}  {key}  {}", at + 1, isolated(&line.label))
        };
        self.lines.iter().enumerate().map(shown).collect()
    }

    /// What can be typed.
    pub fn how(&self) -> String {
        let keys: Vec<String> = self.lines.iter().filter_map(|line| line.key).map(String::from).collect();
        let keys = if keys.is_empty() { "n for none".to_owned() } else { keys.join(", ") };
        let opens = if self.folded == Folded::No { "" } else { "; v shows all of it" };
        format!("answer with {keys}, or a number from 1 to {}{opens}", self.lines.len())
    }

    pub fn read(&mut self, typed: &str) -> LineResult {
        let entered = typed.trim();
        if typed.contains(LEAVES) {
            return LineResult::Answer(Answer::No(None));
        }
        if let Some(chosen) = self.chosen.take() {
            return match entered {
                "y" => self.answer(chosen),
                "n" => LineResult::Again(self.how()),
                _ => self.ask_again(chosen),
            };
        }
        if entered == "v" && self.folded != Folded::No {
            self.folded = Folded::Opened;
            return LineResult::Open;
        }
        if let Some(reason) = entered.strip_prefix("n ") {
            return LineResult::Answer(Answer::No(Some(reason.trim().to_owned())));
        }
        let is_said = |at: usize, line: &Line| {
            entered == (at + 1).to_string() || line.key.is_some_and(|key| entered.chars().eq([key]))
        };
        match self.lines.iter().enumerate().find(|(at, line)| is_said(*at, line)) {
            Some((_, line)) if line.allows && self.folded == Folded::Unread => LineResult::Again(
                "not all of it was shown; v shows it, and then it can be allowed".to_owned(),
            ),
            Some((at, line)) if line.sure.is_some() => self.ask_again(at),
            Some((at, _)) => self.answer(at),
            None if entered == "n" => LineResult::Answer(Answer::No(None)),
            None => LineResult::Again(self.how()),
        }
    }

    fn answer(&self, at: usize) -> LineResult {
        let value = self.lines.get(at).and_then(|line| line.value.clone());
        LineResult::Answer(value.map_or(Answer::No(None), |value| Answer::Value(value.into())))
    }

    fn ask_again(&mut self, at: usize) -> LineResult {
        self.chosen = Some(at);
        LineResult::Again(self.lines.get(at).and_then(|line| line.sure.clone()).unwrap_or_default())
    }
}

impl Line {
    pub fn new(key: char, label: &str, value: Option<Value>, allows: bool) -> Self {
        Line { key: Some(key), label: label.to_owned(), value, allows, sure: None }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Letters that labels have and that have a meaning, digits, and what a hand may hit beside them.
    const KEYS: [&str; 26] = [
        "a", "b", "e", "l", "n", "o", "s", "v", "w", "x", "y", "A", "N", "Y", "0", "1", "2", "3", "4", "5",
        "+", "-", " ", "\n", "\u{1b}", "\u{4}",
    ];

    fn allows(entered: &LineResult) -> bool {
        match entered {
            LineResult::Answer(Answer::Value(value)) => {
                value.as_str() != "false" && value.as_str() != "\"no\""
            }
            _ => false,
        }
    }

    /// Every string of up to three letters.
    fn each_short_line(mut check: impl FnMut(&str)) {
        check("");
        for a in KEYS {
            check(a);
            for b in KEYS {
                check(&format!("{a}{b}"));
                for c in KEYS {
                    check(&format!("{a}{b}{c}"));
                }
            }
        }
    }

    fn is_no(line: &str) -> bool {
        line.contains(['\u{1b}', '\u{4}'])
    }

    #[test]
    fn of_all_lines_of_up_to_three_letters_only_the_documented_ones_allow() {
        let confirm = Decision::new(vec![
            Line::new('y', "Yes", Some(json!("yes")), true),
            Line::new('n', "No", Some(json!("no")), false),
        ]);
        let tools_own = Decision::new(vec![
            Line { key: None, ..Line::new('-', "yes, now", Some(json!(1)), true) },
            Line { key: None, ..Line::new('-', "Another day", Some(json!(2)), true) },
        ]);
        for (fresh, once) in [
            (Decision::permission("bash"), &["y", "1"][..]),
            (
                Decision::permission("bash").with_rule(
                    "command ls",
                    "commands that begin with ls",
                    ".glove/allow",
                ),
                &["y", "1"],
            ),
            (Decision::approval(), &["y", "1"]),
            (Decision::unless("Don't run", "Run again"), &["y", "2"]),
            (Decision::unless("Stop", "Continue"), &["y", "2"]),
            (confirm, &["y", "1"]),
            (tools_own, &["1", "2"]),
        ] {
            each_short_line(|line| {
                let mut decision = fresh.clone();
                let entered = decision.read(line);
                let documented = once.contains(&line.trim()) && !is_no(line);
                assert_eq!(allows(&entered), documented, "{line:?} of {fresh:?} is {entered:?}");
                if is_no(line) || line.trim() == "n" {
                    assert!(matches!(entered, LineResult::Answer(_)), "{line:?} is no");
                }
                // What was folded can be seen, and nothing is allowed before.
                let mut folded = fresh.clone();
                folded.fold();
                assert!(!allows(&folded.read(line)), "{line:?} allows what nobody has read");
            });
        }
    }

    #[test]
    fn always_is_asked_again_and_y_alone_says_it() {
        for chooses in ["a", "2"] {
            let mut asked = Decision::permission("bash");
            assert!(
                matches!(asked.read(chooses), LineResult::Again(sure) if sure.contains("y if you are sure"))
            );
            each_short_line(|line| {
                let mut asked = asked.clone();
                let entered = asked.read(line);
                let is_sure = line.trim() == "y" && !is_no(line);
                assert_eq!(allows(&entered), is_sure, "{line:?} is {entered:?}");
            });
            let mut undecided = asked.clone();
            assert!(matches!(undecided.read("n"), LineResult::Again(how) if how.contains("y, a, n, x")));
            assert_eq!(undecided.read("y"), LineResult::Answer(Answer::Value(json!("once").into())));
            assert!(matches!(asked.read("2"), LineResult::Again(_)));
            assert_eq!(asked.read("y"), LineResult::Answer(Answer::Value(json!(true).into())));
        }
    }

    #[test]
    fn a_rule_is_shown_whole_and_asked_again_before_it_is_written() {
        let mut asked = Decision::permission("bash").exactly("bash").with_rule(
            "command cargo test",
            "commands that begin with cargo test",
            ".glove/allow",
        );
        assert_eq!(asked.lines()[4], "  5  p  Allow in this project: commands that begin with cargo test");
        assert_eq!(asked.lines()[1], "  2  a  Always allow exactly this");
        assert_eq!(asked.lines()[3], "  4  x  Never allow exactly this");
        assert!(
            matches!(asked.clone().read("a"), LineResult::Again(sure) if sure.contains("exactly these arguments"))
        );
        for chooses in ["p", "5"] {
            assert!(
                matches!(asked.read(chooses), LineResult::Again(sure) if sure.contains("`command cargo test` to .glove/allow"))
            );
            assert!(matches!(asked.read("n"), LineResult::Again(_)), "it is decided anew");
        }
        assert!(matches!(asked.read("p"), LineResult::Again(_)));
        assert_eq!(asked.read("y"), LineResult::Answer(Answer::Value(json!(BY_RULE).into())));
    }

    #[test]
    fn what_is_folded_is_opened_before_it_is_allowed() {
        let mut decision = Decision::permission("bash");
        assert!(matches!(decision.read("v"), LineResult::Again(_)), "there is nothing to open");
        decision.fold();
        assert!(matches!(decision.read("y"), LineResult::Again(how) if how.contains("v shows it")));
        assert!(matches!(decision.read("a"), LineResult::Again(how) if how.contains("v shows it")));
        assert_eq!(
            decision.clone().read("n"),
            LineResult::Answer(Answer::No(None)),
            "what nobody wants needs no reading"
        );
        assert_eq!(decision.read("v"), LineResult::Open);
        assert_eq!(decision.read("v"), LineResult::Open, "it can be read again");
        assert_eq!(decision.read("y"), LineResult::Answer(Answer::Value(json!("once").into())));
    }

    #[test]
    fn a_no_may_say_why() {
        let entered = Decision::approval().read("n it is too early\n");
        assert_eq!(entered, LineResult::Answer(Answer::No(Some("it is too early".to_owned()))));
    }
}

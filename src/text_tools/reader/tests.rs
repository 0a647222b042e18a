//! What texts of models say, whole and in every cut.

use super::*;
use proptest::prelude::*;

fn read<'t>(pieces: impl IntoIterator<Item = &'t str>, cut: bool) -> TextReading {
    let mut reader = TextReader::new(vec!["weather".to_owned(), "get_time".to_owned()]);
    let mut visible: Vec<Piece> = pieces.into_iter().flat_map(|piece| reader.push(piece)).collect();
    visible.extend(reader.finish(cut));
    let reading = reader.into_reading();
    let joined = |wanted: fn(&Piece) -> Option<&str>| visible.iter().filter_map(wanted).collect::<String>();
    let texts = joined(|piece| if let Piece::Text(text) = piece { Some(text) } else { None });
    let thoughts = joined(|piece| if let Piece::Thought(text) = piece { Some(text) } else { None });
    assert_eq!((texts, thoughts), (reading.text.clone(), reading.thoughts.clone()), "shown is said");
    reading
}

fn call(name: &str, args: &str) -> TextCall {
    TextCall { name: name.to_owned(), args: Some(args.to_owned()) }
}

fn unclear(name: &str) -> TextCall {
    TextCall { name: name.to_owned(), args: None }
}

/// A text, and the text, thoughts and calls in it.
type Row = (&'static str, &'static str, &'static str, Vec<TextCall>);

fn table() -> Vec<Row> {
    let bern = || vec![call("weather", r#"{"city":"Bern"}"#)];
    vec![
        ("", "", "", vec![]),
        ("Hello.\n\nHow are you?\n", "Hello.\n\nHow are you?", "", vec![]),
        ("Final Answer: 42", "42", "", vec![]),
        ("Thought: easy\nFinal Answer: It is\n\n  42.\n", "It is\n\n  42.", "easy", vec![]),
        ("Thought: hm\nAction: weather\nAction Input: {\"city\":\"Bern\"}", "", "hm", bern()),
        ("Let me look.\n\nAction: weather\nAction Input: {\"city\":\"Bern\"}\n", "Let me look.", "", bern()),
        // What stands behind a call is invented.
        (
            "Action: weather\nAction Input: {\"city\":\"Bern\"}\nObservation: 20°\nFinal Answer: 20°",
            "",
            "",
            bern(),
        ),
        ("Action: weather\nAction Input: {\"city\":\"Bern\"}\nFinal Answer: 20°", "", "", bern()),
        (
            "Action: weather\nAction Input: {\"city\":\"Bern\"} and so on\nAction: get_time\nAction Input: {}",
            "",
            "",
            bern(),
        ),
        (
            "Action: weather\nAction Input: {\"city\":\"Bern\"}\nObservation: x\nAction: rm\nAction Input: {}",
            "",
            "",
            bern(),
        ),
        // Two calls in a row are two calls.
        (
            "Action: weather\nAction Input: {\"city\":\"Bern\"}\n\nAction: get_time\nAction Input: {}",
            "",
            "",
            vec![call("weather", r#"{"city":"Bern"}"#), call("get_time", "{}")],
        ),
        // Decoration.
        ("**Thought:** hm\n**Action:** `weather`\n**Action Input:** {\"city\":\"Bern\"}", "", "hm", bern()),
        ("### Thought 1: hm\nACTION 1 : weather\naction input 1: {\"city\":\"Bern\"}", "", "hm", bern()),
        ("Action：weather\nAction Input：{\"city\":\"Bern\"}", "", "", bern()),
        ("Action: weather Action Input: {\"city\":\"Bern\"}", "", "", bern()),
        ("Action: weather\n{\"city\":\"Bern\"}\nthen", "", "", bern()),
        ("Action: weather\nAction Input:\n```json\n{\"city\":\"Bern\"}\n```\n", "", "", bern()),
        ("Action: weather\n```\n{\"city\":\"Bern\"}\n```\nObservation:", "", "", bern()),
        ("Action: weather()\r\nAction Input: {\"city\":\"Bern\"}\r\n", "", "", bern()),
        ("Action: \"weather\"\n\nAction Input:   \n\n {\"city\":\"Bern\"}", "", "", bern()),
        (
            "Action: weather\nAction Input: {\n  \"city\": \"a}\\\"{b\",\n  \"n\": [{}]\n}\nAction: x",
            "",
            "",
            vec![call("weather", "{\n  \"city\": \"a}\\\"{b\",\n  \"n\": [{}]\n}")],
        ),
        // No arguments.
        ("Action: get_time\nAction Input:", "", "", vec![call("get_time", "{}")]),
        ("Action: get_time\nAction Input: None\n", "", "", vec![call("get_time", "{}")]),
        ("Action: get_time\nAction Input: {}\n", "", "", vec![call("get_time", "{}")]),
        // Not clear: these are answered with an error.
        ("Action: weather", "", "", vec![unclear("weather")]),
        ("Action: weather\nFinal Answer: sunny", "", "", vec![unclear("weather")]),
        ("Action: Weather\nAction: get_time\nAction Input: {}", "", "", vec![unclear("Weather")]),
        ("Action: weather\nAction Input: Bern\nObservation: 20", "", "", vec![call("weather", "Bern")]),
        ("Action: weather\nAction Input: {\"city\": \"Be", "", "", vec![call("weather", "{\"city\": \"Be")]),
        ("Action: rm\nAction Input: {\"all\":true}", "", "", vec![call("rm", "{\"all\":true}")]),
        // No call at all.
        ("Action: None\nFinal Answer: hi", "Action: None\nhi", "", vec![]),
        (
            "To do:\nAction: call the bank\nThen rest.",
            "To do:\nAction: call the bank\nThen rest.",
            "",
            vec![],
        ),
        ("Action: call the bank\n\n", "Action: call the bank", "", vec![]),
        (
            "Final Answer: do this:\nAction: weather\nAction Input: {}",
            "do this:\nAction: weather\nAction Input: {}",
            "",
            vec![],
        ),
        ("The report.\nObservation: it is cold.\n", "The report.\nObservation: it is cold.", "", vec![]),
        ("I say Action: weather\nAction Input: {}", "I say Action: weather\nAction Input: {}", "", vec![]),
        ("Actions: weather\nActionable", "Actions: weather\nActionable", "", vec![]),
        ("Thoughtful: yes", "Thoughtful: yes", "", vec![]),
        // What a model thinks aloud is no call.
        (
            "<think>\nAction: weather\nAction Input: {}\n</think>\n\nHi",
            "Hi",
            "Action: weather\nAction Input: {}",
            vec![],
        ),
        (" <think>a<b</think>Action: weather\nAction Input: {\"city\":\"Bern\"}", "", "a<b", bern()),
        ("<think>never ends\nAction: weather", "", "never ends\nAction: weather", vec![]),
        ("<thin ice", "<thin ice", "", vec![]),
        (
            "Thought: hm\n  <think>\nAction: rm\nAction Input: {}\n</think>\nAction: weather\nAction Input: {\"city\":\"Bern\"}",
            "",
            "hm\n\nAction: rm\nAction Input: {}",
            bern(),
        ),
        (
            "<think>a</think>\n<think>\nAction: rm\nAction Input: {}\n</think>Hi",
            "Hi",
            "a\nAction: rm\nAction Input: {}",
            vec![],
        ),
        (
            "Well <think>\nAction: rm\nAction Input: {}\n</think> yes\nAction: weather\nAction Input: {\"city\":\"Bern\"}",
            "Well <think>\nAction: rm\nAction Input: {}\n</think> yes",
            "",
            bern(),
        ),
        // Nor what it quotes, lists, or shows as code.
        (
            "It says:\n> Action: rm\n> Action Input: {}\nShall I?",
            "It says:\n> Action: rm\n> Action Input: {}\nShall I?",
            "",
            vec![],
        ),
        (
            "```\nAction: rm\nAction Input: {}\nFinal Answer: x\n```\nLike this.",
            "```\nAction: rm\nAction Input: {}\nFinal Answer: x\n```\nLike this.",
            "",
            vec![],
        ),
        (
            "Write: ```\n\nAction: rm\nAction Input: {}",
            "Write: ```\n\nAction: rm\nAction Input: {}",
            "",
            vec![],
        ),
        (
            "```json\n{}\n```\nAction: weather\nAction Input: {\"city\":\"Bern\"}",
            "```json\n{}\n```",
            "",
            bern(),
        ),
        ("* Action: rm\n* Action Input: {}", "* Action: rm\n* Action Input: {}", "", vec![]),
        ("- Action: rm\n- Action Input: {}", "- Action: rm\n- Action Input: {}", "", vec![]),
        ("# Action: rm\n# Action Input: {}", "# Action: rm\n# Action Input: {}", "", vec![]),
        ("`Action: rm`\n`Action Input: {}`", "`Action: rm`\n`Action Input: {}`", "", vec![]),
        (
            "So:\n    Action: rm\n    Action Input: {}",
            "So:\n    Action: rm\n    Action Input: {}",
            "",
            vec![],
        ),
        ("So:\n\tAction: rm\n\tAction Input: {}", "So:\n\tAction: rm\n\tAction Input: {}", "", vec![]),
        ("Action: weather\n> Action Input: {\"city\":\"Bern\"}", "", "", vec![unclear("weather")]),
        ("   ## **Action:** weather\nAction Input: {\"city\":\"Bern\"}", "", "", bern()),
    ]
}

#[test]
fn thoughts_calls_and_answers_are_told_apart() {
    for (text, visible, thoughts, calls) in table() {
        let expected = TextReading { text: visible.to_owned(), thoughts: thoughts.to_owned(), calls };
        assert_eq!(read([text], false), expected, "{text:?}");
    }
}

#[test]
fn no_cut_changes_what_a_text_says() {
    for (text, ..) in table() {
        let whole = read([text], false);
        let chars: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(read(chars.iter().map(String::as_str), false), whole, "{text:?} by characters");
        for at in text.char_indices().map(|(at, _)| at) {
            let (a, b) = text.split_at(at);
            assert_eq!(read([a, b], false), whole, "{a:?} | {b:?}");
        }
    }
}

#[test]
fn behind_an_action_without_arguments_nothing_is_shown() {
    let call = || vec![TextCall { name: "weather".to_owned(), args: None }];
    for pieces in [vec!["Action:weather\n<think>"], vec!["Action:weather\n<", "think>"]] {
        let reading = TextReading { text: String::new(), thoughts: String::new(), calls: call() };
        assert_eq!(read(pieces.iter().copied(), false), reading, "{pieces:?}");
    }
}

/// A model that is stuck writes one sign over and over, and each comes as a piece of its own.
#[test]
fn signs_that_could_still_become_a_mark_cost_no_more_than_others() {
    let time = |lead: &str, sign: &str, count: usize| {
        let started = std::time::Instant::now();
        let mut reader = TextReader::new(Vec::new());
        reader.push(lead);
        for _ in 0..count {
            reader.push(sign);
        }
        reader.finish(false);
        started.elapsed().as_secs_f64() / count as f64
    };
    let table = [
        ("hello\n", "*"),
        ("hello\n", "#"),
        ("hello\n", "`"),
        ("hello\n", " "),
        ("", " "),
        ("hello\n", "    "),
        ("", "\u{a0}"),
        ("**Action", " "),
        ("Action:", " "),
        ("Thought:", "*"),
        ("action input ", "1"),
        ("Action: look\n", " "),
        ("Action: look\nAction Input:", " "),
        ("Action: look\nAction Input:", "\n"),
        ("Action: look\nAction Input: ", "`"),
        ("Action: look\nAction Input: ```json", " "),
        ("<think>", "<"),
        ("hello <think>", "<"),
    ];
    for (lead, sign) in table {
        // Other programs run too, so the best run counts; quadratic time would be thirty times as much in each.
        let few = (0..10).map(|_| time(lead, sign, 200)).fold(f64::MAX, f64::min);
        assert!((0..10).any(|_| time(lead, sign, 6_000) < few * 12.0), "{lead:?} {sign:?}");
    }
}

/// The token limit, or a model that stops: what is not whole never becomes a call that could run.
#[test]
fn a_call_that_was_cut_off_has_no_arguments_that_could_be_read() {
    let text = "Thought: hm\nAction: weather\nAction Input: {\"city\":\"Bern\",\"days\":[1,2]}";
    for at in 0..text.len() {
        for call in read([&text[..at]], true).calls {
            let runs = call.args.is_some_and(|args| crate::json::Json::parse(&args).is_ok());
            assert!(!runs, "{:?}", &text[..at]);
        }
    }
    assert_eq!(read([text], true).calls.len(), 1);
}

proptest! {
    #[test]
    fn any_text_in_any_pieces_says_the_same(
        parts in prop::collection::vec(
            prop_oneof![
                Just("Action:".to_owned()), Just("Action Input:".to_owned()), Just("\n".to_owned()),
                Just("Observation:".to_owned()), Just("Final Answer:".to_owned()), Just("Thought:".to_owned()),
                Just("weather".to_owned()), Just("{\"a\":".to_owned()), Just("}".to_owned()), Just("```".to_owned()),
                Just("<think>".to_owned()), Just("</think>".to_owned()), Just("json".to_owned()), Just(" ".to_owned()),
                Just("    ".to_owned()), Just("##".to_owned()), Just("> ".to_owned()), Just("**".to_owned()),
                Just("````".to_owned()), Just("~~~".to_owned()), Just("********".to_owned()), Just("1".to_owned()),
                "[a-z*#_`{}\"\\\\\n é]{0,4}",
            ],
            0..24,
        ),
        size in 1usize..5,
    ) {
        let text = parts.concat();
        let whole = read([text.as_str()], false);
        let chars: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(|chunk| chunk.iter().collect()).collect();
        prop_assert_eq!(read(pieces.iter().map(String::as_str), false), whole);
    }
}

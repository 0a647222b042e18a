//! The event-stream grammar of the WHATWG standard as a table, each case whole, in every two-way split and byte by byte.

use crate::support::work_time::work_time;
use glove_wasm::sse::{SseDecoder, SseEvent};
use proptest::prelude::*;

/// Events as `(name, data, id)`, and the reconnection time.
type Seen = (Vec<(String, String, String)>, Option<u64>);

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Seen {
    let mut events = Vec::new();
    let mut decoder = SseDecoder::default();
    let mut on = |e: SseEvent<'_>| {
        if !e.unterminated {
            events.push((e.name.to_owned(), e.data.to_owned(), e.id.to_owned()));
        }
    };
    for chunk in chunks {
        decoder.push(chunk, &mut on).unwrap();
    }
    decoder.finish(&mut on).unwrap();
    (events, decoder.retry())
}

struct Case {
    name: &'static str,
    input: &'static [u8],
    events: &'static [(&'static str, &'static str, &'static str)],
    retry: Option<u64>,
}

const fn case(
    name: &'static str,
    input: &'static [u8],
    events: &'static [(&'static str, &'static str, &'static str)],
) -> Case {
    Case { name, input, events, retry: None }
}

const CASES: &[Case] = &[
    case("nothing", b"", &[]),
    case("only blank lines", b"\n\n\r\n\r\r", &[]),
    case("one line of data", b"data: a\n\n", &[("", "a", "")]),
    case("no space after the colon", b"data:a\n\n", &[("", "a", "")]),
    case("only one space is dropped", b"data:  a\n\n", &[("", " a", "")]),
    case("a tab is not dropped", b"data:\ta\n\n", &[("", "\ta", "")]),
    case("trailing spaces stay", b"data: a  \n\n", &[("", "a  ", "")]),
    case("two lines of data", b"data: a\ndata: b\n\n", &[("", "a\nb", "")]),
    case("three lines, one without colon", b"data: a\ndata\ndata: c\n\n", &[("", "a\n\nc", "")]),
    case("data without a colon is an empty line", b"data\n\n", &[("", "", "")]),
    case("two of them are one line end", b"data\ndata\n\n", &[("", "\n", "")]),
    case("data with a colon only", b"data:\n\n", &[("", "", "")]),
    case("data with a colon and a space", b"data: \n\n", &[("", "", "")]),
    case("CR ends lines", b"data: a\rdata: b\r\r", &[("", "a\nb", "")]),
    case("CRLF ends lines", b"data: a\r\ndata: b\r\n\r\n", &[("", "a\nb", "")]),
    case("all three mixed", b"data: a\rdata: b\r\ndata: c\n\r", &[("", "a\nb\nc", "")]),
    case("LF CR is two line ends", b"data: a\n\rdata: b\n\n", &[("", "a", ""), ("", "b", "")]),
    case("CRLF CR LF is one blank line", b"data: a\r\n\r\ndata: b\n\n", &[("", "a", ""), ("", "b", "")]),
    case("a vertical tab ends nothing", b"data: a\x0Bb\n\n", &[("", "a\x0Bb", "")]),
    case("U+2028 ends nothing", "data: a\u{2028}b\n\n".as_bytes(), &[("", "a\u{2028}b", "")]),
    case("U+0085 ends nothing", "data: a\u{85}b\n\n".as_bytes(), &[("", "a\u{85}b", "")]),
    case("a name", b"event: x\ndata: a\n\n", &[("x", "a", "")]),
    case("the last name counts", b"event: x\nevent: y\ndata: a\n\n", &[("y", "a", "")]),
    case("an empty name resets", b"event: x\nevent\ndata: a\n\n", &[("", "a", "")]),
    case("a name after the data", b"data: a\nevent: x\n\n", &[("x", "a", "")]),
    case("a name holds for one event", b"event: x\ndata: a\n\ndata: b\n\n", &[("x", "a", ""), ("", "b", "")]),
    case("a name without data is forgotten", b"event: x\n\ndata: b\n\n", &[("", "b", "")]),
    case("a name keeps inner spaces", b"event:  x y \ndata: a\n\n", &[(" x y ", "a", "")]),
    case("an id stays for later events", b"id: 1\ndata: a\n\ndata: b\n\n", &[("", "a", "1"), ("", "b", "1")]),
    case("an id without data counts later", b"id: 7\n\ndata: b\n\n", &[("", "b", "7")]),
    case("an empty id resets", b"id: 1\ndata: a\n\nid\ndata: b\n\n", &[("", "a", "1"), ("", "b", "")]),
    case("an id with U+0000 is ignored", b"id: 1\nid: 2\x003\ndata: a\n\n", &[("", "a", "1")]),
    case("an id after the data", b"data: a\nid: 9\n\n", &[("", "a", "9")]),
    case("a comment", b": hello\ndata: a\n\n", &[("", "a", "")]),
    case("an empty comment", b":\n\n:\ndata: a\n:\n\n", &[("", "a", "")]),
    case("a comment inside the data", b"data: a\n: no\ndata: b\n\n", &[("", "a\nb", "")]),
    case("comments alone are no event", b": PROCESSING\n\n: PROCESSING\n\n", &[]),
    case("a comment that looks like data", b":data: a\n\n", &[]),
    case("an unknown field", b"foo: bar\ndata: a\n\n", &[("", "a", "")]),
    case("a field name with a space before it", b" data: a\n\n", &[]),
    case("a field name with a space after it", b"data : a\n\n", &[]),
    case("field names have their case", b"Data: a\nDATA: b\n\n", &[]),
    case("a line without a colon", b"a line\ndata: a\n\n", &[("", "a", "")]),
    case("a longer field name", b"dataset: a\n\n", &[]),
    case("colons in the value", b"data: a: b:c\n\n", &[("", "a: b:c", "")]),
    case("a leading colon in the value", b"data::a\n\n", &[("", ":a", "")]),
    case("U+0000 in the data stays", b"data: a\x00b\n\n", &[("", "a\0b", "")]),
    case("one byte order mark", b"\xEF\xBB\xBFdata: a\n\n", &[("", "a", "")]),
    case("two byte order marks", b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\ndata: b\n\n", &[("", "b", "")]),
    case(
        "a byte order mark later",
        b"data: a\n\n\xEF\xBB\xBFdata: b\n\ndata: c\n\n",
        &[("", "a", ""), ("", "c", "")],
    ),
    case("a byte order mark in the data", b"data: \xEF\xBB\xBFa\n\n", &[("", "\u{FEFF}a", "")]),
    case("half a byte order mark", b"\xEF\xBBdata: a\n\ndata: b\n\n", &[("", "b", "")]),
    case("only a byte order mark", b"\xEF\xBB\xBF", &[]),
    case("a byte order mark and a blank line", b"\xEF\xBB\xBF\ndata: a\n\n", &[("", "a", "")]),
    case("characters of every length", "data: aß東🎉\n\n".as_bytes(), &[("", "aß東🎉", "")]),
    case("a bad byte is replaced", b"data: a\xFFb\n\n", &[("", "a\u{FFFD}b", "")]),
    case("a cut character is one replacement", b"data: \xF0\x9F\x8E\n\n", &[("", "\u{FFFD}", "")]),
    case(
        "an overlong form is one replacement a byte",
        b"data: \xC0\xAF\n\n",
        &[("", "\u{FFFD}\u{FFFD}", "")],
    ),
    case(
        "a surrogate is three replacements",
        b"data: \xED\xA0\x80\n\n",
        &[("", "\u{FFFD}\u{FFFD}\u{FFFD}", "")],
    ),
    case("the data of an unfinished event is dropped", b"data: a\n\ndata: b\n", &[("", "a", "")]),
    case("an unfinished line is dropped", b"data: a\n\ndata: b", &[("", "a", "")]),
    case("one blank line more", b"\ndata: a\n\n\n\ndata: b\n\n", &[("", "a", ""), ("", "b", "")]),
    Case { name: "retry", input: b"retry: 300\n\n", events: &[], retry: Some(300) },
    Case { name: "retry with letters", input: b"retry: 300\nretry: 3x\n\n", events: &[], retry: Some(300) },
    Case { name: "a negative retry", input: b"retry: -3\n\n", events: &[], retry: None },
    Case { name: "an empty retry", input: b"retry: 5\nretry\nretry:\n\n", events: &[], retry: Some(5) },
    Case { name: "retry without a space", input: b"retry:12\r\r", events: &[], retry: Some(12) },
    Case { name: "retry with two spaces", input: b"retry:  12\n\n", events: &[], retry: None },
];

fn owned(case: &Case) -> Seen {
    let events = case.events.iter().map(|(n, d, i)| ((*n).into(), (*d).into(), (*i).into())).collect();
    (events, case.retry)
}

#[test]
fn every_case_of_the_table_holds_however_the_bytes_are_cut() {
    assert!(CASES.len() >= 50, "{}", CASES.len());
    for case in CASES {
        let expected = owned(case);
        assert_eq!(decode([case.input]), expected, "{}", case.name);
        assert_eq!(decode(case.input.chunks(1)), expected, "{} byte by byte", case.name);
        for at in 0..=case.input.len() {
            let (a, b) = case.input.split_at(at);
            assert_eq!(decode([a, b]), expected, "{} cut at {at}", case.name);
            assert_eq!(decode([a, &b""[..], b]), expected, "{} with an empty chunk at {at}", case.name);
        }
    }
}

#[test]
fn one_huge_event_in_small_pieces_takes_linear_time() {
    let time = |size: usize| {
        let text = format!("data: {}\n\n", "x".repeat(size));
        let took = work_time(|| {
            assert_eq!(decode(text.as_bytes().chunks(4096)).0.first().map(|e| e.1.len()), Some(size));
        });
        took.as_secs_f64() / size as f64
    };
    // The best of a few runs, since other programs run too; quadratic time would be fifteen times as much.
    let best = |size: usize| (0..4).map(|_| time(size)).fold(f64::MAX, f64::min);
    let (small, large) = (best(1 << 20), best(15 << 20));
    assert!(large < small * 7.0, "{large} s a byte against {small}");
}

fn stream_text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"data".to_vec()),
        Just(b"data: ".to_vec()),
        Just(b"event: ".to_vec()),
        Just(b"id:".to_vec()),
        Just(b"retry: 1".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b":".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        Just("🎉".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_events(text in stream_text(), cuts in proptest::collection::vec(1usize..9, 0..60)) {
        let mut chunks = Vec::new();
        let mut rest = text.as_slice();
        for cut in cuts {
            let (head, tail) = rest.split_at(cut.min(rest.len()));
            chunks.push(head);
            rest = tail;
        }
        chunks.push(rest);
        prop_assert_eq!(decode(chunks), decode([text.as_slice()]));
    }
}

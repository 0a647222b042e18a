//! Streams recorded from providers, whole, cut and bent; skipped where the recordings are not there.

use crate::support::streams::{
    Recording, Transcript, decode, differences, end_statement, event_ends, mutations, recordings, with_lf,
};

fn whole(recording: &Recording) -> Transcript {
    decode(recording.format, [recording.bytes.as_slice()])
}

#[test]
fn every_recording_gives_its_expected_facts() {
    let all = recordings();
    let mut failed = 0;
    for recording in &all {
        let wrong = differences(&whole(recording), &recording.expected);
        failed += usize::from(!wrong.is_empty());
        for line in wrong {
            eprintln!("{}: {line}", recording.name);
        }
    }
    assert_eq!(failed, 0, "of {}", all.len());
    eprintln!("{} streams", all.len());
}

/// What the cuts may not change. Batches differ, their sum does not.
#[test]
fn every_two_way_split_and_every_single_byte_give_the_same_transcript() {
    let mut splits = 0;
    for recording in recordings() {
        let expected = whole(&recording);
        let bytes = recording.bytes.as_slice();
        for size in [1, 2, 3, 7, 64, 1024] {
            assert_eq!(
                decode(recording.format, bytes.chunks(size)),
                expected,
                "{} by {size}",
                recording.name
            );
        }
        let step = if bytes.len() <= 4096 { 1 } else { bytes.len() / 200 + 1 };
        for at in (0..=bytes.len()).step_by(step) {
            let (a, b) = bytes.split_at(at);
            assert_eq!(decode(recording.format, [a, b]), expected, "{} cut at {at}", recording.name);
            splits += 1;
        }
    }
    eprintln!("{splits} splits");
}

#[test]
fn bent_streams_give_the_same_transcript() {
    for recording in recordings() {
        // What an unfinished last event adds is in the outcome only, so the deltas may be fewer.
        let facts = |mut transcript: Transcript| {
            transcript.shown = Default::default();
            transcript
        };
        let expected = facts(whole(&recording));
        for (name, bytes) in mutations(recording.format, &recording.bytes) {
            for size in [usize::MAX, 1, 5] {
                let chunks = bytes.chunks(size.min(bytes.len().max(1)));
                assert_eq!(facts(decode(recording.format, chunks)), expected, "{}: {name}", recording.name);
            }
        }
    }
}

#[test]
fn a_stream_cut_before_its_end_statement_is_never_answered() {
    let (mut cuts, mut byte_cuts) = (0, 0);
    for recording in recordings() {
        let bytes = with_lf(&recording.bytes).into_bytes();
        let ends = event_ends(&bytes);
        let end = end_statement(recording.format, &bytes);
        // Without an end statement the whole stream is a cut one.
        let before = end.map_or(bytes.len(), |event| match event {
            0 => 0,
            event => ends.get(event - 1).copied().unwrap_or(bytes.len()),
        });
        let never = |cut: &[u8], what: &str| {
            let found = decode(recording.format, [cut]);
            assert!(!found.answered && found.calls.is_empty(), "{}: {what} {}", recording.name, cut.len());
        };
        never(&[], "empty");
        for at in ends.iter().copied().filter(|at| *at <= before) {
            never(&bytes[..at], "event");
            cuts += 1;
        }
        // The last byte cuts reach into the end statement itself, up to its closing brace.
        let closing = |end: usize| bytes[..end].iter().rposition(|byte| *byte == b'}');
        let last = end.and_then(|event| ends.get(event)).and_then(|end| closing(*end)).unwrap_or(before);
        for at in (0..last).step_by(last / 200 + 1) {
            never(&bytes[..at], "byte");
            byte_cuts += 1;
        }
    }
    eprintln!("{cuts} cuts between events, {byte_cuts} inside");
}

/// What a proxy sends twice makes no further call out of one that has an id: it would run twice.
#[test]
fn an_event_that_is_sent_twice_makes_no_call_twice() {
    let mut doubled = 0;
    for recording in recordings() {
        let (bytes, once) = (recording.bytes.as_slice(), whole(&recording));
        let ids = |transcript: &Transcript| {
            transcript.calls.iter().filter_map(|call| call.id.clone()).collect::<Vec<_>>()
        };
        let mut from = 0;
        for end in event_ends(bytes) {
            let (before, event, behind) = (&bytes[..from], &bytes[from..end], &bytes[end..]);
            let twice = decode(recording.format, [before, event, event, behind]);
            if twice.answered && once.answered {
                let event = String::from_utf8_lossy(event);
                assert_eq!(ids(&twice), ids(&once), "{}: {event}", recording.name);
                doubled += 1;
            }
            from = end;
        }
    }
    eprintln!("{doubled} events sent twice");
}

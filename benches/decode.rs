//! What a stream costs, from bytes to deltas, and a screen's preview of streamed arguments.
#![allow(clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glove_wasm::json::partial::PartialJson;
use glove_wasm::providers::{Decoder, Format};

const EVENTS: u64 = 50_000;

fn stream(event: &str, end: &str) -> Vec<u8> {
    let mut text = event.repeat(EVENTS as usize);
    text.push_str(end);
    text.into_bytes()
}

fn decode(criterion: &mut Criterion) {
    let table = [
        (
            "anthropic",
            Format::Anthropic,
            stream(
                "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" word\"}   }\n\n",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
            ),
        ),
        (
            "openai_chat",
            Format::OpenAiChat,
            stream(
                "data: {\"id\":\"chatcmpl-0123456789\",\"object\":\"chat.completion.chunk\",\"created\":1721075653,\"model\":\"some-model\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n",
                "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
            ),
        ),
        ("endpoint", Format::Endpoint, stream("data: {\"type\":\"text_delta\",\"text\":\" word\"}\n\n", "")),
    ];
    let mut group = criterion.benchmark_group("decode 50,000 events");
    group.throughput(Throughput::Elements(EVENTS)).sample_size(10);
    for (name, format, bytes) in &table {
        for size in [1024, 65_536] {
            group.bench_function(format!("{name} in chunks of {size}"), |bencher| {
                bencher.iter(|| {
                    let mut decoder = Decoder::new(*format, Vec::new());
                    let deltas: usize = bytes.chunks(size).map(|chunk| decoder.push(chunk).len()).sum();
                    (deltas, decoder.finish())
                });
            });
        }
    }
    group.finish();
}

fn arguments(criterion: &mut Criterion) {
    let mut text = "{\"items\":[".to_owned();
    while text.len() < 65_536 {
        text.push_str(r#"{"id":1,"name":"some name","tags":["a","b"],"in":{"deep":{"deeper":true}}},"#);
    }
    text.push_str("null]}");
    criterion.bench_function("64 KiB of arguments in deltas of 8", |bencher| {
        bencher.iter(|| {
            let (mut parser, mut patches) = (PartialJson::new(), Vec::new());
            for delta in text.as_bytes().chunks(8) {
                parser.push(std::str::from_utf8(delta).unwrap(), &mut patches);
            }
            patches.len()
        });
    });
}

criterion_group!(benches, decode, arguments);
criterion_main!(benches);

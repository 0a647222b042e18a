//! What the server counts, in the text format of Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use glove_wasm::event::Event;

#[derive(Debug, Default)]
pub(super) struct Metrics {
    pub connections: AtomicU64,
    /// Connections beyond those that may be open.
    pub turned_away: AtomicU64,
    pub requests: AtomicU64,
    /// Requests that were answered with an error.
    pub refused: AtomicU64,
    /// Requests that another server answered.
    pub passed_on: AtomicU64,
    pub streams: AtomicU64,
    pub sessions: AtomicU64,
    model_calls: AtomicU64,
    tool_calls: AtomicU64,
    tokens_in: AtomicU64,
    tokens_out: AtomicU64,
}

/// Counted down when it goes.
pub(super) struct Counted<'a>(&'a AtomicU64);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) fn counted(gauge: &AtomicU64) -> Counted<'_> {
    gauge.fetch_add(1, Ordering::Relaxed);
    Counted(gauge)
}

pub(super) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

impl Metrics {
    pub(super) fn note(&self, event: &Event) {
        match event {
            Event::ToolUse { .. } => self.tool_called(),
            Event::TokenConsumption { consumption } => {
                self.model_answered(consumption.tokens_in, consumption.tokens_out);
            }
            _ => {}
        }
    }

    pub(super) fn tool_called(&self) {
        add(&self.tool_calls, 1);
    }

    pub(super) fn model_answered(&self, tokens_in: u64, tokens_out: u64) {
        add(&self.model_calls, 1);
        add(&self.tokens_in, tokens_in);
        add(&self.tokens_out, tokens_out);
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (name, kind, about, value) in [
            ("glove_connections", "gauge", "Open connections", &self.connections),
            (
                "glove_connections_turned_away_total",
                "counter",
                "Connections beyond the limit",
                &self.turned_away,
            ),
            ("glove_streams", "gauge", "Open event streams", &self.streams),
            ("glove_sessions", "gauge", "Sessions that are open", &self.sessions),
            ("glove_requests_total", "counter", "Requests", &self.requests),
            ("glove_requests_refused_total", "counter", "Requests answered with an error", &self.refused),
            (
                "glove_requests_passed_on_total",
                "counter",
                "Requests that another server answered",
                &self.passed_on,
            ),
            ("glove_model_calls_total", "counter", "Answers of the model", &self.model_calls),
            ("glove_tool_calls_total", "counter", "Calls of tools", &self.tool_calls),
            ("glove_tokens_in_total", "counter", "Tokens read by the model", &self.tokens_in),
            ("glove_tokens_out_total", "counter", "Tokens written by the model", &self.tokens_out),
        ] {
            let value = value.load(Ordering::Relaxed);
            let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value}");
        }
        text
    }
}

//! What the core writes for JavaScript: one example of each form, with every field, as a TypeScript file. The compiler of
//! TypeScript holds it against the types (`npm run check -- types`): a field that only one side knows fails here or there.
//! The other way, what JavaScript gives to the core, is in tests/it/wire/run_inputs.rs.
//! After a change that is meant, `WRITE_FIXTURE=1 cargo test --test it core_says` writes it anew.

use std::fmt::Write as _;

use crate::support::machine::json;
use glove_wasm::display::{Slot, SlotStatus};
use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::event::{Question, QuestionKind};
use glove_wasm::message::{
    ContentPart, ContentSource, Extra, KeptRange, Message, Sender, SideOutput, Task, ToolCall, ToolResult,
    ToolResultData, ToolStatus, Usage,
};
use glove_wasm::run::PhaseName;
use glove_wasm::run::input::Reply;
use glove_wasm::run::views::timeline::{EntryStatus, TimelineEntry, ToolEntry};
use serde::Serialize;

const HEAD: &str = r#"// What the core writes, one example of each form with every field. Written by tests/it/wire/core_says.rs; do not edit.
import type { Message, RunModelError, RunReply, Task, TimelineEntry, ToolEntry, ToolResultData } from "glove-wasm";
import type { CoreEvent, CoreQuestion, CoreSlot } from "../../js/src/wasm/core-api.js";
import type { Full, Whole } from "../types/full.js";

"#;

#[test]
fn the_types_of_javascript_say_what_the_core_writes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/core-says.ts");
    let mut said = HEAD.to_owned();
    examples(&mut said, "messages", "Message", &[message()]);
    examples(&mut said, "replies", "RunReply", &[reply()]);
    examples(&mut said, "modelErrors", "RunModelError", &[model_error()]);
    examples(&mut said, "entries", r#"TimelineEntry, "title""#, &entries());
    examples(&mut said, "slots", "CoreSlot", &[slot()]);
    examples(&mut said, "questions", "CoreQuestion", &[question()]);
    examples(&mut said, "tasks", "Task", &[task()]);
    words(&mut said, "toolStatus", r#"ToolResultData["status"]"#, &tool_statuses());
    words(&mut said, "entryStatus", r#"ToolEntry["status"]"#, &entry_statuses());
    words(&mut said, "slotStatus", r#"CoreSlot["status"]"#, &slot_statuses());
    words(&mut said, "questionKind", r#"CoreQuestion["kind"]"#, &question_kinds());
    words(
        &mut said,
        "phase",
        r#"Exclude<Extract<CoreEvent, { kind: "state" }>["phase"], "interrupted">"#,
        &phases(),
    );
    if std::env::var_os("WRITE_FIXTURE").is_some() {
        std::fs::write(path, &said).unwrap();
    }
    assert_eq!(said, std::fs::read_to_string(path).unwrap(), "WRITE_FIXTURE=1 writes it anew");
}

fn examples(out: &mut String, name: &str, of: &str, all: &[impl Serialize]) {
    writeln!(out, "export const {name} = [").unwrap();
    for one in all {
        writeln!(out, "  {},", serde_json::to_string(one).unwrap()).unwrap();
    }
    writeln!(out, "] satisfies readonly Full<{of}>[];\n").unwrap();
}

fn words(out: &mut String, name: &str, of: &str, all: &[impl Serialize]) {
    let list = serde_json::to_string(all).unwrap();
    writeln!(out, "export const {name} = {list} as const satisfies readonly ({of})[];").unwrap();
    writeln!(out, "export const {name}IsWhole: Whole<{of}, typeof {name}> = true;\n").unwrap();
}

/// Whatever a message can hold, in one: no real one has all of it.
fn message() -> Message {
    let source = ContentSource {
        kind: "base64".to_owned(),
        media_type: "image/png".to_owned(),
        data: text("QQ=="),
        url: text("https://example.com/a.png"),
        extra: Extra::default(),
    };
    Message {
        sender: Sender::User,
        id: text("r1.m1"),
        text: "Hi".to_owned(),
        content: Some(vec![ContentPart {
            kind: "image".to_owned(),
            text: text("a cat"),
            source: Some(source),
            extra: Extra::default(),
        }]),
        tool_results: Some(vec![result()]),
        tool_calls: Some(vec![ToolCall {
            tool_name: "add".to_owned(),
            input_args: json("{\"n\":1}"),
            id: text("c1"),
            unparsed_args: true,
            extra: Extra::default(),
        }]),
        is_compaction: true,
        is_compaction_request: true,
        is_skill_injection: true,
        pre_modified_text: text("/hi"),
        reasoning_content: text("because"),
        framework_context: text("inbox"),
        undone: vec!["c0".to_owned()],
        prompt_id: text("r1"),
        joins: text("r0"),
        partial: true,
        compaction_keeps: Some(KeptRange { back: 2, count: 1 }),
        replaces: Some(3),
        usage: Some(usage()),
        at: Some(1_700_000_000_000),
        extra: Extra::default(),
    }
}

fn result() -> ToolResult {
    ToolResult {
        tool_name: "add".to_owned(),
        call_id: text("c1"),
        result: ToolResultData {
            data: json("[1]"),
            status: ToolStatus::Success,
            message: text("added"),
            outcome: text("failed"),
            render_data: Some(json("{\"a\":1}")),
            summary: text("one"),
            generate_summary_args: Some(json("null")),
            extra: Extra::default(),
        },
        duration_ms: Some(5),
        input: Some(json(r#"{"a":1}"#)),
        outputs: Some(vec![SideOutput {
            kind: "file".to_owned(),
            summary: text("a list"),
            data: json("{}"),
            extra: Extra::default(),
        }]),
        slots: vec![slot()],
        extra: Extra::default(),
    }
}

fn reply() -> Reply {
    Reply { messages: vec![message()], usage: usage(), stop_reason: text("stop"), streamed: true }
}

fn model_error() -> ModelError {
    ModelError {
        kind: ModelErrorKind::RateLimit,
        code: text("TOO_OFTEN"),
        message: "Slow down.".to_owned(),
        status: Some(429),
        retryable: true,
        retry_after_ms: Some(1_000),
        request_id: text("req_1"),
        transient: true,
        provider_code: text("rate_limit_error"),
        media: true,
    }
}

fn usage() -> Usage {
    Usage { tokens_in: 10, tokens_out: 5, cache_creation: 1, cache_read: 2, reasoning: 3, cost: Some(0.25) }
}

fn entries() -> Vec<TimelineEntry> {
    let tool = ToolEntry {
        id: "c1".to_owned(),
        name: "add".to_owned(),
        input: json("{}"),
        status: EntryStatus::Success,
        output: text("1"),
        outcome: text("failed"),
        render_data: Some(json("{}")),
        duration_ms: Some(5),
        undone: true,
        reasoning: text("because"),
    };
    vec![
        TimelineEntry::User { id: "m1".to_owned(), text: "Hi".to_owned(), images: vec!["data:,".to_owned()] },
        TimelineEntry::AgentText {
            id: "m2".to_owned(),
            text: "Hi".to_owned(),
            partial: true,
            reasoning: text("hm"),
        },
        TimelineEntry::Tool(tool),
        TimelineEntry::Compaction { id: "m3".to_owned(), text: "They met.".to_owned() },
    ]
}

fn slot() -> Slot {
    Slot {
        id: "s1".to_owned(),
        renderer: "form".to_owned(),
        input: json("{}"),
        owner: text("c1"),
        waits: true,
        created_at: 7,
        status: SlotStatus::Pending,
        answer: Some(json("{}")),
    }
}

fn question() -> Question {
    Question {
        id: "q1".to_owned(),
        kind: QuestionKind::Permission,
        call_id: text("c1"),
        tool_name: text("rm"),
        input: json("{}"),
        reason: text("It costs."),
        asked_at: 7,
    }
}

fn task() -> Task {
    Task {
        id: "t1".to_owned(),
        content: "Do".to_owned(),
        active_form: "Doing".to_owned(),
        status: "pending".to_owned(),
        extra: Extra::default(),
    }
}

/// A word that is added does not compile without a line here.
fn tool_statuses() -> Vec<ToolStatus> {
    use ToolStatus::{Aborted, Error, Pending, Success};
    let is_stored = |status: &ToolStatus| match status {
        Success | Error | Aborted => true,
        // Only in projections.
        Pending => false,
    };
    [Success, Error, Aborted, Pending].into_iter().filter(is_stored).collect()
}

fn entry_statuses() -> [EntryStatus; 5] {
    use EntryStatus::{Aborted, Error, Pending, Running, Success};
    [Running, Pending, Success, Error, Aborted].map(|status| match status {
        Running | Pending | Success | Error | Aborted => status,
    })
}

fn slot_statuses() -> [SlotStatus; 3] {
    use SlotStatus::{Pending, Rejected, Resolved};
    [Pending, Resolved, Rejected].map(|status| match status {
        Pending | Resolved | Rejected => status,
    })
}

fn question_kinds() -> [QuestionKind; 4] {
    use QuestionKind::{Approval, Budget, Interrupted, Permission};
    [Permission, Approval, Interrupted, Budget].map(|kind| match kind {
        Permission | Approval | Interrupted | Budget => kind,
    })
}

fn phases() -> [&'static str; 7] {
    use PhaseName::{Compacting, Idle, Model, Paused, Tools, Undoing, Waiting};
    [Idle, Model, Compacting, Tools, Waiting, Undoing, Paused].map(|phase| match phase {
        Idle | Model | Compacting | Tools | Waiting | Undoing | Paused => phase.as_str(),
    })
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

//! Writes `js/src/wire`: the types that cross to JavaScript, from those of Rust.
//! After a change that is meant, `WRITE_FIXTURE=1 cargo test -p glove-wasm-tests --test it typescript` writes it anew.

use glove_wasm::error::ModelError;
use glove_wasm::event::{Question, Rule};
use glove_wasm::json::codec::ts::Ts;
use glove_wasm::message::{
    CallOutcome, ContentPart, InboxItem, Message, SideOutput, Slot, Source, Task, ToolCall, ToolResult,
    ToolResultData, Usage,
};
use glove_wasm::ports::{MOST_OUTPUT_BYTES, PermissionStatus};
use glove_wasm::prices::Price;
use glove_wasm::providers::attachments::{
    MOST_PIXELS, MOST_SOURCE_BYTES, MediaRules, SENTENCES, media_rules,
};
use glove_wasm::run::input::{Input, Issue, Reply, Validated, WhenBusy};
use glove_wasm::run::settings::{Budgets, Limits, Settings};
use glove_wasm::run::views::prompts::{Output, PromptRecord, TextOutput, ToolOutput};
use glove_wasm::run::views::timeline::{EntryError, TimelineEntry};
use glove_wasm::run::{Alternatives, PhaseName};
use glove_wasm::tool::ToolSpec;
use glove_wasm::wire::effect::{RunEffect, RunFinish};
use glove_wasm::wire::event::{CoreEvent, Patches};
use glove_wasm::wire::options::{HttpModelOptions, ModelOptions, PageTool, SessionOptions};
use glove_wasm::wire::outcome::{CoreError, CoreOutcome, CoreStep};

const RECORD: &str =
    "// The record's types, as they are stored and as models, stores and subscribers see them.";
const RUN: &str = r#"// What a run is given and what it gives.
import type { ToldFailure } from "../values/error.js";
import type { CallOutcome, Message, SideOutput, Source, Task, ToolResultData, Usage, WireInboxItem } from "./record.js";"#;

const CORE: &str = r#"// What crosses between the core and the page.
import type { ToldFailure } from "../values/error.js";
import type { Usage } from "./record.js";
import type { Budgets, CoreEntry, CorePhase, CoreQuestion, CoreSlot, Limits, RunReply, RunRule } from "./run-types.js";"#;
const TASKS: &str = r#"// What a task is given, what stands in its files, and what comes of it.
import type { ModelOptions, PageTool } from "./core-types.js";
import type { Message, Usage } from "./record.js";"#;
const ATTACHMENTS: &str =
    "// What a message may carry to each provider, and what a person is told of what does not fit.";

const VISIBLE: &str = "// Which characters can make a text look like another one.";

#[test]
fn the_rules_of_attachments_are_those_of_rust() {
    let mut rules = "/** By the name of a provider, or of a format where that is not the provider's own. */\nexport const mediaRules = {\n".to_owned();
    for (name, row) in media_rules() {
        let MediaRules { pictures, documents, files, edge, picture_bytes, message_bytes } = row;
        rules.push_str(&format!("  {name}: {{\n    pictures: {pictures:?},\n    documents:"));
        let documents = format!("{documents:?}");
        rules.push_str(if documents.len() > 114 { "\n      " } else { " " });
        rules.push_str(&documents);
        rules.push_str(&format!(
            ",\n    files: {files},\n    edge: {edge},\n    pictureBytes: {picture_bytes},\n    messageBytes: {message_bytes},\n  }},\n"
        ));
    }
    rules.push_str("} as const satisfies Record<string, MediaRules>;\n");
    let mut sentences = "/** By what is the matter. */\nexport const mediaSentences = {\n".to_owned();
    for (name, text) in SENTENCES {
        sentences.push_str(&format!("  {name}: {text:?},\n"));
    }
    sentences.push_str("} as const;\n");
    let most = format!(
        "/** What a page opens at most. */\nexport const mostPixels = {MOST_PIXELS};\nexport const mostSourceBytes = {MOST_SOURCE_BYTES};\n"
    );
    same("attachments.ts", ATTACHMENTS, &[MediaRules::declaration(), rules, most, sentences]);
}

#[test]
fn the_characters_that_are_shown_as_escapes_are_those_of_rust() {
    let rule = format!(
        "/** What it matches is shown as an escape, unless it is of the first group: that is written so in its script. */\nexport const misleading =\n  {};\n",
        glove_wasm::visible_text::pattern()
    );
    same("visible-text.ts", VISIBLE, &[rule]);
}

#[test]
fn the_types_of_typescript_are_those_of_rust() {
    let record = [
        Message::declaration(),
        Source::declaration(),
        ContentPart::declaration(),
        ToolCall::declaration(),
        ToolResult::declaration(),
        ToolResultData::declaration(),
        CallOutcome::declaration(),
        SideOutput::declaration(),
        Task::declaration(),
        glove_wasm::task_tool::TaskStatus::declaration(),
        InboxItem::declaration(),
        Usage::declaration(),
        PermissionStatus::declaration(),
    ];
    let run = [
        Settings::declaration(),
        ToolSpec::declaration(),
        Limits::declaration(),
        Budgets::declaration(),
        WhenBusy::declaration(),
        Input::declaration(),
        Issue::declaration(),
        Reply::declaration(),
        ModelError::declaration(),
        Validated::declaration(),
        Slot::declaration(),
        Question::declaration(),
        Rule::declaration(),
        TimelineEntry::declaration(),
        EntryError::declaration(),
        PromptRecord::declaration(),
        Output::declaration(),
        TextOutput::declaration(),
        ToolOutput::declaration(),
        Alternatives::declaration(),
        PhaseName::declaration(),
        RunEffect::declaration(),
        RunFinish::declaration(),
    ];
    same("record.ts", RECORD, &record);
    let core = [
        SessionOptions::declaration(),
        ModelOptions::declaration(),
        HttpModelOptions::declaration(),
        Price::declaration(),
        PageTool::declaration(),
        CoreEvent::declaration(),
        Patches::declaration(),
        CoreOutcome::declaration(),
        CoreError::declaration(),
        CoreStep::declaration(),
    ];
    same("run-types.ts", RUN, &run);
    let most = format!(
        "/** The most data that all outputs of a call may have together, in bytes of JSON. */\nexport const mostOutputBytes = {MOST_OUTPUT_BYTES};\n"
    );
    same("outputs.ts", "// How much a tool may show beside its result.", &[most]);
    same("core-types.ts", CORE, &core);
}

#[test]
fn the_types_of_tasks_are_those_of_rust() {
    use glove_wasm_task::memory::{MemoryEntry, MemoryQuery, MemoryScope, ScopeKind};
    use glove_wasm_task::wire::{
        LoopName, PageBinding, PageMemory, PageSkill, SkillParts, TaskAgentOptions, TaskRunOptions,
    };
    use glove_wasm_task::{
        ApprovalPolicy, ApprovalRequest, Budgets, ClientState, ClientTask, Deliverable, FinishReason,
        HistoryPolicy, Plan, PlanStep, SkillUse, StepReport, StepSpec, StepSummary, TaskEvent, TaskResult,
        TaskSpec, TaskState, TaskStatus, ToolCallReport, Verdict, prompt::StepPrompt,
    };

    let named = "/** What a person approves: a policy, or the name of one. */\nexport type TaskApprovals = ApprovalPolicy | \"strict\" | \"permissive\" | \"automatic\";\n";
    let all = [
        TaskSpec::declaration(),
        Budgets::declaration(),
        ApprovalPolicy::declaration(),
        named.to_owned(),
        HistoryPolicy::declaration(),
        TaskState::declaration(),
        SkillUse::declaration(),
        ClientState::declaration(),
        ClientTask::declaration(),
        TaskStatus::declaration(),
        FinishReason::declaration(),
        Plan::declaration(),
        PlanStep::declaration(),
        Verdict::declaration(),
        StepSpec::declaration(),
        StepSummary::declaration(),
        StepPrompt::declaration(),
        ApprovalRequest::declaration(),
        TaskEvent::declaration(),
        TaskResult::declaration(),
        Deliverable::declaration(),
        StepReport::declaration(),
        ToolCallReport::declaration(),
        ScopeKind::declaration(),
        MemoryScope::declaration(),
        MemoryEntry::declaration(),
        MemoryQuery::declaration(),
        PageBinding::declaration(),
        PageMemory::declaration(),
        PageSkill::declaration(),
        SkillParts::declaration(),
        LoopName::declaration(),
        TaskRunOptions::declaration(),
        TaskAgentOptions::declaration(),
    ];
    same("task-types.ts", TASKS, &all);
}

fn same(file: &str, head: &str, declarations: &[String]) {
    let path = format!("{}/../js/src/wire/{file}", env!("CARGO_MANIFEST_DIR"));
    let notice = "// Written by tests/it/typescript.rs from the types of Rust; do not edit.";
    let text = format!("{head}\n{notice}\n\n{}", declarations.join("\n"));
    if std::env::var_os("WRITE_FIXTURE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, written, "WRITE_FIXTURE=1 writes {file} anew");
}

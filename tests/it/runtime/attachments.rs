//! The files of a conversation as its tools reach them, as pages have them: the same list, ids and sentences.

use std::sync::{Arc, Mutex};

use glove_wasm::attachments::{AttachedBy, AttachmentError, Attachments};
use glove_wasm::json::Json;
use glove_wasm::message::{ContentPart, Message};
use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
use glove_wasm::runtime::Glove;
use glove_wasm::store::{MemoryStore, Transcript};
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_native::ImportOptions;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::native_sqlite::Folder;
use crate::support::runtime::*;

/// What a tool of a conversation with this record reaches.
fn attachments(messages: &[Message]) -> Attachments {
    let found: Arc<Mutex<Option<Attachments>>> = Arc::default();
    let gives = Arc::clone(&found);
    let look =
        Tool::new("look", "Looks.", json!({ "type": "object" }), move |_: Value, context: ToolContext| {
            *gives.lock().unwrap() = context.attachments().cloned();
            async { "looked" }
        });
    let record = json!({ "format": "glove-session", "version": 1, "id": "s", "messages": messages });
    let folder = Folder::new();
    let database = folder.database();
    let options = ImportOptions { id: None, with_run: false };
    block_on(database.import(Transcript::read(&record.to_string()).unwrap(), options)).unwrap();
    let store = database.store("s");
    let model = ScriptedModel::new([Line::call("look", "", json!({})), Line::text("Done.")]);
    let agent = Glove::builder(model).store(store).fold(look).build().unwrap();
    block_on(agent.process_request("Look.")).unwrap();
    found.lock().unwrap().take().unwrap()
}

#[derive(Deserialize)]
struct Case {
    messages: Json,
    list: Vec<Value>,
    texts: Map<String, Value>,
    refused: Map<String, Value>,
}

#[test]
fn files_of_messages_and_of_tools_are_listed_and_read_as_pages_do_it() {
    let case: Case = serde_json::from_str(include_str!("../../fixtures/attachments.json")).unwrap();
    let files = attachments(&case.messages.read::<Vec<Message>>().unwrap());
    let listed = files.list().into_iter().map(|one| {
        let from = if one.from == AttachedBy::Message { "message" } else { "tool" };
        let mut about = json!({
            "id": one.id, "name": one.name, "type": one.media_type, "size": one.size, "from": from
        });
        if let Some(url) = one.url {
            about["url"] = json!(url);
        }
        about
    });
    assert_eq!(listed.collect::<Vec<_>>(), case.list);
    for (id, text) in case.texts {
        assert_eq!(files.read(&id).unwrap().text().unwrap(), text.as_str().unwrap(), "{id}");
    }
    for (id, why) in case.refused {
        let read = files.read(&id).and_then(|file| file.bytes());
        assert_eq!(read.unwrap_err().to_string(), why.as_str().unwrap(), "{id}");
    }
    assert_eq!(files.read("paper.pdf").unwrap().bytes().unwrap(), [37, 80, 68, 70, 0, 255]);
    assert_eq!(files.read("paper.pdf").unwrap().text().unwrap(), "%PDF\0\u{fffd}");
}

fn file(name: &str, data: &str) -> ContentPart {
    let part = json!({
        "type": "document", "source": { "type": "base64", "media_type": "text/plain", "data": data },
        "file": { "name": name, "type": "text/plain", "size": 1 }
    });
    serde_json::from_value(part).unwrap()
}

#[test]
fn what_is_too_large_or_damaged_is_refused_with_a_code() {
    let mut message = Message::user("Look");
    let large = "YWFh".repeat(11 << 20);
    message.content = Some(vec![
        file("large.txt", &large),
        file("bad.txt", "a?b"),
        file("one.txt", "YQ"),
        file("half.txt", "YWFhY"),
        file("other.txt", "-_-_"),
    ]);
    let files = attachments(&[message]);
    let error = files.read("large.txt").unwrap_err();
    assert_eq!(error.code(), "ATTACHMENT_TOO_LARGE");
    assert!(error.to_string().contains("has 34603008 bytes, more than the 33554432 that"), "{error}");
    assert_eq!(files.read_within("large.txt", 40 << 20).unwrap().bytes().unwrap().len(), 33 << 20);
    for damaged in ["bad.txt", "half.txt"] {
        let error: AttachmentError = files.read(damaged).unwrap().text().unwrap_err();
        assert_eq!(error.code(), "FILE_UNREADABLE");
        assert!(error.to_string().contains("its content is damaged"), "{error}");
    }
    assert_eq!(files.read("one.txt").unwrap().text().unwrap(), "a");
    assert_eq!(files.read("other.txt").unwrap().bytes().unwrap(), [0xfb, 0xff, 0xbf]);
    assert_eq!(files.read("none").unwrap_err().code(), "ATTACHMENT_UNKNOWN");
}

#[test]
fn a_tool_reads_what_another_has_given_the_person_also_in_another_process() {
    let gives = Tool::new(
        "give",
        "Gives.",
        json!({ "type": "object" }),
        |_: Value, context: ToolContext| async move {
            context.file(
                "Sales",
                Json::from(json!({ "name": "sales.csv", "type": "text/csv", "data": "Myw0" })),
            )?;
            Ok::<_, ToolFailure>("given")
        },
    );
    let reads = Tool::new(
        "read",
        "Reads.",
        json!({ "type": "object" }),
        |_: Value, context: ToolContext| async move {
            let files = context.attachments().ok_or_else(|| ToolFailure::new("no files"))?;
            let ids: Vec<String> = files.list().into_iter().map(|one| one.id).collect();
            Ok::<_, ToolFailure>(format!("{ids:?}: {}", files.read("sales.csv")?.text()?))
        },
    );
    let store = MemoryStore::new("s");
    let mut said = Vec::new();
    for calls in [
        vec![Line::call("give", "c1", json!({})), Line::call("read", "c2", json!({}))],
        vec![Line::call("read", "c3", json!({}))],
    ] {
        let model = ScriptedModel::new(calls.into_iter().chain([Line::text("Done.")]));
        let agent = Glove::builder(model)
            .store(store.clone())
            .fold(gives.clone())
            .fold(reads.clone())
            .build()
            .unwrap();
        block_on(agent.process_request("Go.")).unwrap();
        let messages = agent.messages();
        let results = messages.iter().flat_map(|message| message.results());
        said.extend(results.last().unwrap().result.data.to_text());
    }
    assert_eq!(said, [r#"["c1.1"]: 3,4"#, r#"["c1.1"]: 3,4"#]);
}

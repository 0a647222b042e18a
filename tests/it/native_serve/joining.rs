//! What somebody sees who joins a session later: a wait for the model, and what requests before have failed with.

use std::pin::Pin;

use glove_wasm::ports::{AbortSignal, Delta, DeltaSink, ModelRequest};
use glove_wasm::run::input::Reply;

use super::*;

/// A model that is busy until the gate opens, and then gives up.
struct Busy(Gate);

impl ModelAdapter for Busy {
    fn name(&self) -> String {
        "busy".to_owned()
    }

    fn prompt(
        &self,
        _: ModelRequest<'_>,
        deltas: DeltaSink,
        _: AbortSignal,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send>> {
        let gate = self.0.clone();
        Box::pin(async move {
            deltas.send(Delta::Retry { code: "MODEL_RATE_LIMIT", wait_ms: 20_000 });
            gate.pass().await;
            Err(ModelError::new(ModelErrorKind::RateLimit, "too busy"))
        })
    }
}

#[test]
fn who_joins_while_a_busy_model_is_waited_for_is_told_until_when() {
    let (folder, gate) = (Folder::new(), Gate::new());
    let closed = gate.clone();
    let model = move || Ok(Arc::new(Busy(closed.clone())) as Arc<dyn ModelAdapter>);
    let running = Running::start(Server::new(folder.database(), model));
    let id = running.begin("hi");
    let waits = |told: &Value| {
        let events = told["events"].as_array().cloned().unwrap_or_default();
        events.into_iter().find(|event| event["type"] == "model_retry").map(|event| event["data"].clone())
    };
    let mut first = running.page(&id, None);
    let told = loop {
        if let Some(told) = waits(&first.next().unwrap().1) {
            break told;
        }
    };
    // What is sent meanwhile ends no wait.
    let path = format!("/api/sessions/{id}/messages");
    assert_eq!(running.json("POST", &path, Some(&json!({ "text": "again" }))).0, 202);
    let joined = waits(&running.page(&id, None).until_kind("all").1).unwrap();
    assert_eq!((&joined["code"], &joined["until"]), (&json!("MODEL_RATE_LIMIT"), &told["until"]));
    let left = joined["wait_ms"].as_u64().unwrap();
    assert!((1..=20_000).contains(&left), "{joined}");
    gate.open();
}

#[test]
fn who_joins_is_told_what_an_earlier_message_failed_with_in_words_for_clients() {
    let (folder, gate) = (Folder::new(), Gate::new());
    let failed = ModelError::new(ModelErrorKind::Server, "10.1.2.3 broke");
    let model = ScriptedModel::new([Line::failed_with(failed).after_gate(&gate), Line::deltas(["Fine."])]);
    let asked = model.clone();
    let running = Running::start(server(&folder, model));
    let id = running.begin("hi");
    until(|| asked.calls() > 0);
    let path = format!("/api/sessions/{id}");
    let sent = running.json("POST", &format!("{path}/messages"), Some(&json!({ "text": "again" })));
    assert_eq!(sent.0, 202);
    gate.open();
    until(|| running.json("GET", &path, None).1["messages"][2]["text"] == "Fine.");
    let (_, all) = running.page(&id, None).until_kind("all");
    let entries = &all["events"][0]["set"][0][1];
    let error = &entries[0]["error"];
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("MODEL_SERVER"), &json!("The model's provider failed."))
    );
    assert!(entries[1]["error"].is_null() && !all.to_string().contains("10.1.2.3"), "{all}");
}

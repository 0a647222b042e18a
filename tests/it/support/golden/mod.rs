//! The interpreter of golden sessions: one world of fakes, and the actions of the file in it.

mod ports;
mod scenario;
mod tools;

use std::sync::Arc;

use futures_executor::LocalPool;
use futures_util::task::LocalSpawnExt;
use glove_wasm::display::SlotStatus;
use glove_wasm::error::Error;
use glove_wasm::http::retry::Policy;
use glove_wasm::http::{HttpModel, HttpOptions};
use glove_wasm::message::Message;
use glove_wasm::ports::Clock;
use glove_wasm::providers::Format;
use glove_wasm::run::input::Answer;
use glove_wasm::run::settings::Settings;
use glove_wasm::runtime::{Parts, Prompt, Response, ResponseFuture, Session};
use glove_wasm::testing::FakeClock;

pub use scenario::Scenario;

use ports::{CountedIds, Journal, Log, Server};
use scenario::{Deal, Decision, Kind, json};
use tools::{Gates, tools_of};

pub fn play(scenario: Scenario) -> String {
    // Who waits for a request hears of its end a little sooner or later: ends are told when all is quiet, sorted.
    let (log, ends) = (Log::default(), Log::default());
    let (clock, ids) = (FakeClock::at(1_000), Arc::new(CountedIds::default()));
    let store = Arc::new(Journal::new(log.clone(), scenario.inbox));
    let options = HttpOptions {
        name: "endpoint:/chat".to_owned(),
        format: Format::Endpoint,
        url: "/chat".to_owned(),
        headers: Vec::new(),
        request: Default::default(),
        policy: Policy { max_retries: 0, ..Policy::default() },
    };
    let server = Arc::new(Server::new(log.clone(), scenario.answers));
    let model = Arc::new(HttpModel::new(options, server, Arc::new(clock.clone()), ids.clone()));
    let gates = Gates::default();
    let parts = Parts {
        model,
        system_prompt: "You are a test.".to_owned(),
        store,
        tools: Arc::new(tools_of(scenario.tools, &gates)),
        clock: Arc::new(clock.clone()) as Arc<dyn Clock>,
        ids,
        settings: Settings {
            tools: Vec::new(),
            compaction: scenario.compaction.unwrap_or_default(),
            limits: scenario.limits.unwrap_or_default(),
            budgets: scenario.budgets.unwrap_or_default(),
        },
    };

    let mut pool = LocalPool::new();
    let mut session = begin(&parts, &mut pool);
    let mut sent = 0;
    for action in scenario.actions {
        log.add(format!("# {}", action.text));
        let wait = |what: String, asked: ResponseFuture| {
            let ends = ends.clone();
            let ended = async move { ends.add(format!("end {what} {}", told(&asked.await))) };
            pool.spawner().spawn_local(ended).unwrap();
        };
        let Kind { send, content, when_busy, allow, deny, resolve, reject, open, tick, undo, r#do } =
            action.kind;
        if let Some(text) = send {
            sent += 1;
            let mut message = Message::user(text);
            message.content = content;
            let prompt = Prompt::from(message).when_busy(when_busy.unwrap_or_default());
            wait(format!("r{sent}"), session.request(Prompt { id: Some(format!("r{sent}")), ..prompt }));
        }
        if let Some(Decision { remember, .. }) = allow {
            session.answer(&asked(&session), Answer::Allow { remember });
        }
        if let Some(Decision { remember, reason }) = deny {
            session.answer(&asked(&session), Answer::Deny { remember, reason });
        }
        if let Some(value) = resolve {
            assert!(session.display().resolve(&slot(&session), json(&value)).unwrap());
        }
        if let Some(reason) = reject {
            assert!(session.display().reject(&slot(&session), Some(reason)));
        }
        if let Some(gate) = open {
            gates.open(&gate);
        }
        if let Some(ms) = tick {
            clock.advance(ms);
        }
        if let Some(steps) = undo {
            wait("undo".to_owned(), session.undo(steps));
        }
        match r#do {
            None => {}
            Some(Deal::Abort) => session.abort(),
            Some(Deal::Resume) => wait("resume".to_owned(), session.resume()),
            Some(Deal::Reload) => {
                session.close();
                pool.run_until_stalled();
                session = begin(&parts, &mut pool);
            }
        }
        pool.run_until_stalled();
        ends.move_to(&log);
    }
    log.text()
}

fn begin(parts: &Parts, pool: &mut LocalPool) -> Session {
    let session = Session::new(parts.clone()).unwrap();
    let driven = session.clone();
    pool.spawner().spawn_local(async move { driven.drive().await }).unwrap();
    pool.run_until_stalled();
    session
}

fn asked(session: &Session) -> String {
    session.questions().first().map_or_else(|| "none".to_owned(), |question| question.id.clone())
}

fn slot(session: &Session) -> String {
    let stack = session.display().stack();
    let slot = stack.iter().find(|slot| slot.status == SlotStatus::Pending);
    slot.map_or_else(|| "none".to_owned(), |slot| slot.id.clone())
}

fn told(came: &Result<Response, Error>) -> String {
    match came {
        Ok(Response::Completed(_)) => "completed".to_owned(),
        Ok(Response::Undone { steps, .. }) => format!("undone {steps}"),
        Ok(Response::Switched) => "switched".to_owned(),
        Ok(Response::Dropped) => "dropped".to_owned(),
        Ok(Response::Paused { rule, .. }) => {
            let rule = serde_json::to_value(rule).unwrap();
            format!("paused {}", rule.as_str().unwrap())
        }
        Ok(Response::Waiting { .. }) => "waiting".to_owned(),
        Err(Error::Aborted) => "aborted".to_owned(),
        Err(error) => error.code().to_owned(),
    }
}

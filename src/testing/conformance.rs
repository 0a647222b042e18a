//! Whether a store does what sessions rely on: the cases that the stores of pages pass too, as far as the port has them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;

use crate::error::{StoreError, StoreErrorKind};
use crate::json::Json;
use crate::json::codec::from_text;
use crate::message::{InboxItem, Message, Task, Usage};
use crate::portable::BoxFuture;
use crate::ports::{Durability, Loaded, PermissionStatus, StoreAdapter};
use crate::run::PhaseName;
use crate::run::checkpoint::Unsaved;
use crate::run::input::Input;
use crate::run::journal::Record;

/// What the cases need of the store under test.
pub trait Stores: Send + Sync {
    /// The store of a session, which may be new. Of one that was opened before, it is another store over the same data, as
    /// another process gets it; a case that opens one again has dropped the first.
    fn open(&self, session: &str) -> Arc<dyn StoreAdapter>;

    /// Puts an item into the inbox of a session, for stores that keep one.
    fn add_inbox_item<'a>(
        &'a self,
        _store: &'a dyn StoreAdapter,
        _item: InboxItem,
    ) -> Option<BoxFuture<'a, ()>> {
        None
    }

    /// Comes back when the store of this session that was dropped holds it no more, where that takes a moment.
    fn let_go<'a>(&'a self, _session: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// One case. `Err` says in what the store does not keep to it.
#[derive(Clone, Copy)]
pub struct StoreCase {
    pub name: &'static str,
    run: for<'a> fn(&'a Bench<'a>) -> BoxFuture<'a, Result<(), String>>,
}

impl StoreCase {
    pub async fn run(&self, stores: &dyn Stores) -> Result<(), String> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let id = format!("conformance-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        (self.run)(&Bench { stores, id: &id }).await
    }
}

impl std::fmt::Debug for StoreCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreCase").field("name", &self.name).finish_non_exhaustive()
    }
}

struct Bench<'a> {
    stores: &'a dyn Stores,
    id: &'a str,
}

impl Bench<'_> {
    fn open(&self) -> Arc<dyn StoreAdapter> {
        self.stores.open(self.id)
    }

    fn other(&self) -> Arc<dyn StoreAdapter> {
        self.stores.open(&format!("{}-other", self.id))
    }

    /// What a store opened now finds.
    async fn loaded(&self) -> Result<Loaded, String> {
        ok(self.open().load().await)
    }
}

/// A step with one record, which is what a run writes for everything that happens to it.
#[derive(Debug, Clone, Default)]
struct Step {
    first_message: usize,
    messages: Vec<Arc<Message>>,
    records: Vec<Record>,
    checkpoint: Option<String>,
    seq: u64,
}

fn record(seq: u64) -> Record {
    Record { seq, at: 1_000 + seq, input: Input::Recovered }
}

fn step(seq: u64, first_message: usize, messages: impl IntoIterator<Item = Message>) -> Step {
    let messages = messages.into_iter().map(Arc::new).collect();
    Step { first_message, messages, records: vec![record(seq)], checkpoint: None, seq }
}

impl Step {
    fn and_checkpoint(self, text: &str) -> Step {
        Step { checkpoint: Some(text.to_owned()), ..self }
    }

    fn write(
        &self,
        store: &dyn StoreAdapter,
        durability: Durability,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let step = Unsaved {
            first_message: self.first_message,
            messages: &self.messages,
            records: &self.records,
            checkpoint: self.checkpoint.clone(),
            seq: self.seq,
            phase: PhaseName::Idle,
            asks: false,
            queued: 0,
        };
        store.append(step, durability)
    }
}

async fn write(store: &dyn StoreAdapter, steps: impl IntoIterator<Item = Step>) -> Result<(), String> {
    for step in steps {
        ok(step.write(store, Durability::Strict).await)?;
    }
    Ok(())
}

fn ok<T>(result: Result<T, StoreError>) -> Result<T, String> {
    result.map_err(|error| format!("refused with {}: {error}", error.kind.code()))
}

fn equal<T: PartialEq + Describe>(found: &T, expected: &T, what: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: found {}, expected {}", found.describe(), expected.describe()))
}

/// In a few words: a whole value may be a megabyte.
trait Describe {
    fn describe(&self) -> String;
}

impl Describe for Loaded {
    fn describe(&self) -> String {
        let texts: Vec<String> = self.messages.iter().map(|message| short(&message.text)).collect();
        let seqs: Vec<String> = self.records.iter().map(|record| record.seq.to_string()).collect();
        let checkpoint = self.checkpoint.as_deref().map_or_else(|| "no".to_owned(), short);
        format!("messages [{}], records [{}], checkpoint {checkpoint}", texts.join(", "), seqs.join(", "))
    }
}

impl Describe for Vec<String> {
    fn describe(&self) -> String {
        self.join(", ")
    }
}

impl Describe for Vec<Task> {
    fn describe(&self) -> String {
        self.iter().map(|task| format!("{} {}", task.id, task.status)).collect::<Vec<_>>().join(", ")
    }
}

impl Describe for Vec<InboxItem> {
    fn describe(&self) -> String {
        self.iter().map(|item| format!("{} {}", item.id, item.status)).collect::<Vec<_>>().join(", ")
    }
}

impl Describe for PermissionStatus {
    fn describe(&self) -> String {
        match self {
            PermissionStatus::Granted => "granted",
            PermissionStatus::Denied => "denied",
            PermissionStatus::Unset => "unset",
        }
        .to_owned()
    }
}

impl Describe for usize {
    fn describe(&self) -> String {
        self.to_string()
    }
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

fn texts(loaded: &Loaded) -> Vec<String> {
    loaded.messages.iter().map(|message| message.text.clone()).collect()
}

fn list(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn message(json: &str) -> Result<Message, String> {
    from_text(json).map_err(|fault| fault.to_string())
}

/// The store has to refuse this as a conflict.
async fn conflicts(write: BoxFuture<'static, Result<(), StoreError>>, what: &str) -> Result<(), String> {
    match write.await {
        Err(error) if error.kind == StoreErrorKind::Conflict => Ok(()),
        Err(error) => {
            Err(format!("{what}: refused with {} and not as a conflict: {error}", error.kind.code()))
        }
        Ok(()) => Err(format!("{what}: expected a refusal, but it succeeded")),
    }
}

/// Goes in, and comes out the same, also for the next process.
async fn keeps(bench: &Bench<'_>, messages: Vec<Message>) -> Result<(), String> {
    let expected = Loaded {
        messages: messages.iter().cloned().map(Arc::new).collect(),
        records: vec![record(1)],
        checkpoint: None,
    };
    let store = bench.open();
    write(&*store, [step(1, 0, messages)]).await?;
    equal(&ok(store.load().await)?, &expected, "what was stored")?;
    drop(store);
    equal(&bench.loaded().await?, &expected, "what was stored, opened again")
}

macro_rules! cases {
    ($($name:literal => |$bench:ident| $body:block)*) => {
        /// The cases that any store has to pass.
        pub const STORE_CASES: &[StoreCase] = &[$(StoreCase {
            name: $name,
            run: |$bench| Box::pin(async move { $body }),
        }),*];
    };
}

cases! {
    "a new session is empty" => |bench| {
        let store = bench.open();
        equal(&ok(store.load().await)?, &Loaded::default(), "a new session")?;
        if store.identifier().is_empty() {
            return Err("the store has no identifier".to_owned());
        }
        Ok(())
    }
    "a message keeps every field, those too that nobody knows" => |bench| {
        let asked = message(r#"{"sender":"user","id":"r1.m1","text":"Hi","content":[{"type":"image","source":{"type":"url","media_type":"image/png","url":"https://example.com/a.png"}}],"is_skill_injection":true,"pre_modified_text":"/hi","framework_context":"inbox","undone":["c0"],"prompt_id":"r1","joins":"r0","at":5,"x-own":{"kept":[1,null]},"__proto__":{"a":1},"":0}"#)?;
        let answer = message(r#"{"sender":"agent","text":"b","reasoning_content":"hm","partial":true,"tool_calls":[{"tool_name":"t","input_args":{"big":12345678901234567890.10,"e":1E5},"id":"c1"}],"usage":{"tokens_in":1,"tokens_out":2,"cost":0.0001}}"#)?;
        let results = message(r#"{"sender":"user","text":"tool results","is_compaction":true,"tool_results":[{"tool_name":"t","call_id":"c1","result":{"status":"success","data":{"n":1},"message":"ok","renderData":{"a":[]},"summary":"one"},"duration_ms":3}]}"#)?;
        keeps(bench, vec![asked, answer, results]).await
    }
    "an empty text is kept" => |bench| { keeps(bench, vec![Message::user("")]).await }
    "text of many languages is kept" => |bench| {
        keeps(bench, vec![Message::user("日本語 العربية 👩‍👩‍👧 e\u{301} \u{2028}\u{2029}")]).await
    }
    "quotes, backslashes and control characters are kept" => |bench| {
        keeps(bench, vec![Message::user("'\"\\\"\\\\\n\r\t\u{0}\u{1f}\u{7f} \"]}{[,:")]).await
    }
    "a megabyte of text is kept" => |bench| { keeps(bench, vec![Message::user("x€".repeat(500_000))]).await }
    "deep values are kept" => |bench| {
        let deep = format!(r#"{{"sender":"user","text":"deep","extra":{}{}}}"#, "[".repeat(100), "]".repeat(100));
        keeps(bench, vec![message(&deep)?]).await
    }
    "equal messages are all kept" => |bench| {
        let same = message(r#"{"sender":"user","id":"a","text":"same"}"#)?;
        keeps(bench, vec![same.clone(), same.clone(), same]).await
    }
    "a thousand messages come back in order" => |bench| {
        let store = bench.open();
        let all: Vec<String> = (0..1_000).map(|at| at.to_string()).collect();
        for (at, hundred) in all.chunks(100).enumerate() {
            write(&*store, [step(at as u64 + 1, at * 100, hundred.iter().map(Message::user))]).await?;
        }
        drop(store);
        equal(&texts(&bench.loaded().await?), &all, "texts")
    }
    "a step is kept whole: messages, records and checkpoint" => |bench| {
        let store = bench.open();
        let first = step(1, 0, [Message::user("Hi")]).and_checkpoint("{\"version\":1}");
        write(&*store, [first, step(2, 1, [])]).await?;
        let kept = Loaded {
            messages: vec![Arc::new(Message::user("Hi"))],
            checkpoint: Some("{\"version\":1}".to_owned()),
            records: vec![record(2)],
        };
        equal(&ok(store.load().await)?, &kept, "the run")?;
        drop(store);
        equal(&bench.loaded().await?, &kept, "the run, opened again")
    }
    "records after a checkpoint are kept in order" => |bench| {
        let store = bench.open();
        write(&*store, [step(1, 0, []).and_checkpoint("c")]).await?;
        write(&*store, (2..=12).map(|seq| step(seq, 0, []))).await?;
        drop(store);
        let records = (2..=12).map(record).collect();
        equal(&bench.loaded().await?, &Loaded { records, checkpoint: Some("c".to_owned()), ..Loaded::default() }, "the run")
    }
    "a checkpoint replaces the one before" => |bench| {
        let store = bench.open();
        write(&*store, [step(1, 0, []).and_checkpoint("one"), step(2, 0, []), step(3, 0, [])]).await?;
        write(&*store, [step(4, 0, []).and_checkpoint("two"), step(5, 0, [])]).await?;
        drop(store);
        let Loaded { records, checkpoint, .. } = bench.loaded().await?;
        let after = records.into_iter().filter(|record| record.seq > 4).collect();
        let found = Loaded { records: after, checkpoint, ..Loaded::default() };
        equal(&found, &Loaded { records: vec![record(5)], checkpoint: Some("two".to_owned()), ..Loaded::default() }, "the run")
    }
    "several records of one step stay together" => |bench| {
        let store = bench.open();
        let two = Step { records: vec![record(1), record(2)], seq: 2, ..Step::default() };
        write(&*store, [two, step(3, 0, [])]).await?;
        drop(store);
        equal(&bench.loaded().await?, &Loaded { records: (1..=3).map(record).collect(), ..Loaded::default() }, "the run")
    }
    "checkpoints are opaque" => |bench| {
        let store = bench.open();
        let odd = "no JSON: \"]}\u{0}'";
        write(&*store, [step(1, 0, []).and_checkpoint(odd)]).await?;
        drop(store);
        equal(&bench.loaded().await?, &Loaded { checkpoint: Some(odd.to_owned()), ..Loaded::default() }, "the checkpoint")
    }
    "a step that does not follow is refused, and nothing of it is kept" => |bench| {
        let store = bench.open();
        write(&*store, [step(1, 0, [Message::user("a")]).and_checkpoint("c"), step(2, 1, [])]).await?;
        let before = ok(store.load().await)?;
        for (what, wrong) in [
            ("a gap in the messages", step(3, 2, [Message::user("x")])),
            ("writing over messages", step(3, 0, [Message::user("x")])),
            ("a record that is skipped", step(4, 1, [Message::user("x")])),
            ("a record that is repeated", step(2, 1, [Message::user("x")])),
            ("a checkpoint that comes too late", step(2, 1, []).and_checkpoint("late")),
        ] {
            conflicts(wrong.write(&*store, Durability::Strict), what).await?;
            equal(&ok(store.load().await)?, &before, what)?;
        }
        write(&*store, [step(3, 1, [Message::agent("b")])]).await?;
        drop(store);
        equal(&texts(&bench.loaded().await?), &list(&["a", "b"]), "texts after the step that does follow")
    }
    "of two writers at one place one is refused" => |bench| {
        let (one, two) = (bench.open(), bench.open());
        let steps = [step(1, 0, [Message::user("one")]), step(1, 0, [Message::user("two")])];
        let writes = [&one, &two].into_iter().zip(&steps).map(|(store, step)| step.write(&**store, Durability::Relaxed));
        let ends = join_all(writes).await;
        equal(&ends.iter().filter(|end| end.is_ok()).count(), &1, "number of writes that succeeded")?;
        let won = if ends.first().is_some_and(Result::is_ok) { "one" } else { "two" };
        for end in ends {
            if let Err(error) = end {
                conflicts(Box::pin(std::future::ready(Err(error))), "the one that lost").await?;
            }
        }
        equal(&texts(&ok(one.load().await)?), &list(&[won]), "texts")
    }
    "who wrote first goes on, and who comes later reads it" => |bench| {
        let first = bench.open();
        write(&*first, [step(1, 0, [Message::user("a")])]).await?;
        let second = bench.open();
        equal(&texts(&ok(second.load().await)?), &list(&["a"]), "texts for the second")?;
        write(&*first, [step(2, 1, [Message::agent("b")])]).await?;
        conflicts(step(2, 1, [Message::agent("c")]).write(&*second, Durability::Strict), "the second, who has not read it").await?;
        drop(first);
        bench.stores.let_go(bench.id).await;
        equal(&texts(&ok(second.load().await)?), &list(&["a", "b"]), "texts")?;
        write(&*second, [step(3, 2, [Message::user("c")])]).await
    }
    "writes keep the order of the calls" => |bench| {
        let store = bench.open();
        let steps: Vec<Step> = (0..20).map(|at| step(at + 1, at as usize, [Message::user(at.to_string())])).collect();
        for end in join_all(steps.iter().map(|step| step.write(&*store, Durability::Relaxed))).await {
            ok(end)?;
        }
        let all: Vec<String> = (0..20).map(|at: u64| at.to_string()).collect();
        equal(&texts(&ok(store.load().await)?), &all, "texts")
    }
    "sessions do not mix" => |bench| {
        let (store, other) = (bench.open(), bench.other());
        for at in 0..10 {
            let write = |store: &dyn StoreAdapter, name: &str| {
                step(at + 1, at as usize, [Message::user(format!("{name}{at}"))]).write(store, Durability::Relaxed)
            };
            let (one, two) = (write(&*store, "a"), write(&*other, "b"));
            ok(one.await)?;
            ok(two.await)?;
        }
        for (store, name) in [(store, "a"), (other, "b")] {
            let all: Vec<String> = (0..10).map(|at| format!("{name}{at}")).collect();
            equal(&texts(&ok(store.load().await)?), &all, "texts")?;
        }
        Ok(())
    }
    "what is called damaged by nobody is salvaged as it is" => |bench| {
        let store = bench.open();
        let usage = Usage { tokens_in: 10, tokens_out: 5, ..Usage::default() };
        let answer = Message { usage: Some(usage), ..Message::agent("b") };
        write(&*store, [step(1, 0, [Message::user("a"), answer.clone()])]).await?;
        let found = Loaded { messages: ok(store.salvage().await)?, ..Loaded::default() };
        let kept = [Message::user("a"), answer].map(Arc::new).to_vec();
        equal(&found, &Loaded { messages: kept, ..Loaded::default() }, "messages")
    }
    "a permission is kept for its tool and its session only" => |bench| {
        let store = bench.open();
        equal(&ok(store.permission("rm", None).await)?, &PermissionStatus::Unset, "at first")?;
        ok(store.set_permission("rm", None, false).await)?;
        equal(&ok(store.permission("rm", None).await)?, &PermissionStatus::Denied, "after it was denied")?;
        ok(store.set_permission("rm", None, true).await)?;
        drop(store);
        let store = bench.open();
        equal(&ok(store.permission("rm", None).await)?, &PermissionStatus::Granted, "a later decision, opened again")?;
        for tool in ["r", "rmdir", "RM", "rm ", "", "r%"] {
            equal(&ok(store.permission(tool, None).await)?, &PermissionStatus::Unset, tool)?;
        }
        equal(&ok(bench.other().permission("rm", None).await)?, &PermissionStatus::Unset, "in another session")
    }
    "a permission for arguments holds for these arguments only" => |bench| {
        let store = bench.open();
        let input = |text: &str| Json::parse(text).map_err(|error| error.to_string());
        ok(store.set_permission("pay", Some(&input(r#"{"to":"a","cents":1}"#)?), true).await)?;
        let status = ok(store.permission("pay", Some(&input(r#"{"cents":1,"to":"a"}"#)?)).await)?;
        equal(&status, &PermissionStatus::Granted, "for these arguments, in another order")?;
        let status = ok(store.permission("pay", Some(&input(r#"{"to":"a","cents":2}"#)?)).await)?;
        equal(&status, &PermissionStatus::Unset, "for other arguments")?;
        equal(&ok(store.permission("pay", None).await)?, &PermissionStatus::Unset, "for the tool")
    }
    "tasks come back in order, and a new list replaces the old one" => |bench| {
        let store = bench.open();
        if !store.keeps_tasks() {
            return Ok(());
        }
        equal(&ok(store.tasks().await)?, &Vec::new(), "at first")?;
        let task = |text: &str| from_text::<Task>(text).map_err(|fault| fault.to_string());
        let all = vec![
            task(r#"{"id":"b","content":"do b","activeForm":"doing b","status":"pending","more":{"x":[1]}}"#)?,
            task(r#"{"id":"a","content":"do a","activeForm":"doing a","status":"completed"}"#)?,
            task(r#"{"id":"b","content":"do b again","activeForm":"","status":"in_progress"}"#)?,
        ];
        ok(store.set_tasks(all.clone()).await)?;
        equal(&ok(store.tasks().await)?, &all, "tasks")?;
        drop(store);
        let store = bench.open();
        equal(&ok(store.tasks().await)?, &all, "tasks, opened again")?;
        equal(&texts(&ok(store.load().await)?), &Vec::new(), "messages: tasks are none")?;
        ok(store.set_tasks(Vec::new()).await)?;
        equal(&ok(store.tasks().await)?, &Vec::new(), "after an empty list")
    }
    "inbox items come back in order with all their fields, until they are consumed" => |bench| {
        let store = bench.open();
        if !store.keeps_inbox() {
            return Ok(());
        }
        equal(&ok(store.inbox().await)?, &Vec::new(), "at first")?;
        let item = |text: &str| from_text::<InboxItem>(text).map_err(|fault| fault.to_string());
        let all = vec![
            item(r#"{"id":"b","tag":"order","request":"ask b","status":"pending","blocking":true,"created_at":"5"}"#)?,
            item(r#"{"id":"a","tag":"order","request":"ask a","response":"yes","status":"resolved","more":{"x":[1]}}"#)?,
        ];
        for one in &all {
            match bench.stores.add_inbox_item(&*store, one.clone()) {
                Some(adding) => adding.await,
                None => return Ok(()),
            }
        }
        equal(&ok(store.inbox().await)?, &all, "inbox")?;
        drop(store);
        let store = bench.open();
        equal(&ok(store.inbox().await)?, &all, "inbox, opened again")?;
        ok(store.consume_inbox(&["a".to_owned(), "nobody".to_owned()]).await)?;
        let left = ok(store.inbox().await)?.into_iter().map(|item| item.id).collect();
        equal(&left, &list(&["b"]), "items that are left")
    }
}

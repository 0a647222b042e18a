//! Messages and answers to questions that a server has answered for, when it is killed or stands still: each is in the record, once.
//! `GLOVE_KILLS=500` kills as many servers right after an answer, and stops two for each five of them.

use std::collections::HashMap;
use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::support::wait::block_on;
use glove_wasm_serve::SessionDatabase;
use rusqlite::Connection;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde_json::{Value, json};

use crate::native_glove::Home;
use crate::native_postgres::PostgresServer;
use crate::native_redis::RedisServer;

/// For each database, when nobody asks for more.
const KILLS: usize = 6;
/// Longer than a holder keeps a session without showing itself.
const OUTLIVES: Duration = Duration::from_millis(4_400);
/// Of one server, each with somebody who writes to it.
const SESSIONS: usize = 4;
/// For a model that only has to say what it was told.
const LONGEST_TURN: Duration = Duration::from_secs(2);
/// Pairs of servers at a time, of which one stands still.
const PAIRS: usize = 3;
/// For what happens at once on a quiet machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn kills() -> usize {
    env::var("GLOVE_KILLS").map_or(KILLS, |kills| kills.parse().unwrap())
}

/// `glove serve` as a process of its own.
pub struct Program {
    child: Child,
    pub address: SocketAddr,
}

impl Program {
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn post(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        post(self.address, path, body)
    }

    pub fn start(home: &Home, database: &str) -> Program {
        let mut glove = home.glove(&["serve", "--listen", "127.0.0.1:0", "--model", "scripted", "."]);
        let mut child = glove.env("GLOVE_DATABASE", database).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("glove serves at http://")?.parse().ok());
        thread::spawn(move || lines.for_each(drop));
        Program { child, address: address.expect("it does not start") }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Lets it stand still, and says how often it had to go on before that: whoever stands still in the middle of a write of SQLite has
    /// locked the file, and nobody can take over.
    fn stop_between_writes(&self, database: &str) -> usize {
        let (begun, mut in_a_write) = (Instant::now(), 0);
        loop {
            self.signal(Signal::STOP);
            waitpid(Some(Pid::from_child(&self.child)), WaitOptions::UNTRACED).unwrap();
            if database.contains("://") || !is_locked(database) {
                return in_a_write;
            }
            in_a_write += 1;
            assert!(
                begun.elapsed() < PATIENCE,
                "the server was in a write of {database} whenever it stopped"
            );
            self.signal(Signal::CONT);
            sleep(Duration::from_millis(3));
        }
    }
}

fn is_locked(file: &str) -> bool {
    let database = Connection::open(file).unwrap();
    database.busy_timeout(Duration::ZERO).unwrap();
    database.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_err()
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Nothing where the server left without a word.
fn post(address: SocketAddr, path: &str, body: &Value) -> Option<(u16, Value)> {
    ask(address, "POST", path, &body.to_string())
}

fn ask(address: SocketAddr, method: &str, path: &str, body: &str) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = "host: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n";
    write!(stream, "{method} {path} HTTP/1.1\r\n{head}content-length: {}\r\n\r\n{body}", body.len()).ok()?;
    // The head alone is an answer: the rest may not come any more.
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, serde_json::from_str(body).unwrap_or_default()))
}

/// What was sent to a session, and whether a server has answered for it.
#[derive(Default)]
struct Sent {
    messages: Mutex<HashMap<String, bool>>,
    /// The questions whose answers it has answered for.
    answered: Mutex<Vec<String>>,
    refused: AtomicUsize,
}

impl Sent {
    fn say(&self, address: SocketAddr, session: &str, text: &str) -> bool {
        self.messages.lock().unwrap().insert(text.to_owned(), false);
        let told = post(address, &format!("/api/sessions/{session}/messages"), &json!({ "text": text }));
        match told {
            Some((202, _)) => {
                self.messages.lock().unwrap().insert(text.to_owned(), true);
                true
            }
            None => false,
            Some((409 | 503, _)) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                false
            }
            Some(other) => panic!("{session}: {other:?}"),
        }
    }

    /// Answers what the session asks, once it does. False where nobody said that the answer is taken.
    fn answer(&self, address: SocketAddr, session: &str) -> bool {
        let (begun, path) = (Instant::now(), format!("/api/sessions/{session}"));
        while begun.elapsed() < LONGEST_TURN {
            let Some((status, told)) = ask(address, "GET", &path, "") else { return false };
            let open = |slot: &&Value| slot["status"] == "pending";
            let slot = told["slots"].as_array().and_then(|slots| slots.iter().find(open));
            let Some(slot) = slot.filter(|_| status == 200).and_then(|slot| slot["id"].as_str()) else {
                sleep(Duration::from_millis(3));
                continue;
            };
            return match post(address, &format!("{path}/answers"), &json!({ "id": slot, "value": true })) {
                Some((200, _)) => {
                    self.answered.lock().unwrap().push(slot.to_owned());
                    true
                }
                None => false,
                // By a server that was asked for the same before, and answered that it cannot.
                Some((404 | 409 | 503, _)) => {
                    self.refused.fetch_add(1, Ordering::Relaxed);
                    false
                }
                Some(other) => panic!("{session}: {other:?}"),
            };
        }
        false
    }

    /// How many messages were answered for, and of those how many are not there, and how many are there twice; how many answers, and of
    /// those how many are not there.
    fn counted(&self, database: &SessionDatabase, session: &str) -> [usize; 5] {
        let begun = Instant::now();
        let stored = loop {
            match block_on(database.export(session)) {
                Ok(stored) => break stored,
                // A machine with much other work, or a file that a process which stands still has locked.
                Err(error) => assert!(begun.elapsed() < PATIENCE, "{error}"),
            }
        };
        let run = stored.run().unwrap();
        let said = run.messages().iter().map(|message| message.text.clone());
        let queued = run.queued().map(|request| request.message.text.clone());
        let mut times: HashMap<String, usize> = HashMap::new();
        for text in said.chain(queued) {
            *times.entry(text).or_default() += 1;
        }
        let mut counted = [0; 5];
        for (text, is_answered) in &*self.messages.lock().unwrap() {
            let found = times.get(text).copied().unwrap_or_default();
            counted[0] += usize::from(*is_answered);
            counted[1] += usize::from(*is_answered && found == 0);
            counted[2] += usize::from(found > 1);
        }
        for question in &*self.answered.lock().unwrap() {
            counted[3] += 1;
            counted[4] += usize::from(run.may_ask_again(question).is_some());
        }
        counted
    }
}

fn add<const N: usize>(all: &mut [usize; N], more: [usize; N]) {
    for (all, more) in all.iter_mut().zip(more) {
        *all += more;
    }
}

/// In every fourth one a person answers again and again.
fn is_answered(number: usize) -> bool {
    number % SESSIONS == SESSIONS - 1
}

/// In every second one the first message makes the others wait for a person.
fn begin(address: SocketAddr, number: usize, sent: &Sent) -> Option<String> {
    let text = if number.is_multiple_of(2) { "hello" } else { "ask confirm" };
    let (status, begun) = post(address, "/api/sessions", &json!({ "text": text }))?;
    match status {
        201 => {}
        409 | 503 => return None,
        other => panic!("{other}: {begun}"),
    }
    sent.messages.lock().unwrap().insert(text.to_owned(), true);
    Some(begun["id"].as_str().unwrap().to_owned())
}

/// The same until it is taken.
fn begun(address: SocketAddr, number: usize, sent: &Sent) -> String {
    let tried = Instant::now();
    loop {
        if let Some(session) = begin(address, number, sent) {
            return session;
        }
        assert!(tried.elapsed() < PATIENCE, "the server at {address} took no first message");
        sleep(Duration::from_millis(10));
    }
}

fn nothing_is_lost_when_it_is_killed(database: &str) {
    let (home, stored) = (Home::new(), SessionDatabase::open(database).unwrap());
    let mut all = [0; 5];
    for kill in 0..kills() {
        let program = Program::start(&home, database);
        let (address, sent) =
            (program.address, Arc::new(Vec::from_iter((0..SESSIONS).map(|_| Sent::default()))));
        // The answer after which it is killed.
        let (answers, last) = (Arc::new(AtomicUsize::new(0)), 1 + kill * 7 % 23);
        let pid = Pid::from_child(&program.child);
        let answered = move || {
            if answers.fetch_add(1, Ordering::SeqCst) + 1 == last {
                kill_process(pid, Signal::KILL).unwrap();
            }
        };
        let writers: Vec<_> = (0..SESSIONS)
            .map(|number| {
                let (sent, answered) = (Arc::clone(&sent), answered.clone());
                thread::spawn(move || {
                    let session = begin(address, number, &sent[number])?;
                    answered();
                    for message in 0.. {
                        if is_answered(number) {
                            if !sent[number].answer(address, &session) {
                                break;
                            }
                            answered();
                        }
                        let text = if is_answered(number) { "ask confirm" } else { "message" };
                        if !sent[number].say(address, &session, &format!("{text} {message}")) {
                            break;
                        }
                        answered();
                    }
                    Some(session)
                })
            })
            .collect();
        for (writer, sent) in writers.into_iter().zip(&*sent) {
            if let Some(session) = writer.join().unwrap() {
                add(&mut all, sent.counted(&stored, &session));
            }
        }
    }
    let [messages, lost, doubled, answers, answers_lost] = all;
    eprintln!(
        "{} kills: {messages} messages answered for, {lost} lost, {doubled} doubled; {answers} answers, {answers_lost} lost",
        kills()
    );
    assert!(messages >= kills() && answers > 0, "{messages}, {answers}: too few to show anything");
    assert_eq!((lost, doubled, answers_lost), (0, 0, 0), "of {messages} and {answers}");
}

/// `database` is that of a pair, by its number.
fn nothing_is_lost_when_it_stands_still(database: impl Fn(usize) -> String) {
    let stops = kills().div_ceil(5) * 2;
    let (left, all, refused) =
        (Arc::new(AtomicUsize::new(stops)), Arc::new(Mutex::new([0; 7])), Arc::new(AtomicUsize::new(0)));
    let pairs: Vec<_> = (0..PAIRS.min(stops))
        .map(|pair| {
            let (database, left, all, refused) =
                (database(pair), Arc::clone(&left), Arc::clone(&all), Arc::clone(&refused));
            thread::spawn(move || {
                let (home, stored) = (Home::new(), SessionDatabase::open(&database).unwrap());
                let (one, two) = (Program::start(&home, &database), Program::start(&home, &database));
                while left
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
                    .is_ok()
                {
                    let (counted, not_taken) = stopped(&one, &two, &stored, &database);
                    add(&mut all.lock().unwrap(), counted);
                    refused.fetch_add(not_taken, Ordering::SeqCst);
                }
            })
        })
        .collect();
    for pair in pairs {
        pair.join().unwrap();
    }
    let [answered, lost, doubled, answers, answers_lost, taken_over, in_a_write] = *all.lock().unwrap();
    let refused = refused.load(Ordering::SeqCst);
    eprintln!(
        "{stops} stopped holders of {SESSIONS} sessions, {in_a_write} times in a write first, {taken_over} taken over: {answered} messages answered for, {refused} refused, {lost} lost, {doubled} doubled; {answers} answers, {answers_lost} lost"
    );
    assert!(
        answered >= stops * SESSIONS && taken_over >= stops,
        "{answered}, {taken_over}: too few to show anything"
    );
    assert_eq!((lost, doubled, answers_lost), (0, 0, 0), "of {answered} and {answers}");
}

/// The first stands still for longer than its sessions are its own, while everybody writes to it; the second takes them over.
fn stopped(one: &Program, two: &Program, stored: &SessionDatabase, database: &str) -> ([usize; 7], usize) {
    let is_over = Arc::new(AtomicBool::new(false));
    let sent: Arc<Vec<Sent>> = Arc::new((0..SESSIONS).map(|_| Sent::default()).collect());
    let (first, second) = (one.address, two.address);
    let sessions: Vec<_> = (0..SESSIONS).map(|number| begun(first, number, &sent[number])).collect();
    let mut writers = Vec::new();
    for (number, session) in sessions.iter().enumerate() {
        let (is_over, sent, session) = (Arc::clone(&is_over), Arc::clone(&sent), session.clone());
        writers.push(thread::spawn(move || {
            for message in 0.. {
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
                let text = if is_answered(number) { "ask confirm" } else { "first" };
                if is_answered(number) {
                    sent[number].answer(first, &session);
                }
                sent[number].say(first, &session, &format!("{text} {message}"));
                sleep(Duration::from_millis(5));
            }
        }));
    }
    sleep(Duration::from_millis(50));
    let in_a_write = one.stop_between_writes(database);
    sleep(OUTLIVES);
    let mut taken_over = 0;
    for (number, session) in sessions.iter().enumerate() {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(3) {
            if sent[number].say(second, session, &format!("second {:?}", begun.elapsed())) {
                taken_over += 1;
                break;
            }
            sleep(Duration::from_millis(50));
        }
    }
    one.signal(Signal::CONT);
    sleep(Duration::from_millis(300));
    is_over.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.join().unwrap();
    }
    let mut all = [0; 5];
    for (sent, session) in sent.iter().zip(&sessions) {
        add(&mut all, sent.counted(stored, session));
    }
    let [messages, lost, doubled, answers, answers_lost] = all;
    (
        [messages, lost, doubled, answers, answers_lost, taken_over, in_a_write],
        sent.iter().map(|sent| sent.refused.load(Ordering::Relaxed)).sum(),
    )
}

macro_rules! on {
    ($killed:ident, $stopped:ident, $server:expr) => {
        #[test]
        fn $killed() {
            if let Some((_server, database)) = $server {
                nothing_is_lost_when_it_is_killed(&database(0));
            }
        }

        #[test]
        fn $stopped() {
            if let Some((_server, database)) = $server {
                nothing_is_lost_when_it_stands_still(database);
            }
        }
    };
}

on!(
    what_a_killed_server_answered_for_is_in_sqlite,
    what_a_server_answered_for_that_stood_still_is_in_sqlite,
    {
        let home = Home::new();
        let folder = home.file("").to_str().unwrap().to_owned();
        // A pair has its file: who writes locks the whole of it.
        Some((home, move |pair: usize| format!("{folder}{pair}.db")))
    }
);

on!(
    what_a_killed_server_answered_for_is_in_postgresql,
    what_a_server_answered_for_that_stood_still_is_in_postgresql,
    PostgresServer::shared().map(|server| {
        let database = server.new_database();
        (server, move |_| database.clone())
    })
);

on!(
    what_a_killed_server_answered_for_is_in_redis,
    what_a_server_answered_for_that_stood_still_is_in_redis,
    RedisServer::start().map(|server| {
        let database = server.url();
        (server, move |_| database.clone())
    })
);

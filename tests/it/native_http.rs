//! A native program and a provider on this machine: real connections, real time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::strict::expect_taken;

use crate::support::wait::block_on;
use futures_util::future::{Either, select};
use glove_wasm::error::Error;
use glove_wasm::http::Http;
use glove_wasm::http::retry::Policy;
use glove_wasm::ports::Clock;
use glove_wasm::runtime::Glove;
use glove_wasm::system::SystemClock;
use glove_wasm_native::{NativeHttp, ProviderModel};

const KEY: &str = "sk-canary-4711";
const HELLO: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n";
const END: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// What is done with a request: pieces of a chunked body, each after a pause; the last keeps the connection open.
#[derive(Clone)]
struct Script {
    head: &'static str,
    pieces: Vec<(u64, &'static str)>,
    hangs: bool,
}

fn streaming(pieces: &[(u64, &'static str)]) -> Script {
    Script { head: "200 OK", pieces: pieces.to_vec(), hangs: false }
}

struct Provider {
    url: String,
    /// The heads of the requests, with the number of their connection.
    asked: Arc<Mutex<Vec<(usize, String)>>>,
    /// When a client went away while an answer was on its way.
    left: Receiver<Instant>,
}

fn provider(script: Script) -> Provider {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (tell, left) = channel();
    let heads = Arc::clone(&asked);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let (script, heads, tell) = (script.clone(), Arc::clone(&heads), tell.clone());
            thread::spawn(move || serve(&stream, number, &script, &heads, &tell));
        }
    });
    Provider { url, asked, left }
}

fn serve(
    mut stream: &TcpStream,
    number: usize,
    script: &Script,
    heads: &Mutex<Vec<(usize, String)>>,
    tell: &Sender<Instant>,
) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let pairs = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let headers: Vec<_> = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let path = head.split(' ').nth(1).unwrap();
        expect_taken("compatible", path, &headers, &String::from_utf8(body).unwrap());
        heads.lock().unwrap().push((number, head));
        let begin = format!("HTTP/1.1 {}\r\ntransfer-encoding: chunked\r\n\r\n", script.head);
        stream.write_all(begin.as_bytes()).unwrap();
        for (at, (pause, piece)) in script.pieces.iter().enumerate() {
            thread::sleep(Duration::from_millis(*pause));
            let last = at + 1 == script.pieces.len() && !script.hangs;
            let end = if last { "0\r\n\r\n" } else { "" };
            let chunk = format!("{:x}\r\n{piece}\r\n{end}", piece.len());
            let _ = stream.write_all(chunk.as_bytes());
        }
        if script.hangs {
            // Nothing more is sent: what is read now is the end of the connection.
            let _ = stream.read(&mut [0]);
            let _ = tell.send(Instant::now());
            return;
        }
    }
}

fn model(provider: &Provider) -> ProviderModel {
    let policy = Policy { max_retries: 0, ..Policy::default() };
    ProviderModel::new("openai").key(KEY).base_url(&provider.url).policy(policy)
}

fn ask(model: ProviderModel, http: &NativeHttp) -> Result<String, Error> {
    let model = model.over(Arc::new(http.clone()) as Arc<dyn Http>).unwrap();
    let agent = Glove::builder(model).build().unwrap();
    block_on(agent.process_request("Hi")).map(|response| response.text())
}

#[test]
fn an_answer_streams_and_the_connection_is_used_again() {
    let provider = provider(streaming(&[(0, HELLO), (20, END)]));
    let http = NativeHttp::new().unwrap();
    for _ in 0..3 {
        assert_eq!(ask(model(&provider), &http).unwrap(), "Hello");
    }
    let asked = provider.asked.lock().unwrap();
    assert_eq!(asked.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 0, 0]);
    let head = asked[0].1.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(
        head.contains("authorization: bearer sk-canary-4711")
            && head.contains("content-type: application/json")
    );
}

#[test]
fn stopping_closes_the_connection_at_once_before_and_within_an_answer() {
    for pieces in [vec![(0, HELLO)], vec![(0, ": ping\n\n")], vec![]] {
        let provider = provider(Script { head: "200 OK", pieces, hangs: true });
        let model = model(&provider).connect().unwrap();
        let agent = Glove::builder(model).build().unwrap();
        let asking = agent.process_request("Hi");
        let Either::Right(((), asking)) = block_on(select(asking, SystemClock.sleep(300))) else {
            unreachable!()
        };
        let since = Instant::now();
        drop(asking);
        drop(agent);
        let left = provider.left.recv_timeout(Duration::from_secs(2)).unwrap();
        let took = left.saturating_duration_since(since);
        eprintln!("left after {took:?}");
        assert!(took < Duration::from_millis(500));
    }
}

#[test]
fn a_provider_that_is_silent_is_given_up_and_its_connection_closed() {
    for (pieces, policy) in [
        (vec![], Policy { first_byte_ms: 100, ..Policy::default() }),
        (vec![(0, HELLO)], Policy { idle_ms: 100, ..Policy::default() }),
        (vec![(0, HELLO)], Policy { total_ms: 100, ..Policy::default() }),
    ] {
        let provider = provider(Script { head: "200 OK", pieces, hangs: true });
        let model = model(&provider).policy(Policy { max_retries: 0, ..policy });
        let error = ask(model, &NativeHttp::new().unwrap()).unwrap_err();
        assert_eq!(error.code(), "MODEL_TIMEOUT", "{error}");
        provider.left.recv_timeout(Duration::from_secs(2)).unwrap();
    }
}

#[test]
fn what_goes_wrong_has_a_code_and_tells_no_key() {
    let script = |head, body| Script { head, pieces: vec![(0, body)], hangs: false };
    for (script, code) in [
        (
            script("401 Unauthorized", r#"{"error":{"message":"bad key sk-canary-4711"}}"#),
            "MODEL_AUTHENTICATION",
        ),
        (script("307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/", "moved"), "MODEL_CONFIG"),
        (script("200 OK", "<html>sk-canary-4711</html>"), "MODEL_BAD_RESPONSE"),
        (script("200 OK", HELLO), "MODEL_STREAM_CUT"),
    ] {
        let error = ask(model(&provider(script)), &NativeHttp::new().unwrap()).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(!format!("{error} {error:?}").contains("canary"));
    }
    let nowhere = ProviderModel::new("openai").key(KEY).base_url("http://me:sk-canary-4711@127.0.0.1:9/v1");
    let error =
        ask(nowhere.policy(Policy { max_retries: 0, ..Policy::default() }), &NativeHttp::new().unwrap())
            .unwrap_err();
    assert_eq!(error.code(), "MODEL_NETWORK");
    assert!(error.to_string().contains("refused") && !format!("{error:?}").contains("canary"), "{error}");
}

#[test]
fn what_cannot_be_called_is_refused_before_anything_is_sent() {
    let refused = |model: ProviderModel| model.connect().map(drop).unwrap_err().message;
    assert!(refused(ProviderModel::new("nope")).starts_with("Unknown provider \"nope\""));
    assert!(refused(ProviderModel::new("bedrock").key(KEY)).contains("is not supported"));
    assert!(refused(ProviderModel::new("openai").key(" ")).contains("OPENAI_API_KEY"));
    assert!(!format!("{:?}", ProviderModel::new("openai").key(KEY)).contains("canary"));
    assert!(ProviderModel::new("ollama").model("llama").connect().is_ok());
}

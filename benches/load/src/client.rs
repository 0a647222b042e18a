//! The clients: a few ask at a time, and all stay until the end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Failure;
use crate::server::{Kind, Server};

/// So many wait for their first event at once.
const AT_ONCE: usize = 16;
/// Sessions that are followed.
const SESSIONS: usize = 100;
const PATIENCE: Duration = Duration::from_secs(60);

const ASKED: &str = r#"{"systemPrompt":"","messages":[{"sender":"user","text":"Hello"}],"tools":[],"stream":true,"model":"m"}"#;
/// The proxy passes on what it gets, so it gets what the provider is to read.
const ASKED_OF_PROVIDER: &str = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"Hello"}]}"#;

pub(crate) struct Figures {
    firsts: Vec<Duration>,
    kilobytes: f64,
    end: Duration,
}

impl Figures {
    pub(crate) fn print(mut self, name: &str) {
        self.firsts.sort();
        let at = |share: f64| {
            let at = ((self.firsts.len() - 1) as f64 * share) as usize;
            self.firsts[at].as_secs_f64() * 1e3
        };
        println!(
            "{name:22}{:>8}{:>10.2}{:>10.2}{:>10.2}{:>14.1}{:>12.0}",
            self.firsts.len(),
            at(0.5),
            at(0.99),
            at(1.0),
            self.kilobytes,
            self.end.as_secs_f64() * 1e3
        );
    }
}

/// What a client says, and the first and the last that it waits for.
#[derive(Clone)]
struct Asking {
    request: String,
    first: &'static str,
    last: &'static str,
}

/// Answers of a model, each asked for on its own connection, and besides some who follow a session.
pub(crate) async fn proxied(
    server: &Server,
    model: &Server,
    count: usize,
    followers: usize,
) -> Result<Figures, Failure> {
    let (body, last) = match server.kind {
        Kind::Glove => (ASKED, r#""message""#),
        Kind::Bare | Kind::Model => (ASKED_OF_PROVIDER, "[DONE]"),
    };
    let mut asking = vec![Asking { request: post("/api/chat", body), first: "Hello", last }; count];
    let session = if followers > 0 { Some(session(server).await?) } else { None };
    for id in session.iter().cycle().take(followers) {
        asking.push(following(id));
    }
    opened(server, asking, async || {
        if let Some(id) = &session {
            speak(server, id).await?;
        }
        let mut stream = TcpStream::connect(&model.address).await?;
        stream.write_all(b"GET /end HTTP/1.1\r\nhost: localhost\r\n\r\n").await?;
        Ok(())
    })
    .await
}

/// Those who follow sessions that live on the server. The end is the first word of an answer.
pub(crate) async fn followed(server: &Server, count: usize) -> Result<Figures, Failure> {
    let mut ids = Vec::new();
    for _ in 0..SESSIONS {
        ids.push(session(server).await?);
    }
    let asking = ids.iter().cycle().take(count).map(|id| following(id)).collect();
    opened(server, asking, async || {
        for id in &ids {
            speak(server, id).await?;
        }
        Ok(())
    })
    .await
}

async fn session(server: &Server) -> Result<String, Failure> {
    let made = answered(&server.address, &post("/api/sessions", "{}")).await?;
    let id = made.split_once(r#""id":""#).and_then(|(_, rest)| rest.split('"').next());
    Ok(id.ok_or(made.clone())?.to_owned())
}

fn following(id: &str) -> Asking {
    let request = format!("GET /api/sessions/{id}/events HTTP/1.1\r\nhost: localhost\r\n\r\n");
    Asking { request, first: "snapshot", last: "text_delta" }
}

async fn speak(server: &Server, id: &str) -> Result<(), Failure> {
    let path = format!("/api/sessions/{id}/messages");
    answered(&server.address, &post(&path, r#"{"text":"Hello"}"#)).await.map(drop)
}

async fn opened(
    server: &Server,
    asking: Vec<Asking>,
    end: impl AsyncFnOnce() -> Result<(), Failure>,
) -> Result<Figures, Failure> {
    let before = server.kilobytes()?;
    let count = asking.len();
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut openings = JoinSet::new();
    for Asking { request, first, last } in asking {
        let turn = Arc::clone(&turns).acquire_owned().await?;
        let address = server.address.clone();
        openings.spawn(async move {
            let begun = Instant::now();
            let mut stream = TcpStream::connect(&address).await?;
            stream.set_nodelay(true)?;
            stream.write_all(request.as_bytes()).await?;
            let read = until(&mut stream, String::new(), first).await?;
            drop(turn);
            Ok::<_, std::io::Error>((begun.elapsed(), stream, read, last))
        });
    }
    let mut firsts = Vec::new();
    let mut streams = Vec::new();
    while let Some(opening) = openings.join_next().await {
        let (took, stream, read, last) = opening??;
        firsts.push(took);
        streams.push((stream, read, last));
    }
    let kilobytes = (server.kilobytes()?.saturating_sub(before)) as f64 / count as f64;
    let begun = Instant::now();
    let mut endings = JoinSet::new();
    for (mut stream, read, last) in streams {
        endings.spawn(async move { until(&mut stream, read, last).await.map(drop) });
    }
    end().await?;
    while let Some(ending) = endings.join_next().await {
        ending??;
    }
    Ok(Figures { firsts, kilobytes, end: begun.elapsed() })
}

/// Reads until this is there.
async fn until(stream: &mut TcpStream, mut read: String, wanted: &str) -> Result<String, std::io::Error> {
    let mut piece = [0; 4096];
    while !read.contains(wanted) {
        let count = timeout(PATIENCE, stream.read(&mut piece)).await.map_err(std::io::Error::other)??;
        if count == 0 {
            return Err(std::io::Error::other(format!("it ended before `{wanted}`: {read}")));
        }
        read.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    Ok(read)
}

fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

async fn answered(address: &str, request: &str) -> Result<String, Failure> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.replacen("\r\n", "\r\nconnection: close\r\n", 1).as_bytes()).await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    match text.starts_with("HTTP/1.1 2") {
        true => Ok(text),
        false => Err(text.into()),
    }
}

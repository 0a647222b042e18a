//! A model provider that says one word at once and the rest when it is told to: `GET /end` ends all answers.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::Failure;

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const FIRST: &str = r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello "},"finish_reason":null}]}"#;
const LAST: &str = r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"there."},"finish_reason":"stop"}]}"#;

pub(crate) async fn serve() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("serves at http://{}", listener.local_addr()?);
    let ends = Arc::new(watch::Sender::new(0));
    loop {
        let (stream, _) = listener.accept().await?;
        let ends = Arc::clone(&ends);
        tokio::spawn(async move {
            // Who is gone needs no answer.
            let _ = answer(stream, &ends).await;
        });
    }
}

async fn answer(mut stream: TcpStream, ends: &watch::Sender<u64>) -> Result<(), Failure> {
    stream.set_nodelay(true)?;
    let mut end = ends.subscribe();
    loop {
        let Some(request) = request(&mut stream).await? else { return Ok(()) };
        if request.starts_with("GET /end") {
            ends.send_modify(|end| *end += 1);
            stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").await?;
            return Ok(());
        }
        end.mark_unchanged();
        stream.write_all([HEAD, &chunk(&format!("data: {FIRST}\n\n"))].concat().as_bytes()).await?;
        end.changed().await?;
        let last = chunk(&format!("data: {LAST}\n\ndata: [DONE]\n\n"));
        stream.write_all([&last, "0\r\n\r\n"].concat().as_bytes()).await?;
    }
}

/// The head of a request, whose body was read. Nothing where there is none any more.
async fn request(stream: &mut TcpStream) -> Result<Option<String>, Failure> {
    let mut read = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await?;
        if count == 0 {
            return Ok(None);
        }
        read.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&read);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        if body.len() >= length.unwrap_or_default() {
            return Ok(Some(head.to_owned()));
        }
    }
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

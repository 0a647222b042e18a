//! A server that a test has started, and a client that says what it wants to, byte by byte.

use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use glove_wasm_serve::Server;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub struct Running {
    pub address: SocketAddr,
    runtime: Runtime,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<std::io::Result<()>>>,
}

impl Running {
    pub fn start(server: Server) -> Running {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = runtime.spawn(server.serve(listener, async { drop(stopped.await) }));
        Running { address, runtime, stop: Some(stop), serving: Some(serving) }
    }

    pub fn stop(&mut self) {
        drop(self.stop.take());
        let serving = self.serving.take().unwrap();
        let ended = self.runtime.block_on(async { timeout(Duration::from_secs(120), serving).await });
        ended.expect("the server does not end").unwrap().unwrap();
    }

    /// `head` has whole lines, without the last and empty one.
    pub fn send(&self, head: &str, body: Option<&str>) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // A head may say itself what the body is.
        let kind = if head.contains("content-type:") { "" } else { "content-type: application/json\r\n" };
        let about = body.map_or_else(String::new, |body| format!("{kind}content-length: {}\r\n", body.len()));
        let all = format!("{head}connection: close\r\n{about}\r\n{}", body.unwrap_or_default());
        stream.write_all(all.as_bytes()).unwrap();
        BufReader::new(stream)
    }
}

/// All that comes until the stream ends, or the connection is lost. A stream that is kept alive does not run into its time limit by itself.
pub fn rest(stream: &mut impl Read) -> String {
    let (begun, mut all, mut piece) = (Instant::now(), Vec::new(), [0; 1 << 16]);
    while let Ok(count @ 1..) = stream.read(&mut piece) {
        all.extend_from_slice(&piece[..count]);
        assert!(begun.elapsed() < Duration::from_secs(60), "the stream does not end");
    }
    String::from_utf8(all).unwrap()
}

/// Status, head and body of a response that ends.
pub fn whole(mut response: impl Read) -> (u16, String, String) {
    let text = rest(&mut response);
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = if head.contains("chunked") { without_chunks(body) } else { body.to_owned() };
    (status, head.to_owned(), body)
}

fn without_chunks(mut rest: &str) -> String {
    let mut text = String::new();
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        text += &after[..length];
        rest = &after[length + 2..];
    }
    text
}

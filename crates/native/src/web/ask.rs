//! Asks an address for a tool: without cookies, within its hosts also after redirects, and no more than a part of what comes.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Method, Response, redirect};
use tokio::sync::oneshot;

use super::WebError;
use super::hosts::{Hosts, Reach, origin};
use crate::http::{sentence, tls};
use crate::http_thread::HttpThread;

const MAX_REDIRECTS: usize = 5;
const CONNECT: Duration = Duration::from_secs(30);
/// Some servers refuse requests without a user agent.
const AGENT: &str = concat!("glove/", env!("CARGO_PKG_VERSION"));
/// They would say who asks, or what the host is.
const KEPT: [&str; 10] = [
    "host",
    "cookie",
    "connection",
    "content-length",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "origin",
    "referer",
];

#[derive(Debug)]
pub struct Question {
    pub url: String,
    pub method: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
    pub hosts: Hosts,
    /// In bytes.
    pub most: usize,
}

#[derive(Debug)]
pub struct Answer {
    /// Where it came from in the end.
    pub url: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
    /// There was more of it.
    pub cut: bool,
}

impl Answer {
    pub fn kind(&self) -> &str {
        self.headers.iter().find(|(name, _)| name == "content-type").map_or("", |(_, value)| value.as_str())
    }
}

/// Clones share their connections.
#[derive(Clone)]
pub struct Web {
    /// Asks no address of this network, whatever a name leads to.
    public: Client,
    named: Client,
    thread: HttpThread,
}

impl Web {
    pub fn start() -> Result<Self, WebError> {
        let failed =
            |why: String| WebError { message: format!("the client for the web could not start: {why}") };
        let tls = tls().map_err(|error| failed(error.to_string()))?;
        let client = || {
            Client::builder()
                .redirect(redirect::Policy::none())
                .connect_timeout(CONNECT)
                .user_agent(AGENT)
                .tls_backend_preconfigured(tls.clone())
        };
        let public = client().dns_resolver(Arc::new(PublicNames)).build();
        Ok(Web {
            public: public.map_err(|error| failed(sentence(&error)))?,
            named: client().build().map_err(|error| failed(sentence(&error)))?,
            thread: HttpThread::start().map_err(|error| failed(error.to_string()))?,
        })
    }

    /// The error is for whoever asked, a model or its code. Dropping the future ends the request.
    pub async fn ask(&self, question: Question) -> Result<Answer, String> {
        let (tell, told) = oneshot::channel();
        let web = self.clone();
        let _running = self.thread.spawn(async move {
            let _ = tell.send(web.follow(question).await);
        });
        told.await.unwrap_or_else(|_| Err("the request was dropped".to_owned()))
    }

    async fn follow(&self, question: Question) -> Result<Answer, String> {
        let Question { url, method, mut headers, body, hosts, most } = question;
        if let Some((name, _)) = headers.iter().find(|(name, _)| is_kept(name)) {
            return Err(format!("the header \"{name}\" is not for tools to set"));
        }
        let method = method_of(&method)?;
        let reads = method == Method::GET || method == Method::HEAD;
        let (mut url, mut reach) = hosts.allow(&url)?;
        for _ in 0..=MAX_REDIRECTS {
            let client = if reach == Reach::Public { &self.public } else { &self.named };
            let mut asking = client.request(method.clone(), url.clone());
            for (name, value) in &headers {
                asking = asking.header(name, value);
            }
            if let Some(body) = body.as_ref().filter(|_| !reads) {
                asking = asking.body(body.clone());
            }
            let response = asking.send().await.map_err(|error| sentence(&error))?;
            let to = response.headers().get("location").map(|to| String::from_utf8_lossy(to.as_bytes()));
            let Some(to) = to.filter(|_| response.status().is_redirection()) else {
                return answer_of(response, most).await;
            };
            let from = url.host_str().unwrap_or_default();
            let shown: String = to.chars().take(200).collect();
            if !reads {
                return Err(format!("{from} redirects to {shown}, which a {method} does not follow"));
            }
            let next =
                url.join(&to).map_err(|_| format!("{from} redirects to {shown}, which is no address"))?;
            let (next, by) = hosts.allow(next.as_str())?;
            // What was for one host is not told to another.
            if origin(&next) != origin(&url) {
                headers.clear();
            }
            (url, reach) = (next, by);
        }
        let from = url.host_str().unwrap_or_default();
        Err(format!("{from} redirects more than {MAX_REDIRECTS} times"))
    }
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Web")
    }
}

fn is_kept(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    KEPT.contains(&name.as_str()) || name.starts_with("proxy-") || name.starts_with("sec-")
}

/// As `fetch` reads it.
fn method_of(text: &str) -> Result<Method, String> {
    let upper = text.to_ascii_uppercase();
    let method = match upper.as_str() {
        "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "OPTIONS" => Method::from_bytes(upper.as_bytes()),
        "CONNECT" | "TRACE" | "TRACK" => return Err(format!("the method {upper} is not for tools")),
        _ => Method::from_bytes(text.as_bytes()),
    };
    method.map_err(|_| {
        let shown: String = text.chars().take(50).collect();
        format!("\"{shown}\" is no method of HTTP")
    })
}

async fn answer_of(mut response: Response, most: usize) -> Result<Answer, String> {
    let (url, status) = (response.url().to_string(), response.status().as_u16());
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, value) in response.headers() {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        match headers.iter_mut().find(|(known, _)| known == name.as_str()) {
            _ if name == "set-cookie" => {}
            Some((_, all)) => all.push_str(&format!(", {value}")),
            None => headers.push((name.as_str().to_owned(), value)),
        }
    }
    let (mut bytes, mut cut) = (Vec::new(), false);
    while let Some(piece) = response.chunk().await.map_err(|error| sentence(&error))? {
        let room = most - bytes.len();
        cut = piece.len() > room;
        bytes.extend_from_slice(piece.get(..room).unwrap_or(&piece));
        if cut {
            break;
        }
    }
    Ok(Answer { url, status, headers, text: text_of(&bytes), cut })
}

/// Without what stands for half a letter at its end.
fn text_of(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return text;
            }
            Err(error) => {
                let (valid, behind) = rest.split_at(error.valid_up_to());
                text.push_str(&String::from_utf8_lossy(valid));
                let Some(odd) = error.error_len() else { return text };
                text.push(char::REPLACEMENT_CHARACTER);
                rest = behind.get(odd..).unwrap_or_default();
            }
        }
    }
}

/// Resolves names, and leaves out what leads into this network: a name of the public web may be anybody's.
struct PublicNames;

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let all: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let public: Vec<SocketAddr> = all.iter().copied().filter(|found| is_public(found.ip())).collect();
            if public.is_empty() && !all.is_empty() {
                let message = format!(
                    "{host} leads to an address of this network, which is asked only where it is granted as an origin"
                );
                return Err(message.into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// What IANA has for no special use.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [100, second, ..] => second & 0xC0 == 64,
        [172, second, ..] => second & 0xF0 == 16,
        [0 | 10 | 127 | 224..=255, ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _]
        | [192, 168, ..]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => true,
        _ => false,
    };
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, .., high, low] = address.segments();
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    let inner = Ipv4Addr::new(a, b, c, d);
    match (first, second) {
        // NAT64 leads to the address that is in it.
        (0x64, 0xff9b) => address.segments()[2..6] == [0; 4] && is_public_v4(inner),
        // 6to4, Teredo and documentation.
        (0x2002, _) | (0x2001, 0..=0x1ff | 0xdb8) | (0x3fff, 0..=0xfff) => false,
        // Mapped addresses, and what is local, are all outside of the space for the public.
        _ => first & 0xE000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_network_are_not_public() {
        let table = [
            ("93.184.216.34", true),
            ("8.8.8.8", true),
            ("172.32.0.1", true),
            ("100.128.0.1", true),
            ("2606:2800:220:1:248:1893:25c8:1946", true),
            ("64:ff9b::5db8:d822", true),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("100.64.0.1", false),
            ("127.0.0.1", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.168.1.1", false),
            ("198.18.0.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:8.8.8.8", false),
            ("fe80::1", false),
            ("fc00::1", false),
            ("fd12:3456::1", false),
            ("ff02::1", false),
            ("64:ff9b::a00:1", false),
            ("64:ff9b:1::808:808", false),
            ("2002:a00:1::", false),
            ("2001:db8::1", false),
        ];
        for (address, public) in table {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }

    #[test]
    fn a_name_of_the_public_web_that_leads_into_this_network_is_not_asked() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(PublicNames.resolve("localhost".parse().unwrap()));
        let error = found.err().unwrap().to_string();
        assert!(error.contains("localhost leads to an address of this network"), "{error}");
    }

    #[test]
    fn what_stands_for_half_a_letter_at_the_end_is_left_out() {
        assert_eq!(text_of("é".repeat(3).as_bytes().get(..5).unwrap()), "éé");
        assert_eq!(text_of(b"\xEF\xBB\xBFa\xFFb"), "a\u{FFFD}b");
    }
}

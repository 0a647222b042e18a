//! Which addresses a tool may ask: those of named hosts, and none of this machine or its network unless it is named as it stands.

use reqwest::Url;

use super::WebError;

/// Hosts as they are named: `api.example.com`, `*.example.com`, `*`, or an origin as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hosts(Vec<String>);

/// How an address is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// By a name of the public web, which must not lead into this network.
    Public,
    /// By its origin, wherever that is.
    Named,
}

impl Hosts {
    pub fn new<H: Into<String>>(hosts: impl IntoIterator<Item = H>) -> Result<Self, WebError> {
        let hosts: Vec<String> = hosts.into_iter().map(Into::into).collect();
        for host in &hosts {
            if let Some(wrong) = wrong(host) {
                return Err(WebError { message: format!("the host \"{host}\" {wrong}") });
            }
        }
        Ok(Hosts(hosts))
    }

    pub fn everywhere() -> Self {
        Hosts(vec!["*".to_owned()])
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As a sentence names them.
    pub fn names(&self) -> String {
        self.0.join(", ")
    }

    /// Whether they are whoever there is.
    pub fn is_everywhere(&self) -> bool {
        self.0.iter().any(|host| host == "*")
    }

    /// The address, if it is one of these; the error says why not.
    pub fn allow(&self, text: &str) -> Result<(Url, Reach), String> {
        let Ok(url) = Url::parse(text) else {
            let shown: String = text.chars().take(200).collect();
            return Err(format!("\"{shown}\" is no absolute address like https://example.com/page"));
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("an address with a name and a password in it is not asked".to_owned());
        }
        let reach = |host: &String| {
            let reach = if host.contains("://") { Reach::Named } else { Reach::Public };
            allows(host, &url).then_some(reach)
        };
        if let Some(reach) = self.0.iter().filter_map(reach).max_by_key(|reach| *reach == Reach::Named) {
            return Ok((url, reach));
        }
        let granted = match self.is_empty() {
            true => "no host is granted".to_owned(),
            false => format!("granted: {}", self.names()),
        };
        Err(format!("{} is not granted; {granted}", origin(&url)))
    }

    pub fn allows(&self, url: &str) -> bool {
        self.allow(url).is_ok()
    }
}

fn is_address(host: &str) -> bool {
    let numbers = host.split('.');
    let dotted = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    host.starts_with('[') || (numbers.clone().count() == 4 && numbers.clone().all(dotted))
}

fn is_local(host: &str) -> bool {
    let ends =
        |name: &str| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !host.contains('.') || ["localhost", "local", "internal", "lan", "home.arpa"].into_iter().any(ends)
}

fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

pub(super) fn origin(url: &Url) -> String {
    format!("{}://{}", url.scheme(), host_of(url))
}

fn wrong(host: &str) -> Option<&'static str> {
    let is = |text: &str| Url::parse(text).is_ok_and(|url| origin(&url) == text);
    if host == "*" {
        return None;
    }
    if host.starts_with("http://") || host.starts_with("https://") {
        return (!is(host)).then_some("must be an origin like http://127.0.0.1:8080, without a path");
    }
    let name = host.strip_prefix("*.").unwrap_or(host);
    if name != host && !name.contains('.') {
        return Some("is a wildcard for a whole top-level domain");
    }
    let address = format!("https://{name}");
    if !is(&address) || name.ends_with('.') || name.contains('*') {
        return Some("must be a host like api.example.com or *.example.com");
    }
    let known = Url::parse(&address).ok()?;
    let name = known.host_str().unwrap_or_default();
    (is_address(name) || is_local(name))
        .then_some("is an address or a local name: write it as an origin, such as http://127.0.0.1:8080")
}

fn allows(host: &str, url: &Url) -> bool {
    if host.contains("://") {
        return origin(url) == host;
    }
    let name = url.host_str().unwrap_or_default();
    if url.scheme() != "https" || is_address(name) || is_local(name) || name.ends_with('.') {
        return false;
    }
    match host.strip_prefix('*') {
        Some("") => url.port().is_none(),
        // It begins with a dot.
        Some(ending) => host_of(url).ends_with(ending),
        None => host_of(url) == host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        hosts: Vec<String>,
        url: String,
        allowed: bool,
    }

    #[test]
    fn addresses_are_allowed_as_in_pages() {
        let cases: Vec<Case> =
            serde_json::from_str(include_str!("../../../../tests/fixtures/hosts.json")).unwrap();
        for case in cases {
            let hosts = Hosts::new(case.hosts.clone()).unwrap();
            assert_eq!(hosts.allow(&case.url).is_ok(), case.allowed, "{:?} {}", case.hosts, case.url);
        }
    }

    #[test]
    fn hosts_that_mean_more_than_they_say_are_refused() {
        let wrong = [
            ("*.com", "whole top-level domain"),
            ("localhost", "write it as an origin"),
            ("10.0.0.1", "write it as an origin"),
            ("[::1]", "write it as an origin"),
            ("printer.local", "write it as an origin"),
            ("0x7f.1", "must be a host"),
            ("*api.example.com", "must be a host"),
            ("api.*.example.com", "must be a host"),
            ("API.example.com", "must be a host"),
            ("api.example.com/path", "must be a host"),
            ("a@b.example.com", "must be a host"),
            ("api.example.com.", "must be a host"),
            ("", "must be a host"),
            ("https://a.example.com/path", "without a path"),
            ("https://a.example.com:443", "without a path"),
        ];
        for (host, words) in wrong {
            let error = Hosts::new([host]).unwrap_err();
            assert!(error.message.contains(words), "{host}: {error}");
        }
    }

    #[test]
    fn a_host_that_is_named_by_its_origin_is_reached_wherever_it_is() {
        let hosts = Hosts::new(["*", "https://intranet.example.com"]).unwrap();
        assert_eq!(hosts.allow("https://intranet.example.com/a").unwrap().1, Reach::Named);
        assert_eq!(hosts.allow("https://www.example.com/a").unwrap().1, Reach::Public);
    }
}

//! Who calls: the application says which user a request comes from; without it only pages of this machine are let in.

use std::net::IpAddr;
use std::time::Duration;

use super::forward::was_forwarded;
use super::shared::{Caller, Shared};
use glove_wasm::endpoint::Refusal;

const AUTHORIZE: Duration = Duration::from_secs(30);

/// The caller's user. Empty if the server has no authorization.
pub(super) async fn user_of(shared: &Shared, caller: &Caller) -> Result<String, Refusal> {
    let Some(authorize) = &shared.authorize else {
        // A page elsewhere can give a name of its own the address of this machine, and would be let in with it.
        let host = caller.header("host").unwrap_or_default();
        if !is_this_machine(host) {
            let message = "This server answers under the name of its machine only.";
            return Err(Refusal::new(403, "FORBIDDEN", message));
        }
        if matches!(caller.method.as_str(), "POST" | "DELETE") && !is_of_same_origin(caller, host) {
            let message = "Pages of other origins may not change anything here.";
            return Err(Refusal::new(403, "FORBIDDEN", message));
        }
        return Ok(String::new());
    };
    match tokio::time::timeout(AUTHORIZE, authorize(caller.clone())).await {
        Ok(Some(user)) => Ok(user),
        Ok(None) => Err(Refusal::new(401, "UNAUTHORIZED", "Sign in to use this server.")),
        Err(_) => {
            Err(Refusal::new(503, "AUTHORIZE_TIMEOUT", "It could not be found out in time who you are."))
        }
    }
}

/// A browser sends some requests to anybody without asking, and says whose page wants them. What is no browser says nothing, and what
/// another server passes on was looked at there: no page adds that header without being asked whether it may.
fn is_of_same_origin(caller: &Caller, host: &str) -> bool {
    if was_forwarded(caller) {
        return true;
    }
    if let Some(site) = caller.header("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = caller.header("origin") else { return true };
    let from = origin.split_once("://").map_or("", |(_, from)| from);
    // A proxy on this machine may have asked under another port.
    from.eq_ignore_ascii_case(host) || named(from).is_some_and(is_loopback)
}

fn is_this_machine(host: &str) -> bool {
    named(host).is_some_and(|name| name == "localhost" || name.parse::<IpAddr>().is_ok())
}

fn is_loopback(name: &str) -> bool {
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The name without its port.
fn named(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    is_port.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_somebody_else_is_not_this_machine() {
        for host in ["localhost", "localhost:8787", "127.0.0.1:8787", "[::1]:8787", "192.168.1.5"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "[::1].evil.example",
            "[::1].evil.example:80",
            "[::1",
            "[::1]:80.evil.example",
            "localhost:80@evil.example",
            "localhost:",
            "",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}

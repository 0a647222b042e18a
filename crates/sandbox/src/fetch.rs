//! `fetch` of sandboxed code: at the granted hosts, with credentials that the code names and never has.

use serde_json::{Value, json};

use super::grants::Sandbox;
use glove_wasm::ports::Credentials;
use glove_wasm_native::internal::{Answer, Hosts, Question, Web};
use glove_wasm_task::runtime::Secrets;

const MAX_READ: usize = 1_000_000;

pub(super) struct Fetch {
    web: Web,
    hosts: Hosts,
    named: Vec<(String, Hosts)>,
    granted: Credentials,
    secrets: Secrets,
}

impl Fetch {
    /// None where no host is granted.
    pub(super) fn of(sandbox: &Sandbox, granted: Credentials) -> Option<Self> {
        let (web, hosts) = sandbox.web.clone()?;
        let secrets = Secrets::default();
        // Those that are too short to be struck out the task has refused before.
        secrets.keep(&granted).ok()?;
        Some(Fetch { web, hosts, named: sandbox.credentials.clone(), granted, secrets })
    }

    /// `given` is address, method, headers and body. What goes wrong the code reads.
    pub(super) async fn ask(&self, request: &str) -> Result<Value, String> {
        type Asked = (String, String, Vec<(String, String)>, Option<String>);
        let (url, method, mut headers, body): Asked =
            serde_json::from_str(request).map_err(|error| error.to_string())?;
        for (_, value) in &mut headers {
            *value = self.filled(value, &url)?;
        }
        let (hosts, most) = (self.hosts.clone(), MAX_READ);
        let asked = url.clone();
        let answer = self.web.ask(Question { url, method, headers, body, hosts, most }).await;
        // Servers say again what they were sent.
        match answer {
            // Half of an answer would be taken for the whole one.
            Ok(Answer { cut: true, .. }) => Err(format!(
                "{asked} answered more than {MAX_READ} bytes, of which none was read: ask for less of it"
            )),
            Ok(Answer { status, headers, text, .. }) => {
                let headers: Vec<(String, String)> =
                    headers.iter().map(|(name, value)| (name.clone(), self.secrets.text(value))).collect();
                let text = self.secrets.text(&text);
                Ok(json!({ "status": status, "headers": headers, "text": text }))
            }
            Err(why) => Err(self.secrets.text(&why)),
        }
    }

    /// The header as it is sent: `{{NAME}}` stands for a credential.
    fn filled(&self, value: &str, url: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = value;
        while let Some((before, after)) = rest.split_once("{{") {
            let name = after.split_once("}}").filter(|(name, _)| {
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
            out.push_str(before);
            match name {
                Some((name, after)) => {
                    out.push_str(self.credential(name, url)?);
                    rest = after;
                }
                None => {
                    out.push_str("{{");
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        Ok(out)
    }

    fn credential(&self, name: &str, url: &str) -> Result<&str, String> {
        let known = self.named.iter().find(|(known, _)| known == name);
        let (_, hosts) = known.ok_or_else(|| format!("no credential \"{name}\" is granted"))?;
        if !hosts.allows(url) {
            return Err(format!("the credential \"{name}\" is for {} alone", hosts.names()));
        }
        let value = self.granted.get(name);
        value.ok_or_else(|| format!("this call was given no credential \"{name}\""))
    }
}

//! What of a provider's sentence is about the inside of a server: addresses, hosts, accounts, keys. In doubt it is.

/// What stands around the words of a sentence.
const AROUND: &str = "\"'`()[]{}<>,;|";

/// How ids of accounts and keys begin.
const IDS: [&str; 9] = ["org-", "org_", "proj-", "proj_", "sk-", "pk-", "rk-", "gsk_", "xai-"];

/// How names of what is a secret end.
const CARRIERS: [&str; 6] = ["key", "token", "secret", "password", "auth", "sig"];

/// The sentence without it.
pub(super) fn struck(text: &str) -> String {
    let mut out = String::new();
    // What a value is of, where it stands behind a quotation mark.
    let mut name = "";
    for word in text.split_inclusive(|c: char| c.is_whitespace() || AROUND.contains(c)) {
        let bare = word.trim_end_matches(|c: char| c.is_whitespace() || AROUND.contains(c));
        let said = bare.trim_end_matches(['.', ':', '!', '?']);
        if is_address(said) {
            out.push('…');
        } else if !said.is_empty() {
            name = fields(name, said, &mut out);
        }
        out.push_str(word.get(said.len()..).unwrap_or_default());
    }
    out
}

/// `name=value`, or a plain word. Gives the name of a value that is still to come.
fn fields<'a>(mut name: &'a str, word: &'a str, out: &mut String) -> &'a str {
    for (at, part) in word.split('=').enumerate() {
        if at > 0 {
            out.push('=');
        }
        if !part.is_empty() {
            let inner = carries(name) || is_host(part) || part.split([':', '/']).any(is_key);
            out.push_str(if inner { "…" } else { part });
            name = part;
        }
    }
    if word.ends_with('=') { name } else { "" }
}

fn carries(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    CARRIERS.iter().any(|carrier| name.ends_with(carrier))
}

fn is_address(word: &str) -> bool {
    let colons = word.bytes().filter(|byte| *byte == b':').count();
    word.contains("//") || word.contains('@') || word.contains("::") || colons > 2
}

/// `10.0.0.1`, `api.example.com`, `localhost`, or a bare name with a port; with or without a path.
fn is_host(word: &str) -> bool {
    let place = word.split('/').next().unwrap_or_default();
    let served = place
        .rsplit_once(':')
        .is_some_and(|(name, port)| port.len() > 1 && is_number(port) && !is_number(name) && is_label(name));
    served || place.split(':').any(is_dotted)
}

fn is_dotted(name: &str) -> bool {
    let labels = Vec::from_iter(name.split('.'));
    let numbers = labels.iter().filter(|label| is_number(label)).count();
    // `tools.0.name` and `gpt-4.1` are no hosts.
    let named = |last: &&str| last.len() > 1 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
    name.eq_ignore_ascii_case("localhost")
        || (labels.len() == 4 && numbers == 4)
        || (labels.len() > 1
            && numbers == 0
            && labels.last().is_some_and(named)
            && labels.iter().all(|l| is_label(l)))
}

fn is_label(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An id of an account, or what only a machine writes. Names of models are neither: `claude-sonnet-4-20250514`.
fn is_key(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let has = |of: fn(&u8) -> bool| word.bytes().filter(of).count();
    let (upper, small) = (has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase));
    let digits = has(u8::is_ascii_digit);
    IDS.iter().any(|id| lower.starts_with(id))
        || (word.len() >= 16 && upper > 0 && small > 0 && digits > 0)
        || (word.len() >= 24 && digits > 5 && upper + small > 0 && upper + small + digits == word.len())
}

#[cfg(test)]
mod tests {
    use super::struck;

    #[test]
    fn addresses_hosts_accounts_and_keys_are_struck_out() {
        let table = [
            ("see http://vllm.internal:8000/v1?a=1&key=x now", "see … now"),
            ("dial tcp 10.0.0.12:11434: connect: refused", "dial tcp …: connect: refused"),
            ("at [::1]:80, (fe80::1) and fe80:0:0:1", "at […]:80, (…) and …"),
            ("ask vllm:8000, localhost/v1 or gpu-1.corp.", "ask …, … or …."),
            ("in organization org-Ab12 of proj_77", "in organization … of …"),
            ("api_key=hunter2; password='x y', Token=a=b c", "api_key=…; password='… y', Token=…=b c"),
            ("no sk-other-secret-999, key:sk-a, AIzaSyD4f5G6h7J8k9L0", "no …, …, …"),
            ("0123456789abcdef0123456789abcdef!", "…!"),
            ("write to ops@example.com or //h/x", "write to … or …"),
            ("model é/sk-1 … ✓", "model … … ✓"),
        ];
        for (text, told) in table {
            assert_eq!(struck(text), told, "{text}");
        }
    }

    #[test]
    fn what_is_about_the_request_stays() {
        for text in [
            "",
            " tools.0.custom.input_schema: Field required.\n",
            "messages.1.content.0: image/png exceeds 5 MB: 5316852 bytes > 5242880 bytes",
            "max_tokens=4096: 300000 > 8192, 1.5 times; e.g. fewer",
            "The model `anthropic/claude-3.5-sonnet` or gpt-4.1-mini does not exist",
            "claude-sonnet-4-20250514 takes no \"temperature\": {\"type\":\"enum\"}",
            "`tool_use` ids were found without `tool_result` blocks: call_1",
        ] {
            assert_eq!(struck(text), text);
        }
    }
}

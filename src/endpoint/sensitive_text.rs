//! What of a provider's sentence is about the inside of a server: addresses, hosts, accounts, keys. In doubt it is.

/// What stands between the words of a sentence, as blanks do.
const BETWEEN: &[u8] = b"\"'`()[]{}<>,;|=";

/// How ids of accounts and keys begin.
const IDS: [&str; 10] =
    ["github_pat_", "org-", "org_", "proj-", "proj_", "sk-", "pk-", "rk-", "gsk_", "xai-"];

/// The same, where something like an id follows: `team-based` is a word.
const HOLDERS: [&str; 17] = [
    "acct",
    "account",
    "team",
    "user",
    "tenant",
    "project",
    "workspace",
    "wrkspc",
    "cus",
    "ghp",
    "gho",
    "ghs",
    "glpat",
    "hf",
    "r8",
    "nvapi",
    "key",
];

/// Whose name or number comes next, in a sentence (`Project 48291038`) and in the plural in a path (`projects/mine/…`).
const OWNERS: [&str; 9] = [
    "project",
    "account",
    "organization",
    "organisation",
    "tenant",
    "subscription",
    "workspace",
    "team",
    "user",
];

/// How paths of an API begin; others are of the server's disk.
const PUBLIC: [&str; 7] = ["v1", "v1beta", "v2", "api", "openai", "chat", "responses"];

/// Endings of names that mark a secret.
const CARRIERS: [&str; 6] = ["key", "token", "secret", "password", "auth", "sig"];

/// The sentence without it.
pub(super) fn struck(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    // What comes is the value of a secret, or the rest of an address.
    let mut follows = false;
    let mut before: &[u8] = b"";
    for word in text.as_bytes().split_inclusive(is_between) {
        let last = word.iter().rposition(|byte| !is_between(byte) && !b".:!?".contains(byte));
        let core = word.get(..last.map_or(0, |last| last + 1)).unwrap_or_default();
        let behind = at + word.len();
        if !core.is_empty() {
            let place = is_address(core) || is_host(core) || is_on_disk(core);
            let owned = core.split(|byte| *byte == b'/').any(is_owners);
            let inner = follows || place || is_of(before, core);
            if inner || !owned && core.split(is_joint).any(is_key) {
                out.push('…');
                at += core.len();
            } else if owned {
                let end = at + core.len();
                out.push_str(&disowned(text.get(at..end).unwrap_or_default()));
                at = end;
            }
            follows = word.ends_with(b"=") && (inner || CARRIERS.iter().any(|end| ends(core, end)));
            if !["id", "number", "name"].iter().any(|word| is(core, word)) {
                before = core;
            }
        }
        out.push_str(text.get(at..behind).unwrap_or_default());
        at = behind;
    }
    out
}

/// A path without the names of owners in it, so that the model's is left.
fn disowned(path: &str) -> String {
    let mut out = String::new();
    let mut follows = false;
    for step in path.split_inclusive('/') {
        let name = step.trim_end_matches('/');
        match !name.is_empty() && (follows || name.as_bytes().split(is_joint).any(is_key)) {
            true => out.push('…'),
            false => out.push_str(name),
        }
        out.push_str(step.get(name.len()..).unwrap_or_default());
        follows = is_owners(name.as_bytes());
    }
    out
}

/// `projects`, as a path has it.
fn is_owners(step: &[u8]) -> bool {
    step.split_last().is_some_and(|(last, owner)| *last == b's' && OWNERS.iter().any(|name| is(owner, name)))
}

/// Whether a word belongs to the one before it: the name of an account, or the value of a secret.
fn is_of(before: &[u8], word: &[u8]) -> bool {
    let digits = count(word, u8::is_ascii_digit);
    let is_name = digits > 3 || word.contains(&b'-') && !is(before, "user");
    let is_secret = word.len() >= 8 && digits > 0 && !word.contains(&b'.');
    is_name && OWNERS.iter().any(|owner| is(before, owner))
        || is_secret && (ends(before, "bearer") || CARRIERS.iter().any(|end| ends(before, end)))
}

/// `/home/bob/model.gguf`, `C:\Users\bob`.
fn is_on_disk(word: &[u8]) -> bool {
    let mut steps = word.split(|byte| *byte == b'/');
    let rooted = steps.next().is_some_and(|first| first.is_empty() || first == b"~");
    let public = steps.next().is_none_or(|step| PUBLIC.iter().any(|name| is(step, name)));
    rooted && !public && steps.next().is_some()
        || word.windows(2).any(|pair| pair == b":\\" || pair == b"\\\\")
}

fn is_between(byte: &u8) -> bool {
    *byte <= b' ' || BETWEEN.contains(byte)
}

fn is_joint(byte: &u8) -> bool {
    *byte == b':' || *byte == b'/'
}

fn is(word: &[u8], name: &str) -> bool {
    word.eq_ignore_ascii_case(name.as_bytes())
}

fn ends(word: &[u8], end: &str) -> bool {
    let from = word.len().saturating_sub(end.len());
    word.get(from..).is_some_and(|part| part.eq_ignore_ascii_case(end.as_bytes()))
}

fn begins(word: &[u8], begin: &str) -> bool {
    word.get(..begin.len()).is_some_and(|part| part.eq_ignore_ascii_case(begin.as_bytes()))
}

fn count(word: &[u8], of: fn(&u8) -> bool) -> usize {
    word.iter().filter(|byte| of(byte)).count()
}

fn is_address(word: &[u8]) -> bool {
    let twice = word.windows(2).any(|pair| pair == b"//" || pair == b"::");
    twice || word.contains(&b'@') || count(word, |byte| *byte == b':') > 2
}

/// `10.0.0.1`, `api.example.com`, `localhost`, or a bare name with a port; with or without a path.
fn is_host(word: &[u8]) -> bool {
    let place = word.split(|byte| *byte == b'/').next().unwrap_or_default();
    let mut before: &[u8] = b"";
    place.split(is_joint).any(|part| {
        let served = part.len() > 1 && is_number(part) && is_label(before) && !is_number(before);
        before = part;
        served || is_dotted(part)
    })
}

fn is_dotted(name: &[u8]) -> bool {
    let (mut labels, mut numbers, mut others) = (0, 0, 0);
    let mut last: &[u8] = b"";
    for label in name.split(|byte| *byte == b'.') {
        labels += 1;
        numbers += usize::from(is_number(label));
        others += usize::from(!is_label(label));
        last = label;
    }
    // `tools.0.name` and `gpt-4.1` are no hosts.
    let named = last.len() > 1 && count(last, u8::is_ascii_alphabetic) == last.len();
    name.eq_ignore_ascii_case(b"localhost")
        || (labels, numbers) == (4, 4)
        || (labels > 1 && numbers + others == 0 && named)
}

fn is_label(text: &[u8]) -> bool {
    !text.is_empty() && count(text, |byte| byte.is_ascii_alphanumeric() || *byte == b'-') == text.len()
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && count(text, u8::is_ascii_digit) == text.len()
}

/// An id of an account, or what only a machine writes. Names of models are neither: `claude-sonnet-4-20250514`.
fn is_key(word: &[u8]) -> bool {
    let (upper, small) = (count(word, u8::is_ascii_uppercase), count(word, u8::is_ascii_lowercase));
    let digits = count(word, u8::is_ascii_digit);
    IDS.iter().any(|id| begins(word, id))
        || is_held(word)
        || word.windows(36).any(is_uuid)
        || (word.len() > 10 && digits == word.len())
        || (word.len() >= 16 && upper > 0 && small > 0 && digits > 0)
        || (word.len() >= 24 && digits > 5 && upper + small > 0 && upper + small + digits == word.len())
}

/// `acct_1N3kd9`: the id of a holder.
fn is_held(word: &[u8]) -> bool {
    let Some(at) = word.iter().position(|byte| matches!(byte, b'_' | b'-')) else { return false };
    let (holder, id) = (word.get(..at).unwrap_or_default(), word.get(at + 1..).unwrap_or_default());
    let is_id = id.len() > 3 && count(id, u8::is_ascii_digit) > 0 || id.len() > 15;
    is_id && HOLDERS.iter().any(|name| is(holder, name))
}

fn is_uuid(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

#[cfg(test)]
mod tests {
    use super::struck;

    #[test]
    fn addresses_hosts_accounts_and_keys_are_struck_out() {
        let table = [
            ("see http://vllm.internal:8000/v1?a=1&key=x now", "see …=…=… now"),
            ("dial tcp 10.0.0.12:11434: connect: refused", "dial tcp …: connect: refused"),
            ("at [::1]:80, (fe80::1) and fe80:0:0:1", "at […]:80, (…) and …"),
            ("ask vllm:8000, localhost/v1 or gpu-1.corp.", "ask …, … or …."),
            ("in organization org-Ab12 of proj_77", "in organization … of …"),
            ("api_key=hunter2; password='x y', Token=a=b c", "api_key=…; password='… y', Token=…=… c"),
            ("no sk-other-secret-999, key:sk-a, AIzaSyD4f5G6h7J8k9L0", "no …, …, …"),
            ("0123456789abcdef0123456789abcdef!", "…!"),
            ("write to ops@example.com or //h/x", "write to … or …"),
            ("model é/sk-1 … ✓", "model … … ✓"),
            (
                "Model `projects/my-company-prod/locations/eu/models/gemini-2.5-pro` not found",
                "Model `projects/…/locations/eu/models/gemini-2.5-pro` not found",
            ),
            ("in projects/482910384756.", "in projects/…."),
            ("Project 482910384756 or project 'my-prod' has no", "Project … or project '…' has no"),
            ("project number: 48291, account ID 123456789012", "project number: …, account ID …"),
            ("for acct_1N3kd9 of team_9fK3lm29ss", "for … of …"),
            ("request of 7d3f0a52-9c1e-4b8a-a2d4-5e6f70819203 by 123456789012", "request of … by …"),
            ("Authorization: Bearer abcd1234efgh5678", "Authorization: Bearer …"),
            ("{\"api_key\": \"abcd1234\"}", "{\"api_key\": \"…\"}"),
            ("ghp_abcdefghijklmnopqrstuvwxyz012345 is revoked", "… is revoked"),
            ("cannot open '/home/bob/models/llama.gguf'", "cannot open '…'"),
            ("cannot open C:\\Users\\bob\\llama.gguf or ~/models/a", "cannot open … or …"),
        ];
        for (text, expected) in table {
            assert_eq!(struck(text), expected, "{text}");
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
            "POST /v1/chat/completions takes no key 'stream' for user/assistant; invalid key: messages.1.content",
            "This project has no access, ask the team-based user; team-wide 4096 tokens, bearer token",
            "roles must alternate user/assistant/user/assistant; expected a user message, id 1",
            "`tool_use` ids were found without `tool_result` blocks: call_1",
        ] {
            assert_eq!(struck(text), text);
        }
    }
}

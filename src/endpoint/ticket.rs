//! Tickets: a server that has tools signs the calls that its model makes, and runs those alone.
//!
//! The page keeps the record, so the server knows of a call only what the page tells it. A ticket says that the model made this call, with these
//! arguments, for this caller. Equal arguments have equal tickets however they were written: a page reads and writes JSON anew.

use super::sha256::sha256;
use crate::json::Json;
use crate::json::reader::{Broken, Reader, number};
use crate::message::ToolCall;

/// The field of a call in which its ticket travels and is recorded.
pub const TICKET: &str = "ticket";

const PURPOSE: &[u8] = b"glove tool call 1";
const BLOCK: usize = 64;

/// What a server signs with, for one caller.
#[derive(Clone, Default)]
pub struct Tickets {
    pub secret: String,
    /// Empty where callers are not told from each other.
    pub owner: String,
    /// The tools that run on the server.
    pub tools: Vec<String>,
    /// Digits: milliseconds since 1970. With 0, tickets hold however old they are.
    pub now: String,
    /// How long a ticket holds, in milliseconds.
    pub lasts: f64,
}

impl Tickets {
    /// `{"secret":…,"owner":…,"tools":[…],"now":…,"lasts":…}`.
    pub fn read(text: &str) -> Option<Self> {
        Tickets::parse(text).ok()
    }

    fn parse(text: &str) -> Result<Self, Broken> {
        let mut tickets = Tickets::default();
        let mut reader = Reader::new(text);
        reader.object()?;
        while let Some(key) = reader.key()? {
            match key {
                "secret" => tickets.secret = reader.text()?.into_owned(),
                "owner" => tickets.owner = reader.text()?.into_owned(),
                "now" => reader.raw()?.clone_into(&mut tickets.now),
                "lasts" => tickets.lasts = reader.number()?.unwrap_or_default(),
                "tools" => {
                    reader.array()?;
                    while reader.item()? {
                        tickets.tools.push(reader.text()?.into_owned());
                    }
                }
                _ => reader.skip()?,
            }
        }
        Ok(tickets)
    }

    /// Adds a ticket to a call of a tool of the server. What a provider or a page wrote there is no ticket.
    pub fn sign(&self, call: &mut ToolCall, nonce: &str) {
        call.extra.0.retain(|(field, _)| field != TICKET);
        let known = self.tools.iter().any(|tool| tool.eq_ignore_ascii_case(&call.tool_name));
        if known && !call.unparsed_args {
            // When it was made is sealed with it.
            let nonce = format!("{}-{nonce}", self.now);
            let ticket =
                format!("{nonce}.{}", self.seal(&nonce, call.id(), &call.tool_name, &call.input_args));
            call.extra.0.push((TICKET.to_owned(), Json::string(&ticket)));
        }
    }

    /// Whether this is the ticket of this call, and not too old.
    pub fn holds(&self, ticket: &str, id: &str, name: &str, input: &Json) -> bool {
        let Some((nonce, seal)) = ticket.split_once('.') else { return false };
        let expected = self.seal(nonce, id, name, input);
        // Looks at each byte, so that the time it takes tells nothing.
        let differs = expected.bytes().zip(seal.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
        let made = nonce.split('-').next().and_then(number).unwrap_or_default();
        let now = number(&self.now).unwrap_or_default();
        expected.len() == seal.len() && differs == 0 && now <= made + self.lasts
    }

    fn seal(&self, nonce: &str, id: &str, name: &str, input: &Json) -> String {
        let mut text = PURPOSE.to_vec();
        for part in [self.owner.as_str(), nonce, id, name] {
            text.extend_from_slice(&(part.len() as u64).to_be_bytes());
            text.extend_from_slice(part.as_bytes());
        }
        with_plain_numbers(&input.canonical(), &mut text);
        let mut seal = String::new();
        for byte in hmac(self.secret.as_bytes(), &text).iter().take(16) {
            for half in [byte >> 4, byte & 15] {
                seal.push(char::from_digit(u32::from(half), 16).unwrap_or_default());
            }
        }
        seal
    }
}

impl std::fmt::Debug for Tickets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tickets").field("tools", &self.tools.len()).finish_non_exhaustive()
    }
}

/// Whether two arguments are the same to a page and to a server: neither the order of keys nor the way of writing numbers counts.
pub fn is_same(one: &Json, other: &Json) -> bool {
    let plain = |json: &Json| {
        let mut text = Vec::new();
        with_plain_numbers(&json.canonical(), &mut text);
        text
    };
    plain(one) == plain(other)
}

/// The last number before which each whole one is a number of JavaScript.
const SAFE: f64 = 9_007_199_254_740_991.0;

/// JSON whose numbers are what JavaScript makes of them, by their bits: `1.0` and `1` are the same to it. Of large whole numbers it makes
/// others, which no model asked for: they are what they are written as.
fn with_plain_numbers(json: &str, out: &mut Vec<u8>) {
    let mut rest = json.as_bytes();
    let mut in_string = false;
    while let Some((byte, after)) = rest.split_first() {
        if !in_string && (*byte == b'-' || byte.is_ascii_digit()) {
            let end = rest
                .iter()
                .position(|byte| !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
                .unwrap_or(rest.len());
            let (text, after) = rest.split_at(end);
            let value = std::str::from_utf8(text).ok().and_then(number).unwrap_or_default();
            rest = after;
            if value.abs() > SAFE && large(text, out) {
                continue;
            }
            out.push(b'#');
            // Zero has no sign in JSON that JavaScript wrote.
            out.extend_from_slice(&(value + 0.0).to_bits().to_be_bytes());
            continue;
        }
        out.push(*byte);
        rest = after;
        match byte {
            b'"' => in_string = !in_string,
            b'\\' => {
                if let Some((escaped, after)) = rest.split_first() {
                    out.push(*escaped);
                    rest = after;
                }
            }
            _ => {}
        }
    }
}

/// Writes a large whole number by its digits and the zeros after them, so that `1e21` is 1000000000000000000000. False, and nothing
/// is written, where it is not whole.
fn large(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut digits = Vec::new();
    let mut zeros = 0_i64;
    let (mut in_fraction, mut rest) = (false, text);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'0'..=b'9' => {
                digits.push(*byte);
                zeros -= i64::from(in_fraction);
            }
            b'.' => in_fraction = true,
            b'e' | b'E' => break,
            _ => {}
        }
    }
    let exponent = std::str::from_utf8(rest).ok().map(|text| text.trim_start_matches('+'));
    let Ok(exponent) = exponent.filter(|text| !text.is_empty()).map_or(Ok(0), str::parse::<i32>) else {
        return false;
    };
    zeros += i64::from(exponent);
    while digits.last() == Some(&b'0') {
        digits.pop();
        zeros += 1;
    }
    if zeros < 0 {
        return false;
    }
    let leading = digits.iter().take_while(|digit| **digit == b'0').count();
    out.push(if text.first() == Some(&b'-') { b'<' } else { b'>' });
    out.extend(digits.into_iter().skip(leading));
    out.push(b'e');
    out.extend_from_slice(&zeros.to_be_bytes());
    true
}

/// RFC 2104 with SHA-256.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0; BLOCK];
    let hashed = sha256(key);
    let key = if key.len() > BLOCK { &hashed } else { key };
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    let padded = |pad: u8, text: &[u8]| {
        let mut all = block.map(|byte| byte ^ pad).to_vec();
        all.extend_from_slice(text);
        sha256(&all)
    };
    padded(0x5c, &padded(0x36, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tickets() -> Tickets {
        let (owner, tools) = ("ann".to_owned(), vec!["Book".to_owned()]);
        Tickets { secret: "s".to_owned(), owner, tools, now: "5000".to_owned(), lasts: 1_000.0 }
    }

    fn call(name: &str, input: &str) -> ToolCall {
        ToolCall {
            tool_name: name.to_owned(),
            id: Some("c1".to_owned()),
            input_args: Json::parse(input).unwrap(),
            ..ToolCall::default()
        }
    }

    fn ticket_of(call: &ToolCall) -> Option<String> {
        call.extra.0.iter().find(|(field, _)| field == TICKET).and_then(|(_, ticket)| ticket.to_text())
    }

    #[test]
    fn a_code_of_authentication_is_the_one_of_the_standard() {
        let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        // RFC 4231, cases 1, 2 and 6.
        let table: [(Vec<u8>, &[u8], &str); 3] = [
            (vec![0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe".to_vec(),
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, text, expected) in table {
            assert_eq!(hex(hmac(&key, text)), expected);
        }
    }

    #[test]
    fn a_ticket_holds_for_its_call_however_that_was_written() {
        let mut made = call(
            "book",
            r#"{"n": 1.0, "to": "é", "big": 1e21, "pi": 3.14159265358979323846, "z": -0, "list": [1e2, "1.0"]}"#,
        );
        tickets().sign(&mut made, "n1");
        let ticket = ticket_of(&made).unwrap();
        let again = r#"{"to":"\u00e9","n":1,"big":1000000000000000000000,"pi":3.141592653589793,"list":[100,"1.0"],"z":0}"#;
        assert!(tickets().holds(&ticket, "c1", "book", &Json::parse(again).unwrap()));
    }

    #[test]
    fn large_whole_numbers_are_others_where_any_digit_is() {
        let holds = |made: &str, posted: &str| {
            let mut made = call("book", made);
            tickets().sign(&mut made, "n1");
            tickets().holds(&ticket_of(&made).unwrap(), "c1", "book", &Json::parse(posted).unwrap())
        };
        for (made, posted) in [
            ("9007199254740993", "9007199254740992"),
            ("9007199254740992", "9007199254740993"),
            ("-9007199254740993", "-9007199254740992"),
            ("-9007199254740993", "9007199254740993"),
            ("12345678901234567890", "12345678901234567000"),
            ("1e21", "1000000000000000000001"),
            ("1e21", "1e22"),
        ] {
            assert!(
                !holds(&format!(r#"{{"n":{made}}}"#), &format!(r#"{{"n":{posted}}}"#)),
                "{made} and {posted}"
            );
        }
        for (made, posted) in [
            ("9007199254740991", "9007199254740991"),
            ("9007199254740993", "9007199254740993"),
            ("9007199254740993", "9007199254740993.0"),
            ("1e21", "1E+21"),
            ("12.5e30", "12500000000000000000000000000000"),
            ("-1e400", "-1e400"),
        ] {
            assert!(
                holds(&format!(r#"{{"n":{made}}}"#), &format!(r#"{{"n":{posted}}}"#)),
                "{made} and {posted}"
            );
        }
    }

    #[test]
    fn a_ticket_holds_for_no_other_call_caller_or_server() {
        let mut made = call("book", r#"{"to":"ann","n":1}"#);
        tickets().sign(&mut made, "n1");
        let ticket = ticket_of(&made).unwrap();
        let input = made.input_args.clone();
        let holds = |tickets: &Tickets, ticket: &str, id, name, input: &str| {
            tickets.holds(ticket, id, name, &Json::parse(input).unwrap())
        };
        let good = input.as_str();
        assert!(holds(&tickets(), &ticket, "c1", "book", good));
        for input in [
            r#"{"to":"bob","n":1}"#,
            r#"{"to":"ann","n":2}"#,
            r#"{"to":"ann","n":"1"}"#,
            "{}",
            r#"{"to":"ann"}"#,
        ] {
            assert!(!holds(&tickets(), &ticket, "c1", "book", input), "{input}");
        }
        assert!(!holds(&tickets(), &ticket, "c2", "book", good));
        assert!(!holds(&tickets(), &ticket, "c1", "Book", good));
        assert!(!holds(&Tickets { owner: "bob".to_owned(), ..tickets() }, &ticket, "c1", "book", good));
        assert!(!holds(&Tickets { secret: "t".to_owned(), ..tickets() }, &ticket, "c1", "book", good));
        let later = format!("6{}", &ticket[1..]);
        for ticket in ["", ".", "n1", "n1.", &later, &ticket[1..], &ticket[..ticket.len() - 1]] {
            assert!(!holds(&tickets(), ticket, "c1", "book", good), "{ticket}");
        }
    }

    #[test]
    fn a_ticket_holds_for_its_time() {
        let mut made = call("book", "{}");
        tickets().sign(&mut made, "n1");
        let ticket = ticket_of(&made).unwrap();
        let at = |now: &str| {
            let tickets = Tickets { now: now.to_owned(), ..tickets() };
            tickets.holds(&ticket, "c1", "book", &Json::parse("{}").unwrap())
        };
        // Of two servers, one may be a little behind.
        assert!(at("4900") && at("5000") && at("6000") && !at("6001"));
        assert!(at("0"), "it was one for this call");
    }

    #[test]
    fn only_whole_calls_of_tools_of_the_server_have_tickets() {
        let mut other = call("search", "{}");
        // A provider cannot give one either.
        other.extra.0.push((TICKET.to_owned(), Json::string("n1.forged")));
        tickets().sign(&mut other, "n1");
        assert_eq!(ticket_of(&other), None);
        let mut cut = ToolCall { unparsed_args: true, ..call("book", r#""{\"to\":""#) };
        tickets().sign(&mut cut, "n1");
        assert_eq!(ticket_of(&cut), None);
    }

    #[test]
    fn what_a_server_signs_with_is_read() {
        let text = r#"{"secret":"s","owner":"ann","x":1,"tools":["Book"],"now":1795737600000,"lasts":9}"#;
        let read = Tickets::read(text).unwrap();
        assert_eq!((read.secret.as_str(), read.owner.as_str(), read.tools.len()), ("s", "ann", 1));
        assert_eq!((read.now.as_str(), read.lasts), ("1795737600000", 9.0));
    }
}

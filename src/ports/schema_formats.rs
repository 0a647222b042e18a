//! Formats that pages judge in a way of their own. The others are alike.

use jsonschema::{ValidationOptions, Validator};
use serde_json::{Value, json};

pub(super) fn with_formats(options: ValidationOptions<'static>) -> ValidationOptions<'static> {
    let (moment, pointer) = (built_in("date-time"), built_in("json-pointer"));
    options
        .with_format("date-time", move |text: &str| {
            // A space may stand between date and time.
            is_valid(moment.as_ref(), &text.replacen(char::is_whitespace, "T", 1))
        })
        .with_format("json-pointer-uri-fragment", move |text: &str| {
            text.strip_prefix('#').is_some_and(|rest| is_fragment(rest) && is_valid(pointer.as_ref(), rest))
        })
        .with_format("ipv4", |text: &str| octets(text).is_some())
        .with_format("url", is_url)
        // Not checked in pages.
        .with_format("iri", |_: &str| true)
        .with_format("iri-reference", |_: &str| true)
}

fn built_in(format: &str) -> Option<Validator> {
    jsonschema::options().should_validate_formats(true).build(&json!({ "format": format })).ok()
}

fn is_valid(format: Option<&Validator>, text: &str) -> bool {
    format.is_some_and(|format| format.is_valid(&Value::from(text)))
}

/// The characters of a fragment, with `%` before two hexadecimal digits alone.
fn is_fragment(text: &str) -> bool {
    let mut escapes = text.split('%');
    let plain = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/~_-.!$&'()*+,;:=@".contains(&byte))
    };
    escapes.next().is_some_and(plain)
        && escapes.all(|part| {
            part.split_at_checked(2)
                .is_some_and(|(code, rest)| code.bytes().all(|byte| byte.is_ascii_hexdigit()) && plain(rest))
        })
}

/// Leading zeros are taken.
fn octets(text: &str) -> Option<[u8; 4]> {
    let mut found = [0; 4];
    let mut parts = text.split('.');
    for octet in &mut found {
        let part = parts.next()?;
        let digits = (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        *octet = part.parse().ok().filter(|_| digits)?;
    }
    parts.next().is_none().then_some(found)
}

/// An address of the open web: no names of one part, no private addresses.
fn is_url(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let Some(rest) = ["https://", "http://", "ftp://"].iter().find_map(|scheme| lower.strip_prefix(scheme))
    else {
        return false;
    };
    if rest.contains(char::is_whitespace) {
        return false;
    }
    let authority = rest.split('/').next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    let port_fits = port
        .is_none_or(|port| (2..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit()));
    port_fits && octets(host).map_or_else(|| is_name(host), is_public)
}

fn is_public([first, second, _, last]: [u8; 4]) -> bool {
    let private = matches!((first, second), (10 | 127, _) | (169, 254) | (192, 168) | (172, 16..=31));
    (1..=223).contains(&first) && (1..=254).contains(&last) && !private
}

fn is_name(host: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || ('\u{a1}'..='\u{ffff}').contains(&letter);
    let is_label = |label: &str| {
        let ends = !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
        ends && !label.contains("--")
            && label.chars().all(|letter| letter == '-' || letter.is_ascii_digit() || is_letter(letter))
    };
    host.rsplit_once('.').is_some_and(|(labels, top)| {
        top.chars().count() >= 2 && top.chars().all(is_letter) && labels.split('.').all(is_label)
    })
}

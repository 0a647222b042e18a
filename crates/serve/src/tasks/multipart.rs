//! Files as forms send them: `multipart/form-data`, whose body is in memory.

use std::collections::BTreeMap;

use crate::failures::invalid;
use glove_wasm::endpoint::Refusal;

/// More parts are no upload of a person's.
const MOST_PARTS: usize = 1_000;

/// The boundary of a form by its content type; `None` where it is none.
pub(super) fn boundary(content_type: &str) -> Option<String> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    parameter(parameters, "boundary").filter(|boundary| !boundary.is_empty() && boundary.len() <= 200)
}

/// The contents of the parts by the paths that they name: that of the field below `task/`, or else the name of the file.
pub(super) fn files(body: &[u8], boundary: &str) -> Result<BTreeMap<String, Vec<u8>>, Refusal> {
    let broken = || invalid("the request body is no form of multipart/form-data");
    let line = format!("--{boundary}");
    // What comes before the first boundary is none of the form.
    let mut rest = match body.starts_with(line.as_bytes()) {
        true => body.get(line.len()..).unwrap_or_default(),
        false => cut(body, format!("\r\n{line}").as_bytes()).ok_or_else(broken)?.1,
    };
    let between = format!("\r\n{line}");
    let mut files = BTreeMap::new();
    while !rest.starts_with(b"--") {
        let part = rest.strip_prefix(b"\r\n").ok_or_else(broken)?;
        let (part, after) = cut(part, between.as_bytes()).ok_or_else(broken)?;
        let (head, content) = cut(part, b"\r\n\r\n").ok_or_else(broken)?;
        let path = path_of(&String::from_utf8_lossy(head))?;
        if files.len() >= MOST_PARTS {
            return Err(invalid("the form has more than 1,000 parts"));
        }
        if files.insert(path.clone(), content.to_vec()).is_some() {
            return Err(invalid(&format!("two parts of the form are `{path}`")));
        }
        rest = after;
    }
    Ok(files)
}

fn path_of(head: &str) -> Result<String, Refusal> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let said = lines.find(|(name, _)| name.trim().eq_ignore_ascii_case("content-disposition"));
    let parameters = said.and_then(|(_, value)| value.split_once(';')).map_or("", |(_, rest)| rest);
    let name = parameter(parameters, "name").unwrap_or_default();
    if name.starts_with("task/") {
        return Ok(name);
    }
    match parameter(parameters, "filename") {
        Some(file) if !file.is_empty() => Ok(format!("task/{file}")),
        _ => Err(invalid(&format!("the field `{name}` is neither a file nor named by a path below task/"))),
    }
}

/// The value of `name=value` or `name="value"` among others with `;` between them.
fn parameter(text: &str, wanted: &str) -> Option<String> {
    let mut rest = text;
    loop {
        let (name, after) = rest.trim_start_matches([';', ' ', '\t']).split_once('=')?;
        let (value, after) = match after.strip_prefix('"') {
            // Browsers write a quotation mark in a name as %22.
            Some(quoted) => quoted.split_once('"')?,
            None => match after.find(';') {
                Some(end) => after.split_at(end),
                None => (after, ""),
            },
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value.trim().replace("%22", "\""));
        }
        rest = after;
    }
}

/// What stands before and after the first of these.
fn cut<'a>(text: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = text.windows(mark.len()).position(|piece| piece == mark)?;
    Some((text.get(..at)?, text.get(at + mark.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_gives_its_files_by_their_paths_and_to_the_byte() {
        let body = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a b.txt\"\r\nContent-Type: text/plain\r\n\r\none\r\n--x\r\nContent-Disposition: form-data; name=\"task/more/b.bin\"\r\n\r\n\x00\r\n-\xff\r\n--x--\r\n";
        let found = files(body, "x").unwrap();
        let expected: [(&str, &[u8]); 2] = [("task/a b.txt", b"one"), ("task/more/b.bin", b"\x00\r\n-\xff")];
        assert!(found.iter().map(|(path, content)| (path.as_str(), content.as_slice())).eq(expected));
    }

    #[test]
    fn what_is_no_form_is_refused_and_nothing_waits_or_breaks() {
        let head = "Content-Disposition: form-data; name=\"task/a\"\r\n\r\n";
        for body in [
            String::new(),
            "--x".to_owned(),
            "--x\r\n".to_owned(),
            format!("--x\r\n{head}one"),
            format!("--x\r\n{head}one\r\n--x"),
            format!("--x\r\n{head}one\r\n--x\r\n{head}two\r\n--x--"),
            "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--x--".to_owned(),
        ] {
            assert_eq!(files(body.as_bytes(), "x").unwrap_err().code, "REQUEST_INVALID", "{body}");
        }
        assert_eq!(boundary("multipart/form-data; boundary=\"a b\"").as_deref(), Some("a b"));
        assert_eq!(boundary("multipart/form-data; charset=utf-8; boundary=ab").as_deref(), Some("ab"));
        for none in ["application/json", "multipart/form-data", "multipart/mixed; boundary=x"] {
            assert_eq!(boundary(none), None, "{none}");
        }
    }
}

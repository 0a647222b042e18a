//! Files that a message names as `@file`: their text, or their picture, goes to the model with it.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use glove_wasm::json::Json;
use glove_wasm::message::{ContentPart, ContentSource};
use glove_wasm::providers::base64::DIGITS;
use rustyline::completion::Pair;
use serde_json::json;

use crate::terminal_text;

/// What a text may weigh, and what a picture may, which providers limit to 5 MB as base64.
const LARGEST_TEXT: u64 = 200_000;
const LARGEST_IMAGE: u64 = 3_700_000;
const MOST_FILES: usize = 20;
/// So many names are offered.
const MOST_OFFERED: usize = 100;

/// A file that a message names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    pub name: String,
    /// Where it is in truth, without links.
    pub path: PathBuf,
    /// Not below the folder: a person says whether the model may have it.
    pub is_outside: bool,
}

/// The files that this text names and that exist, each once.
pub(crate) fn named(text: &str, folder: &Path) -> Result<Vec<Named>, String> {
    let within = fs::canonicalize(folder).map_err(|error| error.to_string())?;
    let mut files: Vec<Named> = Vec::new();
    for name in names(text) {
        let Some((name, path)) = found(name, folder) else { continue };
        let path = fs::canonicalize(path).map_err(|error| format!("@{name}: {error}"))?;
        if files.iter().any(|file| file.path == path) {
            continue;
        }
        if files.len() == MOST_FILES {
            return Err(format!("a message takes up to {MOST_FILES} files"));
        }
        let is_outside = !path.starts_with(&within);
        files.push(Named { name: name.to_owned(), path, is_outside });
    }
    Ok(files)
}

/// These files as parts of a message. An error says which one cannot be sent, and why.
pub(crate) fn attached(files: &[Named]) -> Result<Vec<ContentPart>, String> {
    files.iter().map(|file| part(&file.name, &file.path)).collect()
}

/// What goes along, in one line.
pub(crate) fn about(files: &[Named], parts: &[ContentPart]) -> String {
    let about = |(file, part): (&Named, &ContentPart)| {
        let kind = if part.kind == "image" { "picture" } else { "text" };
        format!("{} ({kind})", terminal_text::name(&file.name))
    };
    format!("with {}", files.iter().zip(parts).map(about).collect::<Vec<_>>().join(", "))
}

/// What stands behind each `@` that begins a word: up to the next space, or between quotes.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let begins = text.match_indices('@').filter(|(at, _)| {
        text.get(..*at).and_then(|before| before.chars().next_back()).is_none_or(char::is_whitespace)
    });
    begins.filter_map(|(at, _)| {
        let rest = text.get(at + 1..)?;
        match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').map(|(name, _)| name),
            None => rest.split(char::is_whitespace).next(),
        }
    })
}

/// The file of this name; what ends a sentence may stand behind it. A word that names none is a word.
fn found<'a>(name: &'a str, folder: &Path) -> Option<(&'a str, PathBuf)> {
    let bare = name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'']);
    [name, bare].into_iter().filter(|name| !name.is_empty()).find_map(|name| {
        let path = place(name, folder);
        path.is_file().then_some((name, path))
    })
}

fn place(name: &str, folder: &Path) -> PathBuf {
    match (name.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(name),
    }
}

fn part(name: &str, path: &Path) -> Result<ContentPart, String> {
    let failed = |error: std::io::Error| format!("@{name}: {error}");
    let size = fs::metadata(path).map_err(failed)?.len();
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST_IMAGE + 1).read_to_end(&mut bytes));
    read.map_err(failed)?;
    let too_large = |most: u64| format!("@{name} has {size} bytes, and up to {most} are sent");
    if let Some(media_type) = image(&bytes) {
        if bytes.len() as u64 > LARGEST_IMAGE {
            return Err(too_large(LARGEST_IMAGE));
        }
        let source = ContentSource {
            kind: "base64".to_owned(),
            media_type: media_type.to_owned(),
            data: Some(encoded(&bytes)),
            ..ContentSource::default()
        };
        return Ok(ContentPart { kind: "image".to_owned(), source: Some(source), ..ContentPart::default() });
    }
    if size > LARGEST_TEXT || bytes.len() as u64 > LARGEST_TEXT {
        return Err(format!(
            "{}; name it without @, and the model reads the parts that it needs",
            too_large(LARGEST_TEXT)
        ));
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let text = text.ok_or_else(|| format!("@{name} is neither text nor a picture (PNG, JPEG, GIF, WebP)"))?;
    Ok(ContentPart {
        file: Some(Json::from(json!({ "name": name, "type": "text/plain", "size": size }))),
        ..text_part(format!("{name}:\n{text}"))
    })
}

pub(crate) fn text_part(text: String) -> ContentPart {
    ContentPart { kind: "text".to_owned(), text: Some(text), ..ContentPart::default() }
}

fn image(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn encoded(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * at)) as usize & 63).filter(|_| at <= three.len());
            out.push(digit.map_or('=', |digit| char::from(*digit)));
        }
    }
    out
}

/// Names that complete the `@file` before the cursor, and where it begins.
pub(crate) fn complete(typed: &str, folder: &Path) -> Option<(usize, Vec<Pair>)> {
    let at = typed.rmatch_indices('@').map(|(at, _)| at).find(|at| {
        typed.get(..*at).and_then(|before| before.chars().next_back()).is_none_or(char::is_whitespace)
    })?;
    let word = typed.get(at + 1..)?;
    let (word, is_quoted) = word.strip_prefix('"').map_or((word, false), |word| (word, true));
    if word.contains(if is_quoted { '"' } else { ' ' }) || word.contains('\n') {
        return None;
    }
    let (above, begin) = word.rsplit_once('/').map_or(("", word), |(above, begin)| (above, begin));
    let above = if word.contains('/') { format!("{above}/") } else { String::new() };
    let mut found: Vec<(bool, String)> = fs::read_dir(place(&above, folder))
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let is_hidden = name.starts_with('.') && !begin.starts_with('.');
            let is_fit = name.starts_with(begin) && !is_hidden && !name.chars().any(char::is_control);
            is_fit.then(|| (!entry.path().is_dir(), name))
        })
        .collect();
    found.sort();
    found.truncate(MOST_OFFERED);
    let pair = |(is_file, name): (bool, String)| {
        let path = format!("{above}{name}{}", if is_file { "" } else { "/" });
        let replacement = match is_quoted || path.contains(char::is_whitespace) {
            // The quotes of a folder stay open, so that one can go on in it.
            true if is_file => format!("@\"{path}\""),
            true => format!("@\"{path}"),
            false => format!("@{path}"),
        };
        Pair { display: terminal_text::name(&name), replacement }
    };
    Some((at, found.into_iter().map(pair).collect()))
}

#[cfg(test)]
mod tests {
    use glove_wasm::providers::base64::bytes_of;

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("glove-attached-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(folder.join("src/my files")).unwrap();
            Folder(folder)
        }

        fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
            fs::write(self.0.join(name), bytes).unwrap();
        }

        fn attached(&self, message: &str) -> Result<Vec<ContentPart>, String> {
            attached(&named(message, &self.0)?)
        }

        fn texts(&self, message: &str) -> Vec<String> {
            self.attached(message).unwrap().into_iter().filter_map(|part| part.text).collect()
        }

        fn offers(&self, typed: &str) -> Vec<String> {
            let offers = complete(typed, &self.0).map(|(_, offers)| offers).unwrap_or_default();
            offers.into_iter().map(|pair| pair.replacement).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_that_is_named_goes_with_the_message_once_and_other_words_stay_words() {
        let folder = Folder::new("text");
        folder.write("a.txt", "one\n");
        folder.write("src/my files/b.rs", "two");
        let message = "See @a.txt, (not (@a.txt) and \"@src/my files/b.rs\", me@a.txt or @nobody but @\"src/my files/b.rs\" and @a.txt.";
        assert_eq!(folder.texts(message), ["a.txt:\none\n", "src/my files/b.rs:\ntwo"]);
        let parts = folder.attached("@a.txt").unwrap();
        assert_eq!(
            parts[0].file.as_ref().unwrap().as_str(),
            r#"{"name":"a.txt","size":4,"type":"text/plain"}"#
        );
        assert_eq!(folder.attached("@ @src @").unwrap(), []);
    }

    #[test]
    fn a_picture_goes_as_one_and_what_cannot_be_sent_is_said() {
        let folder = Folder::new("image");
        let png = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0, 1, 2, 250]].concat();
        folder.write("a.png", &png);
        let parts = folder.attached("@a.png").unwrap();
        let source = parts[0].source.as_ref().unwrap();
        assert_eq!((parts[0].kind.as_str(), source.media_type.as_str()), ("image", "image/png"));
        assert_eq!(bytes_of(source.data.as_deref().unwrap()).unwrap(), png);
        folder.write("long.txt", "x".repeat(200_001));
        assert!(folder.attached("@long.txt").unwrap_err().contains("200001 bytes"));
        folder.write("data.bin", b"a\0b");
        assert!(folder.attached("@data.bin").unwrap_err().contains("neither text nor a picture"));
        for number in 0..=MOST_FILES {
            folder.write(&format!("{number}"), "x");
        }
        let many: String = (0..=MOST_FILES).map(|number| format!("@{number} ")).collect();
        assert!(folder.attached(&many).unwrap_err().contains("up to 20 files"));
    }

    #[test]
    fn a_file_outside_of_the_folder_is_known_for_one_whatever_leads_to_it() {
        let folder = Folder::new("outside");
        let inside = Folder(folder.0.join("src"));
        folder.write("secret", "s");
        inside.write("a", "a");
        std::os::unix::fs::symlink(folder.0.join("secret"), inside.0.join("link")).unwrap();
        let message = format!("@a @../src/a @../secret @link @{}", folder.0.join("secret").display());
        let named = named(&message, &inside.0).unwrap();
        let told: Vec<_> = named.iter().map(|file| (file.name.as_str(), file.is_outside)).collect();
        assert_eq!(told, [("a", false), ("../secret", true)]);
        let through = super::named("@link", &inside.0).unwrap();
        assert!(through[0].is_outside && through[0].path.ends_with("secret"), "{through:?}");
        std::mem::forget(inside);
    }

    #[test]
    fn base64_is_what_its_definition_says() {
        for (text, code) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("\u{ff}\u{3ff}", "w7/Pvw=="),
        ] {
            assert_eq!(encoded(text.as_bytes()), code);
        }
    }

    #[test]
    fn a_name_is_completed_folder_by_folder() {
        let folder = Folder::new("complete");
        folder.write("a.txt", "");
        folder.write("another", "");
        folder.write(".hidden", "");
        folder.write("src/my files/b.rs", "");
        assert_eq!(folder.offers("See @a"), ["@a.txt", "@another"]);
        assert_eq!(folder.offers("@"), ["@src/", "@a.txt", "@another"]);
        assert_eq!(folder.offers("@.h"), ["@.hidden"]);
        assert_eq!(folder.offers("@src/"), ["@\"src/my files/"]);
        assert_eq!(folder.offers("@\"src/my files/"), ["@\"src/my files/b.rs\""]);
        for none in ["me@a", "@a.txt and ", "@\"a.txt\" ", "word"] {
            assert!(folder.offers(none).is_empty(), "{none}");
        }
        assert_eq!(complete("See @a", &folder.0).unwrap().0, 4);
    }
}

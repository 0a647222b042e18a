//! Which pictures and files a provider takes, by its form of a request, and how that names them. The others are left out, and a note
//! stands for them.

use crate::providers::facts::{Documents, Facts};
use crate::providers::request::media::{File, Kind, PDF, PICTURES, Place};

/// Documents that the Responses API reads, with the endings that their names need.
const DOCUMENTS: [(&str, &str); 7] = [
    (PDF, "pdf"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/msword", "doc"),
    ("application/rtf", "rtf"),
    ("application/vnd.oasis.opendocument.text", "odt"),
];

/// What Gemini reads besides texts.
const GEMINI: [&str; 29] = [
    "application/pdf",
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "audio/wav",
    "audio/x-wav",
    "audio/mp3",
    "audio/mpeg",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
    "video/mp4",
    "video/mpeg",
    "video/mov",
    "video/quicktime",
    "video/avi",
    "video/x-flv",
    "video/mpg",
    "video/webm",
    "video/wmv",
    "video/3gpp",
    "text/plain",
    "text/html",
    "text/css",
    "text/csv",
    "text/markdown",
];

/// Every type that some provider takes, once.
pub(in crate::providers) fn known_types() -> Vec<&'static str> {
    let mut types: Vec<&str> = PICTURES.to_vec();
    for media_type in DOCUMENTS.iter().map(|(media_type, _)| *media_type).chain(GEMINI) {
        if !types.contains(&media_type) {
            types.push(media_type);
        }
    }
    types
}

pub(in crate::providers) fn anthropic(file: &File<'_>, facts: &Facts, is_text: bool) -> Option<&'static str> {
    let document = (facts.documents != Some(Documents::None)).then_some("document");
    // What is fetched has to come by https.
    let comes = !matches!(&file.place, Place::Address(url) if !url.starts_with("https://"));
    match file.kind {
        _ if !comes => None,
        Kind::Picture => (facts.images != Some(false) && file.is_picture(&PICTURES)).then_some("image"),
        Kind::Text => document.filter(|_| is_text),
        _ if file.is_pdf() => document,
        // A document that only its server knows the type of.
        Kind::Other => document.filter(|_| file.media_type.is_empty() && file.data().is_none()),
        Kind::Video | Kind::Sound => None,
    }
}

pub(in crate::providers) fn openai_chat(file: &File<'_>, facts: &Facts) -> Option<&'static str> {
    let is_here = file.data().is_some();
    match file.kind {
        Kind::Picture => {
            let comes = is_here || facts.image_addresses != Some(false);
            (comes && facts.images != Some(false) && file.is_picture(&PICTURES)).then_some("image_url")
        }
        Kind::Video => (facts.videos == Some(true)).then_some("video_url"),
        Kind::Other if file.is_pdf() => match facts.documents {
            Some(Documents::Any) => Some("file"),
            Some(Documents::Embedded) => is_here.then_some("file"),
            Some(Documents::None) | None => None,
        },
        Kind::Other | Kind::Sound | Kind::Text => None,
    }
}

pub(in crate::providers) fn openai_responses(file: &File<'_>, facts: &Facts) -> Option<&'static str> {
    match file.kind {
        Kind::Picture => (facts.images != Some(false) && file.is_picture(&PICTURES)).then_some("input_image"),
        Kind::Other => (ending(file).is_some() || file.is_one_of(&[])).then_some("input_file"),
        Kind::Video | Kind::Sound | Kind::Text => None,
    }
}

/// What the name of a document ends with.
pub(in crate::providers) fn ending(file: &File<'_>) -> Option<&'static str> {
    let known = DOCUMENTS.iter().find(|(media_type, _)| *media_type == file.media_type);
    known.map(|(_, ending)| *ending)
}

pub(in crate::providers) fn gemini(file: &File<'_>) -> bool {
    file.is_one_of(&GEMINI)
}

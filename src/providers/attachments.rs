//! What a message may carry to each provider: which types, how many, how large, and what a person is told of what does not fit. Pages make
//! pictures fit before they send them: `js/src/wire/attachments.ts` is written from here, and loaded when somebody attaches a file.

use crate::json::codec::{Ts, Write};
use crate::message::{ContentPart, ContentSource};
use crate::providers::Format;
use crate::providers::facts::Facts;
use crate::providers::host::host;
use crate::providers::request::media::{File, Kind};
use crate::providers::request::supported_media::{
    anthropic, gemini, known_types, openai_chat, openai_responses,
};
use crate::providers::table::PROVIDERS;

/// What one message may carry. Texts are no matter of it: they are sent as text.
#[derive(Debug, Clone, PartialEq, Write, Ts)]
#[json(rename_all = "camelCase")]
pub struct MediaRules {
    /// The types of pictures, with blanks between.
    pub pictures: String,
    /// The types of other files, with blanks between.
    pub documents: String,
    /// How many files.
    pub files: u32,
    /// The width and the height that a picture is scaled down to; a provider scales larger ones down itself.
    pub edge: u32,
    /// Of one picture.
    pub picture_bytes: u32,
    /// Of all files together, before base64 makes them a third larger.
    pub message_bytes: u32,
}

/// What a page opens at most: a picture is four bytes a pixel in memory, however small its file is.
pub const MOST_PIXELS: u32 = 120_000_000;
/// Larger pictures are not read at all.
pub const MOST_SOURCE_BYTES: u32 = 100_000_000;

/// What a person reads of a file that is not attached, or not as it was.
pub const SENTENCES: [(&str, &str); 20] = [
    ("empty", "{name} is empty."),
    ("folder", "{name} is a folder. Attach the files that are in it."),
    ("unreadable", "{name} cannot be read any more. Attach it again."),
    ("type", "The assistant cannot read {name}. It takes {types}."),
    ("pictures", "pictures"),
    ("pdfs", "PDFs"),
    ("office", "Office documents"),
    ("videos", "videos"),
    ("sounds", "recordings"),
    ("texts", "text files"),
    ("large", "{name} is too large: it is {size}, and a message can hold {limit}."),
    ("full", "{name} does not fit along with the other files: a message can hold {limit}."),
    ("one", "{name} was not attached: the number of files in a message is limited to {limit}."),
    ("many", "{names} were not attached: the number of files in a message is limited to {limit}."),
    ("pixels", "{name} has too many pixels to open here: {pixels} million; the limit is {limit} million."),
    ("broken", "{name} cannot be opened. It may be damaged, or it may not be a picture."),
    ("heic", "This browser cannot open {name}. Save it as JPEG or PNG and attach that."),
    ("still", "{name} is animated. Only its first frame is sent."),
    ("source", "{name} is a drawing. The assistant reads its source."),
    ("renamed", "{name} is a {type} file, whatever its name says."),
];

/// Limits beside types. What is not said of a provider is that of all.
struct Limits {
    provider: &'static str,
    files: u32,
    edge: u32,
    picture_bytes: u32,
    message_bytes: u32,
}

/// What every provider takes that reads pictures, through a chat handler as it comes (`js/server/body.ts`): five megabytes are less than seven
/// in base64, and leave room for what was said before.
const SHARED: Limits =
    Limits { provider: "shared", files: 20, edge: 1568, picture_bytes: 1_500_000, message_bytes: 5_000_000 };

const LIMITS: [Limits; 5] = [
    // 2026-11, docs of vision and PDF support: 100 pictures, 5 MB each as base64, 32 MB a request; longer edges than 1,568 are scaled.
    Limits {
        provider: "anthropic",
        files: 100,
        edge: 1568,
        picture_bytes: 3_700_000,
        message_bytes: 22_000_000,
    },
    // 2026-11, docs of images and vision: 500 pictures, 50 MB a request; scaled to 2,048 at "high".
    Limits {
        provider: "openai",
        files: 500,
        edge: 2048,
        picture_bytes: 18_000_000,
        message_bytes: 35_000_000,
    },
    Limits {
        provider: "openai_responses",
        files: 500,
        edge: 2048,
        picture_bytes: 18_000_000,
        message_bytes: 35_000_000,
    },
    // 2026-11, docs of image understanding: 20 MB a request with what is inline; scaled to 3,072.
    Limits {
        provider: "gemini",
        files: 500,
        edge: 3072,
        picture_bytes: 7_000_000,
        message_bytes: 14_000_000,
    },
    // 2026-11, measured by others: about 40 pictures and 10 MB.
    Limits {
        provider: "openrouter",
        files: 40,
        edge: 1568,
        picture_bytes: 3_700_000,
        message_bytes: 7_000_000,
    },
];

/// The rules by the name of a provider, or of a format where that is not the provider's own; first those where nobody knows who answers.
pub fn media_rules() -> Vec<(&'static str, MediaRules)> {
    let mut all = vec![("shared", rules("shared", Format::Anthropic, &Facts::default()))];
    for provider in PROVIDERS.iter() {
        if let Some(format) = provider.format {
            let facts = Facts::of(format, host(provider.base_url), provider.default_model, &[]);
            all.push((provider.id, rules(provider.id, format, &facts)));
        }
    }
    all.push(("openai_responses", rules("openai_responses", Format::OpenAiResponses, &Facts::default())));
    all.push(("gemini_native", rules("gemini", Format::Gemini, &Facts::default())));
    all
}

fn rules(id: &str, format: Format, facts: &Facts) -> MediaRules {
    let Limits { files, edge, picture_bytes, message_bytes, .. } =
        *LIMITS.iter().find(|limits| limits.provider == id).unwrap_or(&SHARED);
    let (mut pictures, mut documents) = (String::new(), String::new());
    for media_type in known_types() {
        let part = of_type(media_type);
        let Some(file) = File::of(&part) else { continue };
        let takes = match format {
            Format::Anthropic => anthropic(&file, facts, false).is_some(),
            Format::OpenAiChat => openai_chat(&file, facts).is_some(),
            Format::OpenAiResponses => openai_responses(&file, facts).is_some(),
            Format::Gemini => gemini(&file),
            Format::Endpoint => false,
        };
        let list = match file.kind {
            _ if !takes => continue,
            Kind::Text => continue,
            Kind::Picture => &mut pictures,
            Kind::Video | Kind::Sound | Kind::Other => &mut documents,
        };
        if !list.is_empty() {
            list.push(' ');
        }
        list.push_str(media_type);
    }
    MediaRules { pictures, documents, files, edge, picture_bytes, message_bytes }
}

fn of_type(media_type: &str) -> ContentPart {
    let source = ContentSource {
        kind: "base64".to_owned(),
        media_type: media_type.to_owned(),
        data: Some("AAAA".to_owned()),
        ..ContentSource::default()
    };
    ContentPart { kind: "document".to_owned(), source: Some(source), ..ContentPart::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scaled_picture_fits_into_what_a_chat_handler_takes() {
        let handler = include_str!("../../js/server/body.ts");
        let limit = handler.split("defaultLimit = ").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
        let limit: u32 = limit.replace('_', "").parse().unwrap();
        let shared = &media_rules()[0].1;
        assert!(shared.message_bytes / 3 * 4 + 1_000_000 < limit, "{limit}");
        assert!(shared.picture_bytes < shared.message_bytes);
    }

    #[test]
    fn every_provider_says_what_it_takes_as_its_requests_are_written() {
        let of = |id: &str| media_rules().into_iter().find(|(name, _)| *name == id).unwrap().1;
        assert_eq!(of("shared").pictures, "image/png image/jpeg image/gif image/webp");
        assert_eq!((of("shared").documents.as_str(), of("shared").edge), ("application/pdf", 1568));
        assert_eq!((of("glm").pictures.as_str(), of("glm").documents.as_str()), ("", ""));
        assert_eq!(of("minimax").pictures, of("shared").pictures);
        assert_eq!(of("minimax").documents, "");
        assert!(of("openai_responses").documents.contains("wordprocessingml"));
        assert!(!of("openai").documents.contains("video"));
        assert!(of("openrouter").documents.contains("video/mp4"));
        let native = of("gemini_native");
        assert!(native.pictures.contains("image/heic") && !native.pictures.contains("image/gif"));
    }
}

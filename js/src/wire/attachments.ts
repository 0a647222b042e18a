// What a message may carry to each provider, and what a person is told of what does not fit.
// Written by tests/it/typescript.rs from the types of Rust; do not edit.

/** What one message may carry. Texts are no matter of it: they are sent as text. */
export interface MediaRules {
  /** The types of pictures, with blanks between. */
  readonly pictures: string;
  /** The types of other files, with blanks between. */
  readonly documents: string;
  /** How many files. */
  readonly files: number;
  /** The width and the height that a picture is scaled down to; a provider scales larger ones down itself. */
  readonly edge: number;
  /** Of one picture. */
  readonly pictureBytes: number;
  /** Of all files together, before base64 makes them a third larger. */
  readonly messageBytes: number;
}

/** By the name of a provider, or of a format where that is not the provider's own. */
export const mediaRules = {
  shared: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "application/pdf",
    files: 20,
    edge: 1568,
    pictureBytes: 1500000,
    messageBytes: 5000000,
  },
  openrouter: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents:
      "application/pdf video/mp4 video/mpeg video/mov video/quicktime video/avi video/x-flv video/mpg video/webm video/wmv video/3gpp",
    files: 40,
    edge: 1568,
    pictureBytes: 3700000,
    messageBytes: 7000000,
  },
  anthropic: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "application/pdf",
    files: 100,
    edge: 1568,
    pictureBytes: 3700000,
    messageBytes: 22000000,
  },
  openai: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "application/pdf",
    files: 500,
    edge: 2048,
    pictureBytes: 18000000,
    messageBytes: 35000000,
  },
  gemini: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "",
    files: 500,
    edge: 3072,
    pictureBytes: 7000000,
    messageBytes: 14000000,
  },
  minimax: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "",
    files: 20,
    edge: 1568,
    pictureBytes: 1500000,
    messageBytes: 5000000,
  },
  kimi: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "",
    files: 20,
    edge: 1568,
    pictureBytes: 1500000,
    messageBytes: 5000000,
  },
  glm: {
    pictures: "",
    documents: "",
    files: 20,
    edge: 1568,
    pictureBytes: 1500000,
    messageBytes: 5000000,
  },
  mimo: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "",
    files: 20,
    edge: 1568,
    pictureBytes: 1500000,
    messageBytes: 5000000,
  },
  ollama: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "",
    files: 20,
    edge: 1568,
    pictureBytes: 1500000,
    messageBytes: 5000000,
  },
  lmstudio: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "",
    files: 20,
    edge: 1568,
    pictureBytes: 1500000,
    messageBytes: 5000000,
  },
  openai_responses: {
    pictures: "image/png image/jpeg image/gif image/webp",
    documents:
      "application/pdf application/vnd.openxmlformats-officedocument.wordprocessingml.document application/vnd.openxmlformats-officedocument.presentationml.presentation application/vnd.openxmlformats-officedocument.spreadsheetml.sheet application/msword application/rtf application/vnd.oasis.opendocument.text",
    files: 500,
    edge: 2048,
    pictureBytes: 18000000,
    messageBytes: 35000000,
  },
  gemini_native: {
    pictures: "image/png image/jpeg image/webp image/heic image/heif",
    documents:
      "application/pdf audio/wav audio/x-wav audio/mp3 audio/mpeg audio/aiff audio/aac audio/ogg audio/flac video/mp4 video/mpeg video/mov video/quicktime video/avi video/x-flv video/mpg video/webm video/wmv video/3gpp",
    files: 500,
    edge: 3072,
    pictureBytes: 7000000,
    messageBytes: 14000000,
  },
} as const satisfies Record<string, MediaRules>;

/** What a page opens at most. */
export const mostPixels = 120000000;
export const mostSourceBytes = 100000000;

/** By what is the matter. */
export const mediaSentences = {
  empty: "{name} is empty.",
  folder: "{name} is a folder. Attach the files that are in it.",
  unreadable: "{name} cannot be read any more. Attach it again.",
  type: "The assistant cannot read {name}. It takes {types}.",
  pictures: "pictures",
  pdfs: "PDFs",
  office: "Office documents",
  videos: "videos",
  sounds: "recordings",
  texts: "text files",
  large: "{name} is too large: it is {size}, and a message can hold {limit}.",
  full: "{name} does not fit along with the other files: a message can hold {limit}.",
  one: "{name} was not attached: the number of files in a message is limited to {limit}.",
  many: "{names} were not attached: the number of files in a message is limited to {limit}.",
  pixels: "{name} has too many pixels to open here: {pixels} million; the limit is {limit} million.",
  broken: "{name} cannot be opened. It may be damaged, or it may not be a picture.",
  heic: "This browser cannot open {name}. Save it as JPEG or PNG and attach that.",
  still: "{name} is animated. Only its first frame is sent.",
  source: "{name} is a drawing. The assistant reads its source.",
  renamed: "{name} is a {type} file, whatever its name says.",
} as const;

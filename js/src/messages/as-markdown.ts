// A conversation as a document in Markdown, to be kept or sent to somebody.
import type { TimelineEntry } from "../snapshot/snapshot.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import { withContinued } from "./continued.js";

/** The words of the document. */
export interface MarkdownDocumentOptions {
  /** The heading of the document. */
  readonly title?: string;
  /** The name above the person's messages; default `You`. */
  readonly user?: string;
  /** The name above the model's messages; default `Assistant`. */
  readonly assistant?: string;
}

const documentOptions = { title: "text", user: "text", assistant: "text" } as const satisfies Options<MarkdownDocumentOptions>;

/** All that was said, with the names of files, calls of tools and sources. What a model thought is left out. */
export function conversationAsMarkdown(timeline: readonly TimelineEntry[], options: MarkdownDocumentOptions = {}): string {
  check("The timeline", timeline, "list");
  check("The options", options, "object");
  checkOptions(options, documentOptions);
  const { title, user = "You", assistant = "Assistant" } = options;
  const parts: string[] = title === undefined ? [] : [`# ${title}`];
  let speaker: string | undefined;
  const by = (who: string) => {
    if (speaker !== who) parts.push(`## ${who}`);
    speaker = who;
  };
  for (const entry of withContinued(timeline)) {
    if (entry.kind === "compaction") continue;
    if (entry.kind === "user") {
      // Each message of a person begins anew.
      speaker = undefined;
      by(user);
      const files = [...(entry.images ?? []).map(() => "image"), ...(entry.files ?? []).map(({ name }) => name || "file")];
      parts.push(entry.text, files.map((name) => `- ${inline(name)}`).join("\n"));
    } else if (entry.kind === "tool") {
      by(assistant);
      parts.push(`*${inline(entry.title ?? entry.name)}* (${entry.undone ? "undone" : entry.status})`);
    } else {
      by(assistant);
      const sources = (entry.sources ?? []).map(
        ({ url, title }) => `- [${inline(title || url)}](<${url.replace(/[<>\s]/g, encodeURIComponent)}>)`,
      );
      parts.push(entry.text, sources.join("\n"));
    }
  }
  return `${parts.filter((part) => part.trim() !== "").join("\n\n")}\n`;
}

/** A name as it stands, on one line. */
const inline = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>]/g, "\\$&");

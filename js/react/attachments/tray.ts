// What is attached to the message that is being written: each file on its way to what is sent.
import { reasonOf } from "../../src/values/error.js";
import { mediaRules } from "../../src/wire/attachments.js";
import type { ContentPart } from "../../src/wire/record.js";
import { Listeners } from "../hooks/listeners.js";
import type { Say } from "../render/labels.js";
import { partsAt, type Upload, uploaded } from "./elsewhere/upload.js";
import { type Allowed, type Note, type Prepared, prepare, Refused, takenKind } from "./prepare.js";
import { sentence } from "./problem-text.js";

/** How far a file is: it waits for those before it, is made ready, is uploaded, is ready, was not uploaded, or cannot be attached. */
export type AttachmentState = "waiting" | "preparing" | "uploading" | "ready" | "failed" | "refused";

/** A file of the message that is being written. */
export interface Attached {
  readonly id: string;
  readonly name: string;
  readonly state: AttachmentState;
  /** Its media type and its bytes: as it is sent once it is ready. */
  readonly type: string;
  readonly size: number;
  /** A small picture of it, as a data URL. */
  readonly thumbnail?: string | undefined;
  /** Why it cannot be attached, or how it is sent. */
  readonly note?: Note | undefined;
  readonly prepared?: Prepared;
  /** How much of it is uploaded: from 0 to 1. */
  readonly progress?: number | undefined;
}

/** What a message is sent with: files, or the parts that say where they are. */
export type Taken = { readonly files: readonly File[] } | { readonly content: readonly ContentPart[] };

interface TraySource {
  readonly file: File;
  readonly allowed: Allowed;
  readonly pasted: boolean;
}

export class Tray extends Listeners {
  #items: readonly Attached[] = [];
  #next = 0;
  #working = false;
  /** Those for which there was no room, since somebody made room last. */
  #over: readonly string[] = [];
  readonly #sources = new Map<string, TraySource>();
  /** What stops the uploads that go on, and what begins those anew that have failed. */
  readonly #uploads = new Map<string, { readonly stop: AbortController; readonly upload: Upload }>();
  #whenReady: (() => void)[] = [];

  readonly getItems = (): readonly Attached[] => this.#items;

  /** What is said of a file. */
  says({ note, name }: Attached, say: Say): string | undefined {
    return note && sentence(note, name, say);
  }

  get busy(): boolean {
    return this.#items.some(({ state }) => /^(?:waiting|preparing|uploading)$/.test(state));
  }

  /** Something was not uploaded: nothing is sent without it until a person has taken it away. */
  get failed(): boolean {
    return this.#items.some(({ state }) => state === "failed");
  }

  /** Takes in files, and tells of folders, which have none to read. */
  add(files: readonly File[], folders: readonly string[], allowed: Allowed, pasted = false): readonly string[] {
    const added = files.map((file): Attached => {
      const id = this.#id();
      this.#sources.set(id, { file, allowed, pasted });
      return { id, name: file.name, state: "waiting", type: file.type, size: file.size };
    });
    const notFiles = folders.map((name) => this.#refused(name, { code: "folder" }));
    // What was said of files before is read by now; those without room count on.
    const kept = this.#items.filter(({ state, note }) => state !== "refused" || (this.#over.length > 0 && isOver(note)));
    this.#show([...kept, ...added, ...notFiles]);
    void this.#work();
    return added.map(({ id }) => id);
  }

  /** Brings back files that were ready before a reload or were not sent, or on their way: they stand before what was added since. */
  restore(files: readonly Prepared[], upload?: Upload): void {
    const items = files.map((prepared) => ({ id: this.#id(), ...readyFrom(prepared) }));
    this.#show([...items, ...this.#items]);
    if (upload) for (const { id, prepared } of items) if (prepared.url === undefined) void this.#upload(id, prepared, upload);
  }

  /** Uploads what has failed once more. */
  readonly retry = (id: string): void => {
    const { prepared, state } = this.#items.find((item) => item.id === id) ?? {};
    const { upload } = this.#uploads.get(id) ?? {};
    if (state === "failed" && prepared && upload) void this.#upload(id, prepared, upload);
  };

  remove(id: string): void {
    this.#sources.delete(id);
    this.#uploads.get(id)?.stop.abort();
    this.#uploads.delete(id);
    this.#over = [];
    this.#show(this.#items.filter((item) => item.id !== id));
    this.#settle();
  }

  get ready(): readonly Prepared[] {
    return this.#items.flatMap(({ prepared }) => prepared ?? []);
  }

  /** The files that are ready: they are sent with this text, and nothing stays. */
  take(text: string): Taken | undefined {
    const all = this.ready;
    this.#sources.clear();
    this.#uploads.clear();
    this.#over = [];
    this.#show([]);
    if (all.length === 0) return undefined;
    return partsAt(all, text) ?? { files: all.map(({ file }) => file) };
  }

  /** Once nothing is on its way; not at all when something was refused meanwhile, which a person is to read first. */
  whenReady(then: () => void): void {
    const lost = () => this.#items.filter(({ state }) => state === "refused" || state === "failed").length;
    const before = lost();
    this.#whenReady = [() => lost() === before && then()];
  }

  #id(): string {
    return String(this.#next++);
  }

  #refused(name: string, note: Note): Attached {
    return { id: this.#id(), name, state: "refused", type: "", size: 0, note };
  }

  #show(items: readonly Attached[]): void {
    this.#items = items;
    this.changed();
  }

  #set(id: string, changes: Partial<Attached>): void {
    this.#show(this.#items.map((item) => (item.id === id ? { ...item, ...changes } : item)));
  }

  /** One after another: a photograph takes a hundred megabytes while it is open. */
  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    let over: number | undefined;
    for (let next = this.#waiting(); next; next = this.#waiting()) {
      const { id } = next;
      const source = this.#sources.get(id) as TraySource;
      this.#set(id, { state: "preparing" });
      try {
        if (this.#items.filter(({ prepared }) => prepared).length >= source.allowed.files) {
          // What is not taken at all has another reason.
          await takenKind(source.file, source.allowed);
          over = source.allowed.files;
          this.#over = [...this.#over, source.file.name];
          this.#set(id, { state: "refused" });
        } else {
          const made = await prepare(source.file, source.allowed);
          const prepared = source.pasted ? { ...made, pasted: true } : made;
          this.#fit(prepared.file, source.allowed);
          this.#set(id, readyFrom(prepared));
          const { upload } = source.allowed;
          // It may have been taken away meanwhile.
          if (upload && this.#items.some((item) => item.id === id)) void this.#upload(id, prepared, upload);
        }
      } catch (error) {
        this.#set(id, { state: "refused", note: error instanceof Refused ? error.note : { code: "broken" } });
      }
      this.#sources.delete(id);
    }
    if (over !== undefined) this.#tellOver(over);
    this.#working = false;
    this.#settle();
  }

  /** Several at a time: those before it do not wait. */
  async #upload(id: string, prepared: Prepared, upload: Upload): Promise<void> {
    const stop = new AbortController();
    this.#uploads.set(id, { stop, upload });
    this.#set(id, { state: "uploading", note: undefined, progress: 0 });
    const tell = (progress: number) => !stop.signal.aborted && this.#set(id, { progress });
    try {
      const url = await uploaded(prepared.file, upload, stop.signal, tell);
      if (!stop.signal.aborted) this.#set(id, { ...readyFrom({ ...prepared, url }), progress: undefined });
    } catch (error) {
      const note = { code: "upload", values: { reason: reasonOf(error) } } as const;
      if (!stop.signal.aborted) this.#set(id, { state: "failed", note, progress: undefined });
    }
    // What ended late is another's by then.
    if (!stop.signal.aborted) this.#settle();
  }

  /** One sentence for all that there was no room for. */
  #tellOver(limit: number): void {
    const others = this.#items.filter(({ state, note }) => state !== "refused" || (note && !isOver(note)));
    const [first = "", ...more] = this.#over;
    const note = { code: more.length > 0 ? "many" : "one", values: { limit, names: this.#over } } as const;
    this.#show([...others, this.#refused(more.length > 0 ? "" : first, note)]);
  }

  #waiting(): Attached | undefined {
    return this.#items.find(({ id, state }) => state === "waiting" && this.#sources.has(id));
  }

  #fit({ size }: Blob, { messageBytes }: Allowed): void {
    const all = this.#items.reduce((sum, { prepared }) => sum + (prepared?.file.size ?? 0), size);
    if (all > messageBytes) throw new Refused("full", { limit: `${Math.floor(messageBytes / 1e6)} MB` });
  }

  #settle(): void {
    if (!this.busy) for (const then of this.#whenReady.splice(0)) then();
  }
}

const isOver = (note: Note | undefined) => note?.code === "one" || note?.code === "many";

function readyFrom(prepared: Prepared) {
  const { file, thumbnail, note } = prepared;
  return { state: "ready", prepared, name: file.name, type: file.type, size: file.size, thumbnail, note } as const;
}

/** By session: what is attached to one conversation waits there while another is looked at. */
const trays = new Map<unknown, Tray>();

export function trayOf(key: unknown): Tray {
  const tray = trays.get(key) ?? new Tray();
  trays.set(key, tray);
  return tray;
}

/** What was attached before a conversation had its id. */
export function moveTray(from: unknown, to: unknown): void {
  const tray = trays.get(from);
  if (!tray || trays.get(to)?.getItems().length) return;
  trays.delete(from);
  trays.set(to, tray);
}

/** What an application says of the files that a chat takes. */
export interface AttachmentOptions {
  /**
   * The provider whose limits apply, by its id; `openai_responses` and `gemini_native` select those formats. By default, the
   * limits of the page's model, or, for an endpoint, those that all providers share.
   */
  readonly provider?: keyof typeof mediaRules;
  /** As in the `accept` of an `<input type="file">`: `image/*`, `application/pdf`, `.csv`. */
  readonly accept?: readonly string[];
  /**
   * A pasted text of more characters is a file of the message, which a person can put back into the text; 5,000 by default. With `false`, no text is
   * one.
   */
  readonly longPaste?: number | false;
  /** How many files fit into a message. */
  readonly maxFiles?: number;
  /** How many bytes the files of a message may have together: less than three quarters of what the endpoint takes (`limits.bodyBytes`). */
  readonly maxBytes?: number;
  /**
   * Stores a file when it is attached, and gives the address or the name that your server knows it by: messages carry that, and not the file
   * itself. `resolveFile` of the chat handler reads it for the model.
   */
  readonly upload?: Upload | undefined;
}

/** The rules for a chat; `url` is where its model is, where that is known. */
export function allowedBy({ provider, accept, maxFiles, maxBytes, upload }: AttachmentOptions, url = ""): Allowed {
  const own = url.startsWith("provider:") ? url.slice(9) : undefined;
  const id = provider ?? own;
  const known: Readonly<Record<string, Allowed>> = mediaRules;
  const rules = (id !== undefined && Object.hasOwn(known, id) && known[id]) || mediaRules.shared;
  // What is between the page and the provider takes less than that.
  const messageBytes =
    maxBytes ?? (own || upload ? rules.messageBytes : Math.min(rules.messageBytes, mediaRules.shared.messageBytes));
  // A picture is made smaller before it takes the place of the others.
  const pictureBytes = Math.min(rules.pictureBytes, messageBytes * 0.3);
  return { ...rules, messageBytes, pictureBytes, files: maxFiles ?? rules.files, accept, upload };
}

// Files in the composer: the button, and what is dropped and pasted. What reads and scales them is loaded with the first one.
import {
  type ChangeEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { transportOf } from "../../src/models/transport.js";
import { engineOfHandle } from "../hooks/handle-registry.js";
import { Listeners } from "../hooks/listeners.js";
import { type PartProps, part } from "../parts/as-child.js";
import { type Chat, ChatContext } from "../parts/chat-context.js";
import { takeBack, takers, useComposer } from "../parts/composer/use-composer.js";
import { draftText, filesKey, saveDraftText, unsentKey } from "../parts/draft-text.js";
import { IconLabel } from "../parts/icons.js";
import { useLabels } from "../render/labels.js";
import type { Allowed } from "./prepare.js";
import { styled } from "./styled.js";
import type { AttachmentOptions, Taken, Tray } from "./tray.js";
import type { AttachedItem } from "./tray-view.js";

type TrayPart = typeof import("./tray.js") & Pick<typeof import("./index.js"), "TrayView">;

/** What reads and draws files, once there was one. */
let trayPart: TrayPart | undefined;

async function load(): Promise<TrayPart> {
  const [tray, { TrayView }] = await Promise.all([import("./tray.js"), import("./index.js")]);
  trayPart = { ...tray, TrayView };
  return trayPart;
}

/** In UTF-16 units: what is pasted and longer is a file. */
const usualPaste = 5_000;

/** Conversations whose files were looked for, once in the life of the page. */
const restored = new Set<string>();

/** What is attached in one composer. */
class Attachments extends Listeners {
  #failed = false;
  #loading = 0;
  #restored: Promise<void> | undefined;
  #key: unknown = this;
  chat: Chat | null = null;
  /** The parts of the composer that are on the page. */
  users = 0;

  readonly failed = (): boolean => this.#failed;

  get #options(): AttachmentOptions {
    const { attachments = true } = this.chat ?? {};
    return typeof attachments === "object" ? attachments : {};
  }

  get tray(): Tray | undefined {
    return trayPart?.trayOf(this.#key);
  }

  /** Each conversation has its own; what was attached before there was one is that of the first. */
  follow(session: string): void {
    const key = session || this;
    const isMoved = this.#key === this && key !== this;
    if (isMoved) trayPart?.moveTray(this, key);
    this.#key = key;
    if (isMoved && this.tray) keep(this.tray, key).catch(() => {});
    this.changed();
    if (session && !restored.has(session)) this.#restored = this.#restore(session);
  }

  /** What was attached before a reload. Once for each conversation: from then on its tray is the one that knows. */
  async #restore(session: string): Promise<void> {
    restored.add(session);
    if (draftText(filesKey(session)) === null) return;
    this.#loading++;
    try {
      const [{ trayOf }, { keptFiles }] = await Promise.all([load(), import("./draft-files.js")]);
      const tray = trayOf(session);
      tray.restore(await keptFiles(session), this.#options.upload);
      await keep(tray, session);
    } catch {
      restored.delete(session);
      this.#failed = true;
    }
    this.#loading--;
    this.changed();
  }

  /** Whether there is anything to attach. */
  add({ files, items }: { readonly files: FileList | readonly File[]; readonly items?: DataTransferItemList }): boolean {
    // A folder counts as a file that cannot be read, and is told apart only as long as the event is handled.
    const folders = [...(items ?? [])].flatMap((item) => {
      const entry = item.webkitGetAsEntry?.();
      return entry?.isDirectory ? entry.name : [];
    });
    const all = [...files].filter(({ name }) => !folders.includes(name));
    if (all.length + folders.length === 0) return false;
    void this.#take(
      (tray, allowed, kept) => {
        tray.add(all, folders, allowed);
        void kept();
      },
      () => {
        this.#failed = true;
      },
    );
    return true;
  }

  /** A long text becomes a file. Until that is kept, and where that cannot be, it is text. False where it is short. */
  paste(text: string, field: HTMLTextAreaElement): boolean {
    const { longPaste = usualPaste, accept } = this.#options;
    if (!longPaste || text.length <= longPaste) return false;
    const key = typeof this.#key === "string" ? unsentKey(this.#key) : "";
    const before = draftText(key) ?? "";
    const keepText = (now: string) => key && saveDraftText(key, now);
    keepText(before ? `${before}\n${text}` : text);
    void this.#take(
      async (tray, allowed, kept) =>
        (await import("./pasted/paste.js")).pasted({ text, field, accept, tray, allowed, kept, forget: () => keepText(before) }),
      () => {
        keepText(before);
        field.setRangeText(text);
        field.dispatchEvent(new Event("input", { bubbles: true }));
      },
    );
    return true;
  }

  async #take(
    work: (tray: Tray, allowed: Allowed, kept: () => ReturnType<typeof keep>) => unknown,
    failed: () => void,
  ): Promise<void> {
    this.#loading++;
    const { glove } = this.chat ?? {};
    const model = glove && engineOfHandle(glove)?.getState().session?.config.model;
    const options = this.#options;
    // Where it was picked, whichever conversation is shown when it can be read.
    const place = this.#key;
    try {
      const { trayOf, allowedBy } = await load();
      await this.#restored;
      this.#failed = false;
      const key = place === this ? this.#key : place;
      const tray = trayOf(key);
      const kept = () => keep(tray, key).catch(() => undefined);
      await work(tray, allowedBy(options, model && transportOf(model)?.options.http.url), kept);
    } catch {
      failed();
    }
    this.#loading--;
    this.changed();
  }

  /** What to send with a text. `null` while some are on their way: `again` is called when they are ready, unless one was refused. */
  take(text: string, send: () => void): Taken | null | undefined {
    const key = this.#key;
    // What is written in another conversation meanwhile is not meant.
    const again = () => this.#key === key && send();
    if (this.#loading > 0) {
      const stop = this.subscribe(() => {
        if (this.#loading > 0 && this.#key === key) return;
        stop();
        again();
      });
      return null;
    }
    const { tray } = this;
    if (tray?.failed) return null;
    if (!tray?.busy) return tray?.take(text);
    tray.whenReady(again);
    return null;
  }
}

/** From now on, what is ready in it survives a reload; gives what tells whether it is written down. Without what keeps it, it stays as long as the page. */
async function keep(tray: Tray, key: unknown): Promise<(() => Promise<boolean>) | undefined> {
  if (typeof key !== "string") return undefined;
  const { keepFilesOf, areKept } = await import("./draft-files.js");
  keepFilesOf(tray, key);
  return areKept;
}

const known = new WeakMap<Element, Attachments>();

/** What is attached in the composer around an element. Nothing where the chat takes no files. */
function useAttachments(inside: RefObject<Element | null>): Attachments | undefined {
  const chat = useContext(ChatContext);
  const { sessionId, send } = useComposer();
  const [attachments, setAttachments] = useState<Attachments>();
  const takes = chat?.attachments !== false;
  useEffect(() => {
    const form = inside.current?.closest("form");
    if (!form || !takes) return setAttachments(undefined);
    const own = known.get(form) ?? new Attachments();
    known.set(form, own);
    own.chat = chat;
    own.users++;
    own.follow(sessionId);
    takers.set(form, (text) => {
      const { tray } = own;
      const ready = tray?.ready ?? [];
      const taken = own.take(text, () => form.isConnected && form.requestSubmit());
      // Nothing is sent without what was not uploaded.
      if (taken === null) form.querySelector<HTMLElement>("[data-glove-retry]")?.focus();
      if (taken)
        takeBack(send({ text, ...taken }), () => {
          tray?.restore(ready);
          chat?.compose.current?.(text);
        });
      return taken === null ? false : taken && true;
    });
    setAttachments(own);
    return () => {
      if (--own.users === 0) takers.delete(form);
    };
  }, [inside, takes, chat, sessionId, send]);
  return attachments;
}

/** Opens the dialog that picks files. Nothing where the chat takes none. */
export function ComposerAttach(props: PartProps<"button">): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const attachments = useAttachments(input);
  const options = useContext(ChatContext)?.attachments;
  const say = useLabels();
  useEffect(() => {
    const form = input.current?.form;
    if (!form || !attachments) return;
    styled(form);
    // All of the chat: what is dropped beside the composer would open in the place of the page.
    const chat = form.closest<HTMLElement>("[data-glove-strategy]") ?? form;
    const drag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      if (event.type === "drop") attachments.add(event.dataTransfer);
    };
    const paste = (event: ClipboardEvent) => {
      const data = event.clipboardData;
      if (!data) return;
      const field = event.target as HTMLTextAreaElement;
      // Tables bring a picture of themselves beside their text.
      const taken = data.types.includes("text/plain")
        ? field.type === "textarea" && attachments.paste(data.getData("text/plain"), field)
        : attachments.add(data);
      if (taken) event.preventDefault();
    };
    chat.addEventListener("dragover", drag);
    chat.addEventListener("drop", drag);
    form.addEventListener("paste", paste);
    return () => {
      chat.removeEventListener("dragover", drag);
      chat.removeEventListener("drop", drag);
      form.removeEventListener("paste", paste);
    };
  }, [attachments]);
  if (options === false) return null;
  const label = say("Attach files");
  const picked = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    attachments?.add({ files: [...(currentTarget.files ?? [])] });
    // The same file may be picked again.
    currentTarget.value = "";
    currentTarget.form?.querySelector("textarea")?.focus();
  };
  const accept = typeof options === "object" ? options.accept?.join() : undefined;
  const own = {
    type: "button",
    "data-glove-attach": "",
    title: label,
    onClick: () => input.current?.click(),
    children: <IconLabel icon="M12 5v14M5 12h14" label={label} />,
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden accept={accept} aria-label={label} onChange={picked} />
      {part("button", own, props)}
    </>
  );
}

/** What `ComposerAttachments` takes. */
export interface ComposerAttachmentsProps {
  /** A class of the list. */
  className?: string | undefined;
  /** Draws one file, in a list. */
  children?: ((item: AttachedItem) => ReactNode) | undefined;
}

/** The files of the message that is being written. Nothing while there are none. */
export function ComposerAttachments(props: ComposerAttachmentsProps): ReactNode {
  const marker = useRef<HTMLElement>(null);
  const attachments = useAttachments(marker);
  const say = useLabels();
  const { subscribe = never, failed = nothing } = attachments ?? {};
  const isFailed = useSyncExternalStore<boolean | undefined>(subscribe, failed, nothing);
  const tray = useSyncExternalStore<Tray | undefined>(subscribe, () => attachments?.tray, nothing);
  return (
    <>
      <i ref={marker} hidden />
      {isFailed && (
        <p role="alert" data-glove-refusal="">
          {say("Files cannot be attached right now. Check your network and try again.")}
        </p>
      )}
      {tray && trayPart && <trayPart.TrayView tray={tray} {...props} />}
    </>
  );
}

const never = () => () => {};
const nothing = () => undefined;

/** Both, as the built-in composer has them. */
export function Attaching(): ReactNode {
  return (
    <>
      <ComposerAttachments />
      <ComposerAttach />
    </>
  );
}

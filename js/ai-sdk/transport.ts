// A transport for the AI SDK's `useChat`: what it sends goes to a session of ours, and what that shows comes back as its stream.
import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import { createMessages, type UIMessagePart } from "../react/hooks/messages.js";
import type { GloveClient } from "../src/session/client.js";
import type { GloveSession } from "../src/session/session.js";
import { AbortError, reasonOf } from "../src/values/error.js";
import type { ContentPart } from "../src/wire/record.js";
import { createChunks } from "./chunks.js";
import { givenTo, ourMessages } from "./ui-messages.js";

/**
 * Lets the AI SDK's `useChat` run on a client: `useChat({ id, transport: createChatTransport(client) })`. The id of the chat is that of the
 * session, so `toUIMessages` gives what was said before, and `resume: true` follows a run that goes on after a reload. `close()` lets go of
 * the sessions.
 */
export function createChatTransport(client: GloveClient): ChatTransport<UIMessage> {
  const retained = new Map<string, { readonly session: GloveSession; release(): void }>();
  /** The ids of our entries, by those of the messages that were sent. */
  const entries = new Map<string, string>();
  /** By chat: what it has said since it came onto the page, where it tells that (`resume: true`). One that was there before may have shown it, and this one not. */
  const saidHere = new Map<string, Set<string>>();
  const sessionOf = (id: string): GloveSession => {
    const known = retained.get(id);
    if (known && !known.session.disposed) return known.session;
    const session = client.session(id);
    retained.set(id, { session, release: client.retain(session) });
    return session;
  };
  return {
    // What comes is the whole answer, from its beginning.
    resumeStreamIsReplay: true,
    close() {
      for (const { release } of retained.values()) release();
      retained.clear();
    },
    async sendMessages({ trigger, chatId, messageId, messages, abortSignal }) {
      const session = sessionOf(chatId);
      await session.start();
      const last = messages.at(-1);
      const again = trigger === "regenerate-message";
      if (!again && last?.role === "assistant") return goOn(session, last, abortSignal);
      // The chat has gone on without an answer to what is asked.
      await leaveQuestions(session);
      const content = last ? contentOf(last) : [];
      const said = session.getSnapshot().timeline.filter(({ kind }) => kind === "user");
      const entryOf = (id: string | undefined) => said.find((entry) => entry.id === (entries.get(id ?? "") ?? id))?.id;
      /** Where a chat was cut and goes on from there: the message of ours that it has shown, and leaves out. What another tab has said it has not seen. */
      const leftOut = () => {
        const shownBefore = messages.slice(0, -1).findLast(({ role }) => role === "user");
        const before = entryOf(shownBefore?.id);
        if (shownBefore && before === undefined) return undefined;
        const next = said[said.findIndex(({ id }) => id === before) + 1]?.id ?? "";
        // One that shows nothing may not have loaded what is stored.
        const here = messages.length > 1 ? [...entries.values()] : [...(saidHere.get(chatId) ?? [])];
        return givenTo(session).has(next) || here.includes(next) ? next : undefined;
      };
      const edited = entryOf(again ? last?.id : messageId) ?? (again ? undefined : leftOut());
      const begin = () => {
        if (again && (edited === undefined || edited === said.at(-1)?.id)) return session.regenerate();
        // Another answer than the last is given again by saying the same there.
        return edited === undefined ? session.sendMessage({ content }) : session.edit(edited, { content });
      };
      const ask = () =>
        begin().finally(() => {
          // One that was stopped has no answer to be heard of by.
          const newest = session.getSnapshot().timeline.findLast(({ kind }) => kind === "user");
          if (!last || !newest || said.some(({ id }) => id === newest.id)) return;
          entries.set(last.id, newest.id);
          saidHere.get(chatId)?.add(newest.id);
        });
      return follow(session, { ask, heard: (entry) => last && entries.set(last.id, entry), abortSignal });
    },
    async reconnectToStream({ chatId, abortSignal }) {
      const session = sessionOf(chatId);
      saidHere.set(chatId, new Set());
      await session.start();
      return session.getSnapshot().busy ? follow(session, { from: [], abortSignal }) : null;
    },
  };
}

/** Stops the run that asks something, where one does. */
async function leaveQuestions(session: GloveSession): Promise<void> {
  const asks = () => session.getSnapshot().approvals.length > 0;
  if (!asks()) return;
  let undo = () => {};
  const left = new Promise<void>((resolve) => {
    undo = session.subscribe(() => void (asks() || resolve()));
  });
  session.abort();
  if (asks()) await left;
  undo();
}

/** What a person has said of calls goes to the session, and its answer goes on. */
function goOn(session: GloveSession, { parts }: UIMessage, abortSignal: AbortSignal | undefined): ReadableStream<UIMessageChunk> {
  const open = session.getSnapshot().approvals;
  const answered = new Set<string>();
  const from = ourMessages(session).at(-1)?.parts ?? [];
  for (const part of parts) {
    if (!("state" in part) || part.state !== "approval-responded" || !open.some(({ id }) => id === part.approval.id)) continue;
    const { id, approved, reason } = part.approval;
    answered.add(id);
    if (approved) session.approve(id);
    else session.reject(id, reason);
  }
  return follow(session, { from, answered, abortSignal });
}

interface Following {
  /** Begins it. Without this it goes on already. */
  readonly ask?: () => Promise<unknown>;
  /** What of the answer is known; nothing where another answer comes. */
  readonly from?: readonly UIMessagePart[];
  readonly answered?: ReadonlySet<string>;
  /** Told the entry of the message that was sent. */
  readonly heard?: (entry: string) => unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What is there of an answer broke off, and gives way to the first piece of the next try. */
function isAskedAnew(session: GloveSession): boolean {
  const { timeline, busy } = session.getSnapshot();
  const last = timeline.at(-1);
  return busy && last?.kind === "agent_text" && last.partial === true;
}

/** The answer as it is shown, up to its end or to a question that the chat asks. */
function follow(session: GloveSession, { ask, from, answered, heard, abortSignal }: Following): ReadableStream<UIMessageChunk> {
  const read = createMessages();
  const shown = () => read(session.getSnapshot());
  const before = from ? undefined : shown().at(-1);
  let end = () => {};
  return new ReadableStream<UIMessageChunk>({
    start(controller) {
      const chunksOf = createChunks(from);
      let begun = false;
      let over = false;
      const write = () => {
        const [asked, last] = shown().slice(-2);
        // That of the message before may still be there.
        if (last?.role !== "assistant" || last === before) return;
        if (!begun) {
          begun = true;
          if (asked?.role === "user") heard?.(asked.id);
          controller.enqueue({ type: "start", messageId: last.id });
          if (!from?.length) controller.enqueue({ type: "start-step" });
        }
        for (const chunk of chunksOf(last.parts)) controller.enqueue(chunk);
      };
      const finish = (...chunks: UIMessageChunk[]) => {
        if (over) return;
        write();
        end();
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      };
      const done = () => finish({ type: "finish-step" }, { type: "finish" });
      const failed = (error: unknown) => {
        if (error instanceof AbortError) finish({ type: "abort" });
        else finish({ type: "error", errorText: reasonOf(error) });
      };
      const look = () => {
        if (!isAskedAnew(session)) write();
        const { approvals, busy } = session.getSnapshot();
        const asks = approvals.some(({ id, toolCallId }) => toolCallId !== undefined && !answered?.has(id));
        if (asks) done();
        else if (!ask && !busy) {
          const { error } = session.getSnapshot();
          if (error) failed(error);
          else done();
        }
      };
      const stop = () => session.abort();
      abortSignal?.addEventListener("abort", stop, { once: true });
      const unsubscribe = session.subscribe(look);
      end = () => {
        over = true;
        unsubscribe();
        abortSignal?.removeEventListener("abort", stop);
      };
      const ended = (outcome: unknown) => {
        if ((outcome as { readonly type: string }).type === "aborted") failed(new AbortError());
        else done();
      };
      if (!ask) look();
      else if (abortSignal?.aborted) failed(new AbortError());
      else ask().then(ended, failed);
    },
    cancel: () => end(),
  });
}

/** A message of the AI SDK as we send it. */
function contentOf({ parts }: UIMessage): ContentPart[] {
  return parts.flatMap((part): ContentPart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type !== "file") return [];
    const { mediaType: media_type, url } = part;
    const kind = /^(image|video)\//.exec(media_type)?.[1] ?? "document";
    const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? [];
    const source = data === undefined ? { type: "url", media_type, url } : { type: "base64", media_type, data };
    return [{ type: kind, source }];
  });
}

// What a screen shows beside the conversation: the tasks and the inbox, as the store keeps them.

import { listOf } from "../store/errors.js";
import { GloveError } from "../values/error.js";
import { omitUndefined } from "../values/omit-undefined.js";
import type { OpenSession } from "./open-session.js";

/** How long they may hold up a session that is opened. */
const openingMs = 1_000;

export type Extras = ReturnType<typeof createExtras>;

export function createExtras({ snapshots, subscribers, store }: OpenSession) {
  let answering: Promise<unknown> = Promise.resolve();

  /** Without them the session is as good as before. */
  const read = async (): Promise<void> => {
    const failed = (error: unknown) => {
      subscribers.report(error instanceof GloveError ? error.code : "STORE_FAILED", error);
      return undefined;
    };
    const tasks = (async () => listOf("tasks", await store.getTasks?.()))().catch(failed);
    const inbox = (async () => listOf("inbox", await store.getInboxItems?.()))().catch(failed);
    snapshots.set(omitUndefined({ tasks: await tasks, inbox: await inbox }));
  };

  /** A store that takes its time with them keeps nobody from the conversation. */
  const readInTime = async (): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, openingMs);
    });
    await Promise.race([read(), late]);
    clearTimeout(timer);
  };

  /** Answers an item of the inbox. Two answers are one after the other. */
  const answerInbox = (id: string, response: string): Promise<boolean> => {
    const answer = async () => {
      const item = (await store.getInboxItems?.())?.find((item) => item.id === id);
      if (!item) return false;
      // The page that had asked for this may be gone, and another one asks again.
      if (item.status !== "pending") return item.response === response;
      await store.updateInboxItem?.(id, { status: "resolved", response, resolved_at: new Date().toISOString() });
      snapshots.set({ inbox: (await store.getInboxItems?.()) ?? [] });
      return true;
    };
    const answered = answering.then(answer);
    answering = answered.catch(() => {});
    return answered;
  };

  return { read, readInTime, answerInbox };
}

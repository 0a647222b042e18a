// `watchUnread`: marks threads that got something new while nobody looked at them, and says so outside of the chat.
import type { Watcher } from "../ports/subscriber.js";
import type { GloveClient } from "../session/client.js";
import type { GloveSession } from "../session/session.js";
import { isHidden } from "../timing/next-frame.js";
import { isInside } from "../values/ids.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import { Notices, type UnreadEvent, type UnreadNotice } from "./notices.js";
import { threadsOf } from "./thread-store.js";
import { inTitle, onIcon } from "./unread-count.js";

/** Settings of `watchUnread`. */
export interface WatchUnreadOptions {
  /** Puts the number of unread threads before the title of the document; default `true`. */
  title?: boolean | undefined;
  /** Puts it on the icon of an installed app, where the browser can; default `true`. */
  badge?: boolean | undefined;
  /**
   * Gives the words of a notification for an answer or a question that comes while the tab is hidden, or nothing for none. It is shown where
   * the person has allowed notifications; nobody is asked for that here.
   */
  notify?: ((event: UnreadEvent) => UnreadNotice | undefined) | undefined;
  /** Called with the id of the thread whose notification a person has pressed. */
  onOpen?: ((id: string) => void) | undefined;
}

const unreadOptions = {
  title: "flag",
  badge: "flag",
  notify: "work",
  onOpen: "work",
} as const satisfies Options<WatchUnreadOptions>;

export function checkUnreadOptions(options: WatchUnreadOptions): void {
  checkOptions(check("The settings", options, "object"), unreadOptions);
}

/**
 * Marks each thread that gets an answer or a question while nobody looks at it: while it is not shown, or the tab is hidden. The mark is in the
 * list of every tab, and goes when the thread is looked at. Returns a function that ends it.
 */
export function watchUnread(client: GloveClient, options: WatchUnreadOptions = {}): () => void {
  check("`client.onSession`", client?.onSession, "work");
  checkUnreadOptions(options);
  if (typeof document === "undefined") return () => {};
  const { title = true, badge = true, notify, onOpen } = options;
  const threads = threadsOf(client);
  const open = new Map<string, Followed>();
  const notices = new Notices(notify, onOpen);
  /** This one, among all who count. */
  const who = {};
  const counts = [...(title ? [inTitle] : []), ...(badge ? [onIcon] : [])];
  let over = false;

  const isSeen = (id: string) => !isHidden() && (open.get(id)?.retained.users ?? 0) > 0;
  /** Those that are marked in the list: what somebody looks at now is read. */
  const look = () => {
    const { threads: all, archived, ready } = threads.getSnapshot();
    if (over || !ready) return;
    const left = all.filter(({ id, unread }) => unread && !isSeen(id));
    for (const { id, unread } of [...all, ...archived]) if (unread && isSeen(id)) void threads.markUnread(id, false);
    notices.update(left);
    // Clients of one database list the same threads.
    for (const count of counts)
      count.set(
        who,
        left.map(({ id }) => `${client.database ?? ""} ${id}`),
      );
  };
  const came = async (session: GloveSession, reason: UnreadEvent["reason"] | undefined) => {
    const id = session.sessionId;
    if (over || isSeen(id)) return;
    await threads.markUnread(id, true);
    if (over) return;
    if (reason && isHidden()) notices.expect(id, reason);
    look();
  };

  const unsubscribe = threads.subscribe(look);
  const leave = client.onSession((retained) => {
    const { session } = retained;
    const id = session.sessionId;
    if (isInside(id)) return;
    for (const [id, { retained, end }] of open) {
      if (!retained.session.disposed) continue;
      end();
      open.delete(id);
    }
    const unlook = whenShown(retained, look);
    const unfollow = follow(session, (reason) => void came(session, reason));
    const end = () => {
      unlook();
      unfollow();
    };
    open.set(id, { retained, end });
  });
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    over = true;
    unsubscribe();
    leave();
    for (const { end } of open.values()) end();
    open.clear();
    document.removeEventListener("visibilitychange", look);
    notices.update([]);
    for (const count of counts) count.set(who);
  };
}

/** Who is called when somebody shows a session. */
const shownTo = new WeakMap<object, Set<() => void>>();

function whenShown(retained: { shown?: () => void }, look: () => void): () => void {
  const all = shownTo.get(retained) ?? new Set();
  shownTo.set(retained, all.add(look));
  retained.shown = () => {
    for (const look of [...all]) look();
  };
  return () => void all.delete(look);
}

/** A session that is open, and what ends following it. */
interface Followed {
  readonly retained: { readonly session: GloveSession; readonly users: number };
  end(): void;
}

/** Calls it where the session runs in this tab: with each answer, each new question, and, without a reason, when a run cannot go on. */
function follow(session: GloveSession, came: (reason?: UnreadEvent["reason"]) => void): () => void {
  const last = () => session.getSnapshot().timeline.at(-1)?.id;
  let before = last();
  const watcher: Watcher = {
    watches: true,
    async record(type, data) {
      if (type === "request_started") before = last();
      if (type !== "request_finished" || data.outcome === "aborted") return;
      // The answer is in the snapshot a moment later.
      await undefined;
      // What nobody is to see adds nothing.
      if (last() !== before) came(data.outcome === "completed" ? "answer" : undefined);
    },
  };
  let asks = false;
  const look = () => {
    const { approvals, slots, tab, sessionReady } = session.getSnapshot();
    if (!sessionReady) return;
    const asked = approvals.length > 0 || slots.some(({ waits, status }) => waits && status === "pending");
    // Of a session on a server each page is told; of those of a browser, the tab that runs one.
    if (asked && !asks && (tab === "leader" || session.store.elsewhere)) came("question");
    asks = asked;
  };
  const unsubscribe = session.subscribe(look);
  const remove = session.addSubscriber(watcher);
  look();
  return () => {
    unsubscribe();
    remove();
  };
}

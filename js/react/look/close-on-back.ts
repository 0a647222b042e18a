// The way back of a phone closes what lies over the page, and not the page. Loaded with the first that is opened.

interface Watcher {
  onclose: (() => void) | null;
  destroy(): void;
}

/** Stands in an entry of the history beside what its page wrote there. */
const mark = "gloveOver";

interface Over {
  readonly entry: string;
  readonly href: string;
  readonly close: () => void;
}

/** What is open; the last one lies above. */
const open: Over[] = [];
/** What was closed by other means, and whose entry is being left for that. */
const leaving: Over[] = [];

const markOf = (state: unknown): unknown => (typeof state === "object" && state !== null ? Reflect.get(state, mark) : undefined);

/** Where the address is the same, nothing has changed for a router: it hears nothing of it, in browsers that call first who captures. */
function popped(event: PopStateEvent): void {
  const left = leaving.shift();
  const at = open.findIndex(({ entry }) => entry === markOf(event.state));
  const above = left ? [] : open.splice(at + 1);
  const first = left ?? above[0];
  if (first?.href === location.href) event.stopImmediatePropagation();
  for (const { close } of above.reverse()) close();
  // It was opened while the other entry was still being left, and its own went with that.
  const top = open.at(-1);
  if (left && top && at < 0) push(top);
  if (open.length + leaving.length === 0) removeEventListener("popstate", popped, true);
}

function push({ entry }: Over): void {
  history.pushState({ ...history.state, [mark]: entry }, "");
}

/** Out of the history again, unless something was opened since: a page of the application, too, stays where it is. */
function leave(over: Over): void {
  if (markOf(history.state) !== over.entry) return;
  leaving.push(over);
  addEventListener("popstate", popped, true);
  history.back();
}

/**
 * Calls `close` at the next way back, and gives what is to be called when it is closed by other means. On a screen for fingers only. Browsers
 * with `CloseWatcher` know of what is open, and leave the history as it is. In others, the history has one more entry while it is open, with
 * the address and the state of the page's own.
 */
export function closeOnBack(close: () => void): () => void {
  if (!matchMedia("(pointer: coarse)").matches) return () => {};
  const { CloseWatcher } = globalThis as { readonly CloseWatcher?: new () => Watcher };
  if (CloseWatcher) {
    const watcher = new CloseWatcher();
    watcher.onclose = close;
    return () => {
      watcher.onclose = null;
      watcher.destroy();
    };
  }
  const over: Over = { entry: `${Date.now()}.${Math.random()}`, href: location.href, close };
  try {
    push(over);
  } catch {
    // A frame that may not: the way back is that of the page.
    return () => {};
  }
  open.push(over);
  addEventListener("popstate", popped, true);
  return () => {
    const at = open.indexOf(over);
    if (at < 0) return;
    open.splice(at, 1);
    // A router that closed it by going on says so in the history by then.
    setTimeout(() => leave(over));
  };
}

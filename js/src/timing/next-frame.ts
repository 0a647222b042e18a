// The next moment to draw: an animation frame, or a timer where there is none or nobody looks.

/** Nobody sees the page: it draws no frames, and its timers are slow. */
export const isHidden = () => globalThis.document?.visibilityState === "hidden";

/** Calls `work` once, soon. Gives its undo. */
export function nextFrame(work: () => void): () => void {
  if (typeof requestAnimationFrame !== "function" || isHidden()) {
    const timer = setTimeout(work, 16);
    return () => clearTimeout(timer);
  }
  // A page that gets hidden before the frame draws none, so a timer stands behind it.
  let frame = 0;
  const timer = setTimeout(() => {
    cancelAnimationFrame(frame);
    work();
  }, 100);
  frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    work();
  });
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
}

/** Settles when the browser has drawn what was on its way when this was asked first; at once where nothing is drawn. */
export const firstPainted = (): Promise<void> => {
  const own = painted();
  first ??= own;
  // In a test with a stopped clock the first frame never comes; later callers then use their own.
  return Promise.race([first, own]);
};
let first: Promise<void> | undefined;

async function painted(): Promise<void> {
  if (typeof requestAnimationFrame !== "function") return;
  await new Promise<void>((resolve) => nextFrame(() => setTimeout(resolve, 0)));
}

/** Calls `work` when the page has nothing else to do; soon where the browser does not tell when that is. */
export function whenIdle(work: () => unknown): void {
  if (typeof requestIdleCallback === "function") requestIdleCallback(work);
  else setTimeout(work, 0);
}

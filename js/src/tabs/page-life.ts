// The life of a page as its browser tells it: put away and taken up again, without being loaded anew.

export interface PageLife {
  /** Nothing runs in it until it is back, but it keeps what it has. */
  frozen(): unknown;
  /** It was left: kept for the way back, or gone. */
  hidden(): unknown;
  back(): unknown;
}

/** Returns a function that removes the subscriber. */
export function watchPage({ frozen, hidden, back }: PageLife): () => void {
  if (typeof document === "undefined") return () => {};
  const listening = new AbortController();
  const { signal } = listening;
  document.addEventListener("freeze", frozen, { signal });
  document.addEventListener("resume", back, { signal });
  addEventListener("pagehide", hidden, { signal });
  addEventListener("pageshow", back, { signal });
  return () => listening.abort();
}

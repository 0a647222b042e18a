// The warning about two clients that have one session open; loaded when it seems so.

interface RetainedSession {
  readonly session: { readonly disposed: boolean };
  /** Nobody uses it any more, and it ends what it runs. */
  readonly watching?: () => void;
}

/** Longer than a hook keeps what it has waited for: so long a client whose module was edited may have its sessions. */
const placeMs = 6_000;
let warned = false;

export function warnOfTwo(
  id: string,
  database: { readonly name: string; readonly inMemory: boolean },
  both: readonly RetainedSession[],
): void {
  setTimeout(() => {
    // One that was let go ends what it runs; there the other took its place.
    if (warned || database.inMemory || both.some(({ session, watching }) => session.disposed || watching)) return;
    warned = true;
    console.warn(
      `Two clients of this page have the session "${id}" of the database "${database.name}" open; one of them answers for both, with ` +
        "its own model, prompt and tools. Use one client for both, or give each a `database: { name }` of its own.",
    );
  }, placeMs);
}

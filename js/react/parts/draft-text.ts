// What a person types is kept for this tab until it is sent: a reload brings it back.

const prefix = "glove-wasm:typed:";

// A browser may forbid storage, or be out of space: what was typed is then kept as long as the page.
function storage(): Storage | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

export function draftText(key: string): string | null {
  return storage()?.getItem(prefix + key) ?? null;
}

export function saveDraftText(key: string, text: string): void {
  try {
    if (text === "") storage()?.removeItem(prefix + key);
    else storage()?.setItem(prefix + key, text);
  } catch {}
}

/** Under this key stands what was sent and has not come into its conversation yet: its core is still on its way. */
export const unsentKey = (session: string): string => `${session}:unsent`;

/** Under this key the storage of a tab says where the files of a conversation's draft are. */
export const filesKey = (session: string): string => `${session}:files`;

// Ids: new ones, and those of sessions inside of others.

/** A fresh id that no other session has. */
export function generateSessionId(): string {
  return `glove_${generateId()}`;
}

/** A random UUID; pages without a secure context have no `randomUUID`. */
export function generateId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 15) | 64;
  bytes[8] = ((bytes[8] ?? 0) & 63) | 128;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const mark = "::agent::";

/** The id of the session of a call. */
export const insideId = (session: string, callId: string): string => session + mark + callId;

/** It belongs to another session: it is not listed, and goes with that one. With an id, whether it belongs to that. */
export const isInside = (id: string, outer?: string): boolean =>
  outer === undefined ? id.includes(mark) : id.startsWith(outer + mark);

/** How many sessions it is inside of. */
export const depthOf = (id: string): number => id.split(mark).length - 1;

/** With what the keys of local copies of a session's messages begin. */
export const localCopyKey = (database: string, session: string) => `glove:sent:${JSON.stringify([database, session])}:`;

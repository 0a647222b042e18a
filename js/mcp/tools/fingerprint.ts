// What tells whether a server says something else of a tool than when it was allowed.

/** Of everything that a model or a person reads of it, and that decides what is asked. */
export async function fingerprintOf(tool: object): Promise<string> {
  const { description, inputSchema, outputSchema, annotations, title, _meta } = tool as Record<string, unknown>;
  const { ui } = Object(_meta) as Record<string, unknown>;
  return digestOf(canonical({ description, inputSchema, outputSchema, annotations, title, ui }));
}

export async function digestOf(text: string): Promise<string> {
  // Pages that came without TLS have no digests. The text itself tells as much.
  if (!globalThis.crypto?.subtle) return text;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** JSON in which the order of names does not matter. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`).join(",")}}`;
}

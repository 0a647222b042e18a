// What models call the tools of a server: names that every provider takes, and that stay whatever the order of the list.

/** The shortest that a provider takes. */
const longest = 64;

/** By the server's own names. */
export function namesOf(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const plain = (tool: string) => `${server}__${tool.replace(/[^A-Za-z0-9_.-]/g, "_")}`;
  const counts = new Map<string, number>();
  for (const tool of new Set(tools)) {
    // Names are compared without regard to case.
    const key = plain(tool).toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return new Map(
    tools.map((tool) => {
      const name = plain(tool);
      const isOwn = name === `${server}__${tool}` && name.length <= longest && counts.get(name.toLowerCase()) === 1;
      return [tool, isOwn ? name : `${name.slice(0, longest - 9)}_${shortHash(tool)}`];
    }),
  );
}

/**
 * What the same tool is called where an app calls it: what a person allows an app for good is kept by this name, apart from what they allow the
 * model. No server is called `docs_app`, so no tool of one has it.
 */
export function appNameOf(name: string): string {
  const own = name.replace("__", "_app__");
  // One that is cut has the full length, so it is never another one's own.
  return own.length < longest ? own : `${own.slice(0, longest - 9)}_${shortHash(name)}`;
}

/** FNV-1a, as eight hexadecimal digits: it tells names apart, and guards nothing. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

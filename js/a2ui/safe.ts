// What no part is given, whatever its schema allows: scripts, handlers, and addresses that the page has not named.

const runs = /^(javascript|vbscript|blob|filesystem):|^file:\/|^data:([a-z]+\/|[,;])/i;
const picture = /^data:image\/(png|jpeg|gif|webp);/i;
const address = /^([a-z][a-z0-9+.-]*:)?[/\\]{2}/i;
const names = /^(__proto__|constructor|prototype|dangerouslySetInnerHTML|srcDoc|on[A-Z].*)$/i;

/** Why a value may not be drawn. */
export function unsafe(value: unknown, origins: readonly string[]): string | undefined {
  if (typeof value === "string") return unsafeText(value, origins);
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (names.test(name)) return `no part takes "${name}"`;
    const why = unsafe(inner, origins);
    if (why) return why;
  }
  return undefined;
}

function unsafeText(text: string, origins: readonly string[]): string | undefined {
  // Browsers pass over these in an address.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const bare = text.replace(/[\u0000-\u0020\u007f-\u00a0]/g, "");
  if (runs.test(bare) && !picture.test(bare)) return `"${text.slice(0, 40)}" is an address that may run something`;
  if (!address.test(bare)) return undefined;
  const here = globalThis.location?.href;
  let origin: string | undefined;
  try {
    origin = new URL(bare, here ?? "https://page.invalid").origin;
  } catch {
    // Refused below.
  }
  if (origin !== undefined && (origin === globalThis.location?.origin || origins.includes(origin))) return undefined;
  return `"${text.slice(0, 80)}" is an address of another site`;
}

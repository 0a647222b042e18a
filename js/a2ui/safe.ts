// What no part is given, whatever its schema allows: scripts, handlers, and addresses that the page has not named.

const runs = /^(javascript|vbscript|blob|filesystem):|^file:\/|^data:([a-z]+\/|[,;])/i;
const picture = /^data:image\/(png|jpeg|gif|webp);/i;
const address = /^([a-z][a-z0-9+.-]*:)?[/\\]{2}/i;
/** Browsers need no slashes behind these, where the page has another scheme. */
const scheme = /^[^!-~]*(https?|wss?|ftp):[^ ]/i;
/** What makes a browser fetch something for a style, in JSON; with a backslash it could be written in another way. */
const fetching = /url\(|image-set\(|@import|\\\\/i;
const names = /^(__proto__|constructor|prototype|dangerouslySetInnerHTML|srcDoc|on[A-Z].*)$/i;

/** Why a value may not be drawn. */
export function unsafe(value: unknown, origins: readonly string[]): string | undefined {
  if (typeof value === "string") return unsafeText(value, origins);
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (names.test(name)) return `no part takes "${name}"`;
    if (/style$|css$/i.test(name) && fetching.test(JSON.stringify(inner) ?? "")) return `"${name}" has an address in it`;
    // Several addresses, each with its size behind it.
    const several = /srcset$/i.test(name) && typeof inner === "string" ? inner.split(/[\s,]+/) : inner;
    const why = unsafe(several, origins);
    if (why) return why;
  }
  return undefined;
}

function unsafeText(text: string, origins: readonly string[]): string | undefined {
  // Browsers pass over these in an address.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const bare = text.replace(/[\u0000-\u0020\u007f-\u00a0]/g, "");
  if (runs.test(bare) && !picture.test(bare)) return `"${text.slice(0, 40)}" is an address that may run something`;
  if (!address.test(bare) && !scheme.test(text.replace(/[\t\n\r]/g, ""))) return undefined;
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

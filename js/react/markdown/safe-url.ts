// Which addresses of a model's text a page may lead to, or load by itself.

const inert = "https://inert.invalid";

/** The address where a person may follow it: the web, mail and telephone, or a place on this site. Nothing for any other. */
export function safeLink(href: string): string | undefined {
  try {
    const { protocol } = new URL(href, inert);
    return /^(?:https?|mailto|tel):$/.test(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The address of a picture that is loaded when a person says so: of this site only. Its request carries the person's cookies, and may do
 * something there. A picture elsewhere tells its server whatever a model was talked into writing into its address, so it is a link.
 */
export function ownPicture(src: string): boolean {
  if (typeof location === "undefined") return false;
  try {
    const { protocol, origin } = new URL(src, location.href);
    return /^https?:$/.test(protocol) && origin === location.origin;
  } catch {
    return false;
  }
}

/** What cannot be seen within an address. */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The real host of a link, if its visible text shows an address of another site. */
export function otherHost(said: string, href: string): string | undefined {
  const addresses = said.replace(unseen, "").match(/(?:https?:\/\/|www\.)[^\s/?#\\"'<>(),;]+/gi);
  if (!addresses) return undefined;
  const real = new URL(href, location.href);
  return addresses.some((shown) => nameOf(shown) !== nameOf(real.href)) ? real.host || real.protocol : undefined;
}

/** Nothing where a name stands in front of the host, which may look like one. */
function nameOf(address: string): string | undefined {
  try {
    const { host, username } = new URL(/^www/i.test(address) ? `https://${address}` : address);
    return username ? undefined : host.replace(/^www\./, "").replace(/\.$/, "");
  } catch {
    return undefined;
  }
}

/** `&amp;` and the like, as a browser reads them. */
export function decoded(text: string): string {
  if (!text.includes("&") || typeof document === "undefined") return text;
  return text.replace(/&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi, (entity) => {
    const field = document.createElement("textarea");
    field.innerHTML = entity;
    return field.value;
  });
}

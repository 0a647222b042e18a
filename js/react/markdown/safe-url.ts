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
 * The address of a picture that is loaded at once: of this site only. A picture elsewhere tells its server whatever a model was talked
 * into writing into its address, so it is a link until the application says otherwise.
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

/** `&amp;` and the like, as a browser reads them. */
export function decoded(text: string): string {
  if (!text.includes("&") || typeof document === "undefined") return text;
  return text.replace(/&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi, (entity) => {
    const field = document.createElement("textarea");
    field.innerHTML = entity;
    return field.value;
  });
}

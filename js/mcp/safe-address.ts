// Which addresses what is secret may be sent to, and a person led to, and what of an address may be shown.

/** Nothing is sent in the clear, but to this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && /^(localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
}

/** The address of a server as it may be shown and kept: a query may hold a token. */
export const shownUrl = ({ origin, pathname }: URL) => origin + pathname;

// Which addresses what is secret may be sent to, and a person led to.

/** Nothing is sent in the clear, but to this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && /^(localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
}

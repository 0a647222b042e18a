// Events of a screen, which arrive as arguments where a function is a handler itself: `onClick={resolve}`.

/** Also an event of React, and one of another frame. */
export function isEvent(value: unknown): value is { readonly type?: unknown } {
  return typeof value === "object" && value !== null && "target" in value && typeof Object(value).preventDefault === "function";
}

/** What was given, or nothing where that is the event of a handler. */
export function withoutEvent<T>(given: T): T | undefined {
  return isEvent(given) ? undefined : given;
}

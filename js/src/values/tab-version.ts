// Which pages understand each other.

/**
 * Stands in each message between tabs that have a session open. Tabs of different versions do not work together, and say so: `hello`,
 * `leads` and `deleted` mean the same in all versions, so they never change.
 */
export const version = 4;

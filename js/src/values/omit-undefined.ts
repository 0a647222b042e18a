// Drops settings that are `undefined`.

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Settings without those that were left out. */
export function omitUndefined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

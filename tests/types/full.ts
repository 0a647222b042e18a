/** `true` where a list has every word of a type; nothing fits elsewhere. */
export type Whole<T extends string, Known extends readonly string[]> = [Exclude<T, Known[number]>] extends [never] ? true : never;

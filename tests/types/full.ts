// A type with all that it knows, for examples that leave nothing out. Names in `Not` are no part of it.
export type Full<T, Not extends string = never> = unknown extends T
  ? T
  : T extends string | number | boolean | null
    ? T
    : T extends readonly (infer E)[]
      ? readonly Full<E, Not>[]
      : T extends object
        ? {
            readonly [K in keyof T as string extends K ? never : K extends Not ? never : K]-?: Full<
              Exclude<T[K], undefined>,
              Not
            >;
          }
        : never;

/** `true` where a list has every word of a type; nothing fits elsewhere. */
export type Whole<T extends string, Known extends readonly string[]> = [Exclude<T, Known[number]>] extends [never] ? true : never;

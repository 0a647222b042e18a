// A value that is there now or comes later, without making everything later.

export type Maybe<T> = T | PromiseLike<T>;

export function isPromise<T>(value: Maybe<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Goes on with a value: at once when it is there. */
export function after<T, U>(value: Maybe<T>, next: (value: T) => Maybe<U>): Maybe<U> {
  return isPromise(value) ? value.then(next) : next(value);
}

// The application's own state: kept in localStorage, and the same in all tabs of the page.
import { useSyncExternalStore } from "react";

export interface Stored<T> {
  readonly get: () => T;
  readonly set: (next: T) => void;
  /** The value, for components. */
  readonly use: () => T;
}

export function stored<T>(key: string, first: T): Stored<T> {
  let text = localStorage.getItem(key);
  let value = parsed(text, first);
  const listeners = new Set<() => void>();
  const take = (next: T) => {
    value = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  addEventListener("storage", (event) => {
    if (event.key === key || event.key === null) take(parsed(event.newValue, first));
  });
  // Another tab may have written since; its event comes later than whatever runs here now.
  const get = () => {
    const now = localStorage.getItem(key);
    if (now !== text) {
      text = now;
      value = parsed(now, first);
    }
    return value;
  };
  return {
    get,
    set: (next) => {
      text = JSON.stringify(next);
      localStorage.setItem(key, text);
      take(next);
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}

function parsed<T>(text: string | null, first: T): T {
  return text === null ? first : (JSON.parse(text) as T);
}

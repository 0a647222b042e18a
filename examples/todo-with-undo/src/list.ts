// The list, in localStorage. Both the person and the assistant change it.
import { useSyncExternalStore } from "react";

export interface Item {
  readonly id: string;
  readonly text: string;
  readonly done: boolean;
}

const place = "todo:items";
const listeners = new Set<() => void>();
let items: readonly Item[] = JSON.parse(localStorage.getItem(place) ?? "[]");

const write = (next: readonly Item[]) => {
  items = next;
  localStorage.setItem(place, JSON.stringify(next));
  for (const listener of listeners) listener();
};

/** The ids come from the call, so a call that runs again adds nothing twice. */
export function add(texts: readonly string[], key: string): string[] {
  const made = texts.map((text, at) => ({ id: `${key}-${at}`, text, done: false }));
  write([...items, ...made.filter(({ id }) => !items.some((item) => item.id === id))]);
  return made.map(({ id }) => id);
}

export const remove = (ids: readonly string[]) => write(items.filter(({ id }) => !ids.includes(id)));

/** Puts them back to where they were. */
export function putBack(removed: readonly { readonly at: number; readonly item: Item }[]) {
  const next = items.filter(({ id }) => !removed.some(({ item }) => item.id === id));
  for (const { at, item } of removed) next.splice(at, 0, item);
  write(next);
}

export const check = (ids: readonly string[], done: boolean) =>
  write(items.map((item) => (ids.includes(item.id) ? { ...item, done } : item)));

export const all = () => items;

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useItems = () => useSyncExternalStore(subscribe, () => items);

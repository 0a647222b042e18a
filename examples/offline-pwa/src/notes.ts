// The notes, on the device, and whether there is a network.
import { useSyncExternalStore } from "react";

export interface Note {
  readonly key: string;
  readonly text: string;
  readonly urgency: string;
  readonly at: number;
}

const place = "field-notes:notes";
const listeners = new Set<() => void>();
let notes: readonly Note[] = JSON.parse(localStorage.getItem(place) ?? "[]");

/** One note for each key: a call that runs again writes nothing twice. */
export function write(note: Note): void {
  notes = [note, ...notes.filter(({ key }) => key !== note.key)];
  localStorage.setItem(place, JSON.stringify(notes));
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useNotes = () => useSyncExternalStore(subscribe, () => notes);

const subscribeLine = (listener: () => void) => {
  for (const event of ["online", "offline"]) addEventListener(event, listener);
  return () => {
    for (const event of ["online", "offline"]) removeEventListener(event, listener);
  };
};
export const useOnline = () => useSyncExternalStore(subscribeLine, () => navigator.onLine);

let isKept = false;
navigator.serviceWorker?.ready.then(() => {
  isKept = true;
  for (const listener of listeners) listener();
});
/** Whether the page opens without a network. */
export const useKept = () => useSyncExternalStore(subscribe, () => isKept);

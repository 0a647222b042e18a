// The browser's own model, where it has one: whether it does, and how far its download is.
import { type BuiltInAvailability, createBuiltInModel } from "glove-wasm";
import { useEffect, useState, useSyncExternalStore } from "react";

let loaded: number | undefined;
const listeners = new Set<() => void>();

export const builtIn = createBuiltInModel({
  languages: ["en"],
  onDownload(now) {
    loaded = now;
    for (const listener of listeners) listener();
  },
});

export function useBuiltInAvailability(): BuiltInAvailability {
  const [availability, setAvailability] = useState<BuiltInAvailability>("unavailable");
  useEffect(() => void builtIn.availability().then(setAvailability), []);
  return availability;
}

/** From 0 to 1; nothing before a download begins. */
export function useDownload(): number | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => loaded,
  );
}

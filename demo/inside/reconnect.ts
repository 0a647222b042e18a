// A run that failed for want of a line goes on by itself when the line is back.
import { useGlove } from "glove-wasm/react";
import { useEffect, useSyncExternalStore } from "react";
import { useLine } from "../line/line.js";

export function useReconnect(): void {
  const resume = useGlove((state) => state.resume);
  const lost = useGlove(({ error }) => error !== undefined && "code" in error && error.code === "MODEL_NETWORK");
  const network = useSyncExternalStore(subscribe, () => navigator.onLine);
  const there = useLine(({ offline }) => !offline) && network;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only that the line came back is a reason.
  useEffect(() => {
    if (there && lost) void resume();
  }, [there]);
}

function subscribe(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

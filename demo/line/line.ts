// The line to the model: every request of the page goes through here, is noted, and can be slowed down, cut and refused.
import type { Fetch } from "glove-wasm";
import { useSyncExternalStore } from "react";
import { pause } from "./script.js";

export interface Asked {
  readonly id: number;
  readonly scene: string;
  readonly at: number;
  readonly url: string;
  /** What the model is told, as it is sent. */
  readonly body: unknown;
  readonly bytes: number;
  readonly end: "streams" | "answered" | "cut" | "failed" | "stopped";
  readonly ms?: number;
}

export interface Line {
  readonly offline: boolean;
  readonly slow: boolean;
  /** The answer that streams, or else the next one, breaks off in the middle. */
  readonly cut: boolean;
  readonly asked: readonly Asked[];
}

let line: Line = { offline: false, slow: false, cut: false, asked: [] };
const listeners = new Set<() => void>();

export function setLine(changes: Partial<Line>): void {
  line = { ...line, ...changes };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useLine<T>(select: (line: Line) => T): T {
  return useSyncExternalStore(subscribe, () => select(line));
}

/** As many requests are kept for the inspector. */
const kept = 40;
let count = 0;

export function lineTo(fetch: Fetch, scene: string): Fetch {
  return async (url, init) => {
    const id = ++count;
    const at = Date.now();
    const body = String(init.body);
    const asked: Asked = { id, scene, at, url, body: JSON.parse(body), bytes: body.length, end: "streams" };
    setLine({ asked: [...line.asked.slice(1 - kept), asked] });
    const ended = (end: Asked["end"]) => {
      const told = (one: Asked) => (one.id === id && one.end === "streams" ? { ...one, end, ms: Date.now() - at } : one);
      setLine({ asked: line.asked.map(told) });
    };
    init.signal?.addEventListener("abort", () => ended("stopped"), { once: true });
    try {
      if (line.offline || !navigator.onLine) throw new TypeError("Failed to fetch");
      const response = await fetch(url, init);
      if (!response.ok || !response.body) ended("failed");
      return response.body ? new Response(response.body.pipeThrough(disturbed(ended)), response) : response;
    } catch (error) {
      ended("failed");
      throw error;
    }
  };
}

/** Passes the pieces on, and holds the last one back, so that a cut always takes the end away. */
function disturbed(ended: (end: "answered" | "cut") => void): TransformStream<Uint8Array, Uint8Array> {
  let held: Uint8Array | undefined;
  let passed = 0;
  const cut = () => {
    setLine({ cut: false });
    ended("cut");
  };
  return new TransformStream({
    async transform(piece, controller) {
      if (line.slow) await pause(250);
      if (line.cut && passed > 5) {
        cut();
        controller.terminate();
        return;
      }
      if (held) controller.enqueue(held);
      held = piece;
      passed++;
    },
    flush(controller) {
      if (line.cut) return cut();
      if (held) controller.enqueue(held);
      ended("answered");
    },
  });
}

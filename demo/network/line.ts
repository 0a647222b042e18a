// The line to the model: every request of the page goes through here, is noted, and can be slowed down, cut and refused.
import type { Fetch, ModelAdapter } from "glove-wasm";
import { useSyncExternalStore } from "react";
import { pause } from "./script.js";

export interface Asked {
  readonly id: number;
  readonly scene: string;
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

/** As when the browser loses its network, and has one again. */
export function goOffline(offline: boolean): void {
  setLine({ offline });
  dispatchEvent(new Event(offline ? "offline" : "online"));
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

/** Notes a request. Gives what tells its end. */
function note(scene: string, text: string): (end: Asked["end"]) => void {
  const id = ++count;
  const at = Date.now();
  const asked: Asked = { id, scene, body: JSON.parse(text), bytes: text.length, end: "streams" };
  setLine({ asked: [...line.asked.slice(1 - kept), asked] });
  return (end) => {
    const told = (one: Asked) => (one.id === id && one.end === "streams" ? { ...one, end, ms: Date.now() - at } : one);
    setLine({ asked: line.asked.map(told) });
  };
}

/** A model that needs no line: only noted. */
export function noted(model: ModelAdapter, scene: string): ModelAdapter {
  let systemPrompt = "";
  return {
    name: model.name,
    setSystemPrompt(text) {
      systemPrompt = text;
      model.setSystemPrompt(text);
    },
    async prompt(request, notify, signal) {
      const ended = note(scene, JSON.stringify({ systemPrompt, ...request }));
      try {
        const result = await model.prompt(request, notify, signal);
        ended("answered");
        return result;
      } catch (error) {
        ended(signal?.aborted ? "stopped" : "failed");
        throw error;
      }
    },
  };
}

export function lineTo(fetch: Fetch, scene: string): Fetch {
  return async (url, init) => {
    const ended = note(scene, String(init.body));
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

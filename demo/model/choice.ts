// Which model answers. The choice, and a key with it, is kept for this tab only.
import { createAdapter, createEndpointModel, type ModelAdapter, type ProviderId } from "glove-wasm";
import { useSyncExternalStore } from "react";
import { lineTo, noted } from "../network/line.js";
import { type Assistant, scripted } from "../network/script.js";
import { builtIn } from "./built-in.js";

export type Choice =
  | { readonly kind: "scripted" }
  | { readonly kind: "endpoint" }
  /** A key that the person at the page brought. */
  | { readonly kind: "key"; readonly provider: ProviderId; readonly model: string; readonly apiKey: string }
  | { readonly kind: "local"; readonly provider: ProviderId; readonly model: string }
  | { readonly kind: "built-in" };

/** What `npm run demo` found in its environment, and serves at /api/chat. */
export const endpoint = import.meta.env.DEMO_ENDPOINT;

const key = "demo-model";
const listeners = new Set<() => void>();
let choice: Choice = JSON.parse(sessionStorage.getItem(key) ?? '{"kind":"scripted"}');

export function choose(next: Choice): void {
  choice = next;
  sessionStorage.setItem(key, JSON.stringify(next));
  for (const listener of listeners) listener();
}

export function useChoice(): Choice {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => choice,
  );
}

const made = new Map<string, ModelAdapter>();

/** The model of a scene, by the choice that holds now; the same one as long as the choice stays. */
export function modelOf(scene: string, assistant: Assistant): ModelAdapter {
  const name = `${scene} ${JSON.stringify(choice)}`;
  const model = made.get(name) ?? makeModel(scene, assistant);
  made.set(name, model);
  return model;
}

function makeModel(scene: string, assistant: Assistant): ModelAdapter {
  const fetch = lineTo((url, init) => globalThis.fetch(url, init), scene);
  switch (choice.kind) {
    case "scripted":
      return createEndpointModel("script:", { fetch: lineTo(scripted(assistant), scene) });
    case "endpoint":
      return createEndpointModel("/api/chat", { fetch });
    case "key": {
      const { provider, model, apiKey } = choice;
      return createAdapter({ provider, model, apiKey, fetch, dangerouslyAllowBrowser: true });
    }
    case "local": {
      const { provider, model } = choice;
      return createAdapter({ provider, model, fetch });
    }
    case "built-in":
      return noted(builtIn, scene);
  }
}

export function describe(choice: Choice): string {
  switch (choice.kind) {
    case "scripted":
      return "Demo replies (no API key)";
    case "endpoint":
      return endpoint?.model ?? "This server's model";
    case "key":
    case "local":
      return choice.model;
    case "built-in":
      return "The browser's own model";
  }
}

// The page in the sandboxed frame: takes files from the site, runs them, and tells what they print and how they fail.
import { model } from "./model.js";
import { type Files, run } from "./run.js";

export interface Order {
  readonly type: "run";
  readonly page: string;
  readonly files: Files;
  readonly entry: string;
  readonly theme: string;
  /** A key that the person at the page brought: it goes to its provider, and the policy of this frame allows no other place. */
  readonly key?: { readonly provider: string; readonly apiKey: string };
}

export type Report =
  | { readonly type: "ready" }
  | { readonly type: "drawn" }
  | { readonly type: "log"; readonly text: string }
  | { readonly type: "failed"; readonly text: string };

// The frame has no origin, so nothing can be said about whom it talks to; what it says is text.
const tell = (report: Report) => parent.postMessage(report, "*");

const text = (value: unknown) =>
  typeof value === "string" ? value : value instanceof Error ? value.message : (JSON.stringify(value, null, 1) ?? String(value));
/** Listens for an order, once. */
export function begin(): void {
  const log = console.log.bind(console);
  console.log = (...values: unknown[]) => {
    log(...values);
    tell({ type: "log", text: values.map(text).join(" ") });
  };
  addEventListener("unhandledrejection", ({ reason }) => tell({ type: "failed", text: text(reason) }));
  addEventListener("error", ({ message }) => tell({ type: "failed", text: message }));

  let began = false;
  addEventListener("message", ({ data, source }: MessageEvent<Order | { type: "theme"; theme: string }>) => {
    if (source !== parent) return;
    document.documentElement.dataset.theme = data.theme;
    if (data.type !== "run" || began) return;
    began = true;
    model(data.page, data.key);
    run(data.files, data.entry).then(
      () => tell({ type: "drawn" }),
      (error: unknown) => tell({ type: "failed", text: text(error) }),
    );
  });
  tell({ type: "ready" });
}

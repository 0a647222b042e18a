// Traces of a chat handler by OpenTelemetry: each call of the model and each run of a tool is a span, in the names that `glove serve` has for
// them (`crates/native/src/traces.rs`; `tests/fixtures/endpoint/traced.json` holds for both). Nothing of what was said is in them.
import { providers } from "../src/models/providers.js";
import type { Refusal } from "../src/relay/refusal-response.js";

/** What is used of a span of OpenTelemetry. */
export interface TraceSpan {
  setAttribute(name: string, value: string | number | string[]): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

/** What is used of a tracer of OpenTelemetry: `trace.getTracer("my-app")` of `@opentelemetry/api` is one. */
export interface Tracer {
  startActiveSpan<T>(
    name: string,
    options: { kind: number; attributes: Record<string, string> },
    work: (span: TraceSpan) => T,
  ): T;
}

/** Of `SpanKind` and `SpanStatusCode`. */
const internal = 0;
const client = 2;
const failed = 2;

/** Where the conventions have a name of their own for a provider. */
const names: Readonly<Record<string, string>> = { gemini: "gcp.gemini" };

/** Who answers at this address. */
export function providerAt(url: string): string {
  const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : "");
  const host = hostOf(url);
  const found = Object.values(providers).find(({ baseURL }) => host && hostOf(baseURL) === host);
  return found ? (names[found.id] ?? found.id) : "custom";
}

/** Gets what an answer tells, and its end. */
export interface CallTrace {
  heard(events: string): void;
  ended(refusal?: Refusal): void;
}

/** Has `work` done in the span of a call of the model, which ends with the answer. */
export function traceChat<T>(
  tracer: Tracer | undefined,
  { model, baseURL }: { readonly model: string; readonly baseURL?: string | undefined },
  work: (trace?: CallTrace) => T,
): T {
  if (!tracer) return work();
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerAt(baseURL ?? ""),
    ...(model && { "gen_ai.request.model": model }),
  };
  return tracer.startActiveSpan(model ? `chat ${model}` : "chat", { kind: client, attributes }, (span) =>
    work({
      heard: (events) => note(span, events),
      ended(refusal) {
        if (refusal) fail(span, refusal.code);
        span.end();
      },
    }),
  );
}

/** Has a tool run in a span of its own. `work` is given what ends it, with why it failed. */
export function traceTool<T>(
  tracer: Tracer | undefined,
  tool: string,
  call: string,
  work: (end: (why?: string) => void) => T,
): T {
  if (!tracer) return work(() => {});
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "gen_ai.tool.call.id": call,
    "gen_ai.tool.type": "function",
  };
  return tracer.startActiveSpan(`execute_tool ${tool}`, { kind: internal, attributes }, (span) =>
    work((why) => {
      if (why) fail(span, why);
      span.end();
    }),
  );
}

/** What the last event of an answer tells of it. */
function note(span: TraceSpan, events: string): void {
  const at = events.lastIndexOf('data: {"type":"done"');
  if (at < 0) return;
  const [line = ""] = events.slice(at + "data: ".length).split("\n", 1);
  const done = JSON.parse(line) as Record<string, unknown>;
  for (const [field, name] of usage) {
    const count = done[field];
    if (typeof count === "number") span.setAttribute(`gen_ai.usage.${name}`, count);
  }
  if (typeof done.stop_reason === "string") span.setAttribute("gen_ai.response.finish_reasons", [done.stop_reason]);
}

const usage = [
  ["tokens_in", "input_tokens"],
  ["tokens_out", "output_tokens"],
  ["cache_read_input_tokens", "cache_read.input_tokens"],
  ["cache_creation_input_tokens", "cache_creation.input_tokens"],
] as const;

function fail(span: TraceSpan, why: string): void {
  span.setAttribute("error.type", why);
  span.setStatus({ code: failed });
}

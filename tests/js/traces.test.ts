// The spans of a chat handler: `glove serve` is held to the same table (`tests/it/native_glove/traces.rs`).
import { readFileSync } from "node:fs";
import { createChatHandler, type Tracer, type TraceSpan } from "glove-wasm/server";
import { expect, test } from "vitest";
import { providerAt } from "../../js/server/traces.js";

interface Told {
  readonly name: string;
  readonly kind: "client" | "internal";
  readonly failed: boolean;
  readonly attributes: Record<string, unknown>;
}

interface Row {
  readonly status: number;
  readonly chunks?: readonly object[];
  readonly span: Told;
  readonly call?: object;
  readonly ran?: Told;
}

const table = JSON.parse(readFileSync(new URL("../fixtures/endpoint/traced.json", import.meta.url), "utf8")) as {
  readonly providers: readonly (readonly [string, string])[];
  readonly rows: readonly Row[];
};

/** Takes what the API of OpenTelemetry allows, and nothing after the end of a span. */
function tracing(): { readonly tracer: Tracer; readonly told: Told[] } {
  const told: Told[] = [];
  const tracer: Tracer = {
    startActiveSpan(name, { kind, attributes: given }, work) {
      expect([0, 2]).toContain(kind);
      const attributes: Record<string, unknown> = { ...given };
      let [open, failed] = [true, false];
      const span: TraceSpan = {
        setAttribute(key, value) {
          expect(open).toBe(true);
          attributes[key] = value;
        },
        setStatus({ code }) {
          expect([open, code]).toEqual([true, 2]);
          failed = true;
        },
        end() {
          expect(open).toBe(true);
          open = false;
          told.push({ name, kind: kind === 2 ? "client" : "internal", failed, attributes });
        },
      };
      return work(span);
    },
  };
  return { tracer, told };
}

function handlerOf(tracer: Tracer | undefined, answer: () => Response) {
  return createChatHandler({
    provider: "ollama",
    model: "small",
    models: ["large"],
    baseURL: "http://127.0.0.1:1234/v1",
    fetch: async () => answer(),
    tracer,
    policy: { maxRetries: 0 },
    onError: () => {},
    toolSecret: "a secret of all servers",
    tools: [
      {
        name: "list_dir",
        description: "Lists a folder.",
        jsonSchema: { type: "object", properties: { path: { type: "string" } } },
        do(input) {
          if ((input as { path: string }).path === "nowhere") throw new Error("there is no such folder");
          return "src";
        },
      },
    ],
  });
}

const post = (body: object) =>
  new Request("http://server/api/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const hi = { systemPrompt: "", messages: [{ sender: "user", text: "a secret of mine" }] };

function provided({ status, chunks = [] }: Row): Response {
  if (status !== 200) return new Response("{}", { status });
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  return new Response(`${events}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
}

test("each answer and each run of a tool is a span, as the table says", async () => {
  for (const row of table.rows) {
    const { tracer, told } = tracing();
    const handle = handlerOf(tracer, () => provided(row));
    const text = await (await handle(post(hi))).text();
    expect(told, text).toEqual([row.span]);
    if (!row.call) continue;
    const ticket = /"ticket":"([^"]+)"/.exec(text)?.[1];
    const ran = await (await handle(post({ toolCall: { ...row.call, ticket } }))).text();
    expect(told.slice(1), ran).toEqual([row.ran]);
    expect(JSON.stringify(told)).not.toContain("a secret of mine");
  }
});

test("a client that leaves, or chooses a model, is told of; one that is refused at the door is not", async () => {
  const { tracer, told } = tracing();
  const body = new ReadableStream<Uint8Array>();
  const handle = handlerOf(tracer, () => new Response(body, { headers: { "content-type": "text/event-stream" } }));
  const leaving = new AbortController();
  const gone = handle(new Request(post({ ...hi, model: "large" }), { signal: leaving.signal }));
  await new Promise((later) => setTimeout(later));
  leaving.abort();
  await gone;
  await expect.poll(() => told.map(({ name }) => name)).toEqual(["chat large"]);
  expect((await handle(new Request("http://server/api/chat", { method: "PUT" }))).status).toBe(405);
  expect(told).toHaveLength(1);
});

test("what is no tracer is refused at once", () => {
  expect(() => handlerOf({} as Tracer, () => new Response())).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining("@opentelemetry/api") }) as Error,
  );
});

test("providers are called what the conventions call them", () => {
  for (const [url, name] of table.providers) expect(providerAt(url), url).toBe(name);
});

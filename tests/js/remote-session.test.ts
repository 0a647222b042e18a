// A session that runs on a server, where the server is not what it should be.
import { GloveClient } from "glove-wasm";
import { createRemoteSession } from "glove-wasm/remote";
import { afterEach, expect, test } from "vitest";

const clients: GloveClient[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.dispose();
});

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

/** A stream that tells these and stays open. */
function feed(...told: readonly unknown[]): Response {
  const text = told.map((data, at) => `id: e-${at + 1}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const empty = {
  kind: "all",
  events: [
    { kind: "timeline", len: 0, set: [] },
    { kind: "slots", slots: [] },
  ],
  written: { text: "", reasoning: "" },
};

type Answer = (method: string, path: string, init: RequestInit) => Response;

function client(answer: Answer): { readonly client: GloveClient; readonly asked: string[] } {
  const asked: string[] = [];
  const own = (async (url: string, init: RequestInit) => {
    const path = url.slice("http://server/api/sessions".length);
    asked.push(`${init.method} ${path}`);
    return answer(init.method ?? "GET", path, init);
  }) as typeof fetch;
  const made = new GloveClient(createRemoteSession({ url: "http://server/api/sessions", fetch: own }));
  clients.push(made);
  return { client: made, asked };
}

const unknown = () => json(404, { error: { code: "SESSION_UNKNOWN", message: "There is no such session." } });

test("a session that the server does not begin fails with what the server says", async () => {
  const { client: own } = client((method, path) =>
    method === "POST" && path === ""
      ? json(400, { error: { code: "REQUEST_INVALID", message: "The id of a session must have 1 to 100 letters." } })
      : unknown(),
  );
  await expect(own.session("chat:1").start()).rejects.toMatchObject({ code: "REQUEST_INVALID" });
});

test("a server that begins a session and does not know it is not asked without a pause", async () => {
  const { client: own, asked } = client((method, path) =>
    method === "POST" && path === "" ? json(201, { id: "s" }) : unknown(),
  );
  void own
    .session("s")
    .start()
    .catch(() => {});
  await new Promise((later) => setTimeout(later, 300));
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.length).toBeLessThan(10);
});

test("what is asked settles where something else than the server answers", async () => {
  let taken = 0;
  const { client: own } = client((_, path, init) => {
    if (path.endsWith("/feed")) return feed(empty);
    if (!path.endsWith("/ask")) return unknown();
    const { id } = JSON.parse(String(init.body)) as { readonly id: string };
    // A page to sign in to the network, and then the server.
    if (++taken === 1) return new Response("<html></html>", { status: 200 });
    return json(200, { kind: "answered", id, error: { code: "MODEL_NETWORK", message: "No answer." } });
  });
  const session = own.session("s");
  await session.start();
  await expect(session.sendMessage("hi")).rejects.toMatchObject({ code: "MODEL_NETWORK" });
  expect(taken).toBe(2);
});

test("why a session does not go on by itself is shown, also after the server was away", async () => {
  const message = "3 servers ended in a row while they worked on this session, so it does not go on by itself.";
  const state = { queue: [], questions: [], undoable: [], turns: 0, usage: {}, contextTokens: 0, hidden: false };
  const events = [
    ...empty.events,
    { kind: "state", phase: "interrupted", request: "r1", ...state },
    { kind: "ended", request: null, error: { code: "SESSION_HELD_BACK", message, model: null } },
  ];
  let tries = 0;
  const { client: own } = client((_, path) => {
    if (!path.endsWith("/feed")) return unknown();
    if (++tries <= 4) throw new TypeError("fetch failed");
    return feed({ ...empty, events });
  });
  const session = own.session("s");
  void session.start().catch(() => {});
  const shown = () => session.getSnapshot();
  await expect
    .poll(() => (shown().error as { code?: string } | null | undefined)?.code, { timeout: 8_000 })
    .toBe("SERVER_UNREACHABLE");
  await expect
    .poll(() => (shown().error as { code?: string } | null | undefined)?.code, { timeout: 8_000 })
    .toBe("SESSION_HELD_BACK");
  expect(shown().error?.message).toBe(message);
  expect(shown().run.phase).toBe("interrupted");
});

// A session that runs on a server, where the server is not what it should be.
import { GloveClient, type GloveSession } from "glove-wasm";
import { createRemoteSession } from "glove-wasm/remote";
import { afterEach, expect, test } from "vitest";

const clients: GloveClient[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.dispose();
});

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

/** A stream that tells these, and what is told later, and stays open until it is cut. */
class Feed {
  #told = 0;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly response: Response;

  constructor(...told: readonly unknown[]) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
    });
    this.response = new Response(body, { headers: { "content-type": "text/event-stream" } });
    this.tell(...told);
  }

  tell(...told: readonly unknown[]): void {
    const text = told.map((data) => `id: e-${++this.#told}\ndata: ${JSON.stringify(data)}\n\n`).join("");
    this.#controller.enqueue(new TextEncoder().encode(text));
  }

  cut(): void {
    this.#controller.error(new TypeError("terminated"));
  }
}

const feed = (...told: readonly unknown[]) => new Feed(...told).response;
const codeShown = (session: GloveSession) => (session.getSnapshot().error as { code?: string } | undefined)?.code;

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

const reply = { messages: [{ sender: "agent", text: "Hello." }], usage: { tokens_in: 1, tokens_out: 1 } };
const completed = { outcome: "completed", reply };

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
  const told = new Feed(empty);
  const { client: own } = client((_, path, init) => {
    if (path.endsWith("/feed")) return told.response;
    if (!path.endsWith("/ask")) return unknown();
    const { id } = JSON.parse(String(init.body)) as { readonly id: string };
    // A page to sign in to the network, and then the server.
    if (++taken === 1) return new Response("<html></html>", { status: 200 });
    const answered = { kind: "answered", id, error: { code: "MODEL_NETWORK", message: "No answer." } };
    told.tell(answered);
    return json(200, answered);
  });
  const session = own.session("s");
  await session.start();
  await expect(session.sendMessage("hi")).rejects.toMatchObject({ code: "MODEL_NETWORK" });
  expect(taken).toBe(2);
});

test("why a session does not go on by itself is shown, also after the server was away", async () => {
  const message = "3 servers ended in a row while they worked on this session, so it does not go on by itself.";
  const state = { queue: [], questions: [], undoable: [], turns: 0, usage: {}, contextTokens: 0, contextLimit: 0, hidden: false };
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

test("that the server was away is not shown once it is back, also when it has nothing to tell", async () => {
  const first = new Feed(empty);
  let tries = 0;
  const { client: own } = client((_, path) => {
    if (!path.endsWith("/feed")) return unknown();
    if (++tries === 1) return first.response;
    if (tries <= 5) throw new TypeError("fetch failed");
    return feed();
  });
  const session = own.session("s");
  await session.start();
  first.cut();
  await expect.poll(() => codeShown(session), { timeout: 10_000 }).toBe("SERVER_UNREACHABLE");
  await expect.poll(() => codeShown(session), { timeout: 10_000 }).toBeUndefined();
});

test("an answer that is complete before the page follows again is shown when its message settles", async () => {
  const first = new Feed(empty);
  const [isOpen, canAsk] = [{ now: false }, { now: false }];
  let told: unknown[] | undefined;
  const { client: own } = client((_, path, init) => {
    if (path.endsWith("/feed") && !isOpen.now) {
      isOpen.now = true;
      return first.response;
    }
    // The stream is late: a try after the answer fails, too.
    if (path.endsWith("/feed") && told) return failures-- > 0 ? json(503, {}) : feed(...told);
    if (!path.endsWith("/ask") || !canAsk.now) throw new TypeError("fetch failed");
    const { id } = JSON.parse(String(init.body)) as { readonly id: string };
    const answered = { kind: "answered", id, value: completed };
    const entries = [{ kind: "agent", id: "r1.1", text: "Hello." }];
    told = [{ kind: "events", events: [{ kind: "timeline", len: 1, set: [[0, entries]] }] }, answered];
    return json(200, answered);
  });
  let failures = 1;
  const session = own.session("s");
  await session.start();
  first.cut();
  const sent = session.sendMessage("hi");
  await expect.poll(() => codeShown(session), { timeout: 10_000 }).toBe("SERVER_UNREACHABLE");
  canAsk.now = true;
  expect(await sent).toMatchObject({ type: "completed", text: "Hello." });
  expect(codeShown(session)).toBeUndefined();
  expect(session.getSnapshot().timeline).toMatchObject([{ text: "Hello." }]);
});

test("what waits for a server that refused the page goes on when it takes it again, also when it has nothing to tell", async () => {
  const first = new Feed(empty);
  const told = new Feed();
  let feeds = 0;
  const { client: own } = client((_, path, init) => {
    if (path.endsWith("/feed")) {
      if (++feeds === 1) return first.response;
      return feeds === 2 ? json(401, { error: { code: "UNAUTHORIZED", message: "Sign in." } }) : told.response;
    }
    if (!path.endsWith("/ask")) return unknown();
    const { id } = JSON.parse(String(init.body)) as { readonly id: string };
    const answered = { kind: "answered", id, value: completed };
    told.tell(answered);
    return json(200, answered);
  });
  const session = own.session("s");
  await session.start();
  first.cut();
  await expect.poll(() => codeShown(session), { timeout: 10_000 }).toBe("UNAUTHORIZED");
  expect(await session.sendMessage("hi")).toMatchObject({ type: "completed" });
  expect(codeShown(session)).toBeUndefined();
});

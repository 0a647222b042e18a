// What callers of a chat handler's tools may try, and what goes wrong on the way: over real HTTP.
import { createEndpointModel, defineTool, GloveClient, MemoryStore, type ToolConfig } from "glove-wasm";
import { serverTools } from "glove-wasm/remote";
import { type ChatHandlerConfig, createChatHandler, createMemoryBuffer } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";

const sites: Served[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

/** A handler whose model has made one call of its tool, and that call with its ticket. */
async function made(tool: ToolConfig, more: Partial<ChatHandlerConfig> = {}) {
  const errors: string[] = [];
  const input = { people: 2 };
  const calls = { toolCalls: [{ name: tool.name, input, id: "c1" }] };
  const model = createScriptedModel([calls, calls, "Done."]);
  const handler = createChatHandler({
    createModel: () => model,
    tools: [tool],
    toolSecret: "a secret",
    onError: ({ message }) => errors.push(message),
    ...more,
  });
  const site = await serve(root, { routes: { "/api/chat": handler } });
  sites.push(site);
  const url = `${site.url}/api/chat`;
  const send = async (body: unknown) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  const { text } = await send({ systemPrompt: "", messages: [{ sender: "user", text: "hi" }] });
  const ticket = /"ticket":"([^"]+)"/.exec(text)?.[1] ?? "";
  const toolCall = { id: "c1", name: tool.name, input, ticket };
  const post = (changes: Record<string, unknown> = {}) => send({ toolCall: { ...toolCall, ...changes } });
  return { url, post, errors, handler };
}

const book = (ran: unknown[], more: Partial<ToolConfig> = {}): ToolConfig => ({
  ...defineTool({
    name: "book",
    description: "Books a table.",
    inputSchema: z.object({ people: z.number() }),
    do: (input) => `booked ${ran.push(input)}`,
  }),
  ...more,
});

/** A buffer that forgets when it is told to. */
function forgetful() {
  const resume = createMemoryBuffer();
  const ids = new Set<string>();
  const append = (id: string, events: readonly string[]) => {
    ids.add(id);
    return resume.append(id, events);
  };
  const forget = async () => {
    for (const id of ids) await resume.delete(id);
  };
  return { buffer: { ...resume, append }, forget };
}

const secret = "postgres://root:hunter2@db";
const fails = () => {
  throw new Error(`${secret} failed`);
};

test("a call whose stop came first does not begin", async () => {
  const ran: unknown[] = [];
  const { post } = await made(book(ran));
  expect((await post({ wants: "stop" })).status).toBe(204);
  expect((await post()).text).toContain("stopped");
  expect(ran).toEqual([]);
});

test("a call that was stopped does not begin again", async () => {
  const ran: unknown[] = [];
  let stopped = false;
  const work: ToolConfig["do"] = async (_, display) => {
    ran.push(1);
    await new Promise((resolve) => display.signal.addEventListener("abort", resolve));
    stopped = true;
    return "worked";
  };
  const { post } = await made(book([], { do: work, idempotent: true }));
  const first = post();
  await expect.poll(() => ran.length).toBe(1);
  await post({ wants: "stop" });
  await first;
  expect(stopped).toBe(true);
  expect((await post()).text).toContain("stopped");
  expect(ran).toHaveLength(1);
});

test("a ticket that was used begins nothing when the buffer has forgotten its run", async () => {
  for (const idempotent of [false, true]) {
    const ran: unknown[] = [];
    const { buffer, forget } = forgetful();
    const { post } = await made(book(ran, { idempotent }), { resume: buffer });
    expect((await post()).text).toContain("booked 1");
    await forget();
    const again = await post();
    expect(again.status).toBe(idempotent ? 200 : 410);
    expect(ran).toHaveLength(idempotent ? 2 : 1);
  }
});

test("a tool that is silent for longer than answers are kept comes to its end on a busy server", async () => {
  const resume = createMemoryBuffer({ keptMs: 500 });
  let stopped = false;
  const work: ToolConfig["do"] = async (_, { signal }) => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    stopped = signal.aborted;
    return "worked";
  };
  const { post } = await made(book([], { do: work }), { resume, heartbeatMs: 100 });
  const busy = setInterval(() => void resume.append("another", ["event"]), 50);
  try {
    expect((await post()).text).toContain("worked");
    expect(stopped).toBe(false);
  } finally {
    clearInterval(busy);
  }
});

test("a tool is stopped when nobody can be told what comes of it", async () => {
  const resume = createMemoryBuffer();
  let [broken, stopped] = [false, false];
  const append = (id: string, events: readonly string[]) =>
    broken ? Promise.reject(new Error("no connection")) : resume.append(id, events);
  const work: ToolConfig["do"] = async (_, display) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    broken = true;
    await display.pushAndForget({ input: { message: "half" } });
    await new Promise((resolve) => display.signal.addEventListener("abort", resolve));
    stopped = true;
    return "worked";
  };
  const { post } = await made(book([], { do: work }), { resume: { ...resume, append } });
  void post().catch(() => {});
  await expect.poll(() => stopped).toBe(true);
});

test("what a rule or a schema throws stays on the server", async () => {
  const { post, errors } = await made(book([], { requireApproval: fails, requiresPermission: fails }));
  for (const wants of ["permission", "approval"]) {
    const { text } = await post({ wants });
    expect(text).toContain("failed");
    expect(text).not.toContain("hunter2");
  }
  expect(errors.join()).toContain("hunter2");
  for (const inputSchema of [z.object({ people: z.number() }).transform(fails), z.object({}).refine(fails)]) {
    const of = await made(book([], { inputSchema: inputSchema as never }));
    for (const wants of [undefined, "approval"]) expect((await of.post({ wants })).text).not.toContain("hunter2");
    expect(of.errors.join()).toContain("hunter2");
  }
});

test("the list asks for no services, as nobody calls", async () => {
  const services = (request: Request) => (request.headers.has("x-user") ? {} : fails());
  const { url } = await made(book([]), { services });
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test("the list and the calls are for those whom `authorize` lets through", async () => {
  let open = true;
  const ran: unknown[] = [];
  const { url, post } = await made(book(ran), { authorize: () => open });
  open = false;
  expect((await fetch(url)).status).toBe(401);
  for (const wants of [undefined, "approval", "stop"]) expect((await post({ wants })).status).toBe(401);
  expect(ran).toEqual([]);
  const put = await fetch(url, { method: "PUT" });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
});

test("odd calls are refused, and the next one runs", async () => {
  const ran: unknown[] = [];
  const { url, post } = await made(book(ran), { limits: { bodyBytes: 100_000 } });
  for (const name of ["__proto__", "constructor", "toString", "bооk", "", "book\r\nx: y"]) {
    expect((await post({ name })).status, name).toBe(404);
  }
  expect((await post({ input: { people: "x".repeat(200_000) } })).status).toBe(413);
  const raw = async (body: string, type = "application/json") =>
    (await fetch(url, { method: "POST", headers: { "content-type": type }, body })).status;
  expect(await raw('{"toolCall":null}')).toBe(400);
  expect(await raw('{"toolCall":')).toBe(400);
  expect(await raw('{"toolCall":{}}', "text/plain")).toBe(415);
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  expect(await raw(`{"toolCall":{"id":"c1","name":"book","ticket":"a.b","input":${deep}}}`)).toBe(400);
  for (const input of [null, [], 1e308, { people: 2, __proto__x: 1 }, "\ud800"]) expect((await post({ input })).status).toBe(403);
  expect((await post()).text).toContain("booked 1");
  expect(ran).toHaveLength(1);
});

test("a handler refuses a tool without a name", () => {
  const make = (tool: unknown) => () =>
    createChatHandler({ createModel: () => createScriptedModel([]), tools: [tool as ToolConfig] });
  for (const tool of [{ do: () => 1 }, { ...book([]), name: " " }, { ...book([]), name: 7 }]) {
    expect(make(tool)).toThrow(expect.objectContaining({ code: "TOOL_NAME_EMPTY" }));
  }
});

test("a call that had begun is not said to have failed: it is read on, or interrupted", async () => {
  for (const refused of [
    [401, { error: { code: "UNAUTHORIZED", message: "Sign in." } }],
    [504, { error: { code: "504", message: "A gateway timed out." } }],
  ] as const) {
    const ran: unknown[] = [];
    const { url } = await made(book(ran));
    let posts = 0;
    const way = async (to: string, init: RequestInit) => {
      if (!String(init.body).startsWith('{"toolCall"') || (posts > 0 && refused[0] === 504)) return fetch(to, init);
      const response = posts++ === 0 ? await fetch(to, init) : undefined;
      // It ran, and its connection breaks before anything has come.
      if (response && refused[0] === 401) throw await response.text().then(() => new TypeError("network error"));
      await response?.text();
      return Response.json(refused[1], { status: refused[0] });
    };
    const session = new GloveClient({
      createModel: () => createEndpointModel(url, { fetch: way as never }),
      createStore: () => new MemoryStore("s"),
      systemPrompt: "",
      plugins: [serverTools(url, { fetch: way as typeof fetch })],
    }).session("s");
    await session.sendMessage("a table").catch(() => {});
    const results = (await session.messages()).flatMap(({ tool_results }) => tool_results ?? []);
    expect(JSON.stringify(results), String(refused[0])).toContain(refused[0] === 504 ? "booked 1" : "may have run");
    expect(ran).toHaveLength(1);
  }
});

test("a call whose ticket is too old does not run, and one that has run is read for longer", async () => {
  const ran: unknown[] = [];
  const { post } = await made(book(ran), { toolTicketMs: 60_000 });
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now + 61_000);
  try {
    expect(await post()).toMatchObject({ status: 403, text: expect.stringContaining("TOOL_CALL_EXPIRED") });
    expect(ran).toEqual([]);
    clock.mockReturnValue(now + 30_000);
    expect((await post()).text).toContain("booked 1");
    clock.mockReturnValue(now + 61_000);
    expect((await post({ again: true })).text).toContain("booked 1");
    expect(await post({ id: "c2" })).toMatchObject({ status: 403, text: expect.stringContaining("TOOL_CALL_UNKNOWN") });
    expect(ran).toHaveLength(1);
  } finally {
    clock.mockRestore();
  }
});

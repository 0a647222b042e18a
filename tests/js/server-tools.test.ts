// Tools that run in a chat handler: over real HTTP, with the session of a page at the other end.
import { createEndpointModel, defineTool, GloveClient, type GloveSession, MemoryStore, type ToolConfig } from "glove-wasm";
import { serverTools } from "glove-wasm/remote";
import { type ChatHandlerConfig, createChatHandler, createMemoryBuffer } from "glove-wasm/server";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";
import { texts, until } from "../support/session.js";

const sites: Served[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

type Way = (url: string, init: RequestInit) => Promise<Response>;

/** A handler behind HTTP, and what a page at its other end is made of. */
async function scene(script: ScriptedAnswer[], tools: ToolConfig[], more: Partial<ChatHandlerConfig> = {}) {
  const model = createScriptedModel(script);
  const handler = createChatHandler({ createModel: () => model, tools, toolSecret: "a secret", onError: () => {}, ...more });
  const site = await serve(root, { routes: { "/api/chat": handler } });
  sites.push(site);
  const url = `${site.url}/api/chat`;
  const posts: Record<string, unknown>[] = [];
  const page = (options: { way?: Way; store?: MemoryStore; own?: ToolConfig[] } = {}): GloveSession => {
    const { way = fetch as Way, store = new MemoryStore("s"), own = [] } = options;
    const noted: Way = (to, init) => {
      if (typeof init.body === "string") posts.push(JSON.parse(init.body) as Record<string, unknown>);
      return way(to, init);
    };
    const client = new GloveClient({
      createModel: () => createEndpointModel(url, { fetch: noted }),
      createStore: () => store,
      systemPrompt: "",
      tools: own,
      plugins: [serverTools(url, { fetch: noted as typeof fetch })],
    });
    return client.session("s");
  };
  const calls = () => posts.flatMap(({ toolCall }) => (toolCall ? [toolCall as Record<string, unknown>] : []));
  return { page, url, model, calls, posts };
}

const booked = (ran: unknown[], more: Partial<ToolConfig> = {}) => ({
  ...defineTool({
    name: "book",
    description: "Books a table.",
    inputSchema: z.object({ people: z.number().int().max(8), at: z.string().default("noon") }),
    async do(input, display) {
      ran.push(input);
      display.displayWidget("table", { number: 7 });
      return { status: "success" as const, data: `booked for ${input.people} at ${input.at}`, renderData: { table: 7 } };
    },
  }),
  ...more,
});

const call = (name: string, input: unknown, id = "c1") => ({ toolCalls: [{ name, input, id }] });

test("a tool of the server runs there, and the page records and draws it", async () => {
  const ran: unknown[] = [];
  const { page, model } = await scene([call("book", { people: 2 }), "Done."], [booked(ran)]);
  const session = page();
  expect(await session.sendMessage("a table")).toMatchObject({ type: "completed", text: "Done." });
  expect(ran).toEqual([{ people: 2, at: "noon" }]);
  const entry = session.getSnapshot().timeline.find(({ kind }) => kind === "tool");
  expect(entry).toMatchObject({ name: "book", status: "success", output: "booked for 2 at noon", renderData: { table: 7 } });
  const results = (await session.messages()).flatMap(({ tool_results }) => tool_results ?? []);
  expect(results).toMatchObject([{ outputs: [{ type: "widget", widget: "table", data: { number: 7 } }] }]);
  expect(model.calls[0]?.tools).toContain("book");
});

test.each([404, 405])(
  "a route that answers POST alone (HTTP %i) is said to need GET, in one sentence after the other",
  async (status) => {
    const { page } = await scene(["Never."], [booked([])]);
    const onlyPost: Way = async (to, init) => (init.method === "GET" ? new Response("Cannot GET", { status }) : fetch(to, init));
    const session = page({ way: onlyPost });
    const outcome = await session.sendMessage("a table").catch((error: Error) => error);
    const { message } = session.getSnapshot().error ?? (outcome as Error);
    expect(message).toMatch(
      /^The plugin "glove.server .+" failed: .+ does not list its tools \(HTTP 40[45]\)\. .+ GET .+ POST\.$/,
    );
  },
);

test("tools of the page and of the server work in one conversation", async () => {
  const ran: unknown[] = [];
  const mine = defineTool({
    name: "whoami",
    description: "Says who this is.",
    inputSchema: z.object({}),
    do: () => "ann",
  });
  const both = {
    toolCalls: [
      { name: "whoami", input: {}, id: "p1" },
      { name: "book", input: { people: 3 }, id: "c1" },
    ],
  };
  const { page, calls } = await scene([both, "Done."], [booked(ran)]);
  const session = page({ own: [mine] });
  await session.sendMessage("a table");
  expect(texts(session.getSnapshot())).toEqual([
    "user: a table",
    "whoami: success ann",
    "book: success booked for 3 at noon",
    "agent: Done.",
  ]);
  expect(calls()).toHaveLength(1);
});

test("arguments are checked in the page before anybody is asked, and on the server", async () => {
  const ran: unknown[] = [];
  // A rule that no JSON Schema says.
  const even = z.object({ people: z.number().refine((people) => people % 2 === 0, "only even numbers") });
  const tools = [{ ...booked(ran), inputSchema: even } as ToolConfig];
  const { page, calls } = await scene([call("book", { people: "two" }), call("book", { people: 3 }, "c2"), "No."], tools);
  const session = page();
  await session.sendMessage("a table");
  expect(ran).toEqual([]);
  expect(calls()).toHaveLength(1);
  const outputs = session.getSnapshot().timeline.flatMap((entry) => (entry.kind === "tool" ? [entry.output] : []));
  expect(outputs[1]).toContain("people: only even numbers");
});

test("what needs a person is asked on the page, by the rules of the server", async () => {
  const ran: unknown[] = [];
  const requireApproval = ({ people }: { people: number }) => ({ required: people > 4, reason: `for ${people}` });
  const script = [call("book", { people: 2 }), call("book", { people: 6 }, "c2"), call("book", { people: 7 }, "c3"), "Done."];
  const { page } = await scene(script, [booked(ran, { requireApproval })]);
  const session = page();
  const said = session.sendMessage("tables");
  const asked = async (reason: string) => {
    const { approvals } = await until(session, (snapshot) => snapshot.approvals.some((slot) => slot.reason === reason));
    return approvals[0]?.id ?? "";
  };
  session.approve(await asked("for 6"));
  session.reject(await asked("for 7"), "too many");
  await said;
  expect(ran).toEqual([
    { people: 2, at: "noon" },
    { people: 6, at: "noon" },
  ]);
});

test("a person is shown what the schema of the server makes of the arguments, and exactly that runs", async () => {
  const ran: unknown[] = [];
  const { page, calls } = await scene([call("book", { people: 6 }), "Done."], [booked(ran, { requireApproval: true })]);
  const session = page();
  const said = session.sendMessage("a table");
  const { approvals } = await until(session, (snapshot) => snapshot.approvals.length > 0);
  expect(approvals[0]).toMatchObject({ toolName: "book", input: { people: 6, at: "noon" } });
  session.approve(approvals[0]?.id ?? "");
  await said;
  expect(ran).toEqual([{ people: 6, at: "noon" }]);
  // The record keeps the model's words, and the ticket is for those.
  expect(calls().at(-1)).toMatchObject({ input: { people: 6 }, shown: { people: 6, at: "noon" } });
});

test("what a person was not shown does not run", async () => {
  let made = 0;
  const ran: unknown[] = [];
  const inputSchema = z.object({ people: z.number(), at: z.string().default(() => `at ${++made}`) });
  const errors: string[] = [];
  const onError = (error: { readonly message: string }) => void errors.push(error.message);
  const tools = [{ ...booked(ran, { requireApproval: true }), inputSchema } as ToolConfig];
  const { page } = await scene([call("book", { people: 6 }), "No."], tools, { onError });
  const session = page();
  const said = session.sendMessage("a table");
  const { approvals } = await until(session, (snapshot) => snapshot.approvals.length > 0);
  expect(approvals[0]?.input).toMatchObject({ people: 6, at: expect.stringMatching(/^at \d$/) });
  session.approve(approvals[0]?.id ?? "");
  await said;
  expect(ran).toEqual([]);
  const told = session.getSnapshot().timeline.find(({ kind }) => kind === "tool");
  expect(told).toMatchObject({ status: "error", output: expect.stringContaining("no longer what a person was shown") });
  expect(errors.join()).toContain('The tool "book" did not run');
});

test.each<[string, boolean]>([
  ['{"at":"noon","people":6}', true],
  ['{"people":6.0,"at":"noon","at":"noon"}', true],
  ['{"people":6}', false],
  ['{"people":6,"at":"noon","note":null}', false],
  ['{"people":6,"at":"noon","__proto__":{}}', false],
  ['{"people":"6","at":"noon"}', false],
  ['[{"people":6,"at":"noon"}]', false],
  ["null", false],
])("where %s was shown, the call that means noon runs: %s, also when it is asked for twice at once", async (shown, runs) => {
  const ran: unknown[] = [];
  const { page, url } = await scene([call("book", { people: 6 })], [booked(ran, { requireApproval: true })]);
  const session = page();
  void session.sendMessage("a table").catch(() => {});
  await until(session, (snapshot) => snapshot.approvals.length > 0);
  const [made] = (await session.messages()).flatMap(({ tool_calls }) => tool_calls ?? []) as unknown as { ticket: string }[];
  const head = JSON.stringify({ toolCall: { id: "c1", name: "book", input: { people: 6 }, ticket: made?.ticket } }).slice(0, -2);
  const post = async (body: string) =>
    (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })).text();
  const bodies = [`${head},"shown":${shown}}}`, `${head},"shown":${shown}}}`, `${head},"shown":${shown},"again":true}}`];
  const told = await Promise.all(bodies.map(post));
  expect(ran).toEqual(runs ? [{ people: 6, at: "noon" }] : []);
  for (const text of told.slice(0, 2))
    expect(text).toContain(runs ? "booked for 6 at noon" : "no longer what a person was shown");
  // What was refused stays so: a ticket is used once.
  if (!runs) expect(await post(`${head},"shown":{"people":6,"at":"noon"}}}`)).toContain("no longer what");
  expect(ran).toHaveLength(runs ? 1 : 0);
});

test("a rule of the server gets the values of its schema, also in a page that came back", async () => {
  const ran: unknown[] = [];
  const tools = [
    defineTool({
      name: "remind",
      description: "Reminds.",
      inputSchema: z.object({ on: z.coerce.date() }),
      requiresPermission: true,
      requireApproval: ({ on }) => ({ required: true, reason: `in ${on.getUTCFullYear()}` }),
      do: ({ on }) => {
        ran.push(on.toISOString());
        return "noted";
      },
    }),
    booked(ran, {
      requiresPermission: true,
      requireApproval: (({ at }: { at: string }) => ({ required: true, reason: `at ${at}` })) as never,
    }),
  ];
  const store = new MemoryStore("s");
  const { page } = await scene([call("remind", { on: "2027-05-01" }), call("book", { people: 2 }, "c2"), "Done."], tools);
  const asked = async (session: GloveSession, kind: string) => {
    const { approvals } = await until(session, (snapshot) => snapshot.approvals.some((approval) => approval.kind === kind));
    const [{ id, reason, input } = { id: "" }] = approvals;
    return { reason, input, allow: () => session.approve(id) };
  };
  const session = page({ store });
  void session.sendMessage("remind me");
  (await asked(session, "permission")).allow();
  const year = await asked(session, "approval");
  expect(year).toMatchObject({ reason: "in 2027", input: { on: "2027-05-01T00:00:00.000Z" } });
  year.allow();
  await asked(session, "permission");
  session.dispose();
  const later = page({ store });
  await later.start();
  const table = await asked(later, "permission");
  expect(table.input).toEqual({ people: 2, at: "noon" });
  table.allow();
  const hour = await asked(later, "approval");
  expect(hour.reason).toBe("at noon");
  hour.allow();
  await until(later, (snapshot) => texts(snapshot).includes("agent: Done."));
  expect(ran).toEqual(["2027-05-01T00:00:00.000Z", { people: 2, at: "noon" }]);
});

test("a rule of the server gets dates as dates, also in a page that came back between two questions", async () => {
  const ran: unknown[] = [];
  const remind = defineTool({
    name: "remind",
    description: "Reminds.",
    inputSchema: z.object({ on: z.coerce.date() }),
    requiresPermission: true,
    requireApproval: ({ on }) => ({ required: true, reason: `in ${on.getUTCFullYear()}` }),
    do: ({ on }) => {
      ran.push(on.toISOString());
      return "noted";
    },
  });
  const rename = defineTool({
    name: "rename",
    description: "Renames.",
    // What it makes it does not take.
    inputSchema: z.object({ to: z.string() }).transform(({ to }) => ({ name: to })),
    requiresPermission: true,
    requireApproval: ({ name }) => ({ required: true, reason: `to ${name}` }),
    do: ({ name }) => {
      ran.push(name);
      return "renamed";
    },
  });
  const script = [call("remind", { on: "2027-05-01" }), call("rename", { to: "x" }, "c2"), "Done."];
  const { page } = await scene(script, [remind, rename as ToolConfig]);
  const store = new MemoryStore("s");
  let session = page({ store });
  void session.sendMessage("remind me").catch(() => {});
  const asked = async (kind: string) => {
    const { approvals } = await until(session, (snapshot) => snapshot.approvals.some((approval) => approval.kind === kind));
    return approvals[0];
  };
  for (const reason of ["in 2027", "to x"]) {
    await asked("permission");
    session.dispose();
    session = page({ store });
    await session.start();
    session.approve((await asked("permission"))?.id ?? "");
    const approval = await asked("approval");
    expect(approval?.reason).toBe(reason);
    session.approve(approval?.id ?? "");
    await until(session, ({ approvals }) => !approvals.some(({ id }) => id === approval?.id));
  }
  await until(session, (snapshot) => texts(snapshot).includes("agent: Done."));
  expect(ran).toEqual(["2027-05-01T00:00:00.000Z", "x"]);
});

test("only calls that the model made run, each for its caller and once", async () => {
  const ran: unknown[] = [];
  const owner = (request: Request) => request.headers.get("x-user") ?? "ann";
  const { page, url, calls } = await scene([call("book", { people: 2 }), "Done."], [booked(ran)], { owner });
  await page().sendMessage("a table");
  const [made] = calls();
  const post = async (toolCall: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ toolCall });
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
    return [response.status, await response.text()] as const;
  };
  const refused = (answer: readonly [number, string]) => {
    expect(answer[0]).toBe(403);
    expect(answer[1]).toContain("TOOL_CALL_UNKNOWN");
  };
  refused(await post({ ...made, input: { people: 8 } }));
  refused(await post({ ...made, id: "c9" }));
  refused(await post({ ...made, ticket: "" }));
  refused(await post({ ...made, wants: "stop", ticket: "x.y" }));
  refused(await post({ ...made }, { "x-user": "bob" }));
  expect((await post({ ...made, name: "other" }))[0]).toBe(404);
  expect((await post({ ...made, again: 1 }))[0]).toBe(400);
  // The same call again reads what it told.
  const [status, text] = await post({ ...made });
  expect(status).toBe(200);
  expect(text).toContain("booked for 2 at noon");
  expect(ran).toHaveLength(1);
});

test("what a tool throws stays on the server, unless it is meant for others", async () => {
  const errors: string[] = [];
  const { GloveError } = await import("glove-wasm");
  const words = [new Error("postgres://root:hunter2@db failed"), new GloveError("FULL", "The restaurant is full.")];
  const tool = booked([], { do: () => Promise.reject(words.shift()) });
  const onError = ({ message }: Error) => errors.push(message);
  const { page } = await scene([call("book", { people: 2 }), call("book", { people: 3 }, "c2"), "No."], [tool], { onError });
  const session = page();
  await session.sendMessage("a table");
  const record = JSON.stringify(await session.messages());
  expect(record).not.toContain("hunter2");
  expect(record).toContain("the tool failed on the server");
  expect(record).toContain("The restaurant is full.");
  expect(errors[0]).toContain("hunter2");
});

/** A tool that goes on until it is let go. */
function slow() {
  const runs: { readonly key: string; stopped: boolean; end(): void }[] = [];
  const tool = defineTool({
    name: "work",
    description: "Works.",
    inputSchema: z.object({}),
    async do(_, display) {
      const run = { key: display.idempotencyKey, stopped: false, end: () => {} };
      await display.pushAndForget({ message: "half of it" }, "info");
      await new Promise<void>((resolve) => {
        run.end = resolve;
        display.signal.addEventListener("abort", () => {
          run.stopped = true;
          resolve();
        });
        runs.push(run);
      });
      return "worked";
    },
  });
  return { tool, runs };
}

test("stopping the run stops the tool on the server", async () => {
  const { tool, runs } = slow();
  const { page } = await scene([call("work", {}), "Done."], [tool]);
  const session = page();
  const said = session.sendMessage("work");
  await until(session, ({ slots }) => slots.some(({ renderer }) => renderer === "info"));
  session.abort();
  await said;
  await expect.poll(() => runs[0]?.stopped).toBe(true);
  expect(texts(session.getSnapshot()).join()).toContain("work: aborted");
});

test("a page that is opened anew in the middle of a tool reads on, and the tool runs once", async () => {
  const { tool, runs } = slow();
  const { page, calls } = await scene([call("work", {}), "Done."], [tool]);
  const store = new MemoryStore("s");
  const first = page({ store });
  first.sendMessage("work").catch(() => {});
  await until(first, ({ slots }) => slots.some(({ renderer }) => renderer === "info"));
  await first.dispose();
  const second = page({ store });
  await second.start();
  await expect.poll(() => calls().at(-1)?.["again"]).toBe(true);
  runs[0]?.end();
  await until(second, ({ busy }) => !busy);
  expect(texts(second.getSnapshot())).toEqual(["user: work", "work: success worked", "agent: Done."]);
  expect(runs).toHaveLength(1);
  expect(runs[0]?.stopped).toBe(false);
});

test("a call whose server forgot it is not run again, but said to be interrupted; an idempotent one runs", async () => {
  for (const idempotent of [false, true]) {
    const { tool, runs } = slow();
    const resume = createMemoryBuffer();
    const ids = new Set<string>();
    const noting = {
      ...resume,
      append: (id: string, events: readonly string[]) => resume.append([...ids.add(id)].includes(id) ? id : "", events),
    };
    const { page } = await scene([call("work", {}), "Done."], [{ ...tool, idempotent }], { resume: noting });
    const store = new MemoryStore("s");
    const first = page({ store });
    first.sendMessage("work").catch(() => {});
    await until(first, ({ slots }) => slots.some(({ renderer }) => renderer === "info"));
    await first.dispose();
    for (const id of ids) await resume.delete(id);
    const second = page({ store });
    const going = second.start();
    if (idempotent) await expect.poll(() => runs.length).toBe(2);
    for (const run of runs) run.end();
    await going;
    await until(second, ({ busy }) => !busy);
    expect(texts(second.getSnapshot())[1]).toMatch(idempotent ? /work: success worked/ : /work: error .*may have run/);
    expect(runs).toHaveLength(idempotent ? 2 : 1);
  }
});

test("a connection that breaks at any byte runs the tool once, and its result comes whole", async () => {
  const text = "ü".repeat(20);
  let length = 0;
  const at = async (cut: number) => {
    const ran: unknown[] = [];
    const tool = booked(ran, { do: async () => ran.push(1) && text });
    const { page } = await scene([call("book", { people: 2 }), "Done."], [tool]);
    let cuts = 0;
    const way: Way = async (to, init) => {
      const response = await fetch(to, init);
      if (!String(init.body).startsWith('{"toolCall"') || cuts++ > 0) return response;
      const bytes = new Uint8Array(await response.arrayBuffer());
      length = bytes.length;
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(bytes.slice(0, cut)),
        pull: (controller) => controller.error(new TypeError("network error")),
      });
      return new Response(body, response);
    };
    const session = page({ way });
    await session.sendMessage("a table");
    expect(texts(session.getSnapshot())[1], `cut at ${cut}`).toBe(`book: success ${text}`);
    expect(ran, `cut at ${cut}`).toHaveLength(1);
  };
  await at(0);
  for (let cut = 1; cut <= length; cut += 30) await Promise.all(Array.from({ length: 30 }, (_, more) => at(cut + more)));
  expect(length).toBeGreaterThan(100);
}, 120_000);

test("a tool that takes too long is stopped, and the model is told", async () => {
  const { tool, runs } = slow();
  const { page } = await scene([call("work", {}), "Done."], [{ ...tool, timeoutMs: 400 }]);
  const session = page();
  await session.sendMessage("work");
  await expect.poll(() => runs[0]?.stopped).toBe(true);
  expect(texts(session.getSnapshot())[1]).toMatch(/work: error/);
});

test("a page without the list of tools does not ask the model without them", async () => {
  const { page, model } = await scene(["Hi."], [booked([])]);
  const way: Way = (to, init) => (init.method === "GET" ? Promise.reject(new TypeError("offline")) : fetch(to, init));
  const session = page({ way });
  await expect(session.sendMessage("hi")).rejects.toMatchObject({ code: "PLUGIN_FAILED" });
  expect(model.calls).toHaveLength(0);
});

test("a handler refuses tools that it cannot run", () => {
  const make = (tools: ToolConfig[]) => () => createChatHandler({ createModel: () => createScriptedModel([]), tools });
  expect(make([booked([]), booked([], { name: "Book" })])).toThrow(expect.objectContaining({ code: "TOOL_NAME_TAKEN" }));
  expect(make([booked([], { undo: () => {} })])).toThrow(expect.objectContaining({ code: "TOOL_INVALID" }));
});

test.each<[string, Partial<ToolConfig>, object]>([
  [
    "texts",
    { title: "Refund", confirm: "Refund this order?", danger: true },
    { title: "Refund", confirm: "Refund this order?", act: "Refund", danger: true },
  ],
  [
    "functions of the arguments",
    {
      title: (input) => `Refund ${(input as { order: string }).order}`,
      confirm: (input) => `Refund order ${(input as { order: string }).order}?`,
    },
    { title: "Refund A-1042", confirm: "Refund order A-1042?" },
  ],
])(
  "what a tool of the server says of its approval is asked in the page, and stands there after a reload: %s",
  async (_, says, shown) => {
    const ran: unknown[] = [];
    const refund: ToolConfig = {
      name: "refund_order",
      description: "Pays an order back.",
      requireApproval: true,
      jsonSchema: { type: "object", properties: { order: { type: "string" } } },
      do: (input) => void ran.push(input),
      ...says,
    };
    const { page } = await scene([call("refund_order", { order: "A-1042" }), "Done."], [refund]);
    const store = new MemoryStore("s");
    const first = page({ store });
    first.sendMessage("back").catch(() => {});
    const asked = (session: GloveSession) => session.getSnapshot().approvals[0];
    await until(first, () => asked(first) !== undefined);
    expect(asked(first)).toMatchObject({ toolName: "refund_order", ...shown });
    const slot = first.getSnapshot().slots[0]?.input;
    expect(slot).toMatchObject({ description: "Pays an order back.", ...shown });
    first.dispose();
    const again = page({ store });
    await again.start();
    await until(again, () => asked(again) !== undefined);
    const { id, ...rest } = asked(first) ?? {};
    expect(asked(again)).toEqual({ id: asked(again)?.id, ...rest });
    expect(asked(again)?.away).toBeUndefined();
    expect(again.getSnapshot().slots[0]?.input).toEqual(slot);
    again.approve(asked(again)?.id ?? "");
    await until(again, () => !again.getSnapshot().busy);
    expect(ran).toEqual([{ order: "A-1042" }]);
  },
);

// The tools of MCP servers in a session: listed, called and answered, with servers of both ages of the protocol.
import type { ElicitRequestFormParams } from "@modelcontextprotocol/client";
import { MemoryStore } from "glove-wasm";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { call, type Fill, mcpScene, mcpSite, mcpStore, olderServer } from "../../support/mcp.js";
import { until } from "../../support/session.js";

const free = { firstUse: "allow", approvals: "hints" } as const;

const search =
  (ran: unknown[]): Fill =>
  (server) => {
    server.registerTool(
      "search",
      {
        title: "Search the guide",
        description: "Finds pages.",
        inputSchema: z.object({ words: z.string() }),
        annotations: { readOnlyHint: true },
      },
      ({ words }) => {
        ran.push(words);
        return { content: [{ type: "text", text: `two pages with ${words}` }] };
      },
    );
  };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const both = [
  ["2026-07-28", (fill: Fill) => mcpSite(fill)],
  ["an older version", (fill: Fill) => olderServer(fill)],
] as const;

function wayTo(place: ReturnType<typeof mcpSite> | ReturnType<typeof olderServer>) {
  return "url" in place ? { url: place.url, fetch: place.fetch } : { transport: place.transport };
}

test.each(both)("a tool of a server of %s is the model's, and its result comes as text", async (age, make) => {
  const ran: unknown[] = [];
  const { session, model, server, shown } = mcpScene([call("docs__search", { words: "cheese" }), "Two."], {
    ...free,
    ...wayTo(make(search(ran))),
  });
  closing.push(() => server.disconnect());
  expect(await session.sendMessage("How many pages?")).toMatchObject({ type: "completed", text: "Two." });
  expect(ran).toEqual(["cheese"]);
  expect(model.calls[0]?.tools).toContain("docs__search");
  expect(shown()).toEqual(["user: How many pages?", "docs__search: success two pages with cheese", "agent: Two."]);
  const entry = session.getSnapshot().timeline.find(({ kind }) => kind === "tool");
  expect(entry).toMatchObject({ title: "docs: Search the guide (search)" });
  expect(server.status()).toMatchObject({ state: "ready", server: { name: "docs-server", version: "1.2.3" } });
  if (age === "2026-07-28") expect(server.status()).toMatchObject({ protocol: "2026-07-28" });
  else expect(server.status()).not.toMatchObject({ protocol: "2026-07-28" });
});

test("wrong arguments never reach the server", async () => {
  const site = mcpSite(search([]));
  const { session, server, shown } = mcpScene([call("docs__search", { words: 3 }), "No."], { ...free, ...wayTo(site) });
  closing.push(() => server.disconnect());
  await session.sendMessage("How many pages?");
  expect(site.calls()).toEqual([]);
  expect(shown()[1]).toContain("docs__search: error");
});

test("pictures, structured content and failures come as what they are", async () => {
  const site = mcpSite((server) => {
    const inputSchema = z.object({});
    server.registerTool("draw", { inputSchema }, () => ({
      content: [
        { type: "text", text: "a dot" },
        { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
      ],
    }));
    const outputSchema = z.object({ degrees: z.number() });
    server.registerTool("measure", { inputSchema, outputSchema }, () => ({
      content: [{ type: "text", text: '{"degrees":4}' }],
      structuredContent: { degrees: 4 },
    }));
    server.registerTool("fail", { inputSchema }, () => ({ content: [{ type: "text", text: "no disk" }], isError: true }));
  });
  const calls = { toolCalls: ["draw", "measure", "fail"].map((name) => ({ name: `docs__${name}`, input: {}, id: name })) };
  const { session, server } = mcpScene([calls, "Done."], { ...free, approvals: () => false, ...wayTo(site) });
  closing.push(() => server.disconnect());
  await session.sendMessage("Do all");
  const results = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results);
  expect(results.map(({ result }) => [result.status, result.data, result.message])).toEqual([
    [
      "success",
      {
        content: [
          { type: "text", text: "a dot" },
          { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
        ],
      },
      undefined,
    ],
    ["success", '{"degrees":4}', undefined],
    ["error", null, "no disk"],
  ]);
  expect(results[1]?.result.renderData).toEqual({ structured: { degrees: 4 } });
});

test("a question of the server is asked here, and its answer goes back with the next request of the call", async () => {
  const site = mcpSite(booking);
  const { session, server, shown } = mcpScene([call("docs__book", {}), "Booked."], {
    ...free,
    approvals: () => false,
    ...wayTo(site),
  });
  closing.push(() => server.disconnect());
  const sent = session.sendMessage("Book");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  expect(slots[0]).toMatchObject({
    renderer: "mcp_form",
    input: { server: "docs", message: "When?", schema: question.requestedSchema },
  });
  session.resolveSlot(slots[0]?.id ?? "", { action: "accept", content: { at: "night" } });
  expect(await sent).toMatchObject({ text: "Booked." });
  expect(shown()[1]).toBe("docs__book: success booked for night");
  expect(site.calls()).toHaveLength(2);
});

test("a call that waits for an answer goes on after a reload, and what was sent is not sent again", async () => {
  const site = mcpSite(booking);
  const kept = { createStore: () => store };
  const store = new MemoryStore("s1");
  const options = { ...free, approvals: () => false, ...wayTo(site), store: mcpStore() };
  const before = mcpScene([call("docs__book", {})], options, kept);
  void before.session.sendMessage("Book").catch(() => {});
  await until(before.session, ({ slots }) => slots.length === 1);
  before.session.dispose();
  await before.server.disconnect();
  expect(site.calls()).toHaveLength(1);
  const after = mcpScene(["Booked."], options, kept);
  closing.push(() => after.server.disconnect());
  await after.session.start();
  const { slots } = await until(after.session, ({ slots }) => slots.length === 1);
  after.session.resolveSlot(slots[0]?.id ?? "", { action: "accept", content: { at: "night" } });
  await until(after.session, ({ busy }) => !busy);
  expect(after.shown().slice(1)).toEqual(["docs__book: success booked for night", "agent: Booked."]);
  expect(site.calls()).toHaveLength(2);
});

test("turning a question down declines it, and the server goes on without", async () => {
  const site = mcpSite(booking);
  const { session, server, shown } = mcpScene([call("docs__book", {}), "Ok."], {
    ...free,
    approvals: () => false,
    ...wayTo(site),
  });
  closing.push(() => server.disconnect());
  const sent = session.sendMessage("Book");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  session.rejectSlot(slots[0]?.id ?? "", "no");
  await sent;
  expect(shown()[1]).toBe("docs__book: success not booked");
});

test("an older server asks in the middle of its call, and no time passes while a person is asked", async () => {
  const place = olderServer((server) => {
    server.registerTool("book", { inputSchema: z.object({}) }, async (_, context) => {
      const { action, content } = await context.mcpReq.elicitInput(question);
      return { content: [{ type: "text", text: action === "accept" ? `booked for ${content?.at}` : "not booked" }] };
    });
  });
  const options = { ...free, approvals: () => false as const, ...wayTo(place), timeoutMs: 300 };
  const { session, server, shown } = mcpScene([call("docs__book", {}), "Booked."], options);
  closing.push(() => server.disconnect());
  const sent = session.sendMessage("Book");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  await new Promise((later) => setTimeout(later, 600));
  session.resolveSlot(slots[0]?.id ?? "", { action: "accept", content: { at: "noon" } });
  await sent;
  expect(shown()[1]).toBe("docs__book: success booked for noon");
});

test("progress of the server is in the call's entry, and is no silence", async () => {
  let go = () => {};
  const released = new Promise<void>((resolve) => {
    go = resolve;
  });
  const place = olderServer((server) => {
    server.registerTool("copy", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      for (let done = 1; done <= 5; done++) {
        const { progressToken = "" } = mcpReq._meta ?? {};
        const params = { progressToken, progress: done, total: 5, message: `file ${done}` };
        await mcpReq.notify({ method: "notifications/progress", params });
        await new Promise((later) => setTimeout(later, 100));
      }
      await released;
      return { content: [{ type: "text", text: "copied" }] };
    });
  });
  const options = { ...free, approvals: () => false as const, ...wayTo(place), timeoutMs: 400 };
  const { session, server, shown } = mcpScene([call("docs__copy", {}), "Ok."], options);
  closing.push(() => server.disconnect());
  const sent = session.sendMessage("Copy");
  const entry = () => session.getSnapshot().timeline.find(({ kind }) => kind === "tool");
  await until(session, () => JSON.stringify(entry() ?? {}).includes("file 5"));
  expect(entry()).toMatchObject({ progress: { message: "file 5", done: 5, of: 5 } });
  go();
  await sent;
  expect(shown()[1]).toBe("docs__copy: success copied");
});

test("a tool that tells of progress without end is given up, and its server is told", async () => {
  let stopped = false;
  const place = olderServer((server) => {
    server.registerTool("count", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      const { progressToken = "" } = mcpReq._meta ?? {};
      for (let done = 1; !mcpReq.signal.aborted; done++) {
        const params = { progressToken, progress: done, message: "x".repeat(100_000) };
        await mcpReq.notify({ method: "notifications/progress", params });
        await new Promise((later) => setTimeout(later, 1));
      }
      stopped = true;
      return { content: [] };
    });
  });
  const options = { ...free, approvals: () => false as const, ...wayTo(place), timeoutMs: 200, maxTotalMs: 600 };
  const { session, server, shown } = mcpScene([call("docs__count", {}), "Enough."], options);
  closing.push(() => server.disconnect());
  const longest = new Set<number>();
  session.subscribe(() => {
    const entry = session.getSnapshot().timeline.find(({ kind }) => kind === "tool");
    if (entry?.kind === "tool" && entry.progress) longest.add(entry.progress.message?.length ?? 0);
  });
  expect(await session.sendMessage("Count")).toMatchObject({ text: "Enough." });
  expect(shown()[1]).toContain("did not answer in time");
  // What is shown of it is short, however long it is.
  expect(Math.max(...longest)).toBe(500);
  await expect.poll(() => stopped).toBe(true);
});

test("a tool that never answers is given up, and the model reads that it may have run", async () => {
  const site = mcpSite((server) => {
    server.registerTool("hang", { inputSchema: z.object({}) }, () => new Promise<never>(() => {}));
  });
  const options = { ...free, approvals: () => false as const, ...wayTo(site), timeoutMs: 200 };
  const { session, server } = mcpScene([call("docs__hang", {}), "Hm."], options);
  closing.push(() => server.disconnect());
  expect(await session.sendMessage("Go")).toMatchObject({ text: "Hm." });
  const [result] = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results);
  expect(result?.result).toMatchObject({
    status: "error",
    outcome: "interrupted",
    message: expect.stringContaining("may have run"),
  });
});

test("stopping the run stops the call on the server", async () => {
  let stopped = false;
  let begun = false;
  const site = mcpSite((server) => {
    server.registerTool("hang", { inputSchema: z.object({}) }, (_, context) => {
      begun = true;
      return new Promise<never>((_, reject) => {
        context.mcpReq.signal.addEventListener("abort", () => {
          stopped = true;
          reject(new Error("stopped"));
        });
      });
    });
  });
  const { session, server } = mcpScene([call("docs__hang", {})], { ...free, approvals: () => false, ...wayTo(site) });
  closing.push(() => server.disconnect());
  const sent = session.sendMessage("Go");
  await until(session, () => begun);
  session.abort();
  expect(await sent).toEqual({ type: "aborted" });
  await until(session, () => stopped);
});

const question: ElicitRequestFormParams = {
  message: "When?",
  requestedSchema: {
    type: "object",
    properties: { at: { type: "string", enum: ["noon", "night"] } },
    required: ["at"],
  },
};

/** A tool that asks when, as servers of 2026-07-28 do. */
function booking(server: Parameters<Fill>[0]) {
  server.registerTool("book", { inputSchema: z.object({}) }, async (_, context) => {
    const { inputRequired, inputResponse } = await import("@modelcontextprotocol/server");
    const given = inputResponse(context.mcpReq.inputResponses, "when");
    if (given.kind === "missing") return inputRequired({ inputRequests: { when: inputRequired.elicit(question) } });
    const at = given.kind === "elicit" && given.action === "accept" ? given.content?.at : undefined;
    return { content: [{ type: "text", text: at === undefined ? "not booked" : `booked for ${String(at)}` }] };
  });
}

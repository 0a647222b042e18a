// What a trap of the core leads to: everybody who waits is told, nothing stored is touched, and the next use works.
import { defineTool, GloveClient, type GloveSnapshot, MemoryStore, type StoredStep, version } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { breakCore, createScriptedModel } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { scene, texts, until } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

const panic = expect.objectContaining({ name: "GloveError", code: "CORE_PANIC" });

// The process would end at one of these.
const uncaught: unknown[] = [];
const take = (error: unknown) => void uncaught.push(error);
beforeEach(() => {
  process.on("uncaughtException", take);
  process.on("unhandledRejection", take);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("uncaughtException", take);
  process.off("unhandledRejection", take);
  expect(uncaught.splice(0)).toEqual([]);
});

const look = (session: { getSnapshot(): GloveSnapshot }) => {
  const { status, busy, run, slots, error } = session.getSnapshot();
  return { status, busy, phase: run.phase, slots: slots.length, error };
};

const ask = defineTool({
  name: "ask",
  description: "",
  inputSchema: z.object({}),
  resolveSchema: z.string(),
  idempotent: true,
  do: (_, display) => display.pushAndWait("?"),
});

test("a trap rejects what waits, in every session, and the next use goes on from what is stored", async () => {
  const store = new MemoryStore("s1");
  const { client, session, events } = scene([{ toolCalls: [{ name: "ask", id: "c1" }] }, "You said yes.", "And again."], {
    tools: [ask],
    createStore: (id) => (id === "s1" ? store : new MemoryStore(id)),
  });
  const idle = client.session("idle");
  await idle.start();
  const waiting = session.sendMessage("Hi");
  await until(session, ({ slots }) => slots.length === 1);
  const stored = JSON.stringify(await store.readRun());

  breakCore();
  await expect(waiting).rejects.toEqual(panic);
  expect(look(session)).toEqual({ status: "error", busy: false, phase: "interrupted", slots: 0, error: panic });
  expect(look(idle)).toEqual({ status: "ready", busy: false, phase: "idle", slots: 0, error: undefined });
  expect(JSON.stringify(await store.readRun())).toBe(stored);
  expect(events).toContainEqual(["error", expect.objectContaining({ code: "CORE_PANIC" })]);

  const going = session.resume();
  const { slots } = await until(session, ({ slots }) => slots[0]?.status === "pending");
  expect(session.resolveSlot(slots[0]?.id ?? "", "yes")).toBe(true);
  await going;
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "ask: success yes", "agent: You said yes."]);
  expect((await idle.sendMessage("Hello")).type).toBe("completed");
  expect(texts(idle.getSnapshot())).toEqual(["user: Hello", "agent: And again."]);
});

test("what was asked just before a trap is asked of the core that comes after it", async () => {
  const { session } = scene(["Hello.", "And again."], { createStore: (id) => new MemoryStore(id) });
  await session.sendMessage("Hi");
  const asked = [session.messages(), session.sendMessage("Again")] as const;
  breakCore();
  await session.start();
  expect((await asked[0]).length).toBeGreaterThanOrEqual(2);
  expect(await asked[1]).toMatchObject({ type: "completed", text: "And again." });
});

test("what is asked side by side after a trap is done in the order of asking", async () => {
  const store = sharedSession("order");
  const { session } = scene(["First.", "Second."], { createStore: store });
  await session.sendMessage("one");
  const message = session.getSnapshot().timeline[0]?.id as string;
  await session.edit(message, "two");
  const [one, two] = session.branches(session.getSnapshot().timeline[0]?.id as string) as [string, string];
  for (const order of [
    [one, two],
    [two, one],
  ]) {
    breakCore();
    await Promise.all(order.map((branch) => session.switchBranch(branch)));
    expect(session.getSnapshot().timeline[0]?.id).toBe(order[1]);
  }
});

test("a trap inside of a task of the core, with its frames on the stack, is contained too", async () => {
  const steps: StoredStep[] = [];
  class Watched extends MemoryStore {
    override async appendStep(step: StoredStep): Promise<void> {
      steps.push(step);
      await super.appendStep(step);
    }
  }
  let broken = 0;
  const faulty = {
    name: "faulty",
    description: "",
    jsonSchema: { type: "object" },
    do: () => {
      if (broken++ === 0) breakCore();
      return "done";
    },
    idempotent: true,
  };
  // An input schema that answers at once, so that the tool runs inside of the core's own call.
  const inputSchema = { "~standard": { version: 1 as const, vendor: "x", validate: (value: unknown) => ({ value }) } };
  const { session } = scene([{ toolCalls: [{ name: "faulty", id: "c1" }] }, "Whole again."], {
    tools: [{ ...faulty, inputSchema }],
    createStore: (id) => new Watched(id),
  });
  const outcome = await session.sendMessage("Hi").catch((error: unknown) => error);
  expect(outcome).toEqual(panic);
  const before = steps.length;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(steps).toHaveLength(before);
  await session.resume();
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "faulty: success done", "agent: Whole again."]);
});

test("a stack that is full when the core is called is a trap, and not the end of the page", async () => {
  const { session } = scene(["One.", "Two."]);
  await session.sendMessage("1");
  const deeper = (): void => {
    session.approve("nothing");
    deeper();
  };
  expect(deeper).toThrow();
  expect((await session.sendMessage("2")).type).toBe("completed");
  expect(texts(session.getSnapshot())).toEqual(["user: 1", "agent: One.", "user: 2", "agent: Two."]);
});

test("what was queued is told too, and a session that is disposed of after a trap lets go quietly", async () => {
  const { session, client } = scene([{ text: "Never", after: 10_000 }]);
  const sent = [session.sendMessage("1"), session.sendMessage("2")];
  await until(session, ({ run, queue }) => run.phase === "model" && queue.length === 1);
  breakCore();
  for (const waiting of sent) await expect(waiting).rejects.toEqual(panic);
  client.dispose();
  await expect(session.sendMessage("3")).rejects.toMatchObject({ code: "SESSION_CLOSED" });
});

test("work that a page does for the core is told to stop", async () => {
  let stopped = 0;
  let started = () => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const slow = {
    name: "slow",
    description: "",
    jsonSchema: { type: "object" },
    do: (_input: unknown, _display: unknown, _agent: unknown, signal?: AbortSignal) => {
      started();
      return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(++stopped)));
    },
  };
  const { session } = scene([{ toolCalls: [{ name: "slow", id: "c1" }] }], { tools: [slow] });
  const waiting = session.sendMessage("Hi");
  await running;
  breakCore();
  await expect(waiting).rejects.toEqual(panic);
  expect(stopped).toBe(1);
});

test("one trap after another, and the core is as good as new each time", async () => {
  const model = createScriptedModel(({ messages }) => `Answer ${messages.length}`);
  const client = new GloveClient({ createModel: () => model, systemPrompt: "" });
  const session = client.session("s");
  for (let round = 0; round < 20; round++) {
    breakCore();
    breakCore();
    expect(version()).toMatch(/^\d/);
    await session.sendMessage(`Question ${round}`);
  }
  expect(session.getSnapshot().timeline).toHaveLength(40);
  expect(session.getSnapshot().error).toBeUndefined();
});

test("a chat handler answers on after a trap, and says of the answer in the middle that it failed", async () => {
  const chunks = [`data: {"choices":[{"delta":{"content":"Half"}}]}\n\n`];
  let asked = 0;
  const handler = createChatHandler({
    provider: "openai",
    model: "m",
    apiKey: "k",
    fetch: async () => {
      asked++;
      const whole = asked > 1;
      const body = new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
          if (!whole) return;
          const end = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
          controller.enqueue(new TextEncoder().encode(end));
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const post = () =>
    handler(
      new Request("http://host/", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "Hi" }] }),
      }),
    );
  const first = await post();
  const reader = first.body?.getReader();
  await reader?.read();
  breakCore();
  const rest = await reader?.read();
  expect(new TextDecoder().decode(rest?.value as Uint8Array)).toContain('"code":"INTERNAL"');
  expect(await (await post()).text()).toContain('"type":"done"');
});

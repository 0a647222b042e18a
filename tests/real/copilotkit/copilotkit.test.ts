// CopilotKit over HTTP against our handler: its core, which runs agents and their tools for its chats, with what its `useInterrupt` and its stop
// button do.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { HttpAgent, type Interrupt, type Message, randomUUID } from "@ag-ui/client";
import { CopilotKitCore, type FrontendTool, ɵInterruptState as InterruptState } from "@copilotkit/core";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { type AgUiSite, agUiSite, ask, call, fill, pay } from "../../support/ag-ui-site.js";
import { root } from "../../support/project.js";

const sites: AgUiSite[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const { close } of sites.splice(0)) await close();
});

async function site(...given: Parameters<typeof agUiSite>): Promise<AgUiSite> {
  const made = await agUiSite(...given);
  sites.push(made);
  return made;
}

interface Chat {
  readonly core: CopilotKitCore;
  readonly agent: HttpAgent;
  readonly errors: string[];
  readonly pending: () => readonly Interrupt[];
  say(text: string): Promise<unknown>;
  resolve(payload: unknown, id?: string): Promise<unknown>;
  cancel(): Promise<unknown>;
  shown(): string[];
}

/** What `<CopilotChat>` and `useInterrupt` do with the core. */
function chat(url: string, tools: FrontendTool[] = []): Chat {
  const agent = new HttpAgent({ url, agentId: "default", threadId: "t1" });
  const core = new CopilotKitCore({ agents__unsafe_dev_only: { default: agent }, tools });
  const errors: string[] = [];
  core.subscribe({ onError: ({ code, error }) => void errors.push(`${code}: ${error.message}`) });
  const state = new InterruptState();
  let asked: readonly Interrupt[] = [];
  agent.subscribe({
    onRunStartedEvent: () => {
      asked = [];
      state.clear();
    },
    onRunFinishedEvent: (params) => {
      if (params.outcome === "interrupt") asked = params.interrupts;
    },
    onRunFinalized: () => {
      if (asked.length > 0) state.setStandard(asked);
    },
  });
  const pending = () => (state.pending?.kind === "standard" ? state.pending.interrupts : []);
  const decided = async (decision: ReturnType<InterruptState["resolve"]>) => {
    if (decision.kind !== "resume") return;
    for (const { toolCallId, content } of decision.toolResults)
      agent.addMessage({ id: randomUUID(), role: "tool", toolCallId, content } as Message);
    await core.runAgent({ agent, resume: decision.resume });
  };
  return {
    core,
    agent,
    errors,
    pending,
    say: (text) => {
      agent.addMessage({ id: randomUUID(), role: "user", content: text });
      return core.runAgent({ agent });
    },
    resolve: (payload, id) => decided(state.resolve(payload, id)),
    cancel: () => decided(state.cancel()),
    shown: () =>
      agent.messages.map((message) => {
        const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
        const names = calls.map((call) => ` ${call.function.name}(${call.function.arguments})`).join("");
        return `${message.role}: ${typeof message.content === "string" ? message.content : ""}${names}`;
      }),
  };
}

test("two turns of text with thoughts", async () => {
  const { url, model } = await site([{ reasoning: "A greeting.", deltas: ["Hel", "lo."] }, "Fine."]);
  const mine = chat(url);
  await mine.say("Hi");
  await mine.say("How are you?");
  expect(mine.shown()).toEqual([
    "user: Hi",
    "reasoning: A greeting.",
    "assistant: Hello.",
    "user: How are you?",
    "assistant: Fine.",
  ]);
  expect(model.calls[1]?.messages.map(({ text }) => text)).toEqual(["Hi", "Hello.", "How are you?"]);
  expect(mine.errors).toEqual([]);
});

test("a tool of the server, and one of the page whose result goes on by itself", async () => {
  const ran: unknown[] = [];
  const light: FrontendTool = {
    name: "light",
    description: "Switches the light.",
    parameters: z.object({ on: z.boolean() }),
    handler: async (args) => {
      ran.push(args);
      return "it is on";
    },
  };
  const { url, model } = await site([call("pay", { euros: 3 }, "c1"), call("light", { on: true }, "c2"), "Both done."], {
    tools: [pay(ran, false)],
  });
  const mine = chat(url, [light as FrontendTool]);
  await mine.say("Pay, then light");
  expect(mine.errors).toEqual([]);
  expect(mine.shown()).toEqual([
    "user: Pay, then light",
    'assistant:  pay({"euros":3})',
    "tool: paid 3",
    'assistant:  light({"on":true})',
    "tool: it is on",
    "assistant: Both done.",
  ]);
  expect(ran).toEqual([3, { on: true }]);
  expect(model.calls).toHaveLength(3);
});

test("an approval is an interrupt: the tool runs once it is allowed, and its own result is shown", async () => {
  const ran: unknown[] = [];
  const { url, reported, model } = await site([call("pay", { euros: 9 }, "c1"), "Paid.", "You are welcome."], {
    tools: [pay(ran)],
  });
  const mine = chat(url);
  await mine.say("Pay");
  expect(mine.pending()).toMatchObject([{ reason: "tool_call", toolCallId: "c1", metadata: { glove: { input: { euros: 9 } } } }]);
  expect(ran).toEqual([]);
  await mine.resolve({ approved: true });
  expect(ran).toEqual([9]);
  expect(mine.shown()).toEqual(["user: Pay", 'assistant:  pay({"euros":9})', "tool: paid 9", "assistant: Paid."]);
  await mine.say("Thanks");
  expect(mine.shown().slice(2)).toEqual(["tool: paid 9", "assistant: Paid.", "user: Thanks", "assistant: You are welcome."]);
  expect(model.calls[1]?.messages.at(-1)?.tool_results?.[0]?.result.data).toBe("paid 9");
  expect([mine.errors, reported, model.calls.length]).toEqual([[], [], 3]);
});

test("what is cancelled does not run, and the chat goes on", async () => {
  const ran: unknown[] = [];
  const { url, model } = await site([call("pay", { euros: 9 }, "c1"), "Then not."], { tools: [pay(ran)] });
  const mine = chat(url);
  await mine.say("Pay");
  await mine.cancel();
  expect(ran).toEqual([]);
  expect(mine.shown().at(-1)).toBe("assistant: Then not.");
  expect(mine.shown().filter((line) => line.startsWith("tool"))).toHaveLength(1);
  expect(mine.shown()[2]).not.toContain('cancelled"}');
  expect(model.calls).toHaveLength(2);
  expect(mine.errors).toEqual([]);
});

test("two approvals at once, one of them turned down", async () => {
  const ran: unknown[] = [];
  const both = { toolCalls: [1, 2].map((euros) => ({ name: "pay", input: { euros }, id: `c${euros}` })) };
  const { url } = await site([both, "One of two."], { tools: [pay(ran)] });
  const mine = chat(url);
  await mine.say("Pay twice");
  while (mine.pending().length > 0) {
    const asked = mine.pending();
    for (const { id, toolCallId } of asked) await mine.resolve({ approved: toolCallId === "c2" }, id);
  }
  expect(ran).toEqual([2]);
  expect(mine.shown().at(-1)).toBe("assistant: One of two.");
  expect(mine.shown().filter((line) => line.startsWith("tool"))).toHaveLength(2);
  expect(mine.errors).toEqual([]);
});

test("a question of a tool takes the answer of a form", async () => {
  const { url, model } = await site([call("ask", {}, "c1"), "Ordered."], { tools: [ask] });
  const mine = chat(url);
  await mine.say("Order");
  expect(mine.pending()).toMatchObject([{ message: "Which size?", reason: "input_required" }]);
  await mine.resolve({ answer: "M" });
  expect(model.calls.at(-1)?.messages.at(-1)?.tool_results?.[0]?.result.data).toBe("M");
  expect(mine.shown().slice(2)).toEqual(["tool: M", "assistant: Ordered."]);
  expect(mine.errors).toEqual([]);
});

test("stop ends the answer, and the next message is answered", async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { url, model, reported } = await site([{ text: "Half", until: gate }, "Whole."]);
  const mine = chat(url);
  const running = mine.say("Hi");
  await vi.waitFor(() => expect(mine.shown().at(-1)).toBe("assistant: Half"));
  mine.core.stopAgent({ agent: mine.agent });
  await running;
  await vi.waitFor(() => expect(model.calls[0]?.signal?.aborted).toBe(true));
  go();
  await mine.say("Go on");
  expect(mine.shown()).toEqual(["user: Hi", "assistant: Half", "user: Go on", "assistant: Whole."]);
  expect([mine.errors, reported]).toEqual([[], []]);
});

test("an error is told without the provider's words, and the next message is answered", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { url, reported } = await site([{ fail: new Error("the key sk-123 is wrong") }, "Up again."]);
  const mine = chat(url);
  await mine.say("Hi");
  expect(mine.errors.join()).toContain("The agent could not answer. Try again.");
  expect(mine.errors.join()).not.toContain("sk-123");
  expect(reported).toHaveLength(1);
  await mine.say("And now?");
  expect(mine.shown()).toEqual(["user: Hi", "user: And now?", "assistant: Up again."]);
});

test("state and context go both ways", async () => {
  const { url, model } = await site([call("fill", {}, "c1"), "Done."], { tools: [fill] });
  const mine = chat(url);
  mine.core.addContext({ description: "The page", value: "the shop" });
  mine.agent.setState({ cart: ["milk"] });
  await mine.say("Tea");
  expect(model.calls[0]?.systemPrompt).toContain("The page: the shop");
  expect(mine.agent.state).toEqual({ cart: ["milk", "tea"] });
  expect(mine.errors).toEqual([]);
});

test("a page that was opened again is given the thread", async () => {
  const { url } = await site(["One.", "Two."]);
  await chat(url).say("1");
  const again = chat(url);
  await again.core.connectAgent({ agent: again.agent });
  await again.say("2");
  expect(again.shown()).toEqual(["user: 1", "assistant: One.", "user: 2", "assistant: Two."]);
  expect(again.errors).toEqual([]);
});

test("these tests compile against the types of CopilotKit", async () => {
  const compiler = "node_modules/typescript/bin/tsc";
  await promisify(execFile)(process.execPath, [compiler, "-p", "tests/real/copilotkit"], { cwd: root }).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}, 120_000);

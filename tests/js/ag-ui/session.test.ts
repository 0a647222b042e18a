// Conversations with an agent behind AG-UI, by a stand-in that the official schemas and the official client's own checks hold to the protocol.
import { defineTool, MemoryStore } from "glove-wasm";
import { createAgUiSession } from "glove-wasm/ag-ui";
import { expect, test } from "vitest";
import { z } from "zod";
import { agent, agentScene, asks, calls, finished, gives, say, sse } from "../../support/ag-ui.js";
import { until } from "../../support/session.js";

const ran: unknown[] = [];
const lightOf = (requireApproval: boolean) =>
  defineTool({
    name: "light",
    requireApproval,
    description: "Switches the light.",
    inputSchema: z.object({ on: z.boolean() }),
    do: async ({ on }) => {
      ran.push(on);
      return on ? "It is on." : "It is off.";
    },
  });
const light = lightOf(false);

test("an answer is streamed, with what the agent thought, and the next run gets all of it under the agent's own ids", async () => {
  const of = agent([
    [
      { type: "REASONING_START", messageId: "r" },
      { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" },
      { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "A greeting." },
      { type: "REASONING_MESSAGE_END", messageId: "r" },
      { type: "REASONING_END", messageId: "r" },
      ...say("m1", "Hel", "lo."),
    ],
    say("m2", "Fine."),
  ]);
  const { session, shown, events } = agentScene(of, { systemPrompt: "You are a test." });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed", text: "Hello." });
  expect(events.filter(([type]) => type === "text_delta").length).toBeGreaterThan(0);
  expect(session.getSnapshot().timeline[1]).toMatchObject({ text: "Hello.", reasoning: "A greeting." });
  await session.sendMessage("How are you?");
  expect(shown()).toEqual(["user: Hi", "agent: Hello.", "user: How are you?", "agent: Fine."]);
  expect(of.faults).toEqual([]);
  expect(of.inputs[0]).toMatchObject({ threadId: "s1", state: {}, tools: [], context: [{ value: "You are a test." }] });
  expect(of.inputs[1]?.messages.map(({ id, role, content }) => [id.length > 0, role, content])).toEqual([
    [true, "user", "Hi"],
    [true, "assistant", "Hello."],
    [true, "user", "How are you?"],
  ]);
  expect(of.inputs[1]?.messages[1]?.id).toBe("m1");
  expect(of.inputs[1]?.messages[0]?.id).toBe(of.inputs[0]?.messages[0]?.id);
  expect(of.inputs[0]?.runId).not.toBe(of.inputs[1]?.runId);
});

test("a tool of the client runs here, after the run is over, and its result goes out with the next run", async () => {
  ran.length = 0;
  const of = agent([[...say("m1", "One moment."), ...calls("c1", "light", { on: true })], say("m2", "Done.")]);
  const { session, shown } = agentScene(of, { tools: [light] });
  expect(await session.sendMessage("Light")).toMatchObject({ type: "completed", text: "Done." });
  expect(shown()).toEqual(["user: Light", "agent: One moment.", "light: success It is on.", "agent: Done."]);
  expect(ran).toEqual([true]);
  expect(of.faults).toEqual([]);
  expect(of.inputs[0]?.tools).toMatchObject([{ name: "light", parameters: { type: "object" } }]);
  expect(of.inputs[1]?.messages.slice(1)).toMatchObject([
    {
      id: "m1",
      role: "assistant",
      content: "One moment.",
      toolCalls: [{ id: "c1", function: { name: "light", arguments: '{"on":true}' } }],
    },
    { role: "tool", toolCallId: "c1", content: "It is on." },
  ]);
});

test("a tool that needs approval waits for a person, who sees the arguments", async () => {
  ran.length = 0;
  const asking = lightOf(true);
  const of = agent([calls("c1", "light", { on: true }), say("m2", "So be it.")]);
  const { session, shown } = agentScene(of, { tools: [asking] });
  const sent = session.sendMessage("Light");
  const { approvals } = await until(session, (snapshot) => snapshot.approvals.length > 0);
  expect(approvals).toMatchObject([{ toolName: "light", input: { on: true } }]);
  session.reject(approvals[0]?.id ?? "", "not now");
  await sent;
  expect(ran).toEqual([]);
  expect(shown().at(-1)).toBe("agent: So be it.");
  expect(of.inputs[1]?.messages.at(-1)).toMatchObject({
    role: "tool",
    toolCallId: "c1",
    error: expect.stringContaining("not now"),
  });
});

test("calls of the agent's own are drawn with their results, in one run, and later runs get them", async () => {
  const of = agent([
    [
      ...say("m1", "I look."),
      ...calls("a", "search", { words: "cheese" }),
      ...calls("b", "search", { words: "wine" }),
      gives("a", "two pages"),
      gives("b", "no page"),
      ...say("m2", "Two pages."),
    ],
    say("m3", "Bye."),
  ]);
  const { session, shown } = agentScene(of);
  expect(await session.sendMessage("Look")).toMatchObject({ type: "completed", text: "Two pages." });
  expect(shown()).toEqual([
    "user: Look",
    "agent: I look.",
    "ag_ui_step: success two pages",
    "ag_ui_step: success no page",
    "agent: Two pages.",
  ]);
  expect(session.getSnapshot().timeline[2]).toMatchObject({
    title: "search",
    input: { name: "search", args: { words: "cheese" } },
  });
  expect(of.inputs).toHaveLength(1);
  await session.sendMessage("Bye");
  expect(of.faults).toEqual([]);
  expect(of.inputs[1]?.tools).toEqual([]);
  expect(of.inputs[1]?.messages.slice(1, 5)).toMatchObject([
    { id: "m1", role: "assistant", toolCalls: [{ id: "a", function: { name: "search", arguments: '{"words":"cheese"}' } }] },
    { role: "tool", toolCallId: "a", content: "two pages" },
    { role: "assistant", toolCalls: [{ id: "b" }] },
    { role: "tool", toolCallId: "b", content: "no page" },
  ]);
});

test("an interrupt is a question of the conversation, and its answer resumes the agent", async () => {
  const schema = { type: "object", properties: { seats: { type: "integer", minimum: 1 } }, required: ["seats"] };
  const of = agent([
    (input) => [
      ...calls("t1", "book", { at: "noon" }),
      finished(
        input,
        asks(
          { id: "i1", reason: "tool_call", message: "Book a table?", toolCallId: "t1" },
          { id: "i2", reason: "input_required", message: "How many?", responseSchema: schema },
        ),
      ),
    ],
    [gives("t1", "booked"), ...say("m1", "It is booked.")],
  ]);
  const { session, shown } = agentScene(of, { more: { name: "The waiter" } });
  const sent = session.sendMessage("Book");
  const first = await until(session, ({ slots }) => slots.some(({ status }) => status === "pending"));
  const [confirm] = first.slots;
  expect(confirm).toMatchObject({ renderer: "confirm", input: { message: 'Book a table?\n\nbook {"at":"noon"}' } });
  session.resolveSlot(confirm?.id ?? "", "yes");
  const second = await until(session, ({ slots }) =>
    slots.some(({ status, renderer }) => status === "pending" && renderer === "mcp_form"),
  );
  const form = second.slots.find(({ renderer }) => renderer === "mcp_form");
  expect(form).toMatchObject({ input: { server: "The waiter", message: "How many?" } });
  session.resolveSlot(form?.id ?? "", { action: "accept", content: { seats: 2 } });
  await sent;
  expect(of.faults).toEqual([]);
  expect(of.inputs[1]?.resume).toEqual([
    { interruptId: "i1", status: "resolved", payload: { approved: true } },
    { interruptId: "i2", status: "resolved", payload: { seats: 2 } },
  ]);
  expect(of.inputs[1]?.messages.at(-1)).toMatchObject({ role: "assistant", toolCalls: [{ id: "t1" }] });
  expect(shown().slice(-2)).toEqual(["ag_ui_step: success booked", "agent: It is booked."]);
});

test("LangGraph's interrupts, which come as events of their own, are asked and answered, also after a reload", async () => {
  const asks = (value: unknown, id: string) => ({
    type: "CUSTOM",
    name: "on_interrupt",
    value: JSON.stringify(value),
    rawEvent: { id, value },
  });
  const of = agent([
    (input) => [
      { type: "STEP_STARTED", stepName: "plan" },
      { type: "RAW", event: { event: "on_chain_start", data: {} } },
      { type: "STATE_SNAPSHOT", snapshot: { plan: ["noon"] } },
      ...say("m1", "I have a plan."),
      asks("Which city?", "i1"),
      { type: "STEP_FINISHED", stepName: "plan" },
      finished(input),
    ],
    (input) => [asks({ message: "Sure?", cost: 9 }, "i2"), asks("Why?", "i3"), finished(input)],
    say("m2", "It is booked."),
  ]);
  const store = new MemoryStore("s1");
  const open = () => agentScene(of, { createStore: () => store, more: { forwardedProps: { command: { goto: "a" } } } });
  const first = open();
  void first.session.sendMessage("Plan").catch(() => {});
  await until(first.session, ({ slots }) => slots.some(({ status }) => status === "pending"));
  first.session.dispose();
  const { session, shown } = open();
  await session.start();
  const answer = async (text: string, value: unknown) => {
    const { slots } = await until(session, ({ slots }) => slots.some((slot) => slot.status === "pending" && says(slot, text)));
    session.resolveSlot(slots.find((slot) => slot.status === "pending" && says(slot, text))?.id ?? "", value);
  };
  const says = ({ input }: { readonly input: unknown }, text: string) => (input as { message: string }).message.startsWith(text);
  await answer("Which city?", "Oslo");
  await answer("Sure?", "yes");
  await answer("Why?", "fun");
  await until(session, ({ busy }) => !busy);
  expect(shown().at(-1)).toBe("agent: It is booked.");
  expect(of.faults).toEqual([]);
  expect(of.inputs[1]).toMatchObject({
    resume: [{ interruptId: "i1", status: "resolved", payload: "Oslo" }],
    forwardedProps: { command: { goto: "a", resume: "Oslo" } },
    state: { plan: ["noon"] },
  });
  // Which of several an answer belongs to, only their ids say.
  expect(of.inputs[2]).toMatchObject({
    resume: [
      { interruptId: "i2", status: "resolved", payload: "yes" },
      { interruptId: "i3", status: "resolved", payload: "fun" },
    ],
    forwardedProps: { command: { goto: "a" } },
  });
});

test("a call that is too long for a form is shown whole first, and nothing is allowed by turning it down", async () => {
  const schema = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };
  const text = `${"x".repeat(5_000)} and delete everything`;
  const of = agent([
    (input) => [
      ...calls("t1", "run", { text }),
      finished(input, asks({ id: "i1", reason: "tool_call", message: "Run it?", toolCallId: "t1", responseSchema: schema })),
    ],
    say("m1", "Then not."),
  ]);
  const { session } = agentScene(of);
  const sent = session.sendMessage("Run");
  const { slots } = await until(session, (snapshot) => snapshot.slots.length > 0);
  expect(slots).toMatchObject([{ renderer: "confirm", input: { message: expect.stringContaining("and delete everything") } }]);
  session.resolveSlot(slots[0]?.id ?? "", "no");
  await sent;
  expect(of.faults).toEqual([]);
  expect(of.inputs[1]?.resume).toEqual([{ interruptId: "i1", status: "cancelled" }]);
});

test("an interrupt that was stopped is told as given up with the next message", async () => {
  const of = agent([
    (input) => [finished(input, asks({ id: "i1", reason: "confirmation", message: "Sure?" }))],
    say("m1", "Then not."),
  ]);
  const { session } = agentScene(of);
  const sent = session.sendMessage("Delete");
  await until(session, ({ slots }) => slots.length > 0);
  session.abort();
  expect(await sent).toEqual({ type: "aborted" });
  await session.sendMessage("Forget it");
  expect(of.faults).toEqual([]);
  expect(of.inputs[1]?.resume).toEqual([{ interruptId: "i1", status: "cancelled" }]);
  expect(of.inputs[1]?.messages.at(-1)).toMatchObject({ role: "user", content: "Forget it" });
});

test("the state that an agent leaves behind is given to its next run, also after a reload", async () => {
  const told: string[] = [];
  const of = agent([
    [
      { type: "STATE_SNAPSHOT", snapshot: { list: ["a"], "x/y": 1 } },
      {
        type: "STATE_DELTA",
        delta: [
          { op: "add", path: "/list/-", value: "b" },
          { op: "move", from: "/x~1y", path: "/z" },
        ],
      },
      { type: "CUSTOM", name: "news", value: 1 },
      ...say("m1", "Kept."),
    ],
    [...say("m2", "Still there.")],
  ]);
  const { client, session } = agentScene(of, { more: { onEvent: ({ type }: { type: string }) => told.push(type) } });
  await session.sendMessage("Keep");
  expect(told).toContain("CUSTOM");
  const { client: other } = agentScene(of);
  const json = await client.exportSession("s1");
  const id = await other.importSession(json);
  await other.session(id).sendMessage("And?");
  expect(of.faults).toEqual([]);
  expect(of.inputs[1]?.state).toEqual({ list: ["a", "b"], z: 1 });
});

test("older agents are understood: chunks, an answer in a snapshot alone, and no outcome", async () => {
  const of = agent([
    (input) =>
      sse([
        { type: "RUN_STARTED", ...input },
        { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "Hm." },
        { type: "TEXT_MESSAGE_CHUNK", messageId: "m1", delta: "Se" },
        { type: "TEXT_MESSAGE_CHUNK", delta: "e" },
        { type: "TOOL_CALL_CHUNK", toolCallId: "c1", toolCallName: "light", delta: '{"on"' },
        { type: "TOOL_CALL_CHUNK", delta: ":false}" },
        finished(input),
      ]),
    (input) =>
      sse([
        ": a comment\r\n",
        `data: ${JSON.stringify({ type: "RUN_STARTED" })}\r\n\r\n`,
        { type: "MESSAGES_SNAPSHOT", messages: [...input.messages, { id: "z", role: "assistant", content: "Done." }] },
        `data: ${JSON.stringify(finished(input))}`,
      ]),
  ]);
  const { session, shown } = agentScene(of, { tools: [light] });
  await session.sendMessage("Off");
  expect(shown()).toEqual(["user: Off", "agent: See", "light: success It is off.", "agent: Done."]);
});

test("what is not there is asked for by name", () => {
  expect(() => createAgUiSession({} as never)).toThrow("requires the `url`");
  expect(() => createAgUiSession({ url: "/run", header: {} } as never)).toThrow("Did you mean `headers`?");
});

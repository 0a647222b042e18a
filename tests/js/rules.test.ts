// Rules of tools: what is no rule, or gives no answer, never lets a call run unasked.
import { DisplayManager, defineTool, Executor, Glove, jsonSchema, MemoryStore, type Tool, type ToolConfig } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { scene } from "../support/session.js";

const plain: ToolConfig = { name: "pay", description: "", jsonSchema: { type: "object" }, do: () => "paid" };
const call = { toolCalls: [{ name: "pay", input: { sum: 5 }, id: "c1" }] };

const wrong: [option: string, value: unknown, message: string][] = [
  ["requireApproval", {}, "must be true, false, { required: true or false } or a function, got an object."],
  ["requireApproval", { reason: "It costs." }, "got an object"],
  ["requireApproval", { required: "yes" }, "got an object"],
  ["requireApproval", { required: true, reason: 5 }, "got an object"],
  ["requireApproval", { required: false, need: true }, "got an object"],
  ["requireApproval", [], "got an array"],
  ["requireApproval", null, "got null"],
  ["requireApproval", "yes", 'got "yes"'],
  ["requiresPermission", {}, "must be true, false or a function, got an object."],
  ["requiresPermission", { required: true }, "got an object"],
  ["requiresPermission", null, "got null"],
  ["requiresApproval", true, "Did you mean `requireApproval`?"],
  ["requirePermission", true, "Did you mean `requiresPermission`?"],
  ["approval", true, "Did you mean `requireApproval`?"],
  ["require_approval", true, "Did you mean `requireApproval`?"],
  ["unabortable", true, "Did you mean `unAbortable`?"],
  ["permission", () => true, "Did you mean `requiresPermission`?"],
  ["maxRetry", 1, "Use `maxRetries`."],
  ["execute", () => 1, "Use `do`."],
  ["parameters", {}, "Use `inputSchema`."],
  ["needsApproval", true, "Use `requireApproval`."],
  ["xyz", true, "the options are name, description,"],
];

test.each(wrong)("a tool with `%s: %o` is refused wherever it is defined, and never runs", async (option, value, message) => {
  const work = vi.fn();
  const tool = { ...plain, do: work, [option]: value } as ToolConfig;
  const refusal = expect.objectContaining({
    code: "TOOL_INVALID",
    message: expect.stringMatching(
      new RegExp(`^(There is no option )?\`${option}\` of the tool "pay"[ ;].*${message.replace(/[{}.?]/g, "\\$&")}`),
    ),
  });
  const model = createScriptedModel([call, "done"]);
  expect(() => defineTool({ inputSchema: jsonSchema({}), ...tool } as never)).toThrow(refusal);
  expect(() => new Glove({ model, systemPrompt: "" }).fold(tool as never)).toThrow(refusal);
  const { session } = scene([call, "done"], { tools: [tool] });
  await expect(session.sendMessage("Hi")).rejects.toThrow(refusal);
  expect(work).not.toHaveBeenCalled();
});

const silent: [rule: string, answer: unknown, told: string][] = [
  ["requireApproval", {}, "an object"],
  ["requireApproval", { reason: "It costs." }, "an object"],
  ["requireApproval", { required: 1 }, "an object"],
  ["requireApproval", undefined, "undefined"],
  ["requireApproval", null, "null"],
  ["requireApproval", 0, "0"],
  ["requireApproval", "no", '"no"'],
  ["requiresPermission", {}, "an object"],
  ["requiresPermission", { required: false }, "an object"],
  ["requiresPermission", undefined, "undefined"],
  ["requiresPermission", "", '""'],
];

test.each(silent)(
  "a rule %s that gives %o lets nothing run: the model and the developer are told",
  async (rule, answer, found) => {
    const work = vi.fn();
    for (const given of [() => answer, async () => answer]) {
      const { session, shown, events } = scene([call, "done"], { tools: [{ ...plain, do: work, [rule]: given } as ToolConfig] });
      expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed" });
      const message = `\`${rule}\` of the tool "pay" must return true`;
      const got = `, got ${found}.`;
      expect(shown()[1]).toContain("pay: error");
      expect(shown()[1]).toContain(message);
      expect(shown()[1]).toContain(got);
      const error = { code: "TOOL_RULE_FAILED", message: expect.stringContaining(message) };
      expect(events).toContainEqual(["error", expect.objectContaining(error)]);
    }
    expect(work).not.toHaveBeenCalled();
  },
);

test.each(["requireApproval", "requiresPermission"])("a rule %s that throws is told to the developer too", async (rule) => {
  const work = vi.fn();
  const tool = { ...plain, do: work, [rule]: () => missing() } as ToolConfig;
  const { session, shown, events } = scene([call, "done"], { tools: [tool] });
  await session.sendMessage("Hi");
  expect(shown()[1]).toContain("no such account");
  const message = 'A rule of the tool "pay" failed: no such account';
  expect(events).toContainEqual(["error", expect.objectContaining({ code: "TOOL_RULE_FAILED", message })]);
  expect(work).not.toHaveBeenCalled();
});

function missing(): never {
  throw new Error("no such account");
}

test("the documented answers of rules are taken", async () => {
  for (const requireApproval of [false, () => false, { required: false }, async () => ({ required: false })]) {
    const { session, shown } = scene([call, "done"], { tools: [{ ...plain, requiresPermission: () => false, requireApproval }] });
    await session.sendMessage("Hi");
    expect(shown()).toContain("pay: success paid");
  }
});

test("an executor refuses and asks in the same way", async () => {
  const run = vi.fn(() => "paid");
  const tool: Tool = { name: "pay", description: "", run };
  for (const [option, value] of [
    ["requirePermission", true],
    ["requiresPermission", {}],
    ["requireApproval", true],
  ] as const) {
    expect(() => new Executor().registerTool({ ...tool, [option]: value } as Tool)).toThrow(
      expect.objectContaining({ code: "TOOL_INVALID", message: expect.stringContaining(`\`${option}\` of the tool "pay"`) }),
    );
  }
  const executor = new Executor(0, new MemoryStore("s"));
  executor.registerTool({ ...tool, requiresPermission: () => undefined as never });
  executor.addToolCallToStack({ tool_name: "pay", input_args: {} });
  const [result] = await executor.executeToolStack();
  expect(result?.result).toMatchObject({ status: "error", message: expect.stringContaining("got undefined") });
  expect(run).not.toHaveBeenCalled();
});

test("a display of one's own is no option that is looked into", () => {
  expect(
    () => new Glove({ model: createScriptedModel([]), displayManager: new DisplayManager(), systemPrompt: "" }),
  ).not.toThrow();
});

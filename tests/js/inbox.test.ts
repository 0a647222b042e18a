// What an agent waits for from outside: posted by a tool, answered by a program, read by the model.
import { Context, createInboxTool, MemoryStore } from "glove-wasm";
import { expect, test } from "vitest";
import { scene } from "../support/session.js";

test("an item is posted, shown, answered once, and read by the model with the next request", async () => {
  const store = new MemoryStore("s1");
  const { run, jsonSchema, ...inbox } = createInboxTool(new Context(store));
  const input = { tag: "visa", request: "The embassy's answer", blocking: true };
  const { session, model } = scene([{ toolCalls: [{ name: inbox.name, input }] }, "I wait.", "Still waiting.", "You may go."], {
    tools: [{ ...inbox, ...(jsonSchema && { jsonSchema }), do: (input) => run(input) }],
    createStore: () => store,
  });
  await session.sendMessage("May I travel?");
  const [item] = session.getSnapshot().inbox as { id: string }[];
  expect(item).toMatchObject({ ...input, status: "pending" });
  await session.sendMessage("And now?");
  expect(model.calls.at(-1)?.messages.at(-1)?.text).toContain("1 blocking item(s) still pending");
  expect(await session.answerInbox(item?.id ?? "", "Granted")).toBe(true);
  expect(session.getSnapshot().inbox).toMatchObject([{ status: "resolved", response: "Granted" }]);
  expect(await session.answerInbox(item?.id ?? "", "Denied")).toBe(false);
  expect(await session.answerInbox("nothing", "x")).toBe(false);
  await session.sendMessage("And now?");
  const told = model.calls.at(-1)?.messages.map(({ text }) => text) ?? [];
  expect(told.at(-2)).toMatch(
    /^\[Inbox: 1 item\(s\) resolved\]\n- \[visa\] Request: "The embassy's answer" -> Response: "Granted"/,
  );
  expect(session.getSnapshot().inbox).toMatchObject([{ status: "consumed" }]);
});

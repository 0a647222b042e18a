// The tools, called by a scripted model: everything else is real, and no key is needed.
import { GloveClient } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
/* @if approvals */
import { expect, test, vi } from "vitest";
import { borrowBook, findBooks } from "./tools{{ts}}";
/* @else */
import { expect, test } from "vitest";
import { findBooks } from "./tools{{ts}}";
/* @end */

test("the model reads the books that the tool found", async () => {
  const model = createScriptedModel([{ toolCalls: [{ name: "find_books", input: { about: "the sea" } }] }, "I found two."]);
  const client = new GloveClient({ createModel: () => model, systemPrompt: "", tools: [findBooks] });
  await client.session("test").sendMessage("Something about the sea?");
  const [found] = model.calls[1]?.messages.at(-1)?.tool_results ?? [];
  expect(found?.result.data).toMatchObject([{ title: "Moby-Dick" }, { title: "The Waves" }]);
});
/* @if approvals */

test.each([
  ["runs when the person agrees", "approve", "success"],
  ["does not run when the person declines", "reject", "error"],
] as const)("borrowing a book %s", async (_, decide, status) => {
  const model = createScriptedModel([{ toolCalls: [{ name: "borrow_book", input: { title: "Emma" } }] }, "As you like."]);
  const client = new GloveClient({ createModel: () => model, systemPrompt: "", tools: [borrowBook] });
  const session = client.session("test");
  const answer = session.sendMessage("I take Emma.");
  const approval = await vi.waitFor(() => session.getSnapshot().approvals[0] ?? Promise.reject(new Error("nothing is asked")));
  session[decide](approval.id);
  await answer;
  const [result] = model.calls[1]?.messages.at(-1)?.tool_results ?? [];
  expect(result?.result.status).toBe(status);
});
/* @end */

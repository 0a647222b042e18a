// What a scripted model keeps of the requests that it has answered.
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";

const ask = async (model: ReturnType<typeof createScriptedModel>, count: number) => {
  for (let at = 0; at < count; at++) await model.prompt({ messages: [{ sender: "user", text: `${at}` }] }, async () => {});
};

test("the last hundred requests are kept, and no others", async () => {
  const model = createScriptedModel(() => "Fine.");
  await ask(model, 250);
  expect(model.calls.map(({ messages }) => messages[0]?.text)).toEqual(Array.from({ length: 100 }, (_, at) => `${at + 150}`));
});

test("all or none are kept where that is asked for", async () => {
  const all = createScriptedModel(() => "Fine.", { keepCalls: Number.POSITIVE_INFINITY });
  const none = createScriptedModel(() => "Fine.", { keepCalls: 0 });
  for (const model of [all, none]) await ask(model, 150);
  expect([all.calls.length, none.calls.length]).toEqual([150, 0]);
});

test("what is wrong in its options, and the end of its script, is said with its number", async () => {
  expect(() => createScriptedModel([], { keepCalls: -1 })).toThrow("`keepCalls");
  const model = createScriptedModel(["One."], { keepCalls: 0 });
  await expect(ask(model, 2)).rejects.toThrow("The script has no answer for call 2");
});

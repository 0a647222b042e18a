// What is shown shares nothing with whoever pushed it.
import { GloveClient, type ToolConfig } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";

/** A value, and what changes it. */
const changing = () => {
  const callback = () => "called";
  const value = { city: "Rome", days: [{ n: 1 }], when: new Date(0), callback };
  const change = () => {
    value.city = "Oslo";
    value.days[0] = { n: 2 };
    value.when.setTime(1);
  };
  return { value, change, same: { city: "Rome", days: [{ n: 1 }], when: new Date(0), callback } };
};

test("what a tool shows is a copy: it changes nothing that is shown or stored, nor does a renderer change what it has", async () => {
  const { value, change, same } = changing();
  const seen: unknown[] = [];
  const tool: ToolConfig = {
    name: "plan",
    description: "",
    jsonSchema: { type: "object" },
    async do(_, display) {
      const answer = display.pushAndWait({ input: value });
      change();
      await answer;
      seen.push(value.days);
      return "done";
    },
  };
  const model = createScriptedModel([{ toolCalls: [{ name: "plan" }] }, "Well."]);
  const client = new GloveClient({ createModel: () => model, systemPrompt: "", tools: [tool] });
  const session = client.session("s");
  const sending = session.sendMessage("Hi");
  await vi.waitFor(() => expect(session.getSnapshot().slots).toHaveLength(1));
  const [slot] = session.getSnapshot().slots;
  expect(slot?.input).toEqual(same);
  const shown = slot?.input as typeof value | undefined;
  shown?.days.push({ n: 3 });
  session.resolveSlot(slot?.id ?? "", null);
  await sending;
  expect(seen).toEqual([[{ n: 2 }]]);
});

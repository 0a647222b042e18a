// An agent that is called as a tool, drawn in the card of its call.
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { defineAgent, defineTool, MemoryStore, type StoreAdapter } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { chat } from "./chat.js";

test("an agent's conversation and its questions are in its call's card, and there again after a reload", async () => {
  const stores = new Map<string, StoreAdapter>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  const color = defineTool({
    name: "color",
    description: "Asks for a colour.",
    inputSchema: z.object({}),
    resolveSchema: z.string(),
    do: (_, display) => display.pushAndWait({}),
    render: ({ resolve }) => (
      <button type="button" onClick={() => resolve("red")}>
        Red
      </button>
    ),
  });
  const page = (outer: Parameters<typeof chat>[0], inner: Parameters<typeof chat>[0]) => {
    const model = createScriptedModel(inner);
    const painter = defineAgent({ name: "painter", description: "Paints.", systemPrompt: "You paint.", tools: [color], model });
    return chat(outer, { client: { tools: [painter], createStore }, config: { sessionId: "s1" } });
  };
  const asks = { toolCalls: [{ name: "color", id: "q1" }] };
  const first = page([{ toolCalls: [{ name: "painter", id: "c1", input: { task: "Paint it" } }] }], [asks]);
  first.send("Paint");
  await screen.findByRole("button", { name: "Red" });
  const card = first.container.querySelector("[data-glove-role=tool]") as HTMLElement;
  expect(within(card).getByRole("region", { name: "painter" }).textContent).toContain("Paint it");
  // The hooks and selectors of the page stay on its own conversation.
  expect(first.glove.sessionId).toBe("s1");
  first.glove.session?.dispose();
  first.container.remove();

  const second = page(["It is red now."], ["Red."]);
  fireEvent.click(await screen.findByRole("button", { name: "Red" }));
  await waitFor(() => expect(second.glove.timeline.at(-1)).toMatchObject({ kind: "agent_text", text: "It is red now." }));
  const inside = within(second.container).getByRole("region", { name: "painter" });
  expect(inside.textContent).toContain("Red.");
  expect(inside.querySelector("textarea")).toBeNull();
});

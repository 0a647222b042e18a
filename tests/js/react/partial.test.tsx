// `usePartial()`: an answer with a schema in a component, as it is written and after a reload.
import { act, render, waitFor } from "@testing-library/react";
import { createEndpointModel, GloveProvider, MemoryStore, useGlove, usePartial } from "glove-wasm/react";
import { expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "./page.js";

const trip = z.object({ city: z.string(), days: z.number().default(2) });

/** An endpoint that streams a call and waits for `go` before its end. */
function endpoint(go: Promise<unknown>) {
  const event = (data: object) => new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`);
  const call = { id: "c1", tool_name: "give_answer", input_args: { city: "Oslo" } };
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(event({ type: "tool_input_delta", id: "c1", name: "give_answer", delta: '{"city":"Os' }));
      await go;
      controller.enqueue(event({ type: "tool_input_delta", id: "c1", name: "give_answer", delta: 'lo"}' }));
      const message = { sender: "agent", text: "", tool_calls: [call] };
      controller.enqueue(event({ type: "done", message, tokens_in: 1, tokens_out: 1 }));
      controller.close();
    },
  });
  return createEndpointModel("/api/chat", {
    fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  });
}

test("an answer is there while it is written, whole and checked after that, and in another page too", async () => {
  const store = new MemoryStore("s1");
  let go = () => {};
  const model = endpoint(new Promise<void>((resolve) => (go = resolve)));
  const page = (createModel: () => typeof model) => {
    const { client } = clientOf([], { createModel, createStore: () => store });
    let glove: ReturnType<typeof useGlove> | undefined;
    const Form = () => {
      const { partial, value } = usePartial(trip);
      return <output>{`${partial?.city} ${value ? `${value.city} ${value.days}` : "-"}`}</output>;
    };
    const Page = () => {
      glove = useGlove({ sessionId: "s1" });
      return <Form />;
    };
    const { container, unmount } = render(
      <GloveProvider client={client}>
        <Page />
      </GloveProvider>,
    );
    const shown = (text: string) => waitFor(() => expect(container.textContent).toBe(text));
    return { shown, unmount, client, send: () => act(() => void glove?.sendMessage({ text: "Where to?", output: trip })) };
  };
  const first = page(() => model);
  await first.shown("undefined -");
  first.send();
  await first.shown("Os -");
  go();
  await first.shown("Oslo Oslo 2");
  first.unmount();
  first.client.dispose();

  const second = page(() => model);
  await second.shown("Oslo Oslo 2");
});

// What an answer costs that streams into a long conversation.
import { act, render, waitFor } from "@testing-library/react";
import { GloveProvider, MemoryStore, type Message, Render, type UseGloveReturn, useGlove } from "glove-wasm/react";
import { expect, test, vi } from "vitest";
import { clientOf, gate, moment } from "./page.js";

/** A conversation that was stored, with this many messages. */
async function stored(count: number): Promise<MemoryStore> {
  const store = new MemoryStore(`with ${count}`);
  const messages = Array.from(
    { length: count },
    (_, index): Message => ({ sender: index % 2 ? "agent" : "user", text: `message ${index}`, id: `m${index}` }),
  );
  await store.appendMessages(messages);
  return store;
}

/** Streams pieces into a conversation, one frame each, and gives the time that this process worked on them, whatever else the machine does. */
async function stream(count: number, pieces: number) {
  const rendered: string[] = [];
  let notify: (text: string) => Promise<unknown> = async () => {};
  const [asked, end] = [gate(), gate()];
  const { client } = clientOf([]);
  const model = {
    name: "by hand",
    setSystemPrompt: () => {},
    prompt: async (_: unknown, tell: (type: string, data: unknown) => Promise<void>) => {
      notify = (text) => tell("text_delta", { text });
      asked.open();
      await end.opened;
      return { messages: [{ sender: "agent" as const, text: "x".repeat(pieces) }], tokens_in: 1, tokens_out: 1 };
    },
  };
  const store = await stored(count);
  let glove: UseGloveReturn | undefined;
  const Page = () => {
    glove = useGlove({ store, model });
    return (
      <Render
        glove={glove}
        renderMessage={({ entry }) => {
          rendered.push(entry.id);
          return <div>{entry.text}</div>;
        }}
      />
    );
  };
  const { container, unmount } = render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  await waitFor(() => expect(container.querySelectorAll("[role=log] > [data-glove-rows] > div")).toHaveLength(count));
  act(() => void glove?.sendMessage("go"));
  await waitFor(() => expect(container.querySelectorAll("[role=log] > [data-glove-rows] > div")).toHaveLength(count + 1));
  await act(() => asked.opened);
  await act(() => notify("x"));
  await waitFor(() => expect(container.querySelector("[data-glove-streaming]")).not.toBeNull());
  // Looked up once: to look through 2,000 elements after each piece would cool what is measured.
  const streaming = container.querySelector("[data-glove-streaming]");
  // The frame of the first piece is over.
  await moment(40);
  rendered.length = 0;
  const frame = vi.spyOn(globalThis, "requestAnimationFrame");
  const frames: FrameRequestCallback[] = [];
  frame.mockImplementation((callback) => frames.push(callback));
  let spent = 0;
  for (let piece = 1; piece < pieces; piece++) {
    await notify("x");
    const since = process.cpuUsage();
    act(() => {
      for (const callback of frames.splice(0)) callback(0);
    });
    const { user, system } = process.cpuUsage(since);
    spent += (user + system) / 1000;
    expect(streaming?.textContent).toHaveLength(piece + 1);
  }
  frame.mockRestore();
  const again = rendered.length;
  await act(async () => end.open());
  await waitFor(() => expect(glove?.busy).toBe(false));
  unmount();
  client.dispose();
  return { spent, again };
}

test("300 pieces of an answer render no settled entry again, and cost the same under 2,000 entries as under none", async () => {
  await stream(0, 30);
  const times = { empty: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
  // The best of several rounds: whatever else the machine does only adds time.
  for (let round = 0; round < 3 || (round < 12 && times.long > times.empty * 1.5); round++) {
    const empty = await stream(0, 300);
    const long = await stream(2000, 300);
    expect([empty.again, long.again]).toEqual([0, 0]);
    times.empty = Math.min(times.empty, empty.spent);
    times.long = Math.min(times.long, long.spent);
  }
  console.log(`300 pieces: ${times.empty.toFixed(1)} ms with no entries, ${times.long.toFixed(1)} ms with 2,000`);
  expect(times.long).toBeLessThanOrEqual(times.empty * 1.5);
}, 120_000);

// Texts of any length: the front is drawn, and more when the person asks for it.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { GloveProvider, MemoryStore, Render, type UseGloveReturn, useGlove } from "glove-wasm/react";
import { expect, test } from "vitest";
import { clientOf, gate } from "./page.js";

const piece = 2 ** 18;

test("a long message is drawn in pieces, and its emoji whole", async () => {
  const store = new MemoryStore("s");
  const text = `${"x".repeat(piece - 1)}👍${"y".repeat(piece)}`;
  await store.appendMessages([
    { sender: "user", text: "short" },
    { sender: "agent", text },
  ]);
  const Chat = () => <Render glove={useGlove({ store })} />;
  const { container } = render(
    <GloveProvider client={clientOf([]).client}>
      <Chat />
    </GloveProvider>,
  );
  const more = await screen.findByText("Show more");
  const shown = () => container.querySelector("[data-glove-role=agent]")?.firstChild?.textContent;
  expect(shown()).toBe("x".repeat(piece - 1));
  fireEvent.click(more);
  expect(shown()).toBe(`${"x".repeat(piece - 1)}👍${"y".repeat(piece - 1)}`);
  fireEvent.click(more);
  expect(shown()).toBe(text);
  expect(screen.queryByText("Show more")).toBeNull();
  // It stays in a long conversation.
  expect(container.querySelectorAll("[data-glove-keep]")).toHaveLength(1);
});

test("a streaming answer grows up to the limit, is shown further on demand, and is whole in the state", async () => {
  const [asked, end] = [gate(), gate()];
  let notify: (text: string) => Promise<unknown> = async () => {};
  const model = {
    name: "by hand",
    setSystemPrompt: () => {},
    prompt: async (_: unknown, tell: (type: string, data: unknown) => Promise<void>) => {
      notify = (text) => tell("text_delta", { text });
      asked.open();
      await end.opened;
      return { messages: [{ sender: "agent" as const, text: "Done." }], tokens_in: 1, tokens_out: 1 };
    },
  };
  const store = new MemoryStore("s");
  let glove: UseGloveReturn | undefined;
  const Chat = () => {
    glove = useGlove({ store, model });
    return <Render glove={glove} />;
  };
  const { container } = render(
    <GloveProvider client={clientOf([]).client}>
      <Chat />
    </GloveProvider>,
  );
  act(() => void glove?.sendMessage("go"));
  await act(() => asked.opened);
  const text = () =>
    [...(container.querySelector("[data-glove-streaming] > span")?.childNodes ?? [])].map((node) => node.textContent);
  await act(() => notify("a".repeat(1000)));
  await waitFor(() => expect(text()).toEqual(["a".repeat(1000)]));
  const node = container.querySelector("[data-glove-streaming] > span")?.firstChild;
  await act(() => notify("a".repeat(piece)));
  await waitFor(() => expect(text()).toEqual(["a".repeat(piece), "Show more"]));
  expect(glove?.streamingText.length).toBe(piece + 1000);
  fireEvent.click(screen.getByText("Show more"));
  expect(text()).toEqual(["a".repeat(piece + 1000)]);
  await act(() => notify("b"));
  await waitFor(() => expect(text()).toEqual([`${"a".repeat(piece + 1000)}b`]));
  expect(container.querySelector("[data-glove-streaming] > span")?.firstChild).toBe(node);
  await act(async () => end.open());
  await waitFor(() => expect(container.querySelector("[data-glove-streaming]")).toBeNull());
});

// What a page does before it draws, and what it leaves for a moment in which it has nothing else to do.
import { act, render, screen, waitFor } from "@testing-library/react";
import { GloveProvider, type UseGloveReturn, useGlove } from "glove-wasm/react";
import { useEffect, useLayoutEffect } from "react";
import { expect, test, vi } from "vitest";
import { clientOf, gate, ready, show } from "./page.js";

test("a page is drawn before its first session is chosen, and shows one that is open at once", () => {
  const getItem = vi.fn(() => "s1");
  const persistSession = { storage: { getItem, setItem: () => {}, removeItem: () => {} } };
  const { client } = clientOf([]);
  const drawn: string[] = [];
  const Chat = () => <p>{useGlove({ persistSession }).sessionId}</p>;
  const Page = () => {
    // After the layout effects of what is inside, and before the page is drawn.
    useLayoutEffect(() => void drawn.push(document.body.textContent, `read ${getItem.mock.calls.length} times`), []);
    return (
      <GloveProvider client={client}>
        <Chat />
      </GloveProvider>
    );
  };
  const { unmount } = render(<Page />);
  expect(drawn).toEqual(["", "read 0 times"]);
  expect(document.body.textContent).toBe("s1");
  unmount();
  getItem.mockClear();
  render(<Page />);
  expect(drawn.slice(2)).not.toContain("read 0 times");
});

test("a message of the first effect chooses the session", async () => {
  const { client } = clientOf(["Hello."]);
  const Sender = ({ send }: { send: (text: string) => unknown }) => {
    useEffect(() => void send("Hi"), [send]);
    return null;
  };
  const Chat = () => {
    const { sendMessage, timeline } = useGlove();
    return (
      <>
        <Sender send={sendMessage} />
        {timeline.map((entry) => (
          <p key={entry.id}>{"text" in entry && entry.text}</p>
        ))}
      </>
    );
  };
  render(
    <GloveProvider client={client}>
      <Chat />
    </GloveProvider>,
  );
  await screen.findByText("Hello.");
  expect(screen.getAllByText("Hi")).toHaveLength(1);
});

test("a chat that Suspense hides for a while goes on when it is shown again", async () => {
  const { client } = clientOf(["Hello."]);
  const waits = gate();
  let hidden: Promise<void> | undefined;
  let glove: UseGloveReturn | undefined;
  const Chat = () => {
    glove = { ...useGlove({ sessionId: "s" }) };
    return null;
  };
  const Sibling = () => {
    if (hidden) throw hidden;
    return null;
  };
  const tree = () => (
    <GloveProvider client={client} fallback={<p>wait</p>}>
      <Chat />
      <Sibling />
    </GloveProvider>
  );
  const { rerender } = render(tree());
  await waitFor(() => expect(glove?.sessionReady).toBe(true));
  const before = glove?.session;
  hidden = waits.opened;
  rerender(tree());
  await screen.findByText("wait");
  await waitFor(() => expect(before?.disposed).toBe(true));
  hidden = undefined;
  await act(async () => waits.open());
  await waitFor(() => expect(glove?.session?.disposed).toBe(false));
  expect(glove?.session).not.toBe(before);
  await waitFor(() => expect(glove?.sessionReady).toBe(true));
});

test.each(["the provider's", "its own"])(
  "a chat that is hidden when %s session changes shows the new one when it comes back",
  async (whose) => {
    const { client } = clientOf(["Hello."]);
    const waits = gate();
    let hidden: Promise<void> | undefined;
    let glove: UseGloveReturn | undefined;
    const own = whose === "its own";
    const Chat = ({ id }: { id: string }) => {
      glove = { ...useGlove(own ? { sessionId: id } : undefined) };
      return null;
    };
    const Sibling = () => {
      if (hidden) throw hidden;
      return null;
    };
    const tree = (id: string) => (
      <GloveProvider client={client} fallback={<p>wait</p>} {...(!own && { sessionId: id })}>
        <Chat id={id} />
        <Sibling />
      </GloveProvider>
    );
    const { rerender } = render(tree("a"));
    await waitFor(() => expect(glove).toMatchObject({ sessionReady: true, sessionId: "a" }));
    hidden = waits.opened;
    rerender(tree("b"));
    await screen.findByText("wait");
    hidden = undefined;
    await act(async () => waits.open());
    await waitFor(() => expect(glove).toMatchObject({ sessionReady: true, sessionId: "b" }));
    await act(() => glove?.sendMessage("Hi"));
    expect((await client.session("b").messages()).map(({ text }) => text)).toEqual(["Hi", "Hello."]);
  },
);

test("what draws questions is loaded when the page is idle, and no message waits for it", async () => {
  const waiting: (() => void)[] = [];
  vi.stubGlobal("requestIdleCallback", (call: () => void) => waiting.push(call));
  const { slotParts } = await import("../../../pkg/react/slots/slot-loader.js");
  const load = vi.spyOn(slotParts, "load");
  const page = show(clientOf(["Hello."]).client);
  await ready(page);
  await act(() => page.glove.sendMessage("Hi"));
  expect(load).not.toHaveBeenCalled();
  for (const call of waiting) call();
  expect(load).toHaveBeenCalled();
});

test("a frame that never comes holds up who asked for it, and nobody later", async () => {
  vi.resetModules();
  vi.useFakeTimers({ toFake: ["setTimeout", "requestAnimationFrame"] });
  const { firstPainted } = await import("../../../pkg/src/timing/next-frame.js");
  const stopped = firstPainted();
  vi.useRealTimers();
  await firstPainted();
  expect(await Promise.race([stopped.then(() => "settled"), new Promise((later) => setTimeout(later, 50, "stopped"))])).toBe(
    "stopped",
  );
});

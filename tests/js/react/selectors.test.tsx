// What renders again when, and selectors: the parts of a conversation that components follow.
import { act, render, renderHook, screen, waitFor } from "@testing-library/react";
import { GloveProvider, type UseGloveReturn, useGlove, useMessage, useSlot, useToolCall } from "glove-wasm/react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { clientOf, gate, nothing, ready, say, show } from "./page.js";

test("actions stay the same functions for ever", async () => {
  const page = show(clientOf(["hi"]).client, { sessionId: "a" });
  const functions = ({ runnable: _, ...glove }: UseGloveReturn) =>
    Object.fromEntries(Object.entries(glove).filter(([, value]) => typeof value === "function"));
  const before = functions(page.glove);
  expect(Object.keys(before)).toHaveLength(24);
  await say(page, "hello");
  page.rerender({ sessionId: "b", tools: [] });
  await ready(page);
  const after = functions(page.glove);
  for (const name of Object.keys(before)) expect(after[name], name).toBe(before[name]);
});

test("a component renders again only when a part that it reads changes", async () => {
  const { client } = clientOf([{ deltas: ["a", "b", "c"], every: 20 }]);
  let renders = 0;
  let handle: UseGloveReturn | undefined;
  const Quiet = () => {
    renders++;
    handle = useGlove();
    return <p>{handle.busy ? "works" : "rests"}</p>;
  };
  render(
    <GloveProvider client={client}>
      <Quiet />
    </GloveProvider>,
  );
  const before = renders;
  await act(async () => {
    await handle?.sendMessage("hi");
  });
  await waitFor(() => expect(screen.getByText("rests")).toBeTruthy());
  expect(renders - before).toBeLessThanOrEqual(2);
  expect(handle?.timeline).toHaveLength(2);
});

test.each(["busy", "status", "streamingText"] as const)("%s that is first read in a run is up to date after it", async (part) => {
  const go = gate();
  const { client } = clientOf([{ deltas: ["a"], until: go.opened }]);
  const seen: unknown[] = [];
  const Page = () => {
    const glove = useGlove({ sessionId: "s" });
    return (
      <button type="button" onClick={() => seen.push(glove[part])}>
        look
      </button>
    );
  };
  render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  const look = () => act(() => screen.getByText("look").click());
  const session = client.session("s");
  let sending: Promise<unknown> | undefined;
  await act(async () => {
    sending = session.sendMessage("hi");
    await waitFor(() => expect(session.getSnapshot().streamingText).toBe("a"));
  });
  look();
  go.open();
  await act(async () => void (await sending));
  look();
  const { [part]: now } = session.getSnapshot();
  expect(seen[0]).not.toBe(now);
  expect(seen[1]).toBe(now);
});

test("however much happens in a frame, a component renders for it once", async () => {
  const calls = Array.from({ length: 100 }, () => ({ name: "t" }));
  const { client } = clientOf([{ toolCalls: calls }, "done"], {
    tools: [{ name: "t", description: "", jsonSchema: {}, do: () => 1 }],
  });
  let renders = 0;
  const Page = () => {
    renders++;
    const { timeline, status } = useGlove({ sessionId: "s" });
    return <p>{`${status} ${timeline.length}`}</p>;
  };
  render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  await waitFor(() => expect(client.session("s").getSnapshot().sessionReady).toBe(true));
  const [before, began] = [renders, performance.now()];
  await client.session("s").sendMessage("go");
  await waitFor(() => expect(screen.getByText("ready 102")).toBeTruthy());
  // A frame without a screen is 16 ms; one more for the beginning, the end and what React adds by itself.
  const frames = (performance.now() - began) / 16;
  expect(renders - before).toBeLessThan(frames + 8);
  expect(renders - before).toBeLessThan(60);
});

test("selectors below a useGlove read its conversation, and render for what they select only", async () => {
  const { client } = clientOf([{ deltas: ["a", "b", "c"], every: 20 }, "d"]);
  let renders = 0;
  const Count = () => {
    renders++;
    return (
      <p>
        {
          useGlove(
            ({ timeline }) => ({ count: timeline.length }),
            (a, b) => a.count === b.count,
          ).count
        }{" "}
        entries
      </p>
    );
  };
  let glove: UseGloveReturn | undefined;
  const Page = ({ children }: { children: ReactNode }) => {
    glove = useGlove({ sessionId: "s" });
    return children;
  };
  const count = <Count />;
  render(
    <GloveProvider client={client}>
      <Page>{count}</Page>
    </GloveProvider>,
  );
  const before = renders;
  await act(async () => {
    await glove?.sendMessage("hi");
  });
  expect(screen.getByText("2 entries")).toBeTruthy();
  expect(renders - before).toBeLessThanOrEqual(3);
});

test("a selector that gives a new object each time does not loop", async () => {
  const { client } = clientOf(["hi"]);
  const { result } = renderHook(() => useGlove(({ busy, sendMessage }) => ({ busy, sendMessage })), {
    wrapper: ({ children }) => <GloveProvider client={client}>{children}</GloveProvider>,
  });
  await act(async () => {
    await result.current.sendMessage("hello");
  });
  expect(result.current.busy).toBe(false);
});

test("selectors alone are enough for a conversation", async () => {
  const { client } = clientOf([{ toolCalls: [{ name: "ask", id: "c1" }] }, "done"], {
    tools: [
      {
        name: "ask",
        description: "",
        inputSchema: nothing,
        do: (_, display) => display.pushAndWait({ input: "sure?" }),
        render: () => null,
      },
    ],
  });
  const { result } = renderHook(
    () => {
      const slotId = useGlove(({ slots }) => slots[0]?.id) ?? "";
      const messageId = useGlove(({ messages }) => messages.at(-1)?.id) ?? "";
      return {
        send: useGlove(({ sendMessage }) => sendMessage),
        resolve: useGlove(({ resolveSlot }) => resolveSlot),
        slot: useSlot(slotId),
        call: useToolCall("c1"),
        message: useMessage(messageId),
      };
    },
    { wrapper: ({ children }) => <GloveProvider client={client}>{children}</GloveProvider> },
  );
  act(() => void result.current.send("go"));
  await waitFor(() => expect(result.current.slot?.input).toBe("sure?"));
  expect(result.current.call?.status).toMatch(/running|pending/);
  act(() => void result.current.resolve(result.current.slot?.id ?? "", "yes"));
  await waitFor(() => expect(result.current.call).toMatchObject({ status: "success", output: "yes" }));
  await waitFor(() => expect(result.current.message?.parts.at(-1)).toMatchObject({ type: "text", text: "done" }));
});

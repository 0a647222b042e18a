// What moves the list of a chat, and which message ArrowUp edits.
import { fireEvent, render, screen } from "@testing-library/react";
import { type ChatView, type GloveHandle, preloadRender, Render, type ShownEntry } from "glove-wasm/react";
import { useState } from "react";
import { beforeAll, expect, test, vi } from "vitest";
import { agent, handle, user } from "./handle.js";

beforeAll(() => preloadRender());

test("a callback that keeps the view in a state is called once for a chat", () => {
  const given = vi.fn();
  const glove = handle({ timeline: [user("u1")] });
  const Page = () => {
    const [view, setView] = useState<ChatView | null>(null);
    given(view);
    return <Render glove={glove} viewRef={setView} />;
  };
  const { rerender } = render(<Page />);
  rerender(<Page />);
  expect(given.mock.calls.length).toBeLessThan(6);
});

test("ArrowUp edits the last message, and none where that has only files", async () => {
  const timeline = [user("u1", "one"), agent("a1")];
  const shown = (parts: Partial<GloveHandle>) => <Render glove={handle({ timeline, edit: () => {}, ...parts })} />;
  const { container, rerender } = render(shown({}));
  const up = () => fireEvent.keyDown(screen.getByRole("textbox", { name: "Message" }), { key: "ArrowUp" });
  up();
  expect((await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Edit message" })).value).toBe("one");
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  const picture = { ...user("u2", ""), images: ["data:image/png;base64,AA=="] } as ShownEntry;
  rerender(shown({ timeline: [...timeline, picture, agent("a2")] }));
  up();
  await new Promise((later) => setTimeout(later, 50));
  expect(container.querySelector("[data-glove-editor]")).toBeNull();
  // One that waits is the last.
  rerender(shown({ queue: [{ id: "q1", text: "two" }], busy: true, cancelQueued: () => true }));
  up();
  expect((await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Edit message" })).value).toBe("two");
});

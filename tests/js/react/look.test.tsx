// What the built-in look says of a conversation beside its words.
import { render, screen, within } from "@testing-library/react";
import { Render, type ShownEntry } from "glove-wasm/react";
import { expect, test } from "vitest";
import { agent, handle, tool, user } from "./handle.js";

test("why a message failed stands below its bubble, and not in it", () => {
  const failed = { ...user("u1", "one"), error: new Error("It broke.") } as ShownEntry;
  const { container } = render(<Render glove={handle({ timeline: [failed, user("u2", "two"), agent("a")] })} />);
  const bubble = container.querySelector("[data-glove-role=user]");
  expect(bubble?.textContent).toBe("one");
  expect(bubble?.nextElementSibling?.textContent).toBe("It broke.");
});

test("while a call runs, its row says so, and the sign of work is for screen readers", () => {
  const sign = () => screen.queryByRole("status", { name: "Working" });
  const { rerender } = render(<Render glove={handle({ timeline: [user("u"), tool("c1")], busy: true })} />);
  expect(sign()?.hasAttribute("data-glove-label")).toBe(true);
  rerender(<Render glove={handle({ timeline: [user("u"), tool("c1", { status: "success" })], busy: true })} />);
  expect([sign()?.hasAttribute("data-glove-label"), sign()?.textContent]).toEqual([false, "Thinking…"]);
});

test("a suggestion says what it sends", () => {
  const suggestions = ["Where is it?", { label: "Send it back", text: "I want to send something back." }];
  render(<Render glove={handle()} suggestions={suggestions} />);
  const list = screen.getByRole("list", { name: "Suggestions" });
  expect(
    within(list)
      .getAllByRole("button")
      .map(({ textContent }) => textContent?.trim()),
  ).toEqual(["Where is it?", "Send it back I want to send something back."]);
});

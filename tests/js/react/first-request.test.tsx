// What the first request loads beside itself.
import { render } from "@testing-library/react";
import { Render } from "glove-wasm/react";
import { expect, test } from "vitest";
import { agent, handle, user } from "./handle.js";

const drawn = (container: Element) => container.querySelectorAll("[data-glove-markdown]").length;

test("a request loads what draws markdown, so that the first answer with any is drawn at once", async () => {
  const { container, rerender } = render(<Render glove={handle({ timeline: [user("u")], busy: true })} />);
  expect(drawn(container)).toBe(0);
  await import("glove-wasm/react/markdown");
  await new Promise((later) => setTimeout(later, 20));
  rerender(<Render glove={handle({ timeline: [user("u"), agent("a", "## Returns")] })} />);
  expect(drawn(container)).toBe(1);
});

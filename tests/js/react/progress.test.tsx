// The card of a call that tells how far it is.
import { render } from "@testing-library/react";
import { ToolCard, type ToolEntry } from "glove-wasm/react";
import { expect, test } from "vitest";

const entry: ToolEntry = { kind: "tool", id: "w1", name: "copy_files", input: {}, status: "running" };

test("the card of a call shows how far it is, with a name for those who hear it", () => {
  const { container, getByRole, rerender } = render(
    <ToolCard entry={{ ...entry, progress: { message: "a.txt", done: 1, of: 4 } }} />,
  );
  const bar = getByRole("progressbar", { name: "Copy files" }) as HTMLProgressElement;
  expect([bar.value, bar.max]).toEqual([1, 4]);
  expect(container.textContent).toContain("a.txt");
  // It is not known how far.
  rerender(<ToolCard entry={{ ...entry, progress: { done: 3 } }} />);
  expect(getByRole("progressbar").hasAttribute("value")).toBe(false);
  rerender(<ToolCard entry={{ ...entry, status: "success", output: "done" }} />);
  expect(container.querySelector("progress")).toBeNull();
});

// What could make a text look like another one stands as an escape where a person decides or reads a name.
import { readFileSync } from "node:fs";
import { fireEvent, render, within } from "@testing-library/react";
import { builtInRenderers, type SlotProps } from "glove-wasm/react";
import { createElement, type FunctionComponent } from "react";
import { expect, test } from "vitest";

/** Rust is tested with the same file. */
const cases = JSON.parse(readFileSync("tests/fixtures/visible-text.json", "utf8")) as [
  about: string,
  text: string,
  shown: string,
][];
const name = "report\u202efdp.exe";

function show(renderer: string, data: unknown, parts: Partial<SlotProps> = {}): HTMLElement {
  const props: SlotProps = { data, resolve: () => true, reject: () => {}, status: "pending", ...parts };
  return render(createElement(builtInRenderers[renderer] as FunctionComponent<SlotProps>, props)).container;
}

const hidden = /[\u202a-\u202e\u2066-\u2069\u200b]/;

test.each(cases)("%s", (_, text, shown) => {
  const container = show("approval_request", { toolName: "run", toolInput: { text } });
  expect(container.querySelector("dd")?.textContent).toBe(shown);
});

test("an escape is told apart from a text that says the same", () => {
  const container = show("approval_request", { toolName: "open", toolInput: { path: name, said: "\\u202E" } });
  const escapes = [...container.querySelectorAll("[data-glove-escape]")];
  expect(escapes.map(({ textContent, parentElement }) => [textContent, parentElement?.textContent])).toEqual([
    ["\\u202E", "report\\u202Efdp.exe"],
  ]);
});

test.each([
  ["info", { title: name, message: name }],
  ["confirm", { message: name, options: [name] }],
  ["input", { message: name }],
  ["secret", { message: name }],
  ["select", { message: name, options: [{ label: name, value: 1 }] }],
  ["permission_request", { toolName: name, reason: name, toolInput: { [name]: name, nested: { [name]: name } } }],
  ["approval_request", { title: name, description: name, toolInput: name }],
  ["interrupted_call", { title: name, toolInput: { old: name, new: `${name}\u200b` } }],
])("%s shows what would turn its text", (renderer, data) => {
  const container = show(renderer, data);
  expect(container.textContent).toContain("\\u202E");
  expect(container.innerHTML).not.toMatch(hidden);
  // What stands in a sentence of ours has a direction of its own.
  for (const shown of container.querySelectorAll("[data-glove-escape]")) expect(shown.closest("bdi, [dir=auto]")).not.toBeNull();
});

test("an answer and its refusal are shown so too", () => {
  const answered = show("input", { message: "Name?" }, { status: "resolved", answer: name });
  expect(answered.textContent).toBe("Name? report\\u202Efdp.exe");
  expect(show("input", {}, { error: `no ${name}` }).querySelector("[role=alert]")?.textContent).toBe("no report\\u202Efdp.exe");
});

test("a name is one line", () => {
  const container = show("permission_request", { toolName: "run", toolInput: { "a\nb": "c\nd" } });
  expect([container.querySelector("dt")?.textContent, container.querySelector("dd")?.textContent]).toEqual(["A\\nb", "c\nd"]);
});

test("a text of nothing but hidden characters is drawn in time", () => {
  const began = performance.now();
  const container = show("approval_request", { toolName: "run", toolInput: { text: "a\u200b".repeat(4_900) } });
  fireEvent.click(within(container).getByRole("button", { name: /^Show all/ }));
  expect(container.querySelectorAll("[data-glove-escape]").length).toBeLessThan(1_000);
  expect(container.querySelector("dd")?.textContent).toBe("a\\u200B".repeat(4_900));
  expect(performance.now() - began).toBeLessThan(2_000);
});

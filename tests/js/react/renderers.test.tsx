// The built-in renderers: what they ask, and what they answer.
import { fireEvent, render, screen } from "@testing-library/react";
import { builtInRenderers, type SlotProps } from "glove-wasm/react";
import { createElement, type FunctionComponent } from "react";
import { expect, test, vi } from "vitest";

function show(name: string, data: unknown, parts: Partial<SlotProps> = {}) {
  const props: SlotProps = { data, resolve: vi.fn(), reject: vi.fn(), status: "pending", ...parts };
  const renderer = builtInRenderers[name] as FunctionComponent<SlotProps>;
  const { container, rerender } = render(createElement(renderer, props));
  const change = (next: Partial<SlotProps>) => rerender(createElement(renderer, { ...props, ...next }));
  return { ...props, container, change };
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

test("info tells, and goes away when it is acknowledged", () => {
  const { resolve, container, change } = show("info", { title: "Done", message: "All is well.", type: "warning" });
  expect(screen.getByRole("status").textContent).toContain("DoneAll is well.");
  press("OK");
  expect(resolve).toHaveBeenCalledExactlyOnceWith();
  change({ status: "resolved" });
  expect(container.textContent).toBe("");
});

test("an error in an info interrupts the screen reader", () => {
  show("info", { message: "It failed.", type: "error" });
  expect(screen.getByRole("alert").textContent).toContain("It failed.");
});

test.each([
  [undefined, "Yes", "yes"],
  [undefined, "No", "no"],
  [["Deploy", "Wait"], "Wait", "Wait"],
  [[{ label: "Later", value: "later" }], "Later", "later"],
])("confirm with the options %j answers %s with %j", (options, button, expected) => {
  const { resolve } = show("confirm", { message: "Deploy api?", options });
  expect(screen.getByRole("form", { name: "Deploy api?" })).toBeTruthy();
  press(button);
  expect(resolve).toHaveBeenCalledExactlyOnceWith(expected);
});

test.each([
  ["confirm", {}, "no", "No"],
  ["confirm", { options: [{ label: "Later", value: { at: 2 } }] }, { at: 2 }, "Later"],
  ["input", {}, "Ann", "Ann"],
  ["input", {}, { no: "text" }, "Answered"],
  ["select", { options: ["a", { label: "B", value: 2 }] }, 2, "B"],
  ["select", { options: ["a"] }, undefined, "Answered"],
  ["secret", {}, "s3cret", "Answered"],
])("%s of %j that was answered %j says %s", (name, data, answer, expected) => {
  const { container } = show(name, { message: "Well?", ...data }, { status: "resolved", answer });
  expect(container.textContent).toBe(`Well? ${expected}`);
});

test("input is labelled with its question, starts with its default and answers on Enter", () => {
  const { resolve } = show("input", { message: "Name?", default: "api" });
  const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Name?" });
  expect(field.value).toBe("api");
  fireEvent.change(field, { target: { value: "web" } });
  fireEvent.submit(field);
  expect(resolve).toHaveBeenCalledExactlyOnceWith("web");
});

test("a question can be turned down", () => {
  const { reject } = show("input", { message: "Name?" });
  press("Cancel");
  expect(reject).toHaveBeenCalledExactlyOnceWith();
});

test("select is a group of radio buttons and answers the option's value", () => {
  const { resolve } = show("select", { message: "Which?", options: ["a", { label: "B", value: { b: 1 } }], default: "a" });
  expect(screen.getByRole("radiogroup", { name: "Which?" })).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "a" }).checked).toBe(true);
  fireEvent.click(screen.getByRole("radio", { name: "B" }));
  press("Answer");
  expect(resolve).toHaveBeenCalledExactlyOnceWith({ b: 1 });
});

test("a secret is never shown, and is gone from the page when it was given", () => {
  const { resolve, container, change } = show("secret", { message: "Key?", key_name: "API_KEY" });
  const field = screen.getByLabelText<HTMLInputElement>("Key?", { selector: "input" });
  expect(field.type).toBe("password");
  expect(field.autocomplete).toBe("off");
  fireEvent.change(field, { target: { value: "s3cret" } });
  fireEvent.submit(field);
  expect(resolve).toHaveBeenCalledExactlyOnceWith("s3cret");
  expect(field.value).toBe("");
  change({ status: "resolved" });
  expect(container.textContent).toBe("Key? Answered");
  expect(container.innerHTML).not.toContain("s3cret");
});

test("a permission is given or denied, for this time or for ever", () => {
  const data = { renderer: "permission_request", toolName: "rm", toolInput: { path: "/tmp" } };
  const { resolve, reject, container } = show("permission_request", data);
  expect(screen.getByRole("form", { name: "Rm?" })).toBeTruthy();
  expect(container.querySelector("dt")?.textContent).toBe("Path");
  expect(container.querySelector("dd")?.textContent).toBe("/tmp");
  const buttons = screen.getAllByRole("button").map(({ textContent }) => textContent);
  expect(buttons).toEqual(["Deny", "Allow once", "Always allow", "Never allow"]);
  for (const name of ["Always allow", "Allow once", "Never allow"]) press(name);
  expect(vi.mocked(resolve).mock.calls).toEqual([[true], ["once"], [false]]);
  // As `session.reject` does it: nothing is kept.
  press("Deny");
  expect(vi.mocked(reject).mock.calls).toEqual([[]]);
});

test("a question about a call is in the words of its title, and shows its arguments to be read", () => {
  const toolInput = { to: "Ann", lines: 3, cc: ["Bob"], urgent: false };
  const { container } = show("approval_request", { toolName: "send_mail", title: "Send the mail", toolInput });
  expect(screen.getByRole("form", { name: "Send the mail?" })).toBeTruthy();
  expect([...container.querySelectorAll("dd")].map(({ textContent }) => textContent)).toEqual([
    "Ann",
    "3",
    '[\n  "Bob"\n]',
    "No",
  ]);
});

test("arguments that are none are not shown", () => {
  const { container } = show("permission_request", { toolName: "rm", toolInput: {} });
  expect(container.querySelector("dl")).toBeNull();
  expect(container.textContent).not.toContain("{}");
});

test("an approval says why it is asked, and is rejected with a reason", () => {
  const { resolve, reject } = show("approval_request", { toolName: "pay", reason: "over 100" });
  expect(screen.getByText("over 100")).toBeTruthy();
  press("Approve");
  expect(resolve).toHaveBeenCalledExactlyOnceWith(true);
  press("Reject");
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "too dear" } });
  press("Reject");
  expect(vi.mocked(reject).mock.calls).toEqual([[undefined], ["too dear"]]);
});

test.each([
  ["interrupted_call", "Run again", true],
  ["interrupted_call", "Don't run", false],
  ["budget_reached", "Continue", true],
  ["budget_reached", "Stop", false],
])("%s answers %s with %s", (name, button, expected) => {
  const { resolve } = show(name, { toolName: "pay" });
  press(button);
  expect(resolve).toHaveBeenCalledExactlyOnceWith(expected);
});

test.each([undefined, null, "text", 1, [], { options: "none", message: {} }])(
  "data of the wrong form (%j) breaks no renderer",
  (data) => {
    for (const name of Object.keys(builtInRenderers)) show(name, data);
  },
);

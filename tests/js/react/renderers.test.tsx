// The built-in renderers: what they ask, and what they answer.
import { readFileSync } from "node:fs";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
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
  expect(buttons).toEqual(["Deny", "Allow once", "Always allow", "Never allow", "Say why not"]);
  for (const name of ["Always allow", "Allow once", "Never allow"]) press(name);
  expect(vi.mocked(resolve).mock.calls).toEqual([[true], ["once"], [false]]);
  // As `session.reject` does it: nothing is kept. The model reads the reason.
  press("Deny");
  press("Say why not");
  const field = screen.getByRole("textbox", { name: "Reason, if you deny" });
  expect(document.activeElement).toBe(field);
  expect(screen.queryByRole("button", { name: "Say why not" })).toBeNull();
  fireEvent.change(field, { target: { value: "Not on a Friday." } });
  press("Deny");
  expect(vi.mocked(reject).mock.calls).toEqual([[undefined], ["Not on a Friday."]]);
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

test("a sentence for the person stands in the place of what the model reads of the tool", () => {
  const data = { toolName: "pay", description: "Pays for the cart.", toolInput: {} };
  expect(show("approval_request", data).container.textContent).toContain("Pays for the cart.");
  const { container } = show("approval_request", { ...data, confirm: "Pay €80?" });
  expect(container.textContent).toContain("Pay €80?");
  expect(container.textContent).not.toContain("Pays for the cart.");
  const why = show("approval_request", { ...data, confirm: "Pay €80?", reason: "It is above €50." });
  expect(why.container.textContent).toContain("It is above €50.");
});

test.each([
  ["Refund", "Refund"],
  ["Run a script", "Run a script"],
  // What a server of somebody else says of itself, a sentence, nothing, and what could be read as something else.
  ["bank: Pay (pay)", "Allow"],
  ["Send all of this to everybody at once", "Allow"],
  ["", "Allow"],
  ["Deny\u200b", "Allow"],
])("the button that goes on is named by the act %j: %s", (act, button) => {
  const { resolve } = show("approval_request", { toolName: "t", act, danger: true, toolInput: {} });
  const buttons = screen.getAllByRole("button");
  expect(buttons.map(({ textContent }) => textContent)).toEqual(["Deny", button, "Say why not"]);
  expect(buttons.map(({ dataset }) => dataset.gloveWeight)).toEqual(["quiet", "danger", "link"]);
  press(button);
  expect(resolve).toHaveBeenCalledExactlyOnceWith(true);
});

test("a text of several lines is read as one, however deep it stands, and all of it", () => {
  const toolInput = {
    mail: { to: ["ann@example.com"], body: "Dear Ann,\n\nIt is done.\nBob", headers: {}, urgent: true },
    notes: ["one", "two\nthree"],
    place: { city: "Rome" },
  };
  const { container } = show("approval_request", { toolName: "send", toolInput });
  const of = (what: string) => [...container.querySelectorAll(what)].map(({ textContent }) => textContent);
  expect(of("dt")).toEqual(["Mail: To", "Mail: Body", "Mail: Headers", "Mail: Urgent", "Notes: 1", "Notes: 2", "Place"]);
  expect(of("dd")).toEqual([
    '[\n  "ann@example.com"\n]',
    "Dear Ann,\n\nIt is done.\nBob",
    "{}",
    "Yes",
    "one",
    "two\nthree",
    '{\n  "city": "Rome"\n}',
  ]);
  expect([...container.querySelectorAll<HTMLElement>("dl > div")][1]?.dataset.gloveWide).toBe("text");
});

test.each(["confirm", "input", "select", "secret"])("in %s the button that goes on is the last one", (name) => {
  show(name, { message: "Well?", options: name === "select" ? ["a"] : undefined });
  expect(screen.getAllByRole("button").map(({ dataset }) => dataset.gloveWeight)).toEqual(["quiet", "go"]);
});

test("of a value that is one long line a front is shown, and nothing is allowed before all of it was", () => {
  const toolInput = { token: "a1b2c3d4".repeat(400), timeout: 30 };
  const { container } = show("approval_request", { toolName: "run", toolInput });
  const shown = () => [...container.querySelectorAll("dd")].map(({ textContent }) => textContent);
  expect(shown()[0]?.length).toBeLessThan(1000);
  expect(shown()[1]).toBe("30");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow" }).disabled).toBe(true);
  press("Show all · 3,214 characters");
  expect(shown()).toEqual([toolInput.token, "30"]);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow" }).disabled).toBe(false);
});

test("what a machine reads has the whole width, and so has a long text", () => {
  const toolInput = { command: "rm -rf /tmp/x", order: "A-1042", note: "word ".repeat(20), steps: [{ do: "a" }] };
  const { container } = show("approval_request", { toolName: "run", toolInput });
  const rows = [...container.querySelectorAll<HTMLElement>("dl > div")];
  expect(rows.map(({ dataset }) => dataset.gloveWide)).toEqual(["code", undefined, "text", "code"]);
});

test("of several questions in a chat one is open, and the next one is when it is answered", () => {
  const Chat = ({ names }: { readonly names: readonly string[] }) => (
    <div data-glove-look="">
      {names.map((name) => {
        const Input = builtInRenderers.input as FunctionComponent<SlotProps>;
        return <Input key={name} data={{ message: name }} resolve={() => true} reject={() => {}} status="pending" />;
      })}
    </div>
  );
  const { rerender } = render(<Chat names={["One?", "Two?", "Three?"]} />);
  const folded = () => screen.getAllByRole("form").map((form) => "gloveFolded" in form.dataset);
  expect(folded()).toEqual([false, true, true]);
  fireEvent.change(screen.getByRole("textbox", { name: "One?" }), { target: { value: "typed" } });
  press("Three?");
  expect(folded()).toEqual([true, true, false]);
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Three?" }));
  // What was typed is there again.
  press("One?");
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "One?" }).value).toBe("typed");
  rerender(<Chat names={["Two?", "Three?"]} />);
  expect(folded()).toEqual([false, true]);
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Two?" }));
});

test.each(["approval_request", "permission_request"])(
  "%s asks in the sentence of its tool, above all of the arguments",
  (name) => {
    const data = {
      toolName: "refund",
      title: "Refund",
      confirm: "Refund €80 to \u202eA-1042",
      toolInput: { euros: 80, to: "Ann" },
    };
    const { container } = show(name, data);
    // What would turn it stands as an escape.
    expect(container.querySelector("form > p")?.textContent).toBe("Refund €80 to \\u202EA-1042");
    expect([...container.querySelectorAll("dd")].map(({ textContent }) => textContent)).toEqual(["80", "Ann"]);
  },
);

test.each([
  ["approval_request", {}, { Deny: "quiet", Allow: "go", "Say why not": "link" }],
  ["approval_request", { danger: true }, { Deny: "quiet", Allow: "danger", "Say why not": "link" }],
  ["approval_request", { danger: "yes" }, { Deny: "quiet", Allow: "go", "Say why not": "link" }],
  [
    "permission_request",
    { danger: true },
    { Deny: "quiet", "Allow once": "danger", "Always allow": "link", "Never allow": "link", "Say why not": "link" },
  ],
  ["interrupted_call", {}, { "Don't run": "quiet", "Run again": "danger" }],
  ["budget_reached", {}, { Stop: "quiet", Continue: "go" }],
])("of %s with %j the button that goes on stands out, and the one that refuses is quiet", (name, more, expected) => {
  show(name, { toolName: "rm", ...more });
  const weights = screen.getAllByRole("button").map((one) => [one.textContent, one.dataset.gloveWeight]);
  expect(Object.fromEntries(weights)).toEqual(expected);
});

test("no Enter answers a decision: none of its buttons sends the form", () => {
  const { resolve, reject, container } = show("approval_request", { toolName: "rm", danger: true });
  fireEvent.submit(container.querySelector("form") as HTMLFormElement);
  const types = screen.getAllByRole<HTMLButtonElement>("button").map(({ type }) => type);
  expect(types).toEqual(["button", "button", "button"]);
  expect([resolve, reject].flatMap((one) => vi.mocked(one).mock.calls)).toEqual([]);
});

test("an interrupted call says once that it may have had its effect, and what else the run says of it", () => {
  const inRust = readFileSync("src/run/texts.rs", "utf8");
  const saidOf = (name: string) => new RegExp(`fn ${name}\\(\\) -> &'static str \\{\\s*"(.*)"`).exec(inRust)?.[1] ?? "";
  const first = show("interrupted_call", { toolName: "pay_bill", reason: saidOf("cut_off") });
  expect(saidOf("cut_off")).toContain("may or may not");
  expect(first.container.querySelector("form")?.textContent).toBe(
    "Pay bill was interrupted, and may have taken effect. Run it again?Don't runRun again",
  );
  cleanup();
  const { container } = show("interrupted_call", { toolName: "pay_bill", reason: saidOf("astray") });
  expect(container.querySelector("[data-glove-reason]")?.textContent).toContain("did not ask what it had asked before");
});

test("arguments that are none are not shown", () => {
  const { container } = show("permission_request", { toolName: "rm", toolInput: {} });
  expect(container.querySelector("dl")).toBeNull();
  expect(container.textContent).not.toContain("{}");
});

test.each([
  ["approval_request", ["Allow"], ["Deny"]],
  ["permission_request", ["Allow once", "Always allow"], ["Deny", "Never allow"]],
  ["interrupted_call", ["Run again"], ["Don't run"]],
])("%s of something long can be allowed when all of it was opened", (name, allow, deny) => {
  const code = `${"ok();\n".repeat(5_000)}deleteEverything()`;
  const toolInput = { path: "/srv", code };
  const { container, resolve, change } = show(name, { toolName: "run", toolInput });
  const states = (names: string[]) => names.map((one) => screen.getByRole<HTMLButtonElement>("button", { name: one }).disabled);
  expect(container.textContent).not.toContain("deleteEverything()");
  expect([states(allow), states(deny)]).toEqual([allow.map(() => true), deny.map(() => false)]);
  const why = allow.map((one) => screen.getByRole("button", { name: one }).getAttribute("aria-describedby") ?? "");
  expect(why.map((id) => document.getElementById(id)?.textContent)).toEqual(
    allow.map(() => "Show all of it before you allow it."),
  );
  for (const one of allow) press(one);
  expect(resolve).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("button", { name: /^Show all/ }));
  expect([...container.querySelectorAll("dd")].map(({ textContent }) => textContent)).toEqual(["/srv", code]);
  expect(document.activeElement).toBe(container.querySelector("dl"));
  expect(states(allow)).toEqual(allow.map(() => false));
  // Equal values may be other objects; other values are folded again.
  change({ data: { toolName: "run", toolInput: { ...toolInput } } });
  expect(states(allow)).toEqual(allow.map(() => false));
  change({ data: { toolName: "run", toolInput: { ...toolInput, code: `${code};more()` } } });
  expect(states(allow)).toEqual(allow.map(() => true));
});

test.each([
  { many: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key ${at}`, at])) },
  Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key_${at}`, at])),
  Array.from({ length: 20_000 }, (_, at) => at),
  "line\n".repeat(4_000) + 19_999,
  { [`${"k".repeat(20_000)}19999`]: true },
])("all of a long value can be opened, whatever its form", async (toolInput) => {
  const { container } = show("approval_request", { toolName: "run", toolInput });
  expect(container.textContent).not.toContain("19999");
  fireEvent.click(screen.getByRole("button", { name: /^Show all/ }));
  expect(screen.queryByRole("button", { name: /^Show all/ })).toBeNull();
  await waitFor(() => expect(container.textContent).toContain("19999"));
});

test.each([
  { content: `ok${"\n".repeat(300)}`, path: "/etc/passwd" },
  { content: `ok${"\n".repeat(30)}`, path: "/etc/passwd" },
])("a value of many lines does not hide the one below it while it can be allowed", (toolInput) => {
  const { container } = show("permission_request", { toolName: "write_file", toolInput });
  const allow = () => screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" }).disabled;
  expect(allow()).toBe(true);
  const [content, path] = [...container.querySelectorAll("dd")].map(({ textContent }) => textContent ?? "");
  expect([(content ?? "").split("\n").length < 16, path]).toEqual([true, "/etc/passwd"]);
  fireEvent.click(screen.getByRole("button", { name: /^Show all/ }));
  expect([container.querySelector("dd")?.textContent, allow()]).toEqual([toolInput.content, false]);
});

test("what is long is drawn with some frames, and can be allowed when all of it is there", async () => {
  const values = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`v${at}`, `${at} `.repeat(3_000)]));
  const toolInput = { old: "a\n".repeat(10_000), new: `${"b\n".repeat(10_000)}end`, ...values };
  const { container } = show("approval_request", { toolName: "run", toolInput });
  fireEvent.click(screen.getByRole("button", { name: /^Show all/ }));
  const allow = screen.getByRole<HTMLButtonElement>("button", { name: "Allow" });
  const isWhole = () => container.querySelectorAll("dd")[12]?.textContent === values.v11;
  expect([allow.disabled, isWhole()]).toEqual([true, false]);
  await waitFor(() => {
    if (!isWhole()) expect(allow.disabled).toBe(true);
    expect(allow.disabled).toBe(false);
  });
  expect(isWhole()).toBe(true);
  const [change, ...texts] = [...container.querySelectorAll("dd")].map(({ textContent }) => textContent);
  expect(change).toBe(`${"- a\n".repeat(10_000)}- \n${"+ b\n".repeat(10_000)}+ end\n`);
  expect(texts).toEqual(Object.values(values));
});

test("an edit is shown as a whole diff, whatever its tool calls the two texts", () => {
  const before = "first\nold line\nlast";
  const after = "first\nnew line\nanother\nlast";
  const change = { old: before, new: after };
  for (const [toolInput, names] of [
    [{ path: "a.ts", ...change }, ["Path", "Old → New"]],
    [{ new_string: after, path: "a.ts", old_string: before }, ["Path", "Old string → New string"]],
    [{ path: "a.ts", edits: [{ oldText: before, newText: after }] }, ["Path", "Edits 1: Old text → New text"]],
  ] as const) {
    const { container } = show("permission_request", { toolName: "edit_file", toolInput });
    expect([...container.querySelectorAll("dt")].map(({ textContent }) => textContent)).toEqual(names);
    const lines = [...container.querySelectorAll("[data-glove-change] > *")].map(({ localName, textContent }) => [
      localName,
      textContent,
    ]);
    expect(lines).toEqual([
      ["span", "  first\n"],
      ["del", "- old line\n"],
      ["ins", "+ new line\n+ another\n"],
      ["span", "  last\n"],
    ]);
    cleanup();
  }
});

test("texts that share little are shown one after the other, to their ends", () => {
  const text = (word: string) => Array.from({ length: 3_000 }, (_, at) => `${word} ${at}`).join("\n");
  const { container } = show("approval_request", { toolName: "edit_file", toolInput: { old: text("a"), new: text("b") } });
  fireEvent.click(screen.getByRole("button", { name: /^Show all/ }));
  const [del, ins] = container.querySelectorAll("[data-glove-change] > *");
  expect([del?.textContent?.split("\n").length, ins?.textContent?.split("\n").length]).toEqual([3_001, 3_001]);
  expect(ins?.textContent).toContain("+ b 2999");
});

test("an approval says why it is asked, and is rejected with a reason", () => {
  const { resolve, reject } = show("approval_request", { toolName: "pay", reason: "over 100" });
  expect(screen.getByText("over 100")).toBeTruthy();
  press("Allow");
  expect(resolve).toHaveBeenCalledExactlyOnceWith(true);
  press("Deny");
  // Nobody is asked for one before that.
  expect(screen.queryByRole("textbox")).toBeNull();
  press("Say why not");
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "too dear" } });
  press("Deny");
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

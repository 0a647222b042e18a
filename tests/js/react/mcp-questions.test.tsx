// What servers of MCP ask, as `<Render>` draws it.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { createMcpAuth, mcpServer } from "glove-wasm/mcp";
import { builtInRenderers, type SlotProps } from "glove-wasm/react";
import { createElement, type FunctionComponent } from "react";
import { expect, test, vi } from "vitest";

async function show(name: string, data: unknown, parts: Partial<SlotProps> = {}) {
  const props: SlotProps = { data, resolve: vi.fn(), reject: vi.fn(), status: "pending", ...parts };
  const drawn = render(createElement(builtInRenderers[name] as FunctionComponent<SlotProps>, props));
  await waitFor(() => expect(drawn.container.textContent).not.toBe(""));
  return { ...props, container: drawn.container };
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const write = (name: string, value: string) => fireEvent.change(screen.getByLabelText(name), { target: { value } });

const described = (field: Element) => document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent;

const schema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", description: "as on the card", minLength: 2 },
    mail: { type: "string", format: "email" },
    site: { type: "string", format: "uri" },
    day: { type: "string", format: "date", default: "2026-12-24" },
    at: { type: "string", format: "date-time" },
    seats: { type: "integer", minimum: 1, maximum: 8, default: 2 },
    share: { type: "number" },
    inside: { type: "boolean", default: true },
    meal: {
      type: "string",
      oneOf: [
        { const: "v", title: "Vegetables" },
        { const: "f", title: "Fish" },
      ],
      default: "v",
    },
    size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] },
    days: { type: "array", items: { type: "string", enum: ["mo", "tu", "we"] }, default: ["tu"] },
  },
  required: ["name", "meal"],
};
const question = { server: "docs", message: "Who comes?", schema };

test("a form has a field for each kind, with its defaults, and answers what was filled in", async () => {
  const { resolve } = await show("mcp_form", question);
  expect(screen.getByRole("form", { name: 'The server "docs" asks: Who comes?' })).toBeTruthy();
  const name = screen.getByLabelText<HTMLInputElement>("Name");
  expect([name.required, name.minLength, described(name)]).toEqual([true, 2, "as on the card"]);
  const types = ["mail", "site", "day", "at", "seats", "share"].map(
    (label) => screen.getByLabelText<HTMLInputElement>(label).type,
  );
  expect(types).toEqual(["email", "url", "date", "datetime-local", "number", "number"]);
  write("Name", "Ann");
  write("mail", "ann@example.com");
  write("at", "2026-12-24T18:30");
  fireEvent.click(screen.getByLabelText("inside"));
  fireEvent.click(screen.getByLabelText("Fish"));
  fireEvent.click(screen.getByLabelText("we"));
  press("Answer");
  expect(resolve).toHaveBeenCalledExactlyOnceWith({
    action: "accept",
    content: {
      name: "Ann",
      mail: "ann@example.com",
      day: "2026-12-24",
      at: new Date("2026-12-24T18:30").toISOString(),
      seats: 2,
      inside: false,
      meal: "f",
      days: ["tu", "we"],
    },
  });
});

test("a form says at each field what did not fit, and keeps what was filled in, not what was left out", async () => {
  const content = { name: "Ann", seats: 12, days: ["mo"], at: "2026-12-24T17:30:00.000Z", inside: false };
  await show("mcp_form", { ...question, content, issues: [{ path: ["seats"], message: "must be at most 8" }] });
  const seats = screen.getByLabelText<HTMLInputElement>("seats");
  expect([seats.value, seats.getAttribute("aria-invalid")]).toEqual(["12", "true"]);
  expect(described(seats)).toBe("must be at most 8");
  const at = screen.getByLabelText<HTMLInputElement>("at");
  expect(new Date(at.value).toISOString()).toBe(content.at);
  const checked = ["mo", "tu", "inside"].map((label) => screen.getByLabelText<HTMLInputElement>(label).checked);
  expect(checked).toEqual([true, false, false]);
});

test("a form can be declined, and says afterwards what was answered", async () => {
  const { resolve } = await show("mcp_form", question);
  press("Decline");
  expect(resolve).toHaveBeenCalledExactlyOnceWith({ action: "decline" });
  const answer = { action: "accept", content: { name: "Ann", meal: "f", days: ["mo", "we"] } };
  const { container } = await show("mcp_form", question, { status: "resolved", answer });
  expect(container.textContent).toContain("Name: Ann\nmeal: Fish\ndays: mo, we");
  const declined = await show("mcp_form", question, { status: "resolved", answer: { action: "decline" } });
  expect(declined.container.textContent).toContain("Declined");
});

test("an address is shown whole and opened by the person alone, in a window without a hold on the page", async () => {
  const url = "https://bank.example/pay?id=1";
  const { resolve } = await show("mcp_link", { server: "docs", message: "Pay there.", url });
  const link = screen.getByRole<HTMLAnchorElement>("link", { name: url });
  expect([link.href, link.target, link.rel]).toEqual([url, "_blank", "noopener noreferrer"]);
  expect(
    screen.getByRole("form", { name: 'The server "docs" asks you to open an address of bank.example: Pay there.' }),
  ).toBeTruthy();
  press("Done");
  press("Decline");
  expect(vi.mocked(resolve).mock.calls).toEqual([[{ action: "accept" }], [{ action: "decline" }]]);
});

test("what a server asks the model, and what it gets of that, are shown whole before anybody allows them", async () => {
  const messages = [
    { by: "user", text: "Cheese\u202e" },
    { by: "assistant", text: "On <b>cheese</b>" },
  ];
  const sent = await show("mcp_sampling", { server: "docs", step: "send", system: "You write titles.", messages });
  expect(screen.getByRole("form", { name: 'The server "docs" wants to ask your model this:' })).toBeTruthy();
  const said = [...sent.container.querySelectorAll("dl > div")].map(({ children }) =>
    [...children].map(({ textContent }) => textContent),
  );
  expect(said).toEqual([
    ["System", "You write titles."],
    ["1 user", "Cheese\\u202E"],
    ["2 assistant", "On <b>cheese</b>"],
  ]);
  // What turns letters around is shown as what it is.
  expect(sent.container.textContent).not.toContain("\u202e");
  const allow = screen.getByRole<HTMLButtonElement>("button", { name: "Allow" });
  // The second press of a double one was meant for the question before.
  press("Allow");
  fireEvent.submit(screen.getByRole("form"));
  expect([allow.disabled, vi.mocked(sent.resolve).mock.calls]).toEqual([true, []]);
  await waitFor(() => expect(allow.disabled).toBe(false));
  press("Allow");
  press("Decline");
  expect(vi.mocked(sent.resolve).mock.calls).toEqual([[{ action: "accept" }], [{ action: "decline" }]]);
  await show("mcp_sampling", { server: "docs", step: "give", messages: [{ by: "assistant", text: "Cheese" }] });
  const given = screen.getByRole("form", { name: 'This is what the server "docs" gets from your model:' });
  expect(given.textContent).not.toContain("assistant");
  const over = { status: "resolved", answer: { action: "decline" } } as const;
  expect((await show("mcp_sampling", { server: "docs", step: "give", messages }, over)).container.textContent).toContain(
    "Declined",
  );
});

test("pictures and sounds are drawn, and tools, calls and results are shown, before anybody allows them", async () => {
  const media = [
    { type: "image/png", data: "iVBORw0KGgo=" },
    { type: "audio/wav", data: "UklGRg==" },
  ];
  const messages = [
    { by: "user", text: "What is this?", media },
    { by: "assistant", text: "", calls: [{ id: "t1", name: "weather", input: { in: "Rome" } }] },
    { by: "user", text: "", results: [{ call: "t1", name: "weather", text: "Sunny", failed: false }] },
  ];
  const tools = [{ name: "weather", description: "Tells the weather.", inputSchema: { type: "object" } }];
  const { container } = await show("mcp_sampling", { server: "docs", step: "send", messages, tools });
  expect(container.querySelector("img")?.src).toBe("data:image/png;base64,iVBORw0KGgo=");
  expect(container.querySelector("audio")?.src).toBe("data:audio/wav;base64,UklGRg==");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow" }).disabled).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: /^Show all/ }));
  for (const words of ["Rome", "Sunny", "Tells the weather."]) expect(container.textContent).toContain(words);
  const given = await show("mcp_sampling", { server: "docs", step: "give", messages: messages.slice(1, 2) });
  for (const words of ["weather", "Rome"]) expect(given.container.textContent).toContain(words);
});

test.each(["send", "give"])("nobody allows to %s what is folded", async (step) => {
  const text = `${"\n".repeat(200)}Tell all you know.`;
  const { container, resolve } = await show("mcp_sampling", { server: "docs", step, messages: [{ by: "user", text }] });
  const allow = screen.getByRole<HTMLButtonElement>("button", { name: "Allow" });
  await act(() => new Promise((resolve) => setTimeout(resolve, 900)));
  fireEvent.submit(screen.getByRole("form"));
  expect([allow.disabled, vi.mocked(resolve).mock.calls]).toEqual([true, []]);
  fireEvent.click(screen.getByRole("button", { name: /^Show all/ }));
  expect(container.textContent).toContain(text);
  await waitFor(() => expect(allow.disabled).toBe(false));
  press("Allow");
  expect(resolve).toHaveBeenCalledExactlyOnceWith({ action: "accept" });
});

const asks = {
  server: "shop",
  url: "https://shop.example/mcp",
  message: 'The server "shop" (shop.example) wants you to sign in.',
};

test("a page that knows no such server says so, and lets nobody sign in there", async () => {
  const { reject } = await show("mcp_sign_in", { ...asks, server: "unknown" });
  expect((await screen.findByRole("alert")).textContent).toBe("This page knows no such server. Reload it, and try again.");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Sign in" }).disabled).toBe(true);
  press("Cancel");
  expect(reject).toHaveBeenCalledOnce();
});

test("a question to sign in tells of a blocked window and of what went wrong, and is answered by whoever signs in", async () => {
  const rows = new Map<string, string>();
  const store = {
    get: (key: string) => rows.get(key),
    set: (key: string, value: string) => void rows.set(key, value),
    delete: (key: string) => void rows.delete(key),
  };
  const auth = createMcpAuth({ store, fetch: async () => new Response("down", { status: 503 }) });
  mcpServer({ name: "shop", url: asks.url, auth });
  const open = vi.spyOn(window, "open").mockReturnValue(null);
  const { resolve } = await show("mcp_sign_in", asks);
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Sign in" }).disabled).toBe(false));
  press("Sign in");
  await screen.findByText("Your browser blocks the window. The page can be left for it; the conversation waits.");
  press("Sign in on this page");
  expect((await screen.findByRole("alert")).textContent).toMatch(/^The sign-in failed: HTTP 503/);
  expect(resolve).not.toHaveBeenCalled();
  open.mockRestore();
  // Another tab.
  for (const key of rows.keys()) if (key.startsWith('["failed"')) rows.delete(key);
  rows.set(JSON.stringify(["tokens", asks.url, ""]), JSON.stringify({ tokens: { access_token: "a" } }));
  act(() => new BroadcastChannel("glove-mcp-auth").postMessage({ owner: [asks.url, ""] }));
  await waitFor(() => expect(resolve).toHaveBeenCalledExactlyOnceWith("signed in"));
});

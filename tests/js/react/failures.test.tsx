// What a person reads when something fails, or takes its time: each case in its own words, and what can be done.
import { act, render, screen, waitFor } from "@testing-library/react";
import { MemoryStore } from "glove-wasm";
import { GloveError, type ModelAdapter, Render, type ShownEntry } from "glove-wasm/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { chat } from "./chat.js";
import { agent, handle, user } from "./handle.js";

let logged: string[];
beforeEach(() => {
  logged = [];
  vi.spyOn(console, "error").mockImplementation((text: unknown) => void logged.push(String(text)));
});
afterEach(() => vi.restoreAllMocks());

const said = (error: Error, timeline: ShownEntry[] = [user("u", "q")]): string | null | undefined => {
  const view = render(<Render glove={handle({ timeline, error, run: { phase: "paused" }, resume: vi.fn() })} />);
  const text = screen.getByRole("alert").querySelector("p")?.textContent;
  view.unmount();
  return text;
};

const cut: ShownEntry[] = [user("u", "q"), { ...agent("a", "Half of"), partial: true } as ShownEntry];
const setUp = "The assistant is not set up correctly. Please tell whoever runs it.";
const usedUp = "The assistant has used up what it may use for now. Try again later, or tell whoever runs it.";

test("each case has words of its own, and what is for developers stands in the details", () => {
  const cases: [code: string, more: object, text: string][] = [
    ["MODEL_RATE_LIMIT", { retryable: true }, "The assistant is getting too many requests right now."],
    ["MODEL_RATE_LIMIT", { retryable: false, status: 402 }, usedUp],
    ["MODEL_SERVER", {}, "The assistant has a problem right now. Try again in a moment."],
    ["MODEL_NETWORK", {}, "There is no connection to the assistant. Check your network and try again."],
    ["MODEL_NOT_FOUND", { status: 404 }, setUp],
    ["MODEL_CONFIG", {}, setUp],
    ["MODEL_AUTHENTICATION", { status: 401 }, "The assistant did not accept this sign-in or key."],
    // The key of the server, not the person's.
    ["MODEL_AUTHENTICATION", { status: 502 }, setUp],
    ["WASM_BLOCKED_BY_CSP", {}, setUp],
    ["WASM_NOT_FETCHED", {}, setUp],
    ["WASM_NOT_FETCHED", { retryable: true }, "A part of this page could not be loaded. Check your network, or reload the page."],
    ["WORKER_UNAVAILABLE", {}, setUp],
    ["WASM_NOT_STARTED", {}, "The assistant cannot start in this browser. Try again, or use another browser."],
  ];
  for (const [code, more, text] of cases) expect(said(new GloveError(code, "raw: no such thing", more)), code).toBe(text);
});

test("a connection that breaks in the middle of an answer is no matter of the network alone", () => {
  const error = new GloveError("MODEL_NETWORK", "The connection to the model broke (reset)", { retryable: true });
  expect(said(error, cut)).toBe("The connection broke in the middle of the answer.");
  expect(said(error)).toContain("Check your network");
});

test("the words can be translated as all others", () => {
  const labels = { [setUp]: "Der Assistent ist nicht richtig eingerichtet." } as const;
  const error = new GloveError("MODEL_NOT_FOUND", "m");
  render(<Render glove={handle({ error })} labels={labels} />);
  expect(screen.getByRole("alert").textContent).toContain("nicht richtig eingerichtet");
});

test("who stopped an answer is told so, and not that it was cut off", () => {
  const entry = (more: object) => ({ ...agent("a", "Half of"), partial: true, ...more }) as ShownEntry;
  const note = (more: object) => {
    const view = render(<Render glove={handle({ timeline: [user("u", "q"), entry(more)] })} />);
    const text = view.container.querySelector("[data-glove-cut-note]")?.textContent;
    view.unmount();
    return text;
  };
  expect([note({ stopped: true }), note({})]).toEqual(["You stopped this answer.", "This answer was cut off."]);
});

test("a wait is counted down without a render of the messages, and gives way to the answer", () => {
  vi.useFakeTimers();
  const drawn = vi.fn((): null => null);
  const waiting = { code: "MODEL_RATE_LIMIT", until: Date.now() + 20_000 };
  const parts = { timeline: [user("u", "q")], busy: true, status: "submitted" as const };
  const glove = handle({ ...parts, waiting });
  const { container, rerender } = render(<Render glove={glove} renderMessage={drawn} />);
  const status = () => container.querySelector("[data-glove-role=working]");
  const words = () => status()?.textContent;
  expect(words()).toBe("Busy; trying again in 20 s");
  const before = drawn.mock.calls.length;
  act(() => vi.advanceTimersByTime(3_000));
  expect([words(), drawn.mock.calls.length]).toEqual(["Busy; trying again in 17 s", before]);
  act(() => vi.advanceTimersByTime(17_000));
  // The second try may take its time, and is no silence.
  expect([words(), status()?.getAttribute("aria-label")]).toEqual(["Thinking…", "Working"]);
  rerender(<Render glove={handle({ ...parts, waiting: { code: "MODEL_SERVER", until: Date.now() + 5_000 } })} />);
  expect([words(), status()?.getAttribute("aria-label")]).toEqual(["No answer; trying again in 5 s", null]);
  rerender(<Render glove={handle({ ...parts, waiting, streamingText: "Here" })} />);
  expect(words()).toBeUndefined();
  vi.useRealTimers();
});

test("what is kept in memory only is said to be", () => {
  const line = "This conversation is kept only until this page is closed.";
  const { rerender } = render(<Render glove={handle({ warning: { code: "STORAGE_MEMORY" } })} />);
  expect(screen.getByText(line)).toBeDefined();
  rerender(<Render glove={handle()} />);
  expect(screen.queryByText(line)).toBeNull();
});

test("a browser without a database says so, and a store in memory that the application chose does not", async () => {
  const line = "This conversation is kept only until this page is closed.";
  const { glove, container } = chat([{ text: "Hello" }]);
  await act(() => glove.sendMessage("hi"));
  await waitFor(() => expect(screen.getByText(line)).toBeDefined());
  expect(container.textContent).toContain("Hello");
  const own = chat([{ text: "Hello" }], { client: { createStore: (id) => new MemoryStore(id) } });
  await act(() => own.glove.sendMessage("hi"));
  expect(own.container.textContent).not.toContain(line);
});

test("the console of the page says each failure of a model once", async () => {
  const failing = (): ModelAdapter => ({
    name: "failing",
    setSystemPrompt() {},
    prompt: () => Promise.reject(new GloveError("MODEL_NOT_FOUND", "model: m; set `model` to another one", { status: 404 })),
  });
  const shown = chat([], { client: { createModel: failing } });
  await act(() => shown.glove.sendMessage("hi").catch(() => {}));
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain(setUp));
  expect(logged).toEqual(["MODEL_NOT_FOUND: model: m; set `model` to another one"]);
});

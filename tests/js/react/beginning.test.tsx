// Conversations that cannot begin: who is told, and how it goes on.
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { MemoryStore } from "glove-wasm/react";
import { expect, test, vi } from "vitest";
import { asks, chat, press } from "./chat.js";
import { clientOf, moment, nothing, show, until } from "./page.js";

test.each<[string, (broken: () => boolean) => Parameters<typeof chat>[1]]>([
  [
    "stored conversation",
    (broken) => ({
      client: {
        createStore: (id) => {
          const store = new MemoryStore(id);
          const read = store.readRun.bind(store);
          store.readRun = () => (broken() ? Promise.reject(new Error("no luck")) : read());
          return store;
        },
      },
    }),
  ],
  ["session id", (broken) => ({ config: { getSessionId: async () => (broken() ? Promise.reject(new Error("no luck")) : "s") } })],
])("a %s that cannot be had is tried again with a button", async (_, options) => {
  let broken = true;
  const page = chat(
    ["Good day."],
    options(() => broken),
  );
  expect((await screen.findByRole("alert")).textContent).toContain("no luck");
  press("Try again");
  await moment();
  expect((await screen.findByRole("alert")).textContent).toContain("no luck");
  broken = false;
  press("Try again");
  await waitFor(() => expect(page.glove.sessionReady).toBe(true));
  expect(screen.queryByRole("alert")).toBeNull();
  expect(page.glove).toMatchObject({ status: "ready", error: undefined });
});

test.each([
  ["a tool without a `do`", { tools: [{ name: "t", description: "", inputSchema: nothing } as never] }, "TOOL_INVALID"],
  ["two tools of one name", { tools: [asks("a", 1), asks("a", 1)] }, "TOOL_NAME_TAKEN"],
  [
    "a store that cannot be read",
    {
      createStore: (id: string) =>
        Object.assign(new MemoryStore(id), { readRun: () => Promise.reject(new Error("The disk is gone.")) }),
    },
    "STORE_FAILED",
  ],
])("%s is said in the console once, for who draws no errors", async (_, client, code) => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  show(clientOf([], client).client, {}, { strict: true });
  await waitFor(() => expect(said).toHaveBeenCalled());
  await moment();
  expect(said.mock.calls.map(([error]) => error)).toEqual([expect.objectContaining({ code })]);
  said.mockRestore();
});

test("why a session cannot be opened is told to subscribers, and not in the console then", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const heard: unknown[] = [];
  const record = (type: string, data: unknown) => void (type === "error" && heard.push(data));
  const readRun = () => Promise.reject(new Error("The disk is gone."));
  const createStore = (id: string) => Object.assign(new MemoryStore(id), { readRun });
  const shown = show(clientOf([], { createStore, subscribers: [{ record }] }).client);
  await until(shown, ({ error }) => error !== undefined);
  await act(() => shown.glove.sendMessage("Hi").then(undefined, () => {}));
  expect(heard.filter((error) => JSON.stringify(error).includes("disk"))).toHaveLength(1);
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
});

test("what is sent before its conversation can be opened is in the composer again after a reload", async () => {
  const never = new Promise<never>(() => {});
  const createStore = (id: string) => {
    const store = new MemoryStore(id);
    const read = store.readRun.bind(store);
    return Object.assign(store, { readRun: () => (opens ? read() : never) });
  };
  let opens = false;
  const options = { client: { createStore }, config: { sessionId: "s" } } as const;
  const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  const say = (text: string) => {
    fireEvent.change(field(), { target: { value: text } });
    fireEvent.submit(field().form as HTMLFormElement);
  };
  const before = chat([], options);
  say("One");
  say("Two");
  expect([field().value, before.glove.queue.map(({ text }) => text)]).toEqual(["", ["One", "Two"]]);
  cleanup();
  opens = true;
  const page = chat(["Good day."], options);
  expect(field().value).toBe("One\nTwo");
  await waitFor(() => expect(page.glove.sessionReady).toBe(true));
  fireEvent.submit(field().form as HTMLFormElement);
  await screen.findByText("Good day.");
  cleanup();
  chat([], options);
  expect(field().value).toBe("");
});

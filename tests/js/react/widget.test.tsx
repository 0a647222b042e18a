// `<ChatWidget>`: what is loaded when, where the focus goes, what is counted, and what a reload finds.
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import {
  ChatWidget,
  type ChatWidgetProps,
  GloveProvider,
  preloadChatWidget,
  preloadLanguage,
  Render,
  useGlove,
} from "glove-wasm/react";
import { StrictMode, useState } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { agent, handle, user } from "./handle.js";
import { clientOf } from "./page.js";

beforeAll(preloadChatWidget);
beforeEach(() => sessionStorage.clear());
afterEach(cleanup);

type Client = ReturnType<typeof clientOf>["client"];
const tree = (client: Client, props: ChatWidgetProps = {}) => (
  <GloveProvider client={client}>
    <a href="#page">The page</a>
    <ChatWidget {...props} />
  </GloveProvider>
);
const button = (name: string | RegExp = /^Chat/) => screen.findByRole("button", { name });
const panel = () => screen.queryByRole("dialog", { hidden: true });
const composer = () => screen.findByRole("textbox", { name: "Message", hidden: true });
const isOpen = async () => (await button()).getAttribute("aria-expanded") === "true";

/** Ends when the test says so. */
function held() {
  let end = () => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { until, end };
}
const waiting = (until: Promise<void>) => ({
  tools: [{ name: "wait", description: "", jsonSchema: { type: "object" as const }, do: () => until.then(() => "done") }],
});
const calls = { toolCalls: [{ name: "wait" }] };

async function say(text: string) {
  fireEvent.change(await composer(), { target: { value: text } });
  fireEvent.keyDown(await composer(), { key: "Enter" });
}

test("no conversation is opened before the panel is, and it stays when that is closed", async () => {
  const { client } = clientOf(["Hello!"]);
  const opened = vi.fn();
  client.onSession(opened);
  render(tree(client));
  const launcher = await button();
  expect(launcher.getAttribute("aria-expanded")).toBe("false");
  expect(launcher.getAttribute("aria-haspopup")).toBe("dialog");
  expect(panel()).toBeNull();
  await act(() => new Promise((done) => setTimeout(done, 50)));
  expect(opened).not.toHaveBeenCalled();

  launcher.focus();
  fireEvent.click(launcher);
  const field = await composer();
  expect(opened).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(document.activeElement).toBe(field));
  const dialog = screen.getByRole("dialog", { name: "Chat" });
  expect(launcher.getAttribute("aria-controls")).toBe(dialog.id);
  expect(dialog.getAttribute("aria-modal")).toBeNull();

  fireEvent.keyDown(field, { key: "Escape" });
  expect(await isOpen()).toBe(false);
  expect(document.activeElement).toBe(launcher);
  expect(panel()).toBe(dialog);
  expect(dialog.inert).toBe(true);
  expect(await composer()).toBe(field);

  fireEvent.click(launcher);
  expect(dialog.inert).toBe(false);
  expect(document.activeElement).toBe(field);
  fireEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(document.activeElement).toBe(launcher);
});

test("a run goes on when the panel closes, Escape does not stop it, and its answer is counted until somebody looks", async () => {
  const { until, end } = held();
  const { client } = clientOf([calls, "It is done."], waiting(until));
  render(tree(client));
  fireEvent.click(await button());
  await say("Go");
  await screen.findByRole("button", { name: "Stop" });
  fireEvent.keyDown(await composer(), { key: "Escape" });
  expect(await isOpen()).toBe(false);
  const status = document.querySelector("[data-glove-widget] > [role=status]");
  expect(status?.textContent).toBe("");
  await act(async () => end());
  const launcher = await button("Chat. New answers: 1");
  expect(launcher.textContent).toBe("1");
  expect(status?.textContent).toBe("New answers: 1");
  fireEvent.click(launcher);
  await screen.findByText("It is done.");
  expect(launcher.textContent).toBe("");
  expect(launcher.getAttribute("aria-label")).toBe("Chat");
});

test("an answer that comes while the panel is open, or that was there when it was opened, is not counted", async () => {
  const { client } = clientOf(["One.", "Two."], { persistSession: true });
  const { unmount } = render(tree(client));
  fireEvent.click(await button());
  await say("Go");
  await screen.findByText("One.");
  fireEvent.keyDown(await composer(), { key: "Escape" });
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect((await button()).textContent).toBe("");
  unmount();
  render(tree(client));
  fireEvent.click(await button());
  await screen.findByText("One.");
  fireEvent.keyDown(await composer(), { key: "Escape" });
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect((await button()).textContent).toBe("");
});

test("a question that waits is counted too", async () => {
  const { until, end } = held();
  const tools = [
    { name: "wait", description: "", jsonSchema: { type: "object" as const }, do: () => until.then(() => "done") },
    { name: "rm", description: "", jsonSchema: { type: "object" as const }, requiresPermission: true, do: () => "gone" },
  ];
  const { client } = clientOf([calls, { toolCalls: [{ name: "rm" }] }, "Fine."], { tools });
  render(tree(client));
  fireEvent.click(await button());
  await say("Go");
  await screen.findByRole("button", { name: "Stop" });
  fireEvent.click(await button());
  await act(async () => end());
  await button("Chat. New answers: 1");
});

test("with `remember` a reload finds it open, without taking the focus; without, it is closed", async () => {
  const { client } = clientOf([]);
  for (const remember of [true, false]) {
    const first = render(<StrictMode>{tree(client, { remember })}</StrictMode>);
    const link = screen.getByText("The page");
    link.focus();
    fireEvent.click(await button());
    await waitFor(async () => expect(document.activeElement).toBe(await composer()));
    first.unmount();
    if (!remember) sessionStorage.clear();
    const second = render(<StrictMode>{tree(client, { remember })}</StrictMode>);
    screen.getByText("The page").focus();
    await waitFor(async () => expect(await isOpen()).toBe(remember));
    if (remember) await composer();
    await act(() => new Promise((done) => setTimeout(done, 20)));
    expect(document.activeElement).toBe(screen.getByText("The page"));
    second.unmount();
  }
});

test("with `remember` a run that a reload found behind a closed panel goes on, and what came is still counted", async () => {
  sessionStorage.setItem("glove-wasm:typed:widget", JSON.stringify({ open: false, runs: true, unread: 2 }));
  const { client } = clientOf([]);
  render(tree(client, { remember: true }));
  await composer();
  expect(await isOpen()).toBe(false);
  await button("Chat. New answers: 2");

  cleanup();
  for (const broken of ["", "null", "[]", '{"open":1,"runs":"yes","unread":-0.5}']) {
    sessionStorage.setItem("glove-wasm:typed:widget", broken);
    render(tree(client, { remember: true }));
    expect((await button("Chat")).textContent).toBe("");
    expect(panel()).toBeNull();
    cleanup();
  }
});

test("who opens it from elsewhere gets the focus back there, and who went elsewhere keeps it", async () => {
  const { client } = clientOf([]);
  const Page = () => {
    const [open, setOpen] = useState(false);
    return (
      <GloveProvider client={client}>
        <button type="button" onClick={() => setOpen(true)}>
          Ask us
        </button>
        <ChatWidget open={open} onOpenChange={setOpen} label="Ask the shop" position="start" />
      </GloveProvider>
    );
  };
  render(<Page />);
  const own = screen.getByText("Ask us");
  const launcher = await button("Ask the shop");
  expect(launcher.closest("[data-glove-widget=start]")).toBeTruthy();
  own.focus();
  fireEvent.click(own);
  await waitFor(async () => expect(document.activeElement).toBe(await composer()));
  expect(screen.getByRole("dialog", { name: "Ask the shop" })).toBeTruthy();
  fireEvent.keyDown(await composer(), { key: "Escape" });
  expect(document.activeElement).toBe(own);
  fireEvent.click(launcher);
  launcher.focus();
  fireEvent.keyDown(launcher, { key: "Escape" });
  expect(launcher.getAttribute("aria-expanded")).toBe("false");
  expect(document.activeElement).toBe(launcher);
});

test("the application that says whether it is open decides alone", async () => {
  const { client } = clientOf([]);
  const told = vi.fn();
  const { rerender } = render(tree(client, { open: true, onOpenChange: told }));
  const field = await composer();
  // It was open with the page.
  expect(document.activeElement).toBe(document.body);
  fireEvent.keyDown(field, { key: "Escape" });
  expect(told.mock.calls).toEqual([[false]]);
  expect(await isOpen()).toBe(true);
  rerender(tree(client, { open: false, onOpenChange: told }));
  expect(await isOpen()).toBe(false);
});

test("Escape that something in the chat has taken does not close it", async () => {
  const { client } = clientOf(["One."]);
  render(tree(client));
  fireEvent.click(await button());
  await say("Go");
  await screen.findByText("One.");
  fireEvent.click(await screen.findByRole("button", { name: "Edit" }));
  const editor = await screen.findByRole("textbox", { name: "Edit message" });
  fireEvent.keyDown(editor, { key: "Escape" });
  expect(await isOpen()).toBe(true);
  fireEvent.keyDown(await composer(), { key: "Escape", isComposing: true });
  expect(await isOpen()).toBe(true);
  fireEvent.keyDown(await composer(), { key: "Escape" });
  expect(await isOpen()).toBe(false);
  // What had the focus is gone; but what stands on the page is not asked for its key.
  fireEvent.click(await button());
  fireEvent.keyDown(screen.getByText("The page"), { key: "Escape" });
  expect(await isOpen()).toBe(true);
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(await isOpen()).toBe(false);
});

test("it takes a handle without a provider, and a chat of one's own, which is counted too", async () => {
  const glove = handle({ timeline: [user("u1"), agent("a1")] });
  render(<ChatWidget glove={glove} unread={120} />);
  const launcher = await button("Chat. New answers: 120");
  expect(launcher.textContent).toBe("99+");
  fireEvent.click(launcher);
  await screen.findByText("a1");
  cleanup();

  const { until, end } = held();
  const { client } = clientOf([calls, "Mine."], waiting(until));
  const drawn = vi.fn();
  const Own = () => {
    drawn();
    return <Render glove={useGlove()} />;
  };
  render(tree(client, { children: <Own /> }));
  await button("Chat");
  expect(drawn).not.toHaveBeenCalled();
  fireEvent.click(await button());
  await say("Go");
  await screen.findByRole("button", { name: "Stop" });
  fireEvent.click(await button());
  await act(async () => end());
  await button("Chat. New answers: 1");
});

test("it speaks the language of its page", async () => {
  document.documentElement.lang = "de";
  try {
    const { client } = clientOf([]);
    await act(async () => {
      render(tree(client, { unread: 3 }));
      await preloadLanguage("de");
    });
    await button("Chat. Neue Antworten: 3");
  } finally {
    document.documentElement.removeAttribute("lang");
  }
});

test("the HTML of a server has the button, and is taken over; what is remembered comes after that", async () => {
  sessionStorage.setItem("glove-wasm:typed:widget", JSON.stringify({ open: true, runs: false, unread: 0 }));
  const { client } = clientOf([]);
  const page = tree(client, { remember: true });
  const container = document.createElement("div");
  container.innerHTML = renderToString(page);
  document.body.append(container);
  const launcher = container.querySelector("[data-glove-launcher]");
  expect(launcher?.getAttribute("aria-expanded")).toBe("false");
  expect(container.querySelector("[role=dialog]")).toBeNull();
  const failed = vi.fn();
  const root = await act(async () => hydrateRoot(container, page, { onRecoverableError: failed }));
  await composer();
  expect(container.querySelector("[data-glove-launcher]")).toBe(launcher);
  expect(launcher?.getAttribute("aria-expanded")).toBe("true");
  expect(failed).not.toHaveBeenCalled();
  await act(async () => root.unmount());
  container.remove();
});

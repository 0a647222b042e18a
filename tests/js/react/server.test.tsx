// Rendering on a server, and taking over in the page.
import { act, waitFor } from "@testing-library/react";
import { type ComponentType, createElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A module of the package as a server loads it: without a page around. */
async function onServer<T>(work: (glove: typeof import("glove-wasm/react")) => T | Promise<T>): Promise<T> {
  vi.resetModules();
  // React finishes what the test before has begun, with the window that it began with.
  await new Promise((resolve) => setTimeout(resolve, 10));
  for (const name of ["window", "document", "localStorage", "navigator"]) vi.stubGlobal(name, undefined);
  const compiled = vi.spyOn(WebAssembly, "compile");
  const made = vi.spyOn(WebAssembly, "Module");
  try {
    const glove = await import("glove-wasm/react");
    await glove.preloadRender();
    return await work(glove);
  } finally {
    expect(compiled).not.toHaveBeenCalled();
    expect(made).not.toHaveBeenCalled();
    compiled.mockRestore();
    made.mockRestore();
    vi.unstubAllGlobals();
    vi.resetModules();
  }
}

function page(glove: typeof import("glove-wasm/react"), hook: "useGlove" | "useSuspenseGlove", calls: string[] = []) {
  const { GloveClient, GloveProvider, Render } = glove;
  const client = new GloveClient({
    endpoint: "/chat",
    systemPrompt: "You are a test.",
    persistSession: true,
    createStore: (id) => {
      calls.push("store");
      return new glove.MemoryStore(id);
    },
  });
  const Chat: ComponentType = () => {
    const chat = glove[hook]({ onSessionChange: () => {} });
    const count = glove.useGlove(({ timeline }) => timeline.length);
    return createElement(
      "main",
      null,
      createElement("p", null, `${chat.status} ${chat.sessionReady} ${chat.sessionId} ${count}`),
      createElement(Render, { glove: chat }),
    );
  };
  return createElement(GloveProvider, { client, fallback: createElement("p", null, "wait") }, createElement(Chat));
}

test.each(["useGlove", "useSuspenseGlove"] as const)(
  "%s renders on a server and is taken over without a warning",
  async (hook) => {
    const problems = vi.spyOn(console, "error");
    const made: string[] = [];
    const html = await onServer((glove) => renderToString(page(glove, hook, made)));
    expect(html).toContain("ready false  0");
    expect(html).toContain("<textarea");
    // A Content-Security-Policy may forbid them.
    expect(html).not.toContain("style=");
    expect(made).toEqual([]);

    const glove = await import("glove-wasm/react");
    await glove.preloadRender();
    const root = document.createElement("div");
    root.innerHTML = html;
    document.body.append(root);
    const recovered = vi.fn();
    const mounted = await act(async () => hydrateRoot(root, page(glove, hook), { onRecoverableError: recovered }));
    await waitFor(() => expect(root.textContent).toMatch(/ready true glove_/));
    expect(problems).not.toHaveBeenCalled();
    expect(recovered).not.toHaveBeenCalled();
    act(() => mounted.unmount());
    root.remove();
  },
);

test("a conversation that the application names is named on the server too", async () => {
  const html = await onServer(({ GloveClient, useGlove, GloveProvider }) => {
    const client = new GloveClient({ endpoint: "/chat", systemPrompt: "" });
    const Id = () => createElement("p", null, useGlove({ sessionId: "given" }).sessionId);
    return renderToString(createElement(GloveProvider, { client }, createElement(Id)));
  });
  expect(html).toBe("<p>given</p>");
});

test("a list of threads is empty on a server, and is taken over without a warning", async () => {
  const problems = vi.spyOn(console, "error");
  const tree = (glove: typeof import("glove-wasm/react")) => {
    const { GloveClient, GloveProvider, ThreadList, useThreads } = glove;
    const client = new GloveClient({ endpoint: "/chat", systemPrompt: "" });
    const Count = () => createElement("p", null, `${useThreads().threads.length} ${useThreads().ready}`);
    return { client, element: createElement(GloveProvider, { client }, createElement(ThreadList), createElement(Count)) };
  };
  const html = await onServer(async (glove) => {
    await glove.preloadThreadList();
    return renderToString(tree(glove).element);
  });
  expect(html).toContain("<p>0 false</p>");
  expect(html).toContain("New conversation");
  const glove = await import("glove-wasm/react");
  await glove.preloadThreadList();
  const { client, element } = tree(glove);
  await client.importSession(
    JSON.stringify({ format: "glove-session", version: 1, id: "x", messages: [{ sender: "user", text: "Kept" }] }),
  );
  const root = document.createElement("div");
  root.innerHTML = html;
  document.body.append(root);
  const recovered = vi.fn();
  const mounted = await act(async () => hydrateRoot(root, element, { onRecoverableError: recovered }));
  await waitFor(() => expect(root.textContent).toMatch(/Kept.*1 true/));
  expect(problems).not.toHaveBeenCalled();
  expect(recovered).not.toHaveBeenCalled();
  act(() => mounted.unmount());
  root.remove();
});

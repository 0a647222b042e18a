// The entries for Vue, Svelte and Solid where there is no window, and their conversations and threads in scopes of Vue.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { GloveClient, type GloveClientConfig, MemoryStore } from "glove-wasm";
import { GloveProvider, useGlove as useSolidGlove, useThreads as useSolidThreads } from "glove-wasm/solid";
import { createScriptedModel } from "glove-wasm/testing";
import { provideGlove, useGlove, useThreads } from "glove-wasm/vue";
import { createComponent, renderToString as renderSolid } from "solid-js/web";
import { compile } from "svelte/compiler";
import { render as renderSvelte } from "svelte/server";
import { afterEach, expect, test, vi } from "vitest";
import { createSSRApp, effectScope, h, isReactive, reactive, ref, watch } from "vue";
import { renderToString as renderVue } from "vue/server-renderer";
import { root } from "../../support/project.js";

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

function clientOf(config: Partial<GloveClientConfig> = {}): GloveClient {
  const stores = new Map<string, MemoryStore>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  const client = new GloveClient({
    createModel: () => createScriptedModel(["one", "two", "three"]),
    createStore,
    systemPrompt: "",
    ...config,
  });
  undo.push(() => void client.dispose());
  return client;
}

/** What `setup` does, without a component. */
function scoped<T>(work: () => T): { readonly made: T; stop(): void } {
  const scope = effectScope();
  const made = scope.run(work) as T;
  undo.push(() => scope.stop());
  return { made, stop: () => scope.stop() };
}

// ---- on a server ---------------------------------------------------------------------------------------------------

const shown = "0 entries, ready, 0 threads";

test("Vue on a server draws an empty conversation, and opens none", async () => {
  const createModel = vi.fn(() => createScriptedModel(["one"]));
  const client = clientOf({ createModel });
  const Chat = {
    setup() {
      const { timeline, status } = useGlove();
      const { threads } = useThreads();
      return () => h("p", `${timeline.value.length} entries, ${status.value}, ${threads.value.length} threads`);
    },
  };
  const App = {
    setup() {
      provideGlove({ client });
      return () => h(Chat);
    },
  };
  expect(await renderVue(createSSRApp(App))).toBe(`<p>${shown}</p>`);
  expect([client.hasSessions, createModel.mock.calls.length]).toEqual([false, 0]);
});

test("Solid on a server draws an empty conversation, and opens none", () => {
  const client = clientOf();
  const Chat = () => {
    const glove = useSolidGlove();
    const list = useSolidThreads();
    return `${glove.timeline.length} entries, ${glove.status}, ${list.threads.length} threads`;
  };
  const html = renderSolid(() =>
    createComponent(GloveProvider, {
      client,
      get children() {
        return createComponent(Chat, {});
      },
    }),
  );
  expect(html).toBe(shown);
  expect(client.hasSessions).toBe(false);
});

test("Svelte on a server draws an empty conversation, and opens none", async () => {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache", "svelte-"));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const sources = {
    App: `<script>import { provideGlove } from "glove-wasm/svelte"; import Chat from "./Chat.js"; let { client } = $props(); provideGlove({ client });</script><Chat />`,
    Chat: `<script>import { useGlove, useThreads } from "glove-wasm/svelte"; const glove = useGlove(); const list = useThreads();</script><p>{glove.timeline.length} entries, {glove.status}, {list.threads.length} threads</p>`,
  };
  for (const [name, source] of Object.entries(sources)) {
    const { js } = compile(source, { generate: "server", filename: `${name}.svelte` });
    writeFileSync(join(folder, `${name}.js`), js.code);
  }
  const { default: App } = await import(/* @vite-ignore */ pathToFileURL(join(folder, "App.js")).href);
  const client = clientOf();
  const { body } = await renderSvelte(App, { props: { client } });
  expect(body.replace(/<!--.*?-->/g, "")).toBe(`<p>${shown}</p>`);
  expect(client.hasSessions).toBe(false);
});

// ---- what is followed ----------------------------------------------------------------------------------------------

test("a conversation is followed by its parts, and no longer when its scope has ended", async () => {
  const client = clientOf();
  const { made: glove, stop } = scoped(() => useGlove({ client, sessionId: "a" }));
  const seen: number[] = [];
  const { timeline, busy, messages } = glove;
  scoped(() => watch(timeline, (now) => seen.push(now.length), { flush: "sync" }));
  expect(await glove.sendMessage("Hello")).toMatchObject({ type: "completed", text: "one" });
  await vi.waitFor(() => expect(busy.value).toBe(false));
  expect(timeline.value.map((entry) => "text" in entry && entry.text)).toEqual(["Hello", "one"]);
  expect(messages.value.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(seen.length).toBeGreaterThan(0);

  stop();
  const before = seen.length;
  await client.session("a").sendMessage("And now?");
  expect(seen.length).toBe(before);
});

test("settings in a ref change the conversation, also where the ref makes a proxy of the client", async () => {
  const client = clientOf();
  const config = reactive({ client, sessionId: "a" });
  expect(isReactive(config.client)).toBe(true);
  const { made: glove } = scoped(() => useGlove(config as never));
  await glove.sendMessage("In a");
  config.sessionId = "b";
  await vi.waitFor(() => expect(glove.sessionId.value).toBe("b"));
  await vi.waitFor(() => expect(glove.timeline.value).toEqual([]));
  config.sessionId = "a";
  await vi.waitFor(() => expect(glove.timeline.value.length).toBe(2));
});

test("a conversation that one of two scopes still shows goes on to be shown there", async () => {
  const client = clientOf();
  const first = scoped(() => useGlove({ client, sessionId: "a" }));
  const second = scoped(() => useGlove({ client, sessionId: "a" }));
  await first.made.sendMessage("Hello");
  first.stop();
  await second.made.sendMessage("Again");
  await vi.waitFor(() => expect(second.made.timeline.value.length).toBe(4));
});

test("threads are listed, and searched by what a ref says", async () => {
  const client = clientOf({ createStore: undefined });
  const search = ref("");
  const { made: list } = scoped(() => useThreads(() => ({ client, search: search.value })));
  await client.session("a").sendMessage("Apples");
  await client.session("b").sendMessage("Pears");
  const titles = () => list.threads.value.map(({ title }) => title).sort();
  await vi.waitFor(() => expect(titles()).toEqual(["Apples", "Pears"]));
  search.value = "pear";
  await vi.waitFor(() => expect(titles()).toEqual(["Pears"]));
  await list.rename("b", "Plums");
  await vi.waitFor(() => expect(titles()).toEqual([]));
});

// ---- what is refused, and what an entry brings ---------------------------------------------------------------------

test.each([
  ["nothing to talk to", () => useGlove({}), "useGlove requires a `client`, an `endpoint` or a `model`"],
  ["no client", () => useGlove({ client: {} as never }), "useGlove requires a `client`"],
  ["no client of threads", () => useThreads(), "useThreads requires a `client`"],
  ["settings that are none", () => useGlove(7 as never), "The settings must be an object, got 7."],
  ["an option that is none", () => useGlove({ client: clientOf(), renderers: {} } as never), "renderers"],
])("%s is refused in a sentence", (_, use, sentence) => {
  expect(() => scoped<unknown>(use)).toThrow(sentence);
});

test.each(["vue", "svelte", "solid"])("glove-wasm/%s brings no other framework, types included", async (name) => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "glove-wasm/${name}"`, resolveDir: root },
    bundle: true,
    splitting: true,
    format: "esm",
    write: false,
    outdir: "/out",
    external: ["react", "react-dom", "vue", "svelte", "solid-js"],
  });
  const code = outputFiles.map(({ text }) => text).join("\n");
  const named = new Set(
    [...code.matchAll(/(?:from|import)\s*\(?"(react|react-dom|vue|svelte|solid-js)(?=["/])/g)].map(([, found]) => found),
  );
  expect([...named]).toEqual([name === "solid" ? "solid-js" : name]);

  const read = new Set<string>();
  const others: string[] = [];
  const todo = [join(root, "pkg", name, "index.d.ts")];
  for (let file = todo.pop(); file; file = todo.pop()) {
    if (read.has(file)) continue;
    read.add(file);
    for (const [, from = ""] of readFileSync(file, "utf8").matchAll(/(?:\bfrom|\bimport)\s*\(?"([^"]+)"/g)) {
      if (from.startsWith(".")) todo.push(join(file, "..", from).replace(/\.js$/, ".d.ts"));
      else if (/^(react|vue|svelte|solid-js)/.test(from)) others.push(from);
    }
  }
  expect(read.size).toBeGreaterThan(8);
  expect([...new Set(others)].filter((from) => !from.startsWith(name === "solid" ? "solid-js" : name))).toEqual([]);
});

test("the page on these frameworks shows the files of the examples", () => {
  const page = readFileSync(join(root, "docs/other-frameworks.md"), "utf8");
  const shown = [...page.matchAll(/^```\w+ (examples\S+)\n([\s\S]*?)^```$/gm)];
  expect(shown.length).toBe(7);
  for (const [, file = "", code] of shown) expect(code, file).toBe(readFileSync(join(root, file), "utf8"));
  // Their imports stand in the order of their names.
  const client = (name: string) =>
    readFileSync(join(root, `examples/${name}/src/client.ts`), "utf8")
      .replace(`glove-wasm/${name}`, "")
      .split("\n")
      .sort();
  expect([client("vue"), client("solid")]).toEqual([client("svelte"), client("svelte")]);
});

test("no other entry names these frameworks, which applications may lack", () => {
  const files = readdirSync(join(root, "pkg"), { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(js|d\.ts)$/.test(name),
  );
  const naming = files.filter((name) =>
    /(?:from|import)\s*\(?"(vue|svelte|solid-js)(?=["/])/.test(readFileSync(join(root, "pkg", name), "utf8")),
  );
  expect([...new Set(naming.map((name) => name.split(/[\\/]/)[0]))].sort()).toEqual(["solid", "svelte", "vue"]);
});

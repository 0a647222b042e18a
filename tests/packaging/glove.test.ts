// The original from npm beside ours: its types take our agents, its names are here or are said not to be, and its messages are the same.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { formatMessages, type Message } from "glove-wasm";
import { beforeAll, expect, inject, test } from "vitest";
import { root } from "../support/project.js";
import { makeProject } from "./app.js";
import { installed } from "./bundlers.js";

type Exports = Record<string, { types: string; import: string }>;

let folder: string;
let core: string;
let paths: Exports;

beforeAll(() => {
  folder = makeProject("glove");
  core = join(installed("glove"), "node_modules", "glove-core");
  paths = (createRequire(join(core, "package.json"))("./package.json") as { exports: Exports }).exports;
});

/** What the compiler says of a file beside the installed package. */
function compiled(text: string): string[] {
  const types = Object.entries(paths).map(([path, { types }]) => [`glove-core${path.slice(1)}`, [join(core, types)]]);
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, module: "esnext", moduleResolution: "bundler", target: "es2022" },
    ...{ lib: ["es2023", "dom", "dom.iterable"], types: [], jsx: "react-jsx", noEmit: true, skipLibCheck: true },
    paths: Object.fromEntries(types) as Record<string, string[]>,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["app.ts"] }));
  writeFileSync(join(folder, "app.ts"), text);
  const tsc = join(inject("projects"), "..", "node_modules", "typescript", "bin", "tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", "."], { cwd: folder, encoding: "utf8" });
    return [];
  } catch (error) {
    return (error as { stdout: string }).stdout.split("\n").filter((line) => line.startsWith("app.ts"));
  }
}

test("a session's runnable is an agent of the original's, as its voice hooks expect it", () => {
  const app = `import type { DisplayManagerAdapter, IGloveRunnable, ModelAdapter, StoreAdapter } from "glove-core";
import type { IGloveRunnable as OfVoice } from "glove-core/glove";
import type { GloveSession } from "glove-wasm";
import { useGlove } from "glove-wasm/react";
declare const session: GloveSession;
declare function useGloveVoice(config: { runnable: OfVoice | null; voice: object }): { mode: string };
export const runnable: IGloveRunnable = session.runnable;
export const parts: [DisplayManagerAdapter, ModelAdapter, StoreAdapter] = [runnable.displayManager, runnable.model, runnable.store];
export const useVoice = () => useGloveVoice({ runnable: useGlove().runnable, voice: {} });
export const answer: Promise<string[]> = session.runnable.processRequest("Hi").then(({ messages }) => messages.map(({ text }) => text));
// @ts-expect-error: an answer has no such part.
export const wrong = session.runnable.processRequest("Hi").then(({ nothing }) => nothing);
`;
  expect(compiled(app)).toEqual([]);
});

// Not on npm: what its packages for React export, as their source says.
const react =
  `MemoryStore createRemoteStore RemoteStoreActions createRemoteModel RemoteModelActions RemotePromptRequest RemotePromptResponse
  RemoteStreamEvent SerializedTool createEndpointModel parseSSEStream TimelineEntry ToolEntry GloveState GloveStats ToolConfig
  CompactionConfig SlotRenderProps ToolResultRenderProps ToolDisplay TypedDisplay Task ContentPart Slot ToolResultData StoreAdapter
  ModelAdapter SubscriberAdapter EnhancedSlot SlotDisplayStrategy RenderStrategy MessageRenderProps ToolStatusRenderProps
  StreamingRenderProps InputRenderProps SlotContainerRenderProps GloveHandle GloveClient GloveClientConfig useGlove UseGloveConfig
  UseGloveReturn GloveProvider useGloveClient Render RenderProps defineTool VoiceRenderHandle TranscriptRenderProps
  VoiceStatusRenderProps VoiceMode IGloveRunnable useGloveVoice UseGloveVoiceConfig UseGloveVoiceReturn useGlovePTT
  UseGlovePTTConfig UseGlovePTTReturn VoicePTTButton VoicePTTButtonProps VoicePTTButtonRenderProps TurnMode GloveVoiceConfig
  TTSFactory`.split(/\s+/);

/** The names that a declaration file exports. */
function namesOf(file: string): string[] {
  const lists = [...readFileSync(file, "utf8").matchAll(/export \{([^}]*)\}/g)].map(([, list]) => list ?? "");
  return lists.flatMap((list) =>
    list.split(",").map(
      (name) =>
        name
          .replace(/^\s*type\s/, "")
          .split(" as ")
          .at(-1)
          ?.trim() ?? "",
    ),
  );
}

test("every name that the original exports is here, or the guide says that it is not", () => {
  const wanted = new Map(
    Object.entries(paths).map(([path, { types }]) => [`glove-wasm${path.slice(1)}`, namesOf(join(core, types))]),
  );
  wanted.set("glove-wasm/react", react);
  let count = 0;
  const app = [...wanted].map(
    ([path, names]) => `import { ${names.map((name) => `${name} as n${count++}`).join(", ")} } from "${path}";`,
  );
  const absent = compiled(app.join("\n")).flatMap(
    (line) => line.match(/exported member (?:named )?'(\w+)'|Cannot find module '([^']+)'/)?.slice(1) ?? [],
  );
  const guide = readFileSync(join(root, "docs/moving-from-glove.md"), "utf8");
  const section = guide.slice(guide.indexOf("### Names"));
  const names = [...new Set(absent.filter(Boolean))];
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
  const said = [...section.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name);
  expect(said.filter((name) => name && name !== "glove-react/voice" && !names.includes(name))).toEqual([]);
});
const call = (id: string | undefined, input_args: unknown = {}) => ({ tool_name: "look", input_args, ...(id && { id }) });
const result = (call_id: string | undefined, given: object) => ({
  tool_name: "look",
  ...(call_id && { call_id }),
  result: { status: "success" as const, data: null, ...given },
});
const user = (text: string, more: Partial<Message> = {}): Message => ({ sender: "user", text, ...more });
const agent = (text: string, more: Partial<Message> = {}): Message => ({ sender: "agent", text, ...more });
const media = (type: string, source: object) => ({ type, source: { media_type: "image/png", ...source } }) as never;
const base64 = { type: "base64", data: "QQ==" };
const link = { type: "url", url: "https://a.example/b" };

const conversations: Record<string, Message[]> = {
  nothing: [],
  "two turns": [user("Hi"), agent("Hello"), user("Bye"), agent("")],
  "messages in a row": [
    user("a"),
    user("b"),
    agent("c"),
    agent("d"),
    user("e"),
    user("", { content: [{ type: "text", text: "f" }] }),
    user("g"),
  ],
  media: [
    user("x", { content: ["image", "video", "document"].flatMap((type) => [media(type, base64), media(type, link), { type }]) }),
  ],
  "content without anything": [user("x", { content: [] }), agent("y", { content: [{ type: "text", text: "z" }] })],
  "empty and unknown parts": [user("x", { content: [{ type: "text", text: "" }, { type: "audio" }, { type: "text" }] })],
  calls: [
    agent("", { tool_calls: [call("a", { x: 1 }), call("b", '{"y":2}'), call("c", null)] }),
    user("", { tool_results: ["a", "b", "c"].map((id) => result(id, { data: { id } })) }),
  ],
  "calls with a text, without results": [agent("Look", { tool_calls: [call("a"), call("b")] }), user("stop")],
  "some results, twice, late": [
    agent("", { tool_calls: [call("a"), call("b"), call("c")] }),
    user("", { tool_results: [result("b", { data: "one" }), result("b", { data: "two" })] }),
    user("between"),
    user("", { tool_results: [result("a", { data: "late" }), result("b", { data: "again" })] }),
    user("after"),
  ],
  errors: [
    agent("", { tool_calls: [call("a"), call("b"), call("c"), call("d")] }),
    user("", {
      tool_results: [
        result("a", { status: "error", message: "no" }),
        result("b", { status: "error", data: "why" }),
        result("c", { status: "error", message: "no", data: { x: 1 } }),
        result("d", { status: "aborted", message: "stopped" }),
      ],
    }),
  ],
  "a result without an id": [user("", { tool_results: [result(undefined, { data: "x" })] })],
  thoughts: [
    agent("a", { reasoning_content: "hm" }),
    agent("b", { reasoning_content: "hm", tool_calls: [call("a")] }),
    agent("c", { reasoning_content: "" }),
  ],
  "what providers want back": [
    agent("a", { provider_options: { google: { extra_content: { s: 1 } }, openai: { extra_content: [1] } } }),
    agent("b", { tool_calls: [{ ...call("a"), provider_options: { google: { extra_content: { t: 2 } } } } as never] }),
  ],
};

test.each(Object.keys(conversations))("formatMessages gives the same as the original for %s", async (name) => {
  const original = (await import(pathToFileURL(join(core, "dist/models/openai-compat.js")).href)) as {
    formatMessages: typeof formatMessages;
  };
  const fresh = () => structuredClone(conversations[name] as Message[]);
  for (const echo of [false, true]) {
    for (const provider of [undefined, "openrouter", "google"]) {
      expect(formatMessages(fresh(), echo, provider)).toEqual(original.formatMessages(fresh(), echo, provider));
    }
  }
});

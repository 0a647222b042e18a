// The core's memory never shrinks, so what a page lets go of has to be used again. A thousand sessions, in Node: tests/js/memory.test.ts.
import { expect, test } from "vitest";
import { inWorker, openedCore } from "../support/core-place.js";
import { inPage } from "../support/pages.js";
import { profiles } from "../support/profiles.js";

const { profile } = profiles();

test("hundreds of sessions of a page that are made, used and deleted", () =>
  profile(async ({ open }) => {
    const { grown, listed } = await inPage<{ grown: number; listed: number }>(
      await open(),
      `
      ${inWorker ? openedCore : `const glue = await import(new URL("/pkg/src/wasm/generated/glove_wasm.js", document.baseURI));`}
      const text = "word ".repeat(2000);
      const script = ({ messages }) =>
        messages.at(-1).tool_results ? text : { toolCalls: [{ name: "look", input: { at: text } }] };
      const look = { name: "look", description: text, jsonSchema: { type: "object" }, do: () => text };
      const client = new GloveClient({ createModel: () => createScriptedModel(script), systemPrompt: text, tools: [look] });
      const round = async (at) => {
        await client.session("s" + at).sendMessage(text);
        await client.deleteSession("s" + at);
      };
      for (let at = 0; at < 50; at++) await round(at);
      const size = async () => ${inWorker ? `inCore("coreMemory.buffer.byteLength")` : "glue.initSync().memory.buffer.byteLength"};
      const before = await size();
      for (let at = 50; at < 450; at++) await round(at);
      return { grown: (await size()) - before, listed: (await new SessionDatabase().list()).length };`,
    );
    expect([grown < 400_000, listed], `${grown} bytes`).toEqual([true, 0]);
  }));

// The packed package under jest with its jsdom environment, where coders of text and some other globals are missing.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { inject, test } from "vitest";
import { makeProject } from "./app.js";

const settings = JSON.stringify({ type: "module", jest: { testEnvironment: "jsdom", transform: {} } });

const chat = `
import { defineTool, GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  inputSchema: z.object({ text: z.string() }),
  do: async ({ text }) => text,
});

test("a chat with a tool answers", async () => {
  const client = new GloveClient({
    createModel: () => createScriptedModel([{ toolCalls: [{ name: "echo", input: { text: "ü😀" } }] }, "done ü😀"]),
    systemPrompt: "",
    tools: [echo],
  });
  const Chat = () => createElement(Render, { glove: useGlove({ sessionId: "s" }) });
  const place = document.body.appendChild(document.createElement("div"));
  createRoot(place).render(createElement(GloveProvider, { client }, createElement(Chat)));
  const { text } = await client.session("s").sendMessage("hello");
  expect(text).toBe("done ü😀");
});
`;

test("jest runs a chat in jsdom without settings of its own", () => {
  const folder = makeProject("jest", { "package.json": settings, "chat.test.js": chat });
  const program = join(inject("projects"), "..", "node_modules", "jest", "bin", "jest.js");
  // Throws with what jest said.
  execFileSync(process.execPath, ["--experimental-vm-modules", program, "--rootDir", folder], { cwd: folder, encoding: "utf8" });
});

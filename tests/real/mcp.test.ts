// MCP servers that others wrote, as a session has them: over stdio, and over HTTP with a server that is started anew.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { GloveSession } from "glove-wasm";
import { type McpServer, type McpServerOptions, mcpServer } from "glove-wasm/mcp";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test } from "vitest";
import { call } from "../support/mcp.js";
import { root } from "../support/project.js";
import { scene, until } from "../support/session.js";

const programs = join(root, "tests", "real", "mcp", "node_modules", "@modelcontextprotocol");
const everything = join(programs, "server-everything", "dist", "index.js");
const filesystem = join(programs, "server-filesystem", "dist", "index.js");
const free = { firstUse: "allow", approvals: () => false } as const;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function started(program: string, args: string[], options: Partial<McpServerOptions>): McpServer {
  const transport = () => new StdioClientTransport({ command: process.execPath, args: [program, ...args], stderr: "ignore" });
  const server = mcpServer({ name: "every", ...free, transport, ...options });
  closing.push(() => server.disconnect());
  return server;
}

/** The outputs of calls, in their order. */
const outputs = (session: GloveSession) =>
  session.getSnapshot().timeline.flatMap((entry) => (entry.kind === "tool" ? [`${entry.status} ${entry.output}`] : []));

test("server-everything: texts, pictures, resources, structured content, progress, roots", async () => {
  const server = started(everything, ["stdio"], { allow: { roots: [{ uri: "file:///work", name: "Work" }] } });
  expect(await server.connect()).toMatchObject({ state: "ready", protocol: "2025-11-25" });
  const { session } = scene(
    [
      call("every__echo", { message: "hello" }),
      call("every__get-sum", { a: 1, b: 2 }),
      call("every__get-tiny-image", {}),
      call("every__get-structured-content", { location: "Chicago" }),
      call("every__get-resource-reference", { resourceType: "Text", resourceId: 1 }),
      call("every__trigger-long-running-operation", { duration: 2, steps: 4 }),
      call("every__get-roots-list", {}),
      "Done.",
    ],
    { plugins: [server] },
  );
  const progress: unknown[] = [];
  session.subscribe(() => {
    for (const entry of session.getSnapshot().timeline)
      if (entry.kind === "tool" && entry.progress) progress.push(entry.progress);
  });
  expect(await session.sendMessage("All of it")).toMatchObject({ text: "Done." });
  const [echo, sum, image, structured, reference, long, roots] = outputs(session);
  expect([echo, sum]).toEqual(["success Echo: hello", "success The sum of 1 and 2 is 3."]);
  expect(image).toContain('"mimeType":"image/png"');
  expect(JSON.parse(structured?.slice("success ".length) ?? "")).toMatchObject({ temperature: expect.any(Number) });
  expect(reference).toContain("demo://resource/dynamic/text/1");
  expect(long).toContain("success Long running operation completed");
  expect(progress).toContainEqual({ done: 2, of: 4 });
  expect(roots).toContain("file:///work");
});

test("server-everything: a form in the middle of a call is one question, with its defaults", async () => {
  const server = started(everything, ["stdio"], {});
  const { session } = scene([call("every__trigger-elicitation-request", {}), "Done."], { plugins: [server] });
  const filled: Record<string, unknown> = { name: "Ann", email: "ann@example.com", integer: 7 };
  const seen = new Set<string>();
  session.subscribe(() => {
    for (const { id, renderer, input } of session.getSnapshot().slots) {
      if (seen.has(id)) continue;
      seen.add(id);
      expect(renderer).toBe("mcp_form");
      const { properties } = (input as { schema: { properties: Record<string, { default?: unknown }> } }).schema;
      const usual = Object.entries(properties).map(([name, field]) => [name, filled[name] ?? field.default] as const);
      session.resolveSlot(id, { action: "accept", content: Object.fromEntries(usual) });
    }
  });
  expect(await session.sendMessage("Ask")).toMatchObject({ text: "Done." });
  const [output = ""] = outputs(session);
  expect(output).toContain('"action": "accept"');
  expect(output).toContain("ann@example.com");
  expect(output).toMatch(/"integer": 7/);
});

test("server-everything: it asks the model that it was given, a person allows both ways, and without one it has no such tool", async () => {
  const model = createScriptedModel(["A cheese."]);
  const server = started(everything, ["stdio"], { allow: { sampling: () => model } });
  const script = [call("every__trigger-sampling-request", { prompt: "What is round?", maxTokens: 20 }), "Done."];
  const { session } = scene(script, { plugins: [server] });
  const read: unknown[] = [];
  const seen = new Set<string>();
  session.subscribe(() => {
    for (const { id, renderer, input } of session.getSnapshot().slots) {
      if (seen.has(id)) continue;
      seen.add(id);
      read.push([renderer, (input as { messages: { text: string }[] }).messages.map(({ text }) => text)]);
      session.resolveSlot(id, { action: "accept" });
    }
  });
  expect(await session.sendMessage("Ask")).toMatchObject({ text: "Done." });
  expect(read).toEqual([
    ["mcp_sampling", ["Resource trigger-sampling-request context: What is round?"]],
    ["mcp_sampling", ["A cheese."]],
  ]);
  expect(outputs(session)[0]).toContain("A cheese.");
  const without = started(everything, ["stdio"], {});
  expect((await without.listTools()).map(({ tool }) => tool)).not.toContain("trigger-sampling-request");
});

test("server-everything: prompts and resources", async () => {
  const server = started(everything, ["stdio"], {});
  expect((await server.listPrompts()).map(({ name }) => name)).toContain("args-prompt");
  expect(await server.getPrompt("args-prompt", { city: "Basel" })).toContain("Basel");
  const [first] = await server.listResources();
  expect((await server.readResource(first?.uri ?? ""))[0]?.text).toContain("Everything Server");
});

test("server-filesystem beside server-everything: their tools are told apart, and a file is read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "glove-mcp-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.txt"), "the first line\n");
  const files = started(filesystem, [folder], { name: "files", approvals: "hints" });
  const every = started(everything, ["stdio"], {});
  const { session, model } = scene([call("files__read_text_file", { path: join(folder, "a.txt") }), "Done."], {
    plugins: [files, every],
  });
  expect(await session.sendMessage("Read it")).toMatchObject({ text: "Done." });
  expect(outputs(session)[0]).toContain("the first line");
  expect(model.calls[0]?.tools).toEqual(expect.arrayContaining(["files__write_file", "every__echo"]));
  // It only reads, so nobody is asked; writing asks.
  const { session: writing } = scene([call("files__write_file", { path: join(folder, "b.txt"), content: "b" }), "Done."], {
    plugins: [files],
  });
  const sent = writing.sendMessage("Write it");
  const { approvals } = await until(writing, ({ approvals }) => approvals.length > 0);
  writing.approve(approvals[0]?.id ?? "");
  await sent;
});

test("server-everything over HTTP: a server that is started anew is connected to anew, in the middle of a conversation", async () => {
  const port = await freePort();
  let program = await listening(port);
  closing.push(() => ended(program));
  const server = mcpServer({ name: "every", ...free, url: `http://127.0.0.1:${port}/mcp` });
  closing.push(() => server.disconnect());
  const echo = (message: string) => call("every__echo", { message }, message);
  const { session, model } = scene([echo("one"), "1", echo("two"), "2", echo("three"), "3"], { plugins: [server] });
  await session.sendMessage("One");
  await ended(program);
  await session.sendMessage("Two");
  program = await listening(port);
  await session.sendMessage("Three");
  const [one, two, three] = outputs(session);
  expect([one, three]).toEqual(["success Echo: one", "success Echo: three"]);
  expect(two).toContain("error The MCP server");
  expect(model.calls.every(({ tools }) => tools.includes("every__echo"))).toBe(true);
});

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

function listening(port: number): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port) };
  const program = spawn(process.execPath, [everything, "streamableHttp"], { env, stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => reject(new Error(`server-everything does not say that it listens: ${said}`)), 60_000);
    const hear = (chunk: Buffer) => {
      said += chunk;
      if (!said.includes(String(port))) return;
      clearTimeout(timer);
      resolve(program);
    };
    program.stdout?.on("data", hear);
    program.stderr?.on("data", hear);
  });
}

function ended(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    program.once("exit", () => resolve());
    program.kill("SIGKILL");
  });
}

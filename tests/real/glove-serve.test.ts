// The client of pages on the server of Rust: the protocol of `createChatHandler`, spoken by `glove serve`.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createEndpointModel, GloveClient } from "glove-wasm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../support/project.js";

const token = "0123456789abcdef";
const folder = mkdtempSync(join(tmpdir(), "glove-serve-"));
let server: ChildProcess;
let address: string;

beforeAll(async () => {
  // With all features, as the tests of Rust have built it.
  execFileSync("cargo", ["build", "--all-features", "--bin", "glove"], { cwd: root, stdio: "inherit" });
  const options = ["--model", "scripted", "--listen", "127.0.0.1:0", "--database", join(folder, "sessions.db")];
  server = spawn(join(root, "target/debug/glove"), ["serve", ...options], {
    env: { ...process.env, GLOVE_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface({ input: server.stderr as NodeJS.ReadableStream })) {
    address = line.replace("glove serves at ", "");
    break;
  }
}, 600_000);

afterAll(() => {
  server?.kill();
  rmSync(folder, { recursive: true });
});

test("a page's tool runs in the page on the word of a model behind the server", async () => {
  const tools = [
    {
      name: "bash",
      description: "Runs a command",
      jsonSchema: { type: "object" },
      do: ({ command }: { command: string }) => `would run ${command}`,
    },
  ];
  const headers = { authorization: `Bearer ${token}` };
  const createModel = () => createEndpointModel(`${address}/api/chat`, { headers });
  const client = new GloveClient({ createModel, tools });
  const session = client.session("s");
  await session.sendMessage("run ls");
  const messages = await session.messages();
  expect(messages[2]?.tool_results?.[0]?.result.data).toBe("would run ls");
  expect(messages[3]?.text).toBe("`bash` gave:\n\n```\nwould run ls\n```\n");
});

test("what the server refuses reaches the page with its code", async () => {
  const session = new GloveClient({ endpoint: `${address}/api/chat` }).session("t");
  await expect(session.sendMessage("hi")).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});

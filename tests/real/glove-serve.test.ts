// The client of pages on the server of Rust: the protocol of `createChatHandler`, spoken by `glove serve`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEndpointModel, GloveClient } from "glove-wasm";
import { resumable, serverTools } from "glove-wasm/remote";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildGlove, type GloveServer, startGlove, token } from "../support/glove-server.js";
import { until } from "../support/session.js";

let glove: GloveServer;

beforeAll(async () => {
  buildGlove();
  glove = await startGlove();
}, 600_000);

afterAll(() => glove?.close());

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
  const createModel = () => createEndpointModel(`${glove.url}/api/chat`, { headers });
  const client = new GloveClient({ createModel, tools });
  const session = client.session("s");
  await session.sendMessage("run ls");
  const messages = await session.messages();
  expect(messages[2]?.tool_results?.[0]?.result.data).toBe("would run ls");
  expect(messages[3]?.text).toBe("`bash` gave:\n\n```\nwould run ls\n```\n");
});

test("a tool of the server runs there once, asked about in the page, over a line that is cut", async () => {
  const url = `${glove.url}/api/chat`;
  const headers = { authorization: `Bearer ${token}` };
  const createModel = () => createEndpointModel(url, { headers, fetch: resumable() });
  const client = new GloveClient({ createModel, plugins: [serverTools(url, { headers })] });
  const session = client.session("server-tools");
  const said = session.sendMessage("run touch begun; sleep 1; echo once | tee -a once.txt");
  const { approvals } = await until(session, ({ approvals }) => approvals.length > 0);
  session.approve(approvals[0]?.id ?? "");
  await expect.poll(() => existsSync(join(glove.folder, "begun")), { timeout: 30_000 }).toBe(true);
  glove.cut();
  glove.mend();
  expect(await said).toMatchObject({ type: "completed", text: expect.stringContaining("once") });
  expect(readFileSync(join(glove.folder, "once.txt"), "utf8")).toBe("once\n");
});

test("what the server refuses reaches the page with its code", async () => {
  const session = new GloveClient({ endpoint: `${glove.url}/api/chat` }).session("t");
  await expect(session.sendMessage("hi")).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});

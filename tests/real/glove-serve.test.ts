// The client of pages on the server of Rust: the protocol of `createChatHandler`, spoken by `glove serve`.
import { createEndpointModel, GloveClient } from "glove-wasm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildGlove, type GloveServer, startGlove, token } from "../support/glove-server.js";

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

test("what the server refuses reaches the page with its code", async () => {
  const session = new GloveClient({ endpoint: `${glove.url}/api/chat` }).session("t");
  await expect(session.sendMessage("hi")).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});

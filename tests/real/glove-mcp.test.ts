// `glove mcp` as the official client in JavaScript has it, in each of its versions, and as a server of a chat of ours.
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mcpServer } from "glove-wasm/mcp";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildGlove } from "../support/glove-server.js";
import { call } from "../support/mcp.js";
import { root } from "../support/project.js";
import { scene } from "../support/session.js";

let folder: string;
const closing: (() => unknown)[] = [];

beforeAll(buildGlove, 600_000);
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "glove-mcp-")));
  writeFileSync(join(folder, "a.txt"), "one of a\n");
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

const transport = (...args: string[]) =>
  new StdioClientTransport({
    command: join(root, "target/debug/glove-tested"),
    args: ["mcp", folder, "--database", join(folder, "sessions.db"), ...args],
    stderr: "ignore",
  });

const versions = [
  ["2025-11-25", "legacy"],
  ["2026-07-28", "auto"],
] as const;

test.each(versions)(
  "version %s: a conversation, a question for a person, and one that cannot be asked",
  async (version, mode) => {
    const asked: string[] = [];
    const start = async (elicitation: boolean) => {
      const client = new Client(
        { name: "real", version: "1" },
        { capabilities: elicitation ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } },
      );
      if (elicitation)
        client.setRequestHandler("elicitation/create", async ({ params }) => {
          asked.push(params.message);
          return { action: "accept", content: { approved: true } };
        });
      closing.push(() => client.close());
      await client.connect(transport("--model", "scripted", "--tools"));
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      return client;
    };
    const client = await start(true);
    const ask = async (client: Client, input: Record<string, string>) => {
      const { structuredContent } = await client.callTool({ name: "ask_agent", arguments: input });
      return structuredContent as { answer: string; conversation: string; not_allowed?: string[] };
    };
    const { answer, conversation } = await ask(client, { message: "read a.txt" });
    expect(answer).toContain("one of a");
    expect(await ask(client, { message: "run touch made", conversation })).toMatchObject({ conversation });
    expect(asked).toEqual([expect.stringContaining("$ touch made")]);
    expect(existsSync(join(folder, "made"))).toBe(true);
    const result = await client.callTool({ name: "bash", arguments: { command: "echo to the client" } });
    expect(result).toMatchObject({ content: [{ text: expect.stringContaining("to the client") }] });
    expect(asked).toHaveLength(2);

    const alone = await start(false);
    const refused = await ask(alone, { message: "run touch other" });
    expect(refused.not_allowed).toEqual([expect.stringContaining("this client cannot be asked")]);
    expect(existsSync(join(folder, "other"))).toBe(false);
  },
);

test("a chat of ours has the tools of a folder by it, and asks its own person", async () => {
  const server = mcpServer({
    name: "project",
    firstUse: "allow",
    approvals: () => false,
    transport: () => transport("--tools", "--no-agent"),
  });
  closing.push(() => server.disconnect());
  const { session } = scene([call("project__bash", { command: "touch made" }), "Done."], { plugins: [server] });
  session.subscribe(() => {
    for (const { id, renderer, status } of session.getSnapshot().slots)
      if (renderer === "mcp_form" && status === "pending")
        session.resolveSlot(id, { action: "accept", content: { approved: true } });
  });
  expect(await session.sendMessage("Make it")).toMatchObject({ text: "Done." });
  expect(existsSync(join(folder, "made"))).toBe(true);
});

// Three `glove serve` with one database behind nginx, and one of them dies while a page follows its run.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GloveClient, type GloveSession } from "glove-wasm";
import { createRemoteSession } from "glove-wasm/remote";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildGlove, token } from "../support/glove-server.js";
import { type Database, databases, nginxProgram, type Servers, startServers } from "../support/glove-servers.js";
import { openProvider, type Provider, type Reply } from "../support/provider.js";
import { texts, until } from "../support/session.js";

beforeAll(buildGlove, 600_000);

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const says = (text: string): Reply => ({
  body: [event({ role: "assistant", content: text }), event({}, "stop"), "data: [DONE]\n\n"],
});
const runs = (command: string): Reply => {
  const call = { name: "bash", arguments: JSON.stringify({ command }) };
  const calls = [{ index: 0, id: "call_1", type: "function", function: call }];
  return { body: [event({ role: "assistant", tool_calls: calls }), event({}, "tool_calls"), "data: [DONE]\n\n"] };
};
/** An answer that does not come. */
const never: Reply = { silent: 600_000, body: [] };

for (const [name, start] of Object.entries(databases)) {
  describe.skipIf(!start || !nginxProgram)(`three servers on one ${name}`, () => {
    let database: Database;
    let servers: Servers;
    let provider: Provider;
    const clients: GloveClient[] = [];

    beforeAll(async () => {
      database = await (start as () => Promise<Database>)();
    });

    // The one that holds a session is to be the one that holds the session of the test.
    beforeEach(async () => {
      provider = await openProvider();
      servers = await startServers(3, database, ["--model", "ollama:any", "--base-url", `${provider.url}/v1`]);
    });

    afterEach(async () => {
      for (const client of clients.splice(0)) client.dispose();
      await servers?.close();
      await provider?.close();
    });

    afterAll(() => database?.close());

    const open = (): GloveSession => {
      const headers = { authorization: `Bearer ${token}` };
      const client = new GloveClient(createRemoteSession({ url: `${servers.url}/api/sessions`, headers }));
      clients.push(client);
      return client.session(crypto.randomUUID());
    };

    const ran = (file: string) => {
      const path = join(servers.folder, file);
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    };

    test("one that is killed in a run loses none of it, and the page sees its end within seconds", async () => {
      provider.reply(runs("echo once >> paid.txt"), never, says("It is paid."));
      const session = open();
      const sent = session.sendMessage("Pay.");
      const { approvals } = await until(session, ({ approvals }) => approvals.length === 1);
      session.approve(approvals[0]?.id ?? "", { remember: false });
      await expect.poll(() => provider.asked.length, { timeout: 30_000 }).toBe(2);
      await servers.kill(await servers.holding(), "SIGKILL");
      const killed = performance.now();
      await expect.poll(() => provider.asked.length, { timeout: 30_000, interval: 20 }).toBe(3);
      const waited = performance.now() - killed;
      console.log(`${name}: another server went on after ${Math.round(waited)} ms`);
      expect(waited).toBeLessThan(5_000);
      expect(await sent).toMatchObject({ type: "completed" });
      const shown = texts(session.getSnapshot());
      expect(shown).toHaveLength(3);
      expect(shown[1]).toMatch(/^bash: success/);
      expect(shown[2]).toBe("agent: It is paid.");
      expect(session.getSnapshot().error).toBeUndefined();
      expect(ran("paid.txt")).toBe("once\n");
    });

    test("a call that was under way in one that is killed is asked about, and not run again", async () => {
      provider.reply(runs("echo begun >> long.txt; sleep 600"), says("Nobody knows."));
      const session = open();
      const sent = session.sendMessage("Pay.");
      const { approvals } = await until(session, ({ approvals }) => approvals.length === 1);
      session.approve(approvals[0]?.id ?? "", { remember: false });
      await expect.poll(() => ran("long.txt"), { timeout: 30_000 }).toBe("begun\n");
      await servers.kill(await servers.holding(), "SIGKILL");
      const asked = await until(session, ({ approvals }) => approvals.some(({ kind }) => kind === "interrupted"));
      session.reject(asked.approvals[0]?.id ?? "");
      expect(await sent).toMatchObject({ type: "completed" });
      expect(ran("long.txt")).toBe("begun\n");
    });
  });
}

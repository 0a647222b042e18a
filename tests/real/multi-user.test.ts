// examples/multi-user-postgres: its server with a real PostgreSQL, the page's side of its store, and two people who see nothing of each other.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GloveClient, type StoreAdapter, type StoredStep } from "glove-wasm";
import { createScriptedModel, storeConformance } from "glove-wasm/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, databases } from "../support/glove-servers.js";
import { root } from "../support/project.js";

const start = databases.PostgreSQL;

/** What examples/multi-user-postgres/src/store.ts exports. */
type Ask = (path: string, body?: unknown) => Promise<unknown>;
interface Store {
  asking(send: typeof fetch): Ask;
  serverStore(sessionId: string, ask: Ask): StoreAdapter;
}

describe.skipIf(!start)("with PostgreSQL", () => {
  const folder = mkdtempSync(join(tmpdir(), "glove-multi-user-"));
  let database: Database;
  let server: ChildProcess;
  let url = "";
  let asking: Store["asking"];
  let serverStore: Store["serverStore"];

  const startServer = async () => {
    server = spawn(process.execPath, ["server/server.mjs"], {
      cwd: folder,
      env: { PATH: process.env.PATH, DATABASE_URL: database.url, SESSION_SECRET: "0123456789abcdef0123456789abcdef", PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said] = (await once(server.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    url = String(said).trim();
  };

  beforeAll(async () => {
    for (const part of ["server", "src"]) {
      cpSync(join(root, "examples/multi-user-postgres", part), join(folder, part), { recursive: true });
    }
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules/glove-wasm"), "junction");
    symlinkSync(join(root, "tests/real/clients/node_modules/pg"), join(folder, "node_modules/pg"), "junction");
    database = await (start as () => Promise<Database>)();
    await startServer();
    ({ asking, serverStore } = (await import(join(folder, "src/store.ts"))) as Store);
  });
  afterAll(async () => {
    server?.kill("SIGKILL");
    await database?.close();
    rmSync(folder, { recursive: true });
  });

  /** What a browser of this person sends: with the cookie that the server gave. */
  async function browserOf(name: string): Promise<typeof fetch> {
    const headers = { "content-type": "application/json" };
    const signed = await fetch(`${url}/api/sign-in`, { method: "POST", headers, body: JSON.stringify({ name }) });
    const cookie = signed.headers.get("set-cookie")?.split(";")[0] ?? "";
    return (path, init) => fetch(`${url}${path}`, { ...init, headers: { ...init?.headers, cookie } });
  }

  test("the page's store keeps to what sessions rely on", async () => {
    const ask = asking(await browserOf("Conny"));
    const wrong: string[] = [];
    // The example keeps no counters of turns and tokens.
    const cases = storeConformance({ make: (id) => serverStore(id, ask) }).filter(({ name }) => !/counts its answers/.test(name));
    expect(cases.length).toBeGreaterThan(30);
    for (const { name, run } of cases) {
      await run().catch((error) => wrong.push(`${name}: ${error}`));
    }
    expect(wrong).toEqual([]);
  });

  test("a question outlives its page and the server, and the tool runs once", async () => {
    const ask = asking(await browserOf("Ann"));
    let paid = 0;
    const client = () =>
      new GloveClient({
        createModel: () =>
          createScriptedModel(({ messages }) =>
            messages.at(-1)?.tool_results ? "Paid." : { toolCalls: [{ name: "pay", input: {} }] },
          ),
        createStore: (id) => serverStore(id, ask),
        tools: [
          {
            name: "pay",
            description: "Pays.",
            jsonSchema: { type: "object" },
            requireApproval: true,
            do: () => {
              paid += 1;
              return "paid";
            },
          },
        ],
      });
    const first = client().session("bill");
    void first.sendMessage("Pay it").catch(() => {});
    await expect.poll(() => first.getSnapshot().approvals.length).toBe(1);
    await first.dispose();
    server.kill("SIGKILL");
    await once(server, "exit");
    await startServer();
    const second = client().session("bill");
    second.start();
    await expect.poll(() => second.getSnapshot().approvals.length).toBe(1);
    second.approve(second.getSnapshot().approvals[0]?.id ?? "");
    await expect.poll(() => second.getSnapshot().timeline.at(-1)).toMatchObject({ kind: "agent_text", text: "Paid." });
    expect(paid).toBe(1);
    expect(await ask("sessions")).toEqual({ name: "Ann", sessions: [{ id: "bill", title: "Pay it" }] });
  });

  test("nobody reads or writes what is somebody else's, and a cookie that was made up is none", async () => {
    const [ann, ben] = [await browserOf("Ann"), await browserOf("Ben")];
    await asking(ann)("sessions/shared/messages", [{ sender: "user", text: "Ann's secret" }]);
    expect(await asking(ben)("sessions/shared")).toEqual({ messages: [], records: [] });
    await asking(ben)("sessions/shared/messages", [{ sender: "user", text: "Ben's" }]);
    expect(await asking(ann)("sessions/shared")).toMatchObject({ messages: [{ text: "Ann's secret" }] });
    for (const cookie of ["", "user=Ann", "user=Ann!abc", "user=Ann!"]) {
      const refused = await fetch(`${url}/api/sessions/shared`, { headers: { cookie } });
      expect([cookie, refused.status]).toEqual([cookie, 401]);
      const model = await fetch(`${url}/api/chat`, { method: "POST", headers: { cookie }, body: "{}" });
      expect([401, 403]).toContain(model.status);
    }
    const body = JSON.stringify([]);
    const form = await ann("/api/sessions/shared/messages", { method: "POST", headers: { "content-type": "text/plain" }, body });
    expect(form.status).toBe(415);
    expect((await ann("/api/sessions/..%2fx")).status).toBe(404);
    const sent = (path: string, text: string) =>
      ann(path, { method: "POST", headers: { "content-type": "application/json" }, body: text });
    for (const text of ["{", "null", "{}"]) {
      expect((await sent("/api/sessions/shared/steps", text)).status).toBe(400);
      expect((await sent("/api/sessions/shared/messages", text)).status).toBe(400);
    }
  });

  test("of two writers that begin at the same place, one is refused and nothing of its step is stored", async () => {
    const ask = asking(await browserOf("Cleo"));
    const step = (text: string): StoredStep => ({ firstMessage: 0, messages: [{ sender: "user", text }], records: [], seq: 0 });
    const results = await Promise.allSettled(["one", "two"].map((text) => ask("sessions/race/steps", step(text))));
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "STORE_CONFLICT" } });
    expect(await ask("sessions/race")).toMatchObject({ messages: [{ sender: "user" }] });
  });
});

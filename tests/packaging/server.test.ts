// The packed chat handler in Deno, Bun and workerd.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openProvider, type Provider, speak } from "../support/provider.js";
import { strictEvents } from "../support/strict-client.js";
import { makeApp } from "./app.js";
import { type Running, type Runtime, start } from "./runtimes.js";

const handler = (env: string) => `import { createChatHandler } from "glove-wasm/server";
const handle = createChatHandler({ provider: "anthropic", baseURL: ${env}.PROVIDER_URL, policy: { maxRetries: 0 }, limits: { bodyBytes: 1_000_000 } });
`;

const starts: Record<Runtime, (env: Record<string, string>) => Promise<Running>> = {
  deno: (env) => {
    const listening = `hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log("PORT " + port)`;
    const code = `${handler("process.env")}Deno.serve({ ${listening} }, handle);`;
    const args = ["run", "--allow-net", "--allow-env", "--no-remote", "--node-modules-dir=manual", "main.js"];
    return start("deno", args, makeApp("deno", { "main.js": code }), { ...env, DENO_NO_UPDATE_CHECK: "1" });
  },
  bun: (env) => {
    const code = `${handler("process.env")}const { port } = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: handle });
console.log("PORT " + port);`;
    return start("bun", ["run", "main.js"], makeApp("bun", { "main.js": code }), env);
  },
  workerd: async (env) => {
    const code = `import { env } from "cloudflare:workers";\n${handler("env")}export default { fetch: handle };`;
    const app = makeApp("workerd", { "main.js": code });
    await build({
      entryPoints: [join(app, "main.js")],
      outfile: join(app, "out", "worker.js"),
      bundle: true,
      format: "esm",
      conditions: ["workerd"],
      external: ["cloudflare:workers"],
      // As wrangler does: the file goes along as a module of its own.
      loader: { ".wasm": "copy" },
      assetNames: "[name]",
    });
    writeFileSync(join(app, "out", "config.capnp"), workerdConfig(env));
    return start("workerd", ["serve", "config.capnp", "--control-fd=3"], join(app, "out"), {});
  },
};

const workerdConfig = (env: Record<string, string>) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "glove_providers_bg.wasm", wasm = embed "glove_providers_bg.wasm"),
  ],
  bindings = [
${Object.entries(env)
  .map(([name, value]) => `    (name = "${name}", text = "${value}"),`)
  .join("\n")}
  ],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = ["nodejs_compat"],
);
`;

describe.each(Object.keys(starts) as Runtime[])("in %s", (runtime) => {
  let provider: Provider;
  let server: Running;
  beforeAll(async () => {
    provider = await openProvider();
    server = await starts[runtime]({ PROVIDER_URL: provider.url, ANTHROPIC_API_KEY: "sk-canary-4711" });
  });
  afterAll(async () => {
    await server?.stop();
    await provider.close();
  });

  const post = (init: RequestInit = {}) => {
    const body = JSON.stringify({ systemPrompt: "s", messages: [{ sender: "user", text: "hi" }] });
    return fetch(server.url, { method: "POST", headers: { "content-type": "application/json" }, body, ...init });
  };

  test("answers are streamed, also two at once", async () => {
    const call = { id: "call_1", name: "look", args: '{"a": 1}' };
    provider.reply({ body: speak.anthropic(["Hel", "lo é"], call).flatMap((event) => [event, 5]) });
    const answers = await Promise.all([post(), post()].map(async (answer) => strictEvents(await answer)));
    for (const events of answers) {
      expect(events.at(-1)).toMatchObject({
        type: "done",
        message: { text: "Hello é", tool_calls: [{ tool_name: "look", input_args: { a: 1 }, id: "call_1" }] },
        tokens_in: 7,
      });
    }
    expect(provider.asked.at(-1)?.headers["x-api-key"]).toBe("sk-canary-4711");
  });

  test("failures have their status and give no key away", async () => {
    provider.reply({ status: 401, body: ['{"error":{"message":"bad key sk-canary-4711"}}'] });
    const refused = await post();
    const text = await refused.text();
    expect([refused.status, JSON.parse(text).error.code]).toEqual([502, "MODEL_AUTHENTICATION"]);
    expect(text).not.toContain("canary");
    expect((await post({ body: "{" })).status).toBe(400);
    expect((await post({ body: `"${"x".repeat(1_100_000)}"` })).status).toBe(413);
    expect((await fetch(server.url)).status).toBe(405);
  });

  test("a redirect is not followed", async () => {
    const before = provider.asked.length;
    provider.reply({ status: 307, headers: { location: `${provider.url}/elsewhere` }, body: [] });
    const response = await post();
    expect([response.status, (await response.json()).error.code]).toEqual([500, "MODEL_CONFIG"]);
    expect(provider.asked.length - before).toBe(1);
  });

  test("a client that leaves stops the provider within a second", async () => {
    provider.reply({ body: speak.anthropic(Array.from({ length: 200 }, () => "x")).flatMap((event) => [event, 20]) });
    const leaving = new AbortController();
    await (await post({ signal: leaving.signal })).body?.getReader().read();
    const since = performance.now();
    leaving.abort();
    await vi.waitFor(() => expect(provider.asked.at(-1)?.left).toBeDefined(), { timeout: 1000, interval: 5 });
    console.log(`${runtime}: left after ${((provider.asked.at(-1)?.left ?? Number.NaN) - since).toFixed(1)} ms`);
  });
});

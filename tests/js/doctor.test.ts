// `npx glove-wasm doctor`: what it finds in small apps, and what it leaves in peace.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { examine } from "../../bin/doctor/examine.mjs";
import { createChatHandler } from "../../js/server/index.js";
import { createScriptedModel } from "../../js/testing/index.js";
import { root } from "../support/project.js";
import { serve } from "../support/server.js";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const installed = (name: string, version: string, more: object = {}) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version, ...more }),
});
const manifest = (...dependencies: string[]) => ({
  "package.json": JSON.stringify({ dependencies: Object.fromEntries(dependencies.map((name) => [name, "*"])) }),
});
const healthy = {
  ...manifest("glove-wasm", "react", "react-dom", "vite"),
  ...installed("glove-wasm", "0.1.0", { peerDependencies: { react: ">=18" } }),
  ...installed("react", "19.3.1"),
  ...installed("react-dom", "19.3.1"),
  ...installed("vite", "8.3.8"),
  "src/client.ts": `import { GloveClient } from "glove-wasm/react";\nexport const client = new GloveClient({ endpoint: "/api/chat" });\n`,
};

function app(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "glove-doctor-"));
  made.push(folder);
  for (const [name, text] of Object.entries({ ...healthy, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

interface Asked {
  readonly url: string;
  readonly key: string | null;
}

interface Setting {
  readonly env?: Record<string, string>;
  readonly offline?: boolean;
  readonly today?: string;
  /** What providers answer when they are asked for their models. */
  readonly list?: readonly string[] | number;
}

async function found(folder: string, { env = {}, offline, today = "2026-11-30", list }: Setting = {}) {
  const asked: Asked[] = [];
  const fetch = async (url: string, { headers }: { headers: Record<string, string> }) => {
    asked.push({ url, key: headers.authorization ?? headers["x-api-key"] ?? null });
    if (list === undefined) throw new TypeError("fetch failed");
    if (typeof list === "number") return new Response("{}", { status: list });
    return Response.json({ data: list.map((id) => ({ id })) });
  };
  const findings = await examine(folder, { url: undefined, offline, env, today: new Date(today), fetch });
  return { asked, findings, codes: findings.map(({ level, code }: { level: string; code: string }) => `${level} ${code}`) };
}

test("a healthy app has nothing wrong", async () => {
  expect((await found(app({}))).findings).toEqual([]);
});

const policy = (words: string) => ({
  "index.html": `<meta http-equiv="Content-Security-Policy" content="${words}" />`,
});
const nextConfig = (words: string) => ({ "next.config.ts": `export default { headers: async () => [{ value: ${words} }] };` });
const inWorker = { "src/client.ts": `new GloveClient({ worker: true });` };
const key = `sk-proj-${"a1".repeat(12)}`;

test.each<[string, Record<string, string>, string[]]>([
  ["no package.json", { "package.json": "{" }, ["wrong NO_PACKAGE_JSON"]],
  ["packages that Yarn keeps elsewhere", { ".pnp.cjs": "", ...installed("react", "17.0.2") }, ["note PLUG_AND_PLAY"]],
  ["React 17", { ...installed("react", "17.0.2"), ...installed("react-dom", "17.0.2") }, ["wrong REACT_OLD"]],
  ["two versions of React's halves", installed("react-dom", "19.2.0"), ["wrong REACT_VERSIONS"]],
  [
    "a second React below a dependency",
    {
      ...manifest("glove-wasm", "react", "chart"),
      ...installed("chart", "1.0.0", { dependencies: { react: "^18.0.0" } }),
      ...installed("chart/node_modules/react", "18.3.1"),
    },
    ["wrong REACT_COPIES"],
  ],
  [
    "a dependency that has the app's React",
    { ...manifest("glove-wasm", "react", "chart"), ...installed("chart", "1.0.0", { peerDependencies: { react: ">=18" } }) },
    [],
  ],
  [
    "a second glove-wasm below a dependency",
    {
      ...manifest("glove-wasm", "widgets"),
      ...installed("widgets", "1.0.0", { peerDependencies: { "glove-wasm": "*" } }),
      ...installed("widgets/node_modules/glove-wasm", "0.0.9"),
    },
    ["wrong GLOVE_COPIES"],
  ],
  ["an old Vite", installed("vite", "5.4.0"), ["note BUNDLER_OLD"]],
  ["a policy that forbids WebAssembly", policy("default-src 'self'; img-src *"), ["wrong POLICY_WASM"]],
  ["a policy whose script-src allows it", policy("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"), []],
  ["a policy about neither", policy("img-src 'self'; frame-ancestors 'none'"), []],
  [
    "a policy without room for the worker",
    { ...inWorker, ...policy("script-src 'self' 'wasm-unsafe-eval';") },
    ["wrong POLICY_WORKER"],
  ],
  ["a policy with room for it", { ...inWorker, ...policy("script-src 'self' 'wasm-unsafe-eval'; worker-src blob:") }, []],
  ["a policy of Next", nextConfig(`"default-src 'self'; object-src 'none'"`), ["wrong POLICY_WASM"]],
  ["a policy in single quotes", nextConfig(`'default-src \\'self\\'; object-src \\'none\\''`), ["wrong POLICY_WASM"]],
  ["a policy over lines", nextConfig("`\n default-src 'self';\n script-src 'self' 'unsafe-inline';\n`"), ["wrong POLICY_WASM"]],
  ["a list of directives", nextConfig(`["default-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"].join("; ")`), []],
  [
    "a policy that is known when the app runs",
    nextConfig(`\`script-src 'self' \${dev ? "'unsafe-eval'" : ""}; object-src 'none'\``),
    ["note POLICY_WASM"],
  ],
  ["a key for the page in .env", { ".env.local": `VITE_OPENAI_API_KEY=x` }, ["wrong KEY_IN_BROWSER"]],
  ["a key of a provider under another name", { ".env": `NEXT_PUBLIC_MODEL="${key}"` }, ["wrong KEY_IN_BROWSER"]],
  ["a key that the code reads", { "src/m.ts": `import.meta.env.VITE_ANTHROPIC_API_KEY` }, ["wrong KEY_IN_BROWSER"]],
  ["a key that stays on the server", { ".env": `OPENAI_API_KEY=${key}` }, []],
  ["what is meant for pages", { ".env": "VITE_STRIPE_KEY=pk_1\nNEXT_PUBLIC_SUPABASE_ANON_KEY=ey\nVITE_GEMINI_TOKENS_MAX=9" }, []],
  ["an example of settings", { ".env.example": "VITE_OPENAI_API_KEY=" }, []],
  ["a key in the text", { "src/m.ts": `const apiKey = "${key}";` }, ["wrong KEY_IN_SOURCE"]],
  ["what was built or installed", { "dist/m.js": `"${key}"`, "node_modules/x/m.js": `"${key}"` }, []],
])("%s", async (_, files, codes) => {
  const seen = await found(app(files));
  expect(seen.codes).toEqual(codes);
  for (const { message, mend } of seen.findings) {
    expect(message).toMatch(/^\S.*\.$/);
    expect(mend).toMatch(/^[A-Z].*[.)]$/s);
  }
  expect(JSON.stringify(seen.findings)).not.toContain(key);
});

test("glove-wasm or React that is not installed", async () => {
  const without = (name: string) => {
    const folder = app({});
    rmSync(join(folder, "node_modules", name), { recursive: true });
    return found(folder);
  };
  const own = await without("glove-wasm");
  expect([own.codes, own.findings[0].mend]).toEqual([["wrong NOT_INSTALLED"], "Run `npm install`."]);
  expect((await without("react")).codes).toEqual(["wrong REACT_MISSING"]);
});

test("a linked package brings the React of its own folder", async () => {
  const library = app({ "package.json": JSON.stringify({ name: "lib", version: "1.0.0", peerDependencies: { react: "*" } }) });
  const folder = app(manifest("glove-wasm", "react", "lib"));
  symlinkSync(library, join(folder, "node_modules", "lib"), "junction");
  const seen = await found(folder);
  expect(seen.codes).toEqual(["wrong REACT_COPIES"]);
  expect(seen.findings[0].message).toBe("react is installed 2 times: 19.3.1 for the app, 19.3.1 for lib.");
});

const route = (options: string) => ({
  "app/api/chat/route.ts": `export const POST = createChatHandler({ ${options} });`,
  ".env": `OPENAI_API_KEY=${key}`,
});

test.each<[string, string, Setting, string[]]>([
  ["a model that the provider lists", `provider: "openai", model: "gpt-9"`, { list: ["gpt-9"] }, []],
  ["one that it does not list", `provider: "openai", model: "gpt-9"`, { list: ["gpt-8"] }, ["wrong MODEL_UNKNOWN"]],
  ["one that it lists by its day", `provider: "openai", model: "gpt-9"`, { list: ["gpt-9-2026-11-01"] }, []],
  ["one whose name only begins like it", `provider: "openai", model: "gpt-9"`, { list: ["gpt-9-mini"] }, ["wrong MODEL_UNKNOWN"]],
  ["the package's own choice", `provider: "openai"`, { list: ["gpt-6.1-sol"] }, []],
  ["a model that is known when it runs", `provider: "openai", model: process.env.MODEL`, { list: ["x"] }, []],
  ["a key that is refused", `provider: "openai"`, { list: 401 }, ["wrong KEY_REFUSED"]],
  ["a list that is not there", `provider: "openai"`, { list: 404 }, []],
  ["a provider out of reach", `provider: "openai"`, {}, ["note PROVIDER_UNREACHABLE"]],
  ["a model that has ended", `provider: "openai", model: "o3"`, { offline: true, today: "2027-01-01" }, ["wrong MODEL_ENDED"]],
  ["a model that ends soon", `provider: "openai", model: "o3"`, { offline: true }, ["note MODEL_ENDS"]],
  ["a model that ends later", `provider: "openai", model: "o3"`, { offline: true, today: "2026-06-01" }, []],
  ["a key that is missing", `provider: "kimi", model: "kimi-latest"`, { list: [] }, ["note KEY_MISSING", "wrong MODEL_ENDED"]],
  ["a local server that does not run", `provider: "ollama", model: "m"`, {}, ["note PROVIDER_UNREACHABLE"]],
  ["a local server without a model", `provider: "ollama"`, { offline: true }, ["wrong MODEL_MISSING"]],
  ["a local model that is there", `provider: "ollama", model: "qwen3"`, { list: ["qwen3:latest"] }, []],
  ["another address", `provider: "openai", baseURL: "https://proxy.example/v1", model: "mine"`, { list: ["x"] }, []],
])("of models: %s", async (_, options, setting, codes) => {
  expect((await found(app(route(options)), setting)).codes).toEqual(codes);
});

test("a key is sent to its provider alone, by the form of this provider, and nothing is sent offline", async () => {
  const files = { ...route(`provider: "openai"`), "src/other.ts": `createAdapter({ provider: "anthropic" })` };
  const setting = { env: { ANTHROPIC_API_KEY: "k2" }, list: ["gpt-6.1-sol", "claude-sonnet-5-5-20261101"] };
  const { asked, codes } = await found(app(files), setting);
  expect(asked.sort((a, b) => a.url.localeCompare(b.url))).toEqual([
    { url: "https://api.anthropic.com/v1/models?limit=1000", key: "k2" },
    { url: "https://api.openai.com/v1/models", key: `Bearer ${key}` },
  ]);
  expect(codes).toEqual([]);
  expect((await found(app(files), { ...setting, offline: true })).asked).toEqual([]);
});

const program = join(root, "bin", "glove-wasm.mjs");
const doctor = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });

test("the command ends with 1 if something is wrong, and tells it as sentences or as JSON", () => {
  const well = app({});
  expect(doctor("doctor", well)).toMatchObject({ status: 0, stdout: "Nothing is wrong.\n" });
  const ill = app({ ...installed("react", "17.0.2"), ...installed("vite", "5.0.0"), ...installed("react-dom", "17.0.2") });
  const { status, stdout } = doctor("doctor", ill);
  expect(status).toBe(1);
  expect(stdout).toContain("✗ React is 17.0.2; glove-wasm/react needs 18 or newer.\n  Run `npm install react@latest");
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("1 wrong, 1 to look at.");
  const told = doctor("doctor", ill, "--json");
  expect([told.status, JSON.parse(told.stdout)]).toMatchObject([
    1,
    { ok: false, findings: [{ code: "REACT_OLD" }, { level: "note" }] },
  ]);
});

test("a command, a flag or a folder that is none is refused with 2", () => {
  for (const args of [["docter"], ["doctor", "--nope"], ["doctor", join(tmpdir(), "none", "here")], ["doctor", "a", "b"]]) {
    const { status, stderr, stdout } = doctor(...args);
    expect([status, stdout], args.join(" ")).toEqual([2, ""]);
    expect(stderr).toMatch(/no command|Unknown option|is no folder/);
  }
  expect(doctor("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--offline") });
});

const atUrl = async (url: string) => {
  const findings = await examine(app({}), { url, env: {}, today: new Date(), fetch });
  return findings.map(({ code }: { code: string }) => code);
};

async function answering(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`;
  await use(url).finally(() => server.close());
}

test("a chat handler is found at its address, also one that asks who calls, and no model is called", async () => {
  const model = createScriptedModel([]);
  const folder = app({});
  for (const authorize of [undefined, () => false]) {
    const chat = createChatHandler({ createModel: () => model, ...(authorize && { authorize }) });
    const server = await serve(folder, { routes: { "/api/chat": chat } });
    expect(await atUrl(`${server.url}/api/chat`)).toEqual([]);
    expect(await atUrl(`${server.url}/other`)).toEqual(["ENDPOINT_MISSING"]);
    await server.close();
    expect(await atUrl(`${server.url}/api/chat`)).toEqual(["ENDPOINT_UNREACHABLE"]);
  }
  expect(model.calls).toEqual([]);
});

test.each<[string, number, Record<string, string>, string]>([
  ["a page for every path", 200, { "content-type": "text/html" }, "ENDPOINT_OTHER"],
  ["a sign-in page", 302, { location: "/login" }, "ENDPOINT_REDIRECTS"],
  ["a server that fails", 500, {}, "ENDPOINT_FAILS"],
  ["a path that takes no POST", 405, {}, "ENDPOINT_MISSING"],
])("what answers is no chat handler: %s", async (_, status, headers, code) => {
  await answering(
    (request, response) => request.resume().on("end", () => response.writeHead(status, headers).end("<!doctype html>")),
    async (url) => expect(await atUrl(url)).toEqual([code]),
  );
});

test("an address that is none", async () => {
  expect(await atUrl("localhost:3000")).toEqual(["URL_INVALID"]);
});

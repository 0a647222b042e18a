// How the package loads in a page, as plain modules without a bundler.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { packageVersion, root } from "../support/project.js";
import { type Served, type ServeOptions, serve } from "../support/server.js";

let browser: Browser;
const servers: Served[] = [];

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await Promise.all(servers.map((server) => server.close()));
});

/** Runs the body of an async function in the page: text, because a transpiled function cannot import there. */
const inPage = (page: Page, body: string) => page.evaluate(`(async () => { ${body} })()`);

/** Opens an empty page beside the built package. */
async function emptyPage(options: ServeOptions = {}) {
  const server = await serve(`${root}/pkg`, { pages: { "/": "<!doctype html><link rel=icon href=data:,>" }, ...options });
  servers.push(server);
  return openPage(browser, server.url);
}

test("the default entry starts asynchronously and synchronously", async () => {
  for (const start of ["await init();", ""]) {
    const { page, problems } = await emptyPage();
    const code = `const { init, version } = await import("/src/index.js"); ${start} return version();`;
    expect(await inPage(page, code)).toBe(packageVersion);
    expect(problems).toEqual([]);
  }
});

test.each([false, true])("the slim entry takes a URL, also for a core in a worker (%s)", async (worker) => {
  const { page, problems } = await emptyPage();
  const code = `
    const { GloveClient, init, version } = await import("/src/slim.js");
    const { createScriptedModel } = await import("/testing/index.js");
    await init("/glove_wasm_bg.wasm");
    const createModel = () => createScriptedModel(() => version());
    return (await new GloveClient({ worker: ${worker}, createModel }).session("s").sendMessage("Which version?")).text;`;
  expect(await inPage(page, code)).toBe(packageVersion);
  expect(page.workers().length).toBe(worker ? 1 : 0);
  expect(problems).toEqual([]);
});

test("the package loads in a module worker", async () => {
  const { page, problems } = await emptyPage();
  const code = `
    const script = 'import { version } from "' + location.origin + '/src/index.js"; postMessage(version());';
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
    return new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => reject(new Error(event.message));
    });`;
  expect(await inPage(page, code)).toBe(packageVersion);
  expect(problems).toEqual([]);
});

test("a key in a worker of a page is as open as one in the page, and needs the switch", async () => {
  const { page, problems } = await emptyPage();
  const code = `
    const script = 'import { createAdapter } from "' + location.origin + '/src/index.js";' +
      'const make = (more) => { try { return createAdapter({ provider: "openai", apiKey: "k", ...more }).name } catch (e) { return e.code } };' +
      'postMessage([make(), make({ dangerouslyAllowBrowser: true })]);';
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
    return new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => reject(new Error(event.message));
    });`;
  expect(await inPage(page, code)).toEqual(["MODEL_CONFIG", "gpt-6.1-sol"]);
  expect(problems).toEqual([]);
});

const startBothWays = `
  const { init, version } = await import("/src/index.js");
  const told = (error) => ({ code: error.code, message: error.message });
  const later = await init().then(() => "started", told);
  try {
    return [later, version()];
  } catch (error) {
    return [later, told(error)];
  }`;

test("a content security policy that blocks WebAssembly gives a code and the word to add", async () => {
  const { page } = await emptyPage({ headers: { "content-security-policy": "script-src 'self'" } });
  const error = { code: "WASM_BLOCKED_BY_CSP", message: expect.stringContaining("'wasm-unsafe-eval'") };
  expect(await inPage(page, startBothWays)).toEqual([error, error]);
});

test("a page without WebAssembly says so by a code, keeps what was sent, and sends it when it is tried again", async () => {
  const { page } = await emptyPage();
  const code = `
    const { WebAssembly } = globalThis;
    delete globalThis.WebAssembly;
    const { GloveClient, MemoryStore } = await import("/src/index.js");
    const { createScriptedModel } = await import("/testing/index.js");
    const config = { createModel: () => createScriptedModel(["Yes"]), createStore: (id) => new MemoryStore(id) };
    const session = new GloveClient({ ...config, systemPrompt: "" }).session("s");
    const failed = await session.sendMessage("Hi").catch(({ code }) => code);
    const { error, queue } = session.getSnapshot();
    globalThis.WebAssembly = WebAssembly;
    await session.start();
    while (session.getSnapshot().timeline.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    const after = session.getSnapshot();
    return [failed, error.code, queue.map(({ text }) => text), after.timeline.map(({ text }) => text), after.queue];`;
  expect(await inPage(page, code)).toEqual(["WASM_NOT_STARTED", "WASM_NOT_STARTED", ["Hi"], ["Hi", "Yes"], []]);
});

test("a message to a page whose policy blocks WebAssembly stays in its queue", async () => {
  const { page } = await emptyPage({ headers: { "content-security-policy": "script-src 'self'" } });
  const code = `
    const { GloveClient } = await import("/src/index.js");
    const { createScriptedModel } = await import("/testing/index.js");
    const session = new GloveClient({ createModel: () => createScriptedModel(["Yes"]), systemPrompt: "" }).session("s");
    const failed = await session.sendMessage("Hi").catch(({ code }) => code);
    return [failed, session.getSnapshot().queue.map(({ text }) => text)];`;
  expect(await inPage(page, code)).toEqual(["WASM_BLOCKED_BY_CSP", ["Hi"]]);
});

test("'wasm-unsafe-eval' alone is enough", async () => {
  const { page, problems } = await emptyPage({ headers: { "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'" } });
  expect(await inPage(page, startBothWays)).toEqual(["started", packageVersion]);
  expect(problems).toEqual([]);
});

test.each(["", "; worker-src 'self'"])("a policy that allows no worker of the page's own text says so (%s)", async (more) => {
  const { page } = await emptyPage({ headers: { "content-security-policy": `script-src 'self' 'wasm-unsafe-eval'${more}` } });
  const code = `
    const { GloveClient } = await import("/src/index.js");
    const { createScriptedModel } = await import("/testing/index.js");
    const session = new GloveClient({ worker: true, createModel: () => createScriptedModel(["Yes"]) }).session("s");
    return session.sendMessage("Hi").catch(({ code, message }) => ({ code, message }));`;
  const message = expect.stringContaining("allow `worker-src blob:`");
  expect(await inPage(page, code)).toEqual({ code: "WORKER_UNAVAILABLE", message });
});

// How the core starts in Node, from both entries.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { packageVersion, root } from "../support/project.js";

// The modules themselves are the question here.
vi.unmock("glove-wasm");
vi.unmock("glove-wasm/server");
vi.unmock("../../pkg/src/wasm/sessions.js");

const wasm = () => readFileSync(`${root}/pkg/glove_wasm_bg.wasm`);

// Each test has modules of its own, and so a core that has not been started.
beforeEach(() => vi.resetModules());

const { Instance, Module, compile } = WebAssembly;
afterEach(() => Object.assign(WebAssembly, { Instance, Module, compile }));

/** Counts what is done with our wasm file (Node compiles files of its own), until the test ends. */
function count(): { compiled: number; instances: number } {
  const done = { compiled: 0, instances: 0 };
  const size = wasm().length;
  WebAssembly.compile = (bytes) => {
    if (bytes.byteLength === size) done.compiled++;
    return compile(bytes);
  };
  WebAssembly.Module = new Proxy(Module, {
    construct(target, [bytes]) {
      if (bytes.byteLength === size) done.compiled++;
      return new target(bytes);
    },
  });
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, [module, imports]) {
      // What unpacks the file imports nothing.
      if (imports) done.instances++;
      return new target(module, imports);
    },
  });
  return done;
}

test("the crate and the package have the same version", async () => {
  const { version } = await import("glove-wasm");
  expect(version()).toBe(packageVersion);
});

test("importing either entry compiles nothing", async () => {
  const done = count();
  await import("glove-wasm");
  await import("glove-wasm/slim");
  expect(done).toEqual({ compiled: 0, instances: 0 });
});

test("the default entry starts asynchronously, once for any number of calls", async () => {
  const done = count();
  const { init, version } = await import("glove-wasm");
  await Promise.all([init(), init(), init()]);
  expect(version()).toBe(packageVersion);
  expect(done).toEqual({ compiled: 1, instances: 1 });
});

test("a synchronous call while an asynchronous start is under way makes one instance", async () => {
  const done = count();
  const { init, version } = await import("glove-wasm");
  const starting = init();
  expect(version()).toBe(packageVersion);
  await starting;
  expect(version()).toBe(packageVersion);
  expect(done.instances).toBe(1);
});

test("the slim entry says what is missing when it was given no wasm file", async () => {
  const { version } = await import("glove-wasm/slim");
  expect(() => version()).toThrow(expect.objectContaining({ name: "GloveError", code: "WASM_NOT_GIVEN" }));
});

test("the slim entry starts from bytes, a module, or a response", async () => {
  const sources = [
    () => wasm(),
    () => new WebAssembly.Module(wasm()),
    () => new Response(wasm(), { headers: { "content-type": "application/wasm" } }),
    async () => new Response(wasm()),
  ];
  for (const source of sources) {
    vi.resetModules();
    const { init, version } = await import("glove-wasm/slim");
    await init(source());
    expect(version()).toBe(packageVersion);
  }
});

test("the slim entry starts at once from bytes", async () => {
  const { initSync, version } = await import("glove-wasm/slim");
  initSync(wasm());
  expect(version()).toBe(packageVersion);
});

test("a start that failed can be tried again with another source", async () => {
  const { init, version } = await import("glove-wasm/slim");
  await expect(init(new Response("", { status: 404 }))).rejects.toMatchObject({ code: "WASM_NOT_FETCHED" });
  // Nothing listens there.
  await expect(init("http://127.0.0.1:1/core.wasm")).rejects.toMatchObject({ code: "WASM_NOT_FETCHED", retryable: true });
  await expect(init(new Uint8Array([1, 2, 3]))).rejects.toMatchObject({ code: "WASM_NOT_STARTED" });
  await init(wasm());
  expect(version()).toBe(packageVersion);
});

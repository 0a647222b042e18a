// Sandboxed tools in Node: what they reach, what ends them, and what they leave behind.
import { readFileSync } from "node:fs";
import { GloveClient, type ToolFiles } from "glove-wasm";
import { MemoryTaskWorkspace, TaskAgent } from "glove-wasm/tasks";
import { createScriptedModel } from "glove-wasm/testing";
import { defineSandboxTool, sandboxExec } from "glove-wasm/tools";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { callTool, escapes, harmless } from "../../support/sandbox.js";

const exec = sandboxExec();
const code = (text: string, input?: unknown) => callTool(exec, { code: text, input });

test("code gets its input and gives its result as JSON", async () => {
  expect(await code("return input.a + 1", { a: 1 })).toEqual({ status: "success", data: 2 });
  expect(await code("return { at: new Date(0), odd: undefined, big: [NaN] }")).toMatchObject({
    data: { at: "1970-01-01T00:00:00.000Z", big: [null] },
  });
  expect(await code("")).toEqual({ status: "success", data: null });
  expect(await code("console.log('seen', { a: 1 }); return 7")).toEqual({
    status: "success",
    data: { result: 7, log: 'seen {"a":1}\n' },
  });
  expect(
    await code("const { resolve, promise } = Promise.withResolvers(); queueMicrotask(() => resolve(3)); return promise"),
  ).toMatchObject({ data: 3 });
});

test("a tool of an application is a module, with modules beside it, and has its schema", async () => {
  const tool = defineSandboxTool({
    name: "total",
    description: "Adds up",
    inputSchema: z.object({ lines: z.array(z.number()) }),
    code: 'import { add } from "./add.js";\nexport default ({ lines }) => lines.reduce(add, 0);',
    modules: { "./add.js": "export const add = (a, b) => a + b;" },
  });
  const model = createScriptedModel([
    { toolCalls: [{ name: "total", input: { lines: [1, "x"] } }] },
    { toolCalls: [{ name: "total", input: { lines: [1, 2, 39] } }] },
    "Done.",
  ]);
  const session = new GloveClient({ createModel: () => model, tools: [tool] }).session("s1");
  await session.sendMessage("Add");
  expect(JSON.stringify(model.calls[1]?.messages)).toMatch(/lines\D+1.*expected number/i);
  expect(JSON.stringify(model.calls[2]?.messages)).toMatch(/\b42\b/);
});

test.each(escapes)(
  "no way out: %s",
  async (text) => {
    const { status, data, message } = await callTool(exec, { code: text, input: {} });
    if (status === "success") expect(String(data)).toMatch(harmless);
    else
      expect([data, message]).toEqual([{ code: "SANDBOX_FAILED" }, expect.stringMatching(/is not defined|there is no module/)]);
  },
  20_000,
);

test("a call leaves nothing behind for the next one", async () => {
  await code("globalThis.left = 1; Array.prototype.left = 2; Object.prototype.left = 3; Promise.prototype.then = null; return 1");
  expect(await code("return [typeof globalThis.left, typeof [].left, typeof ({}).left]")).toMatchObject({
    data: ["undefined", "undefined", "undefined"],
  });
  expect("left" in {}).toBe(false);
});

test("what loops, allocates, recurses or waits for ever ends with a code, and the process lives", async () => {
  const strict = sandboxExec({ limits: { timeMs: 2000, memory: 16 << 20, output: 1000 } });
  const ends = async (text: string) => (await callTool(strict, { code: text })).data;
  const began = performance.now();
  let turns = 0;
  const timer = setInterval(() => turns++, 20);
  expect(
    await Promise.all(
      [
        "for (;;);",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "const f = () => queueMicrotask(f); f(); await new Promise(() => {})",
        "try { for (;;); } finally { for (;;); }",
      ].map(ends),
    ),
  ).toEqual(Array(4).fill({ code: "SANDBOX_TIMEOUT" }));
  expect(turns).toBeGreaterThan(5);
  clearInterval(timer);
  expect(performance.now() - began).toBeLessThan(20_000);
  const all: [string, string][] = [
    ["const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))", "SANDBOX_MEMORY"],
    ["const a = []; for (;;) a.push({ a })", "SANDBOX_MEMORY"],
    ["return new ArrayBuffer(2 ** 30).byteLength", "SANDBOX_MEMORY"],
    ["const f = () => f(); f()", "SANDBOX_FAILED"],
    ["await new Promise(() => {})", "SANDBOX_FAILED"],
    ["return 'x'.repeat(2000)", "SANDBOX_TOO_LARGE"],
    ["return ][", "SANDBOX_FAILED"],
    ["throw undefined", "SANDBOX_FAILED"],
    ["throw null", "SANDBOX_FAILED"],
    ["return 1n", "SANDBOX_FAILED"],
    ["const a = {}; a.a = a; return a", "SANDBOX_FAILED"],
  ];
  for (const [text, expected] of all) expect([text, await ends(text)]).toEqual([text, { code: expected }]);
  expect(await code("return 1")).toMatchObject({ data: 1 });
}, 60_000);

const hostile = JSON.parse(readFileSync("tests/fixtures/sandbox-hostile.json", "utf8")) as { code: string; ends: string[] }[];

test("hostile programs are ended as natively", async () => {
  const strict = sandboxExec({ limits: { timeMs: 1000, memory: 32 << 20 } });
  const left = [...hostile];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { data, message } = await callTool(strict, { code: next.code, input: {} });
      expect([next.code, data, message]).toEqual([
        next.code,
        { code: expect.stringMatching(next.ends.join("|")) },
        expect.anything(),
      ]);
    }
  };
  await Promise.all([work(), work()]);
}, 180_000);

test("starting the engine does not count into the time of the call", async () => {
  const { prototype } = process.getBuiltinModule("node:worker_threads").Worker;
  const { postMessage } = prototype;
  const slow = vi.spyOn(prototype, "postMessage").mockImplementation(function (this: typeof prototype, ...given) {
    setTimeout(() => postMessage.apply(this, given), 1500);
  });
  try {
    const hasty = sandboxExec({ limits: { timeMs: 1000 } });
    expect(await callTool(hasty, { code: "return 1" })).toEqual({ status: "success", data: 1 });
  } finally {
    slow.mockRestore();
  }
  expect((await callTool(sandboxExec({ limits: { timeMs: 1000 } }), { code: "for (;;);" })).data).toEqual({
    code: "SANDBOX_TIMEOUT",
  });
}, 30_000);

test("what went wrong says where, and what was logged before", async () => {
  const { message } = await code("console.log('before');\n\nnull.x");
  expect(message).toMatch(/The sandboxed code failed: TypeError: .*\(line 3\)\.\nIt had logged:\nbefore/s);
});

test("a stopped call ends its worker", async () => {
  const stopping = new AbortController();
  const running = callTool(exec, { code: "for (;;);" }, { signal: stopping.signal });
  setTimeout(() => stopping.abort(), 300);
  await expect(running).rejects.toThrow("aborted");
});

const given = () =>
  new MemoryTaskWorkspace({ "task/a.md": "A", "task/deep/b.md": "B", "progress/state.json": "{}", "tasks/x": "X" });

test("files are reached below the mounts alone, and written where that is granted", async () => {
  const files = given() as ToolFiles;
  const tool = sandboxExec({ mounts: { task: "read", "progress/artifacts": "write" } });
  const call = async (text: string) => {
    const { data, message } = await callTool(tool, { code: text }, { files });
    return message ?? data;
  };
  expect(
    await call(
      "return [await files.read('task/a.md'), await files.read('./task//deep/b.md'), (await files.list('task')).length]",
    ),
  ).toEqual(["A", "B", 2]);
  await call("await files.write('progress/artifacts/out.md', 'made'); return files.read('progress/artifacts/out.md')");
  expect(new TextDecoder().decode(await files.read("progress/artifacts/out.md"))).toBe("made");
  const refused = [
    "files.read('progress/state.json')",
    "files.read('tasks/x')",
    "files.read('task/../progress/state.json')",
    "files.read('/task/a.md')",
    "files.read('task\\\\a.md')",
    "files.read('TASK/a.md')",
    "files.read('')",
    "files.list('progress')",
    "files.list('.')",
    "files.write('task/a.md', 'x')",
    "files.write('progress/artifacts/../state.json', 'x')",
    "files.write('progress/STOP', 'x')",
    "files.write('progress/artifacts', 'x')",
    "files.write('./progress//artifacts/', 'x')",
    "files.write('progress/artifacts2/a', 'x')",
    "files.read({ toString: () => 'progress/state.json' })",
  ];
  for (const text of refused)
    expect([text, await call(`return await ${text}`)]).toEqual([text, expect.stringContaining("is not granted")]);
  expect(await call("return await files.read('task/none')")).toContain('"task/none" does not exist');
  expect((await callTool(tool, { code: "return 1" })).data).toEqual({ code: "SANDBOX_INVALID" });
});

test("the network is reached at granted hosts alone", async () => {
  const cases = JSON.parse(readFileSync("tests/fixtures/hosts.json", "utf8")) as {
    hosts: string[];
    url: string;
    allowed: boolean;
  }[];
  const asked = vi.fn(async (..._: unknown[]) => new Response("page", { status: 200 }));
  vi.stubGlobal("fetch", asked);
  try {
    for (const { hosts, url, allowed } of cases) {
      asked.mockClear();
      const tool = sandboxExec({ hosts });
      const { data, message } = await callTool(tool, { code: "return (await fetch(input)).text()", input: url });
      expect([hosts, url, asked.mock.calls.length]).toEqual([hosts, url, allowed ? 1 : 0]);
      if (allowed) expect(data).toBe("page");
      else expect(message).toMatch(/not granted|no absolute address|is not asked/);
    }
    const tool = sandboxExec({ hosts: ["a.example.com", "b.example.com"] });
    const redirected = async (to: string) => {
      asked.mockReset();
      asked.mockImplementation(async () =>
        asked.mock.calls.length === 1 ? new Response(null, { status: 302, headers: { location: to } }) : new Response("page"),
      );
      const call = { code: "return (await fetch('https://a.example.com/x', { headers: { authorization: 'k' } })).text()" };
      const { data, message } = await callTool(tool, call);
      return [data, message];
    };
    expect(await redirected("https://b.example.com/y")).toEqual(["page", undefined]);
    expect(JSON.stringify(asked.mock.calls[0])).toContain("authorization");
    expect(JSON.stringify(asked.mock.calls[1])).not.toContain("authorization");
    for (const to of [
      "https://c.example.com/",
      "http://a.example.com/",
      "//169.254.169.254/latest",
      "https://a.example.com@10.0.0.1/",
    ])
      expect([to, ...(await redirected(to))]).toEqual([
        to,
        { code: "SANDBOX_FAILED" },
        expect.stringMatching(/not granted|is not asked/),
      ]);
    asked.mockImplementation(async () => new Response(null, { status: 302, headers: { location: "/again" } }));
    expect((await callTool(tool, { code: "return (await fetch('https://a.example.com/')).status" })).message).toContain(
      "more than 5 times",
    );
    expect(
      (await callTool(tool, { code: "return (await fetch('https://a.example.com/', { headers: { Host: 'x' } })).status" }))
        .message,
    ).toContain("is not for tools to set");
  } finally {
    vi.unstubAllGlobals();
  }
}, 60_000);

test("grants and options that cannot hold are refused with words", () => {
  const wrong: [object, RegExp][] = [
    [{ mounts: { progress: "write" } }, /may write below progress\/artifacts alone/],
    [{ mounts: { "progress/artifacts/..": "write" } }, /progress\/artifacts/],
    [{ mounts: { "progress/artifacts2": "write" } }, /may write below progress\/artifacts alone/],
    [{ mounts: { "../x": "read" } }, /must name folders/],
    [{ mounts: { task: "all" } }, /must be one of "read", "write"/],
    [{ hosts: ["*.com"] }, /whole top-level domain/],
    [{ hosts: ["localhost"] }, /write it as an origin/],
    [{ hosts: ["10.0.0.1"] }, /write it as an origin/],
    [{ hosts: ["0x7f.1"] }, /must be a host/],
    [{ hosts: ["https://a.example.com/path"] }, /without a path/],
    [{ hosts: [7] }, /is no text/],
    [{ limits: { memory: 10 } }, /must be from/],
    [{ limits: { timeMs: 0 } }, /at least 1/],
    [{ network: true }, /There is no option/],
  ];
  for (const [options, message] of wrong) {
    let thrown: unknown;
    try {
      sandboxExec(options as never);
    } catch (error) {
      thrown = error;
    }
    expect([options, thrown]).toEqual([
      options,
      expect.objectContaining({ code: "SANDBOX_INVALID", message: expect.stringMatching(message) }),
    ]);
  }
  expect(() => defineSandboxTool({ name: "x", description: "X" } as never)).toThrow(/`code` of the tool "x" must be a string/);
  expect(() => defineSandboxTool({ name: "x y", description: "X", code: "" })).toThrow(/No provider takes a tool/);
});

test("a strict task asks a person for each call of sandbox_exec, which then writes an artifact", async () => {
  const workspace = new MemoryTaskWorkspace({ "task/numbers.txt": "1\n2\n39\n" });
  const work =
    "const text = await files.read('task/numbers.txt');\nconst sum = text.trim().split('\\n').reduce((a, b) => a + Number(b), 0);\nawait files.write('progress/artifacts/sum.txt', String(sum));\nreturn sum;";
  const model = createScriptedModel([
    "Numbers.",
    '{"steps": [{"title": "Add"}]}',
    { toolCalls: [{ name: "sandbox_exec", input: { code: work } }] },
    "Added.",
    '{"pass": true}',
  ]);
  const agent = new TaskAgent({
    createModel: () => model,
    tools: [sandboxExec({ mounts: { task: "read", "progress/artifacts": "write" } })],
    toolPhases: { sandbox_exec: ["act"] },
    approvals: { require_tools: ["sandbox_exec"] },
  });
  const task = await agent.startTask(workspace, { goal: "Add the numbers" });
  const waits = await task.run({ leaveWhenWaiting: true });
  expect(waits.approvals).toMatchObject([{ tool_name: "sandbox_exec", input: { code: work } }]);
  expect(await workspace.read("progress/artifacts/sum.txt")).toBeUndefined();
  await task.approve(String(waits.approvals?.[0]?.id), "ada@example.com");
  const result = await task.run();
  expect([result.finish_reason, result.deliverables?.map(({ path }) => path)]).toEqual([
    "completed",
    ["progress/artifacts/sum.txt"],
  ]);
  expect(new TextDecoder().decode(await workspace.read("progress/artifacts/sum.txt"))).toBe("42");
  task.close();
});

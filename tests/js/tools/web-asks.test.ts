// What sandboxed code asks of the web in Node, case by case, and the credentials that it names and never has.
import { MemoryTaskWorkspace, TaskAgent } from "glove-wasm/tasks";
import { sandboxExec } from "glove-wasm/tools";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool } from "../../support/sandbox.js";
import { script, scripted } from "../../support/tasks.js";
import { codeOf, grantsOf, serveWeb, type WebServers } from "../../support/web-asks.js";

let servers: WebServers;
beforeAll(async () => {
  servers = await serveWeb();
});
afterAll(() => servers?.close());

test("sandboxed code asks the web as the table says", async () => {
  for (const row of servers.cases) {
    const { given, gives, fails, sent } = row;
    const tool = sandboxExec(grantsOf(row, servers));
    const outcome = await callTool(tool, { code: codeOf(row, servers) }, { credentials: given });
    const { data, message } = outcome;
    if (fails === undefined) expect([row.code, data, message]).toEqual([row.code, gives, undefined]);
    else expect([row.code, message]).toEqual([row.code, expect.stringContaining(fails)]);
    expect(JSON.stringify(outcome)).not.toContain("planted");
    const read = servers.authorizations();
    if (sent) expect(read).toEqual([sent]);
  }
}, 60_000);

test("a credential that code names is in no file of the workspace and in no request of the model", async () => {
  const code = `const r = await fetch("${servers.self}/echo", { headers: { authorization: "Bearer {{TOKEN}}", "x-key": "{{TOKEN}}" } });
    const text = await r.text(); console.log(text);
    await files.write("progress/artifacts/echo.txt", text); return [...text].reverse().join("");`;
  const calls = [{ toolCalls: [{ name: "sandbox_exec", input: { code } }] }];
  const { config, model } = scripted([...script.slice(0, 2), ...calls, ...script.slice(2)]);
  const asked: string[] = [];
  const agent = new TaskAgent({
    ...config,
    tools: [
      sandboxExec({
        hosts: [servers.self],
        credentials: { TOKEN: [servers.self] },
        mounts: { "progress/artifacts": "write" },
      }),
    ],
    credentials: ({ tool }) => {
      asked.push(tool);
      return tool === "sandbox_exec" ? { TOKEN: "planted-4711" } : undefined;
    },
  });
  const workspace = new MemoryTaskWorkspace();
  const result = await agent.doTask(workspace, "Ask", { view: "full" });
  expect(result.finish_reason).toBe("completed");
  expect(servers.authorizations()).toEqual(["Bearer planted-4711"]);
  expect(asked).toContain("sandbox_exec");
  const paths = (await workspace.list("progress")).map(({ path }) => path);
  const texts = await Promise.all(paths.map(async (path) => [path, new TextDecoder().decode(await workspace.read(path))]));
  texts.push(["the result", JSON.stringify(result)], ["the requests", JSON.stringify(model.calls)]);
  // Nor backwards: the code itself has never had it.
  for (const [place, text] of texts) expect(text, place).not.toMatch(/planted|detnalp/);
  expect(new TextDecoder().decode(await workspace.read("progress/artifacts/echo.txt"))).toContain("Bearer [redacted]");
}, 30_000);

test("the model is told which credentials its code may name", () => {
  const { description } = sandboxExec({ hosts: ["*"], credentials: { TOKEN: ["api.example.com"] } });
  expect(description).toContain("`{{TOKEN}}` in a header of it stands for a credential, at api.example.com.");
});

test("credentials that anybody could have, and names that mean nothing, are refused", () => {
  const wrong: [object, RegExp][] = [
    [{ TOKEN: ["*"] }, /must name the hosts that may have it/],
    [{ TOKEN: [] }, /must name the hosts that may have it/],
    [{ TOKEN: "api.example.com" }, /must be an array/],
    [{ TOKEN: ["localhost"] }, /write it as an origin/],
    [{ "MY-TOKEN": ["api.example.com"] }, /a name of letters, digits and _/],
  ];
  for (const [credentials, message] of wrong) {
    expect(() => sandboxExec({ credentials } as never)).toThrow(
      expect.objectContaining({ code: "SANDBOX_INVALID", message: expect.stringMatching(message) }),
    );
  }
});

// Credentials of tools in a page: given to one call, and in no file and no request of a model.
import { defineTool } from "glove-wasm";
import { type CredentialRequest, MemoryTaskWorkspace, TaskAgent } from "glove-wasm/tasks";
import { expect, test } from "vitest";
import { z } from "zod";
import { script, scripted } from "../../support/tasks.js";

const secret = 'p"l\\anted-\u00fc-\n1234';
const call = (way: string) => ({ text: "", toolCalls: [{ name: way === "summary" ? "leak_summed" : "leak", input: { way } }] });
const ways = ["return", "key", "throw", "step", "output", "file", "bytes", "summary"];

const leak = defineTool({
  name: "leak",
  description: "Says what it knows",
  inputSchema: z.object({ way: z.string() }),
  async do({ way }, display) {
    const { TOKEN = "none" } = display.credentials ?? {};
    const nested = { deep: [TOKEN, { text: `<${TOKEN}>` }], json: JSON.stringify({ TOKEN }) };
    if (way === "key") return { [TOKEN]: 1 };
    if (way === "throw") throw new Error(`401 for ${TOKEN}`);
    if (way === "step") return display.step(`ask ${TOKEN}`, async () => nested);
    if (way === "output") {
      display.displayWidget("card", nested, TOKEN);
      display.addFileOutput({ name: "a.txt", content: "x", summary: `file of ${TOKEN}` });
    }
    if (way === "file")
      await display.files?.write("progress/artifacts/log.txt", `GET /?key=${TOKEN}\n${encodeURIComponent(TOKEN)}`);
    if (way === "bytes") await display.files?.write("progress/artifacts/log.bin", new TextEncoder().encode(TOKEN));
    if (way === "summary") return { status: "success", data: nested, generateSummaryArgs: TOKEN };
    return nested;
  },
});
const summed = { ...leak, name: "leak_summed", generateToolSummary: (args: unknown) => `about ${args}` };

test("a planted secret is in no file of the workspace and in no request of the model", async () => {
  const asked: CredentialRequest[] = [];
  const { config, model } = scripted([...script.slice(0, 2), ...ways.map(call), ...script.slice(2)]);
  const agent = new TaskAgent({
    ...config,
    tools: [leak, summed],
    credentials: async (request) => {
      asked.push(request);
      return request.tool.startsWith("leak") ? { TOKEN: secret } : undefined;
    },
    onError: () => {},
  });
  const workspace = new MemoryTaskWorkspace();
  const result = await agent.doTask(workspace, { goal: "Leak", id: "t1" }, { view: "full" });
  expect(result.finish_reason).toBe("completed");
  const calls = result.steps?.flatMap(({ tool_calls }) => tool_calls.filter(({ tool }) => tool.startsWith("leak")));
  expect(calls?.map(({ status }) => status)).toEqual(ways.map((way) => (way === "throw" ? "error" : "success")));
  const paths = (await workspace.list("progress")).map(({ path }) => path);
  const texts = await Promise.all(paths.map(async (path) => [path, new TextDecoder().decode(await workspace.read(path))]));
  texts.push(["the result", JSON.stringify(result)], ["the requests", JSON.stringify(model.calls)]);
  const inside = (text: string) => JSON.stringify(text).slice(1, -1);
  for (const form of [secret, inside(secret), inside(inside(secret)), encodeURIComponent(secret), "anted-"]) {
    for (const [place, text] of texts) expect(text, place).not.toContain(form);
  }
  expect(new TextDecoder().decode(await workspace.read("progress/artifacts/log.txt"))).toBe("GET /?key=[redacted]\n[redacted]");
  const own = asked.filter(({ tool }) => tool.startsWith("leak"));
  expect(own.map(({ taskId }) => taskId)).toEqual(ways.map(() => "t1"));
  expect(new Set(own.map(({ callId }) => callId)).size).toBe(ways.length);
});

test("each call has its own credentials, and one that gets none does not run", async () => {
  const seen: unknown[] = [];
  const told: string[] = [];
  const tool = (name: string) =>
    defineTool({
      name,
      description: "Looks",
      inputSchema: z.object({}),
      do: (_, { credentials }) => {
        seen.push([name, credentials]);
      },
    });
  const names = ["one", "two", "three", "four", "five"];
  const { config, model } = scripted([{ text: "", toolCalls: names.map((name) => ({ name, input: {} })) }, ...script]);
  const answers: Record<string, () => unknown> = {
    one: () => ({ KEY: "secret-1" }),
    two: () => undefined,
    three: () => {
      throw new Error("the vault says hunter2-hunter2");
    },
    four: () => ({ KEY: 7 }),
    five: () => ({ PIN: "12345" }),
  };
  const agent = new TaskAgent({
    ...config,
    tools: names.map(tool),
    credentials: ({ tool }) => answers[tool]?.() as never,
    onError: (code, error) => told.push(`${code} ${(error as Error).message}`),
  });
  const workspace = new MemoryTaskWorkspace();
  await agent.doTask(workspace, "Look");
  expect(seen).toEqual([
    ["one", { KEY: "secret-1" }],
    ["two", {}],
  ]);
  expect(told[0]).toContain("TASK_CREDENTIALS_FAILED the vault says");
  expect(told[1]).toContain("an object of strings");
  const read = JSON.stringify(model.calls[1]?.messages);
  expect(read.split("TASK_CREDENTIALS_FAILED")).toHaveLength(4);
  expect(read).toContain("shorter than 6 bytes");
  expect(read).not.toMatch(/hunter2|12345/);
});

test("a chat has no credentials, and neither has an agent without a broker", async () => {
  const { config, model } = scripted([call("return"), ...script]);
  await new TaskAgent({ ...config, tools: [leak] }).doTask(new MemoryTaskWorkspace(), "Leak");
  expect(JSON.stringify(model.calls[1]?.messages)).toContain("<none>");
});

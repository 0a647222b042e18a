// The first request of a session as the page predicts it is, letter by letter, the one that the core makes.
import { readFileSync } from "node:fs";
import { createEndpointModel, GloveClient, MemoryStore, type ToolConfig } from "glove-wasm";
import { expect, test } from "vitest";
import { z } from "zod";
import { firstBody } from "../../js/src/early/body.js";
import { toldAtOnce } from "../../js/src/early/told.js";
import { specOf, withTaskTool } from "../../js/src/tools/spec.js";
import type { PageTool } from "../../js/src/wire/core-types.js";
import { goldenFolder, goldenNames } from "../support/golden.js";

interface Case {
  readonly systemPrompt: string;
  readonly tools: readonly ToolConfig[];
  readonly tasks?: boolean | undefined;
  readonly text: string;
}

interface Asked {
  readonly url: string;
  readonly headers: string;
  readonly body: string;
}

/** What the core of this page asks for. */
async function asked({ text, ...config }: Case): Promise<Asked> {
  const asked: Asked[] = [];
  const model = createEndpointModel("/chat", {
    policy: { maxRetries: 0 },
    fetch: async (url, { headers, body }) => {
      asked.push({ url, headers: JSON.stringify([...(headers as Headers)]), body: String(body) });
      return new Response("", { status: 400 });
    },
  });
  const client = new GloveClient({ ...config, createModel: () => model, createStore: (id) => new MemoryStore(id) });
  const failure = await client
    .session("s")
    .sendMessage(text)
    .catch((error: Error) => error);
  client.dispose();
  expect(asked, String(failure)).toHaveLength(1);
  return asked[0] as Asked;
}

/** What is known at once is what the core is told. */
const predicted = async ({ tools, tasks, ...rest }: Case) => {
  const told = toldAtOnce(tools, tasks);
  const later = withTaskTool((await Promise.all(tools.map(specOf))) as PageTool[], tasks);
  const body = firstBody({ ...rest, tools: later });
  if (told) expect(firstBody({ ...rest, tools: told })).toBe(body);
  return body;
};

async function compare(given: Case): Promise<void> {
  expect(await predicted(given)).toBe((await asked(given)).body);
}

const tool = (name: string, jsonSchema: object, more: Partial<ToolConfig> = {}) =>
  ({ name, description: `It does ${name}.`, jsonSchema, do: () => null, ...more }) as ToolConfig;

test.each([
  ["no tools", [], undefined],
  ["no tools and a list of tasks", [], true],
  [
    "a tool, and with it the list of tasks",
    [tool("look", { type: "object", properties: { at: { type: "string" } } })],
    undefined,
  ],
  ["a tool and no list of tasks", [tool("look", { type: "object" })], false],
  ["a tool in the place of the list of tasks", [tool("glove_update_tasks", { type: "object" })], undefined],
  [
    "several tools, some of which are asked about",
    [tool("b", {}, { requiresPermission: true }), tool("a", { $schema: "x" })],
    undefined,
  ],
  ["a schema without a type", [tool("look", { properties: { "1": {}, b: {}, a: { enum: [1.5, null, "é"] } } })], undefined],
] as [string, ToolConfig[], boolean | undefined][])("%s", (_, tools, tasks) =>
  compare({ systemPrompt: "You help.", tools, tasks, text: "Hi" }),
);

test("a schema of zod", () => {
  const inputSchema = z.object({
    to: z.string().email().describe('To "whom"'),
    cc: z.array(z.string()).max(3).optional(),
    n: z.int(),
  });
  return compare({ systemPrompt: "", tools: [{ name: "mail", description: "Mail\n", inputSchema, do: () => null }], text: "Hi" });
});

test("tools whose schemas tell their JSON are known at once, and so is what is wrong with one", () => {
  const typed = (inputSchema: unknown) =>
    ({ name: "t", description: "T.", inputSchema, do: () => null }) as unknown as ToolConfig;
  const [zod, json] = [typed(z.object({ a: z.string() })), tool("look", { type: "object" })];
  expect(toldAtOnce([zod, json], undefined)?.map(({ name }) => name)).toEqual(["glove_update_tasks", "t", "look"]);
  expect(toldAtOnce([json, typed({ _def: {}, "~standard": { vendor: "zod" } })], undefined)).toBeUndefined();
  expect(() => toldAtOnce([{ ...json, needsApproval: true } as unknown as ToolConfig], undefined)).toThrow(
    "Use `requireApproval`",
  );
});

/** Numbers that are the same each time, below `most`. */
function numbers(seed: number) {
  let state = seed;
  return (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const next = numbers(7);
const letters = [
  "a",
  " ",
  "\n",
  "\r",
  "\t",
  "\b",
  "\f",
  "\0",
  "\u001f",
  "\u007f",
  '"',
  "\\",
  "/",
  "é",
  "\u2028",
  "\u2029",
  "\ufeff",
  "😀",
  "\u0300",
  "<",
  "\uffff",
];
const word = () => Array.from({ length: next(12) }, () => letters[next(letters.length)]).join("");
const value = (depth: number): unknown => {
  const kind = next(depth > 0 ? 7 : 5);
  if (kind < 2) return word();
  if (kind < 4) return [next(2 ** 31), -next(9), 1e21, 0.1 + next(9), 1e-7][next(5)];
  if (kind === 4) return [true, false, null][next(3)];
  if (kind === 5) return Array.from({ length: next(4) }, () => value(depth - 1));
  return Object.fromEntries(Array.from({ length: next(4) }, () => [word(), value(depth - 1)]));
};
/** As far as the core takes it. */
const schema = () => ({
  ...(next(2) && { $schema: "https://json-schema.org/draft/2020-12/schema" }),
  ...(next(2) && { type: "object" }),
  ...(next(2) && { properties: { [word()]: value(3) } }),
  ...(next(3) && { [["$defs", "required", "x-y", "0"][next(4)] as string]: value(3) }),
});

test("random prompts, messages, tools and schemas", { timeout: 120_000 }, async () => {
  const cases = 150 * Number(process.env.MORE_CASES ?? 1);
  for (let at = 0; at < cases; at++) {
    const tools = Array.from({ length: next(4) }, (_, at) => tool(`t${at}`, schema(), { description: word() }));
    const tasks = [undefined, true, false][next(3)];
    await compare({ systemPrompt: word(), tools, tasks, text: `${word()}x${word()}` });
  }
});

test.each(goldenNames)("the first request of the golden session %s", async (name) => {
  const golden = JSON.parse(readFileSync(`${goldenFolder}/${name}.json`, "utf8"));
  const first = golden.actions.find((action: { send?: string }) => action.send !== undefined);
  const isPlain = first && !first.content && !golden.inbox && !golden.tools?.some(({ undo }: { undo?: boolean }) => undo);
  if (!isPlain) return;
  const tools = (golden.tools ?? []).map((given: { name: string; schema?: object }) =>
    tool(given.name, given.schema ?? { type: "object" }),
  );
  const log = readFileSync(`${goldenFolder}/${name}.log`, "utf8");
  const body = /^model (.*)$/m.exec(log)?.[1];
  expect(await predicted({ systemPrompt: "You are a test.", tools, text: first.send })).toBe(body);
});

// What both kinds of servers answer at the endpoint of pages: tools, and answers that are read on. `glove serve` is held to the same table.
import { readFileSync } from "node:fs";
import type { ToolConfig } from "glove-wasm";
import { type ChatHandlerConfig, createChatHandler, createMemoryBuffer, type ModelAdapter } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";

interface Row {
  readonly server?: "hasty";
  readonly ask?: "GET";
  /** A question to the model. */
  readonly say?: string;
  /** A call of a tool. */
  readonly call?: Record<string, unknown>;
  readonly text?: string;
  /** Of the answer. */
  readonly name?: string;
  readonly over?: boolean;
  readonly user?: string;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly code?: string;
  readonly answer?: object;
  readonly events?: readonly object[];
  readonly has?: readonly string[];
  readonly hasnot?: readonly string[];
  readonly heads?: Record<string, string>;
  /** How often `book` has run so far, and how often the model has greeted in the rows of one name of an answer. */
  readonly ran?: number;
  readonly asked?: number;
  /** Keeps the ticket of the answer under this name. */
  readonly save?: string;
}

const table = JSON.parse(readFileSync(new URL("../fixtures/endpoint/served.json", import.meta.url), "utf8")) as readonly Row[];

function tools(ran: unknown[]): ToolConfig[] {
  const anything = { type: "object" } as const;
  const euros = { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] };
  return [
    {
      name: "book",
      description: "Books a table.",
      jsonSchema: { type: "object", properties: { people: { type: "integer", maximum: 8 } }, required: ["people"] },
      requireApproval: (input) => {
        const { people } = input as { readonly people: number };
        return { required: people > 4, reason: `for ${people}` };
      },
      async do(input, display) {
        ran.push(input);
        await display.pushAndForget({ renderer: "info", input: { message: "half of it" } });
        display.displayWidget("table", { number: 7 });
        return `booked for ${(input as { readonly people: number }).people}`;
      },
    },
    {
      name: "fail",
      description: "Fails.",
      jsonSchema: anything,
      idempotent: true,
      timeoutMs: 5_000,
      do: () => Promise.reject(new Error("postgres://root:hunter2@db failed")),
    },
    {
      name: "ask",
      description: "Asks.",
      jsonSchema: anything,
      requiresPermission: true,
      do: (_, display) => display.pushAndWait({ renderer: "confirm", input: "sure?" }),
    },
    {
      name: "pay",
      description: "Pays.",
      jsonSchema: euros,
      // Takes another name, as tools of `glove serve` do.
      inputSchema: {
        "~standard": {
          version: 1,
          vendor: "test",
          validate(value) {
            const { euros, sum = euros, ...rest } = value as Record<string, unknown>;
            if (euros !== undefined && sum !== euros) return { issues: [{ message: "two names" }] };
            if (typeof sum !== "number") return { issues: [{ message: "no number", path: ["euros"] }] };
            return { value: { euros: sum, ...rest } };
          },
        },
      },
      requireApproval: true,
      do: async (input) => `paid ${(input as { readonly euros: number }).euros}`,
    },
  ];
}

test("each request is answered as the table says", async () => {
  const ran: unknown[] = [];
  let greeted = 0;
  const createModel = (): ModelAdapter => {
    const answer = (text: string) => {
      const [word, people] = text.split(" ");
      if (word === "pay") return { toolCalls: [{ name: "pay", input: { sum: Number(people) }, id: "c1" }] };
      if (word === "book") return { toolCalls: [{ name: "book", input: { people: Number(people) }, id: "c1" }] };
      if (text === "fail" || text === "ask") return { toolCalls: [{ name: text, input: {}, id: "c1" }] };
      greeted++;
      return { deltas: ["Hello ", "there."] };
    };
    const { prompt, ...model } = createScriptedModel([]);
    return {
      ...model,
      prompt: (request, ...more) => createScriptedModel([answer(request.messages.at(-1)?.text ?? "")]).prompt(request, ...more),
    } as ModelAdapter;
  };
  const config: ChatHandlerConfig = {
    createModel,
    tools: tools(ran),
    toolSecret: "a secret",
    owner: (request) => request.headers.get("x-user") ?? "",
    onError: () => {},
    resume: createMemoryBuffer(),
  };
  const plain = createChatHandler(config);
  const hasty = createChatHandler({ ...config, toolTicketMs: 1 });
  const saved: Record<string, string> = {};
  let before = 0;
  for (const row of table) {
    const { say, call, name } = row;
    const filled = JSON.stringify({ toolCall: call }).replace(/\{(\w+)\}/g, (given, ticket: string) => saved[ticket] ?? given);
    const question = JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: say }] });
    const body = say !== undefined ? question : call ? filled : row.text;
    const headers = {
      "x-user": row.user ?? "ann",
      ...(name && { "x-glove-answer": name }),
      ...(row.over && { "x-glove-answer-over": "1" }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...row.headers,
    };
    if (!name) before = greeted;
    // A ticket of a millisecond is too old in the next but one.
    for (const since = Date.now(); row.server && Date.now() < since + 2; ) await null;
    const init = { method: row.ask ?? "POST", headers, ...(body !== undefined && { body }) };
    const response = await (row.server ? hasty : plain)(new Request("http://server/api/chat", init));
    const text = await response.text();
    const at = `${JSON.stringify(row)}: ${text}`;
    expect(response.status, at).toBe(row.status);
    if (row.code) expect(JSON.parse(text).error, at).toMatchObject({ code: row.code, message: expect.any(String) });
    if (row.answer) expect(JSON.parse(text), at).toMatchObject(row.answer);
    if (row.events) {
      const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as unknown);
      expect(events, at).toMatchObject(row.events);
    }
    for (const part of row.has ?? []) expect(text, at).toContain(part);
    for (const part of row.hasnot ?? []) expect(text, at).not.toContain(part);
    for (const [head, value] of Object.entries(row.heads ?? {})) expect(response.headers.get(head), at).toBe(value);
    if (row.ran !== undefined) expect(ran, at).toHaveLength(row.ran);
    if (row.asked !== undefined) expect(greeted - before, at).toBe(row.asked);
    if (row.save) saved[row.save] = /"ticket":"([^"]+)"/.exec(text)?.[1] ?? "";
  }
  expect(table.length).toBeGreaterThan(50);
});

// The files of a conversation as its tools reach them: by id or by name, as bytes, text, Blob and stream, also after a reload.
import { readFileSync } from "node:fs";
import { defineTool, GloveClient, MemoryStore, type ToolAttachment, type ToolDisplay } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { defineSandboxTool } from "glove-wasm/tools";
import { expect, test } from "vitest";
import { z } from "zod";
import { attachmentCalled, attachmentsOf } from "../../../js/src/messages/tool-attachments.js";
import type { Message } from "../../../js/src/wire/record.js";

type Read = (display: ToolDisplay) => unknown;

/** A conversation whose tool `look` does this. */
function conversation(store: MemoryStore, read: Read, ...others: ReturnType<typeof defineTool>[]) {
  const look = defineTool({
    name: "look",
    description: "Looks at a file.",
    inputSchema: z.object({}),
    do: async (_, display) => JSON.stringify((await read(display)) ?? null),
  });
  const model = createScriptedModel(({ messages }) =>
    messages.at(-1)?.tool_results?.length ? "Done." : { toolCalls: [{ name: "look", input: {} }] },
  );
  const client = new GloveClient({ createModel: () => model, createStore: () => store, tools: [look, ...others] });
  const session = client.session("s");
  const outputs = () =>
    session.getSnapshot().timeline.flatMap((entry) => (entry.kind === "tool" ? [entry.output ?? entry.status] : []));
  return { client, session, outputs, last: () => JSON.parse(outputs().at(-1) ?? "null") };
}

const pdf = new Blob([Uint8Array.of(37, 80, 68, 70, 0, 255)], { type: "application/pdf" });
const file = (blob: Blob, name: string) => new File([blob], name, { type: blob.type });
const csv = new Blob(["a,b\n1,2\n"], { type: "text/csv" });
const about = ({ id, name, type, size, from }: ToolAttachment) => ({ id, name, type, size, from });

test("a tool lists the files of messages and reads one as bytes, text, Blob and stream, also after a reload", async () => {
  const store = new MemoryStore("s");
  const read: Read = async ({ attachments, sessionId }) => {
    const all = await attachments?.list();
    const [table] = all ?? [];
    const paper = await attachments?.read("paper.pdf");
    const streamed = await new Response(paper?.stream()).arrayBuffer();
    const blob = await paper?.blob();
    return {
      sessionId,
      all: all?.map(about),
      table: await table?.text(),
      same: (await attachments?.read(table?.id ?? ""))?.name,
      bytes: [...((await paper?.bytes()) ?? [])],
      streamed: [...new Uint8Array(streamed)],
      blob: [blob?.type, blob?.size],
    };
  };
  const first = conversation(store, read);
  await first.session.sendMessage({ text: "Look", files: [file(csv, "table.csv"), file(pdf, "paper.pdf")] });
  const bytes = [37, 80, 68, 70, 0, 255];
  const expected = {
    sessionId: "s",
    all: [
      { id: expect.stringMatching(/\.\d+$/), name: "table.csv", type: "text/csv", size: 8, from: "message" },
      { id: expect.stringMatching(/\.\d+$/), name: "paper.pdf", type: "application/pdf", size: 6, from: "message" },
    ],
    table: "a,b\n1,2\n",
    same: "table.csv",
    bytes,
    streamed: bytes,
    blob: ["application/pdf", 6],
  };
  expect(first.last()).toEqual(expected);
  const { all } = first.last();
  first.client.dispose();
  const again = conversation(store, read);
  await again.session.sendMessage("Look again");
  // The ids are the same ones.
  expect(again.last()).toEqual({ ...expected, all });
});

test("files that tools return or add are attachments too, the newest of a name is read, and the others by id", async () => {
  const data = btoa("png");
  const makes = defineTool({
    name: "make",
    description: "Makes files.",
    inputSchema: z.object({}),
    do: (_, display) => {
      display.addFileOutput({ name: "table.csv", type: "text/csv", content: "new" });
      return [
        { type: "text", text: "Here." },
        { type: "image", source: { type: "base64", media_type: "image/png", data } },
      ];
    },
  });
  const store = new MemoryStore("s");
  const read: Read = async ({ attachments }) => {
    const all = (await attachments?.list()) ?? [];
    const texts = await Promise.all(all.map(async ({ id }) => (await attachments?.read(id))?.text()));
    return {
      names: all.map(({ name, from }) => `${name} ${from}`),
      texts,
      newest: await (await attachments?.read("table.csv"))?.text(),
    };
  };
  const { session, last } = conversation(store, read, makes as never);
  session.configure({
    model: createScriptedModel([
      { toolCalls: [{ name: "make", input: {} }] },
      { toolCalls: [{ name: "look", input: {} }] },
      "Done.",
    ]),
  });
  await session.sendMessage({ text: "Make", files: [file(csv, "table.csv")] });
  expect(last()).toEqual({
    names: ["table.csv message", " tool", "table.csv tool"],
    texts: ["a,b\n1,2\n", "png", "new"],
    newest: "new",
  });
});

test("an id that is not there, a file that is too large, damaged or elsewhere, and odd arguments are typed errors", async () => {
  const codes = async (...asked: (() => Promise<unknown> | undefined)[]) => {
    const all = [];
    for (const ask of asked)
      all.push(
        await Promise.resolve()
          .then(ask)
          .then(
            () => "fine",
            ({ code }) => code,
          ),
      );
    return all;
  };
  const read: Read = async ({ attachments: of }) =>
    codes(
      () => of?.read("no"),
      () => of?.read("paper.pdf", { maxBytes: 5 }),
      () => of?.read("paper.pdf", { maxBytes: 6 }),
      () => of?.read(undefined as never),
      () => of?.read("paper.pdf", { maxBytes: -1 }),
      async () => (await of?.read("far.pdf"))?.bytes(),
      async () => (await of?.list())?.find(({ type }) => type === "image/gif")?.bytes(),
    );
  const { session, last } = conversation(new MemoryStore("s"), read);
  await session.sendMessage({
    content: [
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: btoa("%PDF-1") },
        file: { name: "paper.pdf", type: "application/pdf", size: 6 },
      },
      { type: "document", source: { type: "url", media_type: "application/pdf", url: "https://example.com/a/far.pdf" } },
      { type: "image", source: { type: "base64", media_type: "image/gif", data: "=x=" } },
    ],
  } as never);
  expect(last()).toEqual([
    "ATTACHMENT_UNKNOWN",
    "ATTACHMENT_TOO_LARGE",
    "fine",
    "CONFIG_INVALID",
    "CONFIG_INVALID",
    "FILE_UNREADABLE",
    "FILE_UNREADABLE",
  ]);
});

test("sandboxed code in a chat reads what is attached, and writes nothing", async () => {
  const sum = defineSandboxTool({
    name: "sum",
    description: "Adds up a column.",
    inputSchema: z.object({ name: z.string() }),
    mounts: { attachments: "read" },
    code: `export default async ({ name }) => {
      const listed = await files.list("attachments");
      const rows = (await files.read("attachments/" + name)).trim().split("\\n").slice(1);
      const wrote = await files.write("attachments/x", "y").then(() => "wrote", () => "refused");
      const missing = await files.read("attachments/none").then(() => "read", (error) => error.message.slice(0, 41));
      return { sum: rows.reduce((all, row) => all + Number(row.split(",")[1]), 0), files: listed.length, wrote, missing };
    }`,
  });
  const model = createScriptedModel([{ toolCalls: [{ name: "sum", input: { name: "table.csv" } }] }, "Done."]);
  const client = new GloveClient({ createModel: () => model, createStore: () => new MemoryStore("s"), tools: [sum] });
  const session = client.session("s");
  await session.sendMessage({ text: "Sum", files: [file(csv, "table.csv")] });
  const entry = session.getSnapshot().timeline.find(({ kind }) => kind === "tool");
  expect(JSON.parse((entry as { output: string }).output)).toEqual({
    sum: 2,
    files: 1,
    wrote: "refused",
    missing: 'This conversation has no attachment "none',
  });
});

test("a record with every kind of file gives the list, the texts and the sentences that it gives in Rust", async () => {
  const { messages, list, texts, refused } = JSON.parse(
    readFileSync(new URL("../../fixtures/attachments.json", import.meta.url), "utf8"),
  ) as {
    messages: Message[];
    list: object[];
    texts: Record<string, string>;
    refused: Record<string, string>;
  };
  expect(attachmentsOf(messages).map((one) => ({ ...about(one), ...(one.url !== undefined && { url: one.url }) }))).toEqual(list);
  for (const [id, text] of Object.entries(texts)) expect(await attachmentCalled(messages, id).text()).toBe(text);
  for (const [id, why] of Object.entries(refused)) {
    const read = async () => attachmentCalled(messages, id).bytes();
    await expect(read()).rejects.toThrow(why);
  }
});

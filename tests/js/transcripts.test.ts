// The form of exported sessions, which native programs read and write too: tests/it/native_sqlite/transfer.rs has the same fixtures.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GloveClient } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { root } from "../support/project.js";

const fixture = (name: string) => join(root, "tests/fixtures/transcripts", name);
const read = (name: string) => readFileSync(fixture(name), "utf8").trimEnd();

const tools = [
  { name: "pay", description: "Pays", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "paid on the page" },
];
const createModel = () =>
  createScriptedModel(({ messages }) => (messages.at(-1)?.tool_results ? "Thank you." : { toolCalls: [{ name: "pay" }] }));
const clientOf = () => new GloveClient({ createModel, tools });

interface Case {
  readonly name: string;
  readonly text: string;
  readonly code?: string;
}

test.each(JSON.parse(read("cases.json")) as Case[])(
  "a transcript $name is imported or refused as natively",
  async ({ text, code }) => {
    const imported = clientOf().importSession(text);
    if (code === undefined) await expect(imported).resolves.toBe("x");
    else await expect(imported).rejects.toMatchObject({ code });
  },
);

test("a session of a page is exported to the byte as it was imported", async () => {
  if (process.env.WRITE_FIXTURE) {
    const client = clientOf();
    void client.session("page").sendMessage("Pay for “it”, 5 €");
    await vi.waitFor(() => expect(client.session("page").getSnapshot().approvals).toHaveLength(1));
    writeFileSync(fixture("page.json"), `${await client.exportSession("page")}\n`);
  }
  const text = read("page.json");
  const client = clientOf();
  expect(await client.exportSession(await client.importSession(text, { withRun: true }))).toBe(text);
});

test.runIf(existsSync(fixture("native.json")))("a session that went on natively goes on in a page", async () => {
  const client = clientOf();
  const session = client.session(await client.importSession(read("native.json"), { withRun: true }));
  await session.start();
  await vi.waitFor(() => expect(session.getSnapshot().approvals).toHaveLength(1));
  session.approve(session.getSnapshot().approvals[0]?.id ?? "");
  await vi.waitFor(() => expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ text: "Thank you." }));
  const results = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results);
  expect(results.map(({ result }) => result.data)).toEqual(["paid natively", "paid on the page"]);
});

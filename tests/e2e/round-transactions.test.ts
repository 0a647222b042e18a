// What a round of the loop asks of the browser's database, which does not depend on the machine.
import { expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { corePlace, inEachCore } from "../support/core-place.js";
import { servePackage } from "../support/pages.js";

/** Transactions that write, in a request of so many rounds with one call each. */
const writing = (rounds: number) => `(async () => {
  const { GloveClient, IndexedDBStore } = await import("/pkg/src/index.js");
  ${corePlace}
  ${inEachCore(`
    globalThis.written = 0;
    globalThis.transaction ??= IDBDatabase.prototype.transaction;
    IDBDatabase.prototype.transaction = function (names, mode, options) {
      if (mode === "readwrite") written++;
      return transaction.call(this, names, mode, options);
    };`)}
  let n = 0;
  const model = {
    name: "counting",
    setSystemPrompt() {},
    async prompt() {
      const tool_calls = [{ tool_name: "double", input_args: { n: ++n }, id: "c" + n }];
      const message = n > ${rounds} ? { sender: "agent", text: "Done." } : { sender: "agent", text: "", tool_calls };
      return { messages: [message], tokens_in: 1, tokens_out: 1 };
    },
  };
  const client = new GloveClient({
    createModel: () => model,
    createStore: (id) => new IndexedDBStore(id),
    systemPrompt: "",
    limits: { turns: 1000 },
    tools: [{
      name: "double",
      description: "Doubles a number.",
      jsonSchema: { type: "object", properties: { n: { type: "number" } } },
      do: async ({ n }) => ({ status: "success", data: n * 2 }),
    }],
  });
  const session = client.session("transactions-${rounds}");
  await session.start();
  void inCore("written = 0");
  await session.sendMessage("Go");
  session.dispose();
  return inCore("written");
})()`;

test("a round with one call writes twice to the database: before the tool runs, and what it gave", async () => {
  const [browser, server] = [await openBrowser(), await servePackage()];
  try {
    const { page } = await openPage(browser, server.url);
    const few = (await page.evaluate(writing(10))) as number;
    const many = (await page.evaluate(writing(60))) as number;
    expect((many - few) / 50).toBe(2);
  } finally {
    await browser.close();
    await server.close();
  }
});

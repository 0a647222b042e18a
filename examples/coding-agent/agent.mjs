// A coding agent in the terminal: `node agent.mjs FOLDER`. Whatever happens to this program, the next start goes on where it was.
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { createAdapter, GloveClient } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { mend } from "./script.mjs";
import { fileStore } from "./store.mjs";
import { codingTools } from "./tools.mjs";

const folder = process.argv[2] ?? ".";
const store = await fileStore("terminal", join(folder, ".coding-agent", "conversation.jsonl"));
const client = new GloveClient({
  createModel: () => (process.env.ANTHROPIC_API_KEY ? createAdapter({ provider: "anthropic" }) : createScriptedModel(mend)),
  systemPrompt: "You are a careful programmer. Read before you change, change little, and run the tests after each change.",
  tools: await codingTools(folder),
  createStore: () => store,
});
const session = client.session("terminal");
const terminal = createInterface({ input: process.stdin, output: process.stdout });

const print = {
  text_delta: ({ text }) => process.stdout.write(text),
  tool_use: ({ name, input }) => console.log(`\n· ${name} ${Object.values(input)[0] ?? ""}`),
};
session.addSubscriber({ record: (type, data) => print[type]?.(data) });

let changed = () => {};
session.subscribe(() => changed());
const decided = new Set();
/** Ends when the agent has nothing more to do, and asks the person whenever it must. */
async function untilDone() {
  for (;;) {
    const { approvals, busy, error } = session.getSnapshot();
    const question = approvals.find(({ id }) => !decided.has(id));
    if (question) await decide(question);
    else if (busy || approvals.length) await new Promise((done) => (changed = done));
    else return console.log(error ? `\n${error.message}` : "");
  }
}

async function decide({ id, reason, toolName, input }) {
  console.log(`\n${reason ?? toolName}`);
  for (const [name, value] of Object.entries(input ?? {})) console.log(`  ${name}: ${value}`);
  const answer = await terminal.question("Do it? [y/n] ");
  decided.add(id);
  await (answer === "y" ? session.approve(id) : session.reject(id, "The person said no."));
}

// Ctrl+C stops what runs. When nothing does, it ends the program.
terminal.on("SIGINT", () => (session.getSnapshot().busy ? session.abort() : process.exit()));
terminal.on("close", () => process.exit());

await session.start();
await untilDone();
console.log("Say what to do, such as “Make the tests pass”, or /undo. An empty line ends the program.");
for (;;) {
  const line = (await terminal.question("> ")).trim();
  if (!line) break;
  void (line === "/undo" ? session.undo() : session.sendMessage(line)).catch(() => {});
  await untilDone();
}
terminal.close();

// The agent of the scene, and the script that stands for its model: it looks at the files, as a model would.
import type { ModelAdapter } from "glove-wasm";
import { openTaskWorkspace, TaskAgent } from "glove-wasm/tasks";
import { workspaceId } from "./files.js";

type Request = Parameters<ModelAdapter["prompt"]>[0];
type Said = Request["messages"][number];

const brief = "progress/artifacts/brief.md";
const table = `| City | Price for four nights | By train | Rooms |
|---|---|---|---|
| Lisbon | €368 | no | 40 |
| Ghent | €440 | 5 hours | 55 |
| **Leipzig** | **€336** | **7 hours** | **60** |
`;
const text = `# Where to meet

**Leipzig.** It is the cheapest, has a room for all of us, and nobody has to fly.

${table}
Ghent is nearer, and costs more than the limit of €100 a night. Lisbon needs a flight.
`;
const sources = "\n## Sources\n\n- Prices, hours and rooms: `task/cities.csv`\n- Wishes: `task/wishes.txt`\n";

const findings = `Three cities are in question. Lisbon needs a flight, which one of the team does not want. Ghent costs €110 a night, above the limit of €100.
Leipzig costs €84 a night, is seven hours away by train, and has the largest room.`;
const plan = {
  objective: "A brief of one page that the team can decide on",
  steps: [
    { id: "s1", title: "Compare the cities in a table", tools: ["fs_write"] },
    { id: "s2", title: "Write the brief with a recommendation", tools: ["fs_write"] },
  ],
  acceptance: [{ criterion: "There is a table of all cities" }, { criterion: "The sources are named" }],
};
const refined = {
  objective: "Name the sources",
  steps: [{ id: "s3", title: "Add the sources to the brief", tools: ["fs_write"] }],
};

const write = (path: string, content: string) => ({
  text: "",
  tool_calls: [{ tool_name: "fs_write", id: `write-${path}-${content.length}`, input_args: { path, content } }],
});

async function read(path: string): Promise<string> {
  const content = await (await openTaskWorkspace(workspaceId)).read(path);
  return new TextDecoder().decode(content);
}

async function answer({ messages, tools = [] }: Request): Promise<Pick<Said, "text" | "tool_calls">> {
  const last = messages.at(-1);
  const asked = messages.findLast(({ sender, tool_results }) => sender === "user" && !tool_results)?.text ?? "";
  const denied = last?.tool_results?.find(({ result }) => result.status !== "success");
  const done = await read(brief);
  if (tools.length === 0) return { text: JSON.stringify(done ? refined : plan) };
  if (!tools.some(({ name }) => name === "fs_write")) {
    if (!asked.includes('"pass"')) return { text: findings };
    const pass = done.includes("## Sources");
    return {
      text: JSON.stringify({ pass, reasons: [pass ? "The table and the sources are there" : "The brief names no sources"] }),
    };
  }
  if (denied) return { text: "I left it as it was." };
  if (last?.tool_results)
    return {
      text: done.includes("## Sources") ? "The brief is complete: **Leipzig**, with table and sources." : "It is written.",
    };
  if (asked.includes("s3") || asked.includes("Add the sources")) return write(brief, text + sources);
  return asked.includes("Compare the cities") ? write("progress/artifacts/comparison.md", table) : write(brief, text);
}

/** So that one can watch it. */
const thinkingMs = 1_200;

const model = (): ModelAdapter => ({
  name: "script",
  setSystemPrompt() {},
  async prompt(request, _notify, signal) {
    await new Promise<void>((go, stop) => {
      const timer = setTimeout(go, thinkingMs);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        stop(signal.reason);
      });
    });
    return { messages: [{ sender: "agent", ...(await answer(request)) }], tokens_in: 900, tokens_out: 120 };
  },
});

export const agent = new TaskAgent({
  createModel: model,
  persona: "You prepare decisions for a small team. Be concise, and name your sources.",
  approvals: { require_plan: true },
});

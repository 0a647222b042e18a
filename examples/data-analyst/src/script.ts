// Stands in for a model: it writes code that reads the CSV, and draws what the code gave.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";

/** Adds up the last column for each value of another one. `input` is what the call has beside the code. */
const code = `const [head, ...rows] = (await files.read("attachments/" + input.file)).trim().split("\\n").map((line) => line.split(","));
const column = head.indexOf(input.by);
if (column < 0) throw new Error("The columns are " + head.join(", "));
const sums = {};
for (const row of rows) sums[row[column]] = (sums[row[column]] ?? 0) + Number(row.at(-1));
return Object.entries(sums).map(([label, value]) => ({ label, value })).sort((one, other) => other.value - one.value);`;

interface Bar {
  readonly label: string;
  readonly value: number;
}

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  const last = messages.at(-1);
  const [done] = last?.tool_results ?? [];
  const results = messages.flatMap(({ tool_results }) => tool_results ?? []);
  const bars = results.findLast(({ tool_name }) => tool_name === "sandbox_exec")?.result.data as readonly Bar[] | undefined;
  const asked = messages.findLast(({ sender, tool_results }) => sender === "user" && !tool_results);
  const by = /month|product/i.exec(asked?.text ?? "")?.[0].toLowerCase() ?? "region";
  if (done?.result.status === "error") return say(`The code failed: ${done.result.message}`);
  if (done?.tool_name === "sandbox_exec") {
    return { toolCalls: [{ name: "draw_chart", input: { title: `Sales by ${by}`, unit: "€", bars } }] };
  }
  if (done) return say(`**${bars?.[0]?.label}** sold most, with €${bars?.[0]?.value.toLocaleString("en")}.`);
  const file = messages.flatMap(({ content }) => content ?? []).findLast((part) => part.file)?.file?.name;
  if (!file) return say("Attach a CSV, or press “Ask about the sample”.");
  return { ...say(`I add it up by ${by}. `), toolCalls: [{ name: "sandbox_exec", input: { code, input: { file, by } } }] };
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 20 });

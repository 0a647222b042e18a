// Stands in for a model: it reads what a model would read, and answers.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  const last = messages.at(-1);
  const [done] = last?.tool_results ?? [];
  if (done?.result.status === "error") return say(`It did not work: ${done.result.message}`);
  if (done?.tool_name === "library__search")
    return say(`This is what the library has:\n\n${String(done.result.data)}\n\nShall I borrow it?`);
  if (done) return say(`${String(done.result.data)} Enjoy it!`);
  const text = last?.text ?? "";
  const call = (name: string, input: object) => ({ ...say("I ask the library. "), toolCalls: [{ name, input }] });
  if (/borrow|yes/i.test(text)) return call("library__borrow", { title: "Cheese of the Alps" });
  return call("library__search", { words: /on (\w+)/i.exec(text)?.[1] ?? "cheese" });
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 20 });

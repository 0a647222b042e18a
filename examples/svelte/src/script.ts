// Stands in for a model, so that the example needs no key: it reads what a model would read, and answers.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  const [done] = messages.at(-1)?.tool_results ?? [];
  if (done) return say(done.result.status === "success" ? "Done. The money is on its way." : "As you like. Nothing was paid.");
  return { ...say("I am sorry that it broke. "), toolCalls: [{ name: "refund", input: { order: "A-1042", euros: 80 } }] };
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 40 });

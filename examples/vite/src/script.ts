// Stands in for a model, so that the example needs no key: it reads what a model would read, and answers.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  const [done] = messages.at(-1)?.tool_results ?? [];
  if (done?.tool_name === "show_menu") {
    return {
      ...say("This is what the oven holds. "),
      toolCalls: [{ name: "take_order", input: { title: "What may we bring you?" } }],
    };
  }
  if (done) return say(done.result.status === "success" ? "Thank you! It is on its way." : "As you like. I am here.");
  return { ...say("Welcome! Here is the menu. "), toolCalls: [{ name: "show_menu" }] };
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 40 });

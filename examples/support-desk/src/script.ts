// Stands in for a model: it reads what a model would read, and answers.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  const last = messages.at(-1);
  const [done] = last?.tool_results ?? [];
  if (done?.tool_name === "look_up_order") {
    const order = done.result.data as { id: string; item: string; euros: number } | null;
    if (!order) return say("I cannot find that order. Its number is in the mail that we sent, such as **A-1042**.");
    const input = { order: order.id, euros: order.euros, reason: `The ${order.item.toLowerCase()} arrived broken.` };
    return { ...say("I am sorry about that. I have asked for your money back. "), toolCalls: [{ name: "refund", input }] };
  }
  if (done?.result.status === "success") return say("Done: the money is on its way, and is with you in **two to three days**.");
  if (done) return say(`It was not paid back. ${done.result.message ?? ""}`);
  const order = /[a-z]-\d{4}/i.exec(last?.text ?? "")?.[0];
  if (!order) return say("Which order is it about? Please tell me its number.");
  return { ...say("Let me look. "), toolCalls: [{ name: "look_up_order", input: { order: order.toUpperCase() } }] };
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 20 });

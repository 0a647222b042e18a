// Stands in for a model, on the device: it answers without a network too.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  const last = messages.at(-1);
  const [done] = last?.tool_results ?? [];
  if (done?.result.status === "success") return say(`Noted as **${String(done.result.data)}**. It is on this device.`);
  if (done) return say("I have written nothing down.");
  return { ...say("I write that down. "), toolCalls: [{ name: "add_note", input: { text: last?.text ?? "" } }] };
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 20 });

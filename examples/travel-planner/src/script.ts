// Stands in for a model: it reads what a model would read, and answers.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  const last = messages.at(-1);
  const [done] = last?.tool_results ?? [];
  if (done?.result.status === "success") {
    const { stops } = done.result.data as { stops: string[] };
    return say(
      `It is on the map: from **${stops[0]}** to **${stops.at(-1)}**, with ${stops.length} stops. Tell me if it is too much.`,
    );
  }
  if (done) return say("As you like. I am here.");
  const days = Number(/\d+/.exec(last?.text ?? "")?.[0] ?? 5);
  return { ...say("A fine idea. "), toolCalls: [{ name: "plan_route", input: { days } }] };
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 20 });

// Stands in for a model: it reads what a model would read, and answers.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";
import { all } from "./list";

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  // The page shows the list in a message of its own, behind the person's.
  const last = messages.findLast(({ text, tool_results }) => tool_results || (text && !text.includes('"items"')));
  const [done] = last?.tool_results ?? [];
  if (done?.tool_name === "add_items") return say("On your list. You can take that back below it.");
  if (done) return say(done.result.status === "success" ? "Done." : `That did not work: ${done.result.message}`);
  const text = last?.text.toLowerCase() ?? "";
  const ids = all().map(({ id }) => id);
  const call = (name: string, input: object) => ({ ...say("Sure. "), toolCalls: [{ name, input }] });
  if (/(clear|remove|empty)/.test(text)) return ids.length ? call("remove_items", { ids }) : say("The list is empty.");
  if (/(done|finish)/.test(text)) return ids.length ? call("check_items", { ids }) : say("The list is empty.");
  if (text.includes("picnic"))
    return call("add_items", { texts: ["Buy bread and cheese", "Wash the blanket", "Ask Jo for the basket"] });
  return call("add_items", { texts: [last?.text ?? ""] });
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 20 });

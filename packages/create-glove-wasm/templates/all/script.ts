// Stands in for a model, so that the app needs no key: it reads what a model would read, and answers.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";
import { books } from "./books{{ts}}";

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  const last = messages.at(-1);
  const [done] = last?.tool_results ?? [];
  if (done?.tool_name === "find_books") return say("Which one would you like?");
  /* @if approvals */
  if (done) return say(done.result.status === "success" ? "Enjoy it!" : "As you like. It stays on the shelf.");
  const wanted = books.find(({ title }) => last?.text.includes(title));
  if (wanted) return { ...say("A good choice. "), toolCalls: [{ name: "borrow_book", input: { title: wanted.title } }] };
  /* @else */
  const wanted = books.find(({ title }) => last?.text.includes(title));
  if (wanted) return say(`${wanted.title} is on the shelf, under ${wanted.author}.`);
  /* @end */
  return { ...say("Let me look. "), toolCalls: [{ name: "find_books", input: { about: last?.text ?? "" } }] };
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 40 });

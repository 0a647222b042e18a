// The model's side: the key stays here. Without a key a script answers.
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel, type ScriptedCall, type ScriptedTurn } from "glove-wasm/testing";

export const POST = createChatHandler(
  process.env.ANTHROPIC_API_KEY ? { provider: "anthropic" } : { createModel: () => createScriptedModel(answer) },
);

function answer({ messages }: ScriptedCall): ScriptedTurn {
  const last = messages.at(-1);
  const [done] = last?.tool_results ?? [];
  if (done) return say(done.result.status === "success" ? "Filed. Somebody will look at it today." : "No ticket, then.");
  return { ...say("I have written that down. "), toolCalls: [{ name: "file_ticket", input: { summary: last?.text } }] };
}

/** Word by word, as models do. */
function say(text: string): ScriptedTurn {
  return { deltas: text.split(/(?<= )/), every: 40 };
}

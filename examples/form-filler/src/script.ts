// Stands in for a model: it finds in a message what a form wants to know.
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";
import { claim, current, names } from "./claim";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

function read(text: string): Record<string, unknown> {
  const [, first, last, month = ""] = /(\d+) (?:to|until) (\d+) (\w{3})/i.exec(text) ?? [];
  const number = months.indexOf(month.toLowerCase()) + 1;
  const day = (day?: string) => day && number && `2026-${String(number).padStart(2, "0")}-${day.padStart(2, "0")}`;
  const euros = Number(/€ ?(\d+(?:\.\d+)?)/.exec(text)?.[1]);
  const found = {
    name: /(?:I am|I'm) ([A-Z]\w+ [A-Z]\w+)/.exec(text)?.[1],
    destination: /\bin ([A-Z]\p{L}+)/u.exec(text)?.[1],
    from: day(first),
    to: day(last),
    purpose: /for (the [^,.]+)/.exec(text)?.[1],
    euros: euros || undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value));
}

export function answer({ messages }: ScriptedCall): ScriptedTurn {
  // What the page shows of the form stands in a message behind the person's; here it is read from the page.
  const last = messages.findLast(({ text, tool_results }) => tool_results || (text && !text.includes('"claim"')));
  const [done] = last?.tool_results ?? [];
  const { values } = current();
  const missing = names.filter((name) => !values[name]);
  const ask = {
    ...say("All is there. Shall I send it? "),
    toolCalls: [{ name: "send_claim", input: { ...values, euros: Number(values.euros) } }],
  };
  if (done?.tool_name === "fill_fields" && done.result.status === "success") {
    return missing.length ? say(`Please add: **${missing.join(", ")}**. Then say “send it”.`) : ask;
  }
  if (done?.result.status === "success") return say("It is sent. You have the money with your next pay.");
  if (done) return say(`It is not sent. ${done.result.message ?? "Change what you like, and say “send it”."}`);
  if (/send/i.test(last?.text ?? "")) {
    const complete = claim.safeParse({ ...values, euros: Number(values.euros) }).success;
    return complete ? ask : say(`Not yet: please look at **${missing.join(", ") || "the days and the amount"}**.`);
  }
  const input = read(last?.text ?? "");
  if (Object.keys(input).length === 0) return say("Tell me where you were, from when to when, what for, and what it cost.");
  return { ...say("I fill in what you told me. "), toolCalls: [{ name: "fill_fields", input }] };
}

/** Word by word, as models do. */
const say = (text: string): ScriptedTurn => ({ deltas: text.split(/(?<= )/), every: 20 });

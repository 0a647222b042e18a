// The scripted model: reads what was said and what the tools gave, and answers as a model would. No key, no network.
import type { Message, ToolResult } from "glove-wasm";
import type { ScriptedCall, ScriptedTurn } from "glove-wasm/testing";
import { categories, euros, mentioned, products } from "./products.js";

type Calls = NonNullable<ScriptedTurn["toolCalls"]>;

export const suggestions = [
  "Show me the desks",
  "Plan a quiet corner for me",
  "Add two Aurora lamps",
  "Apply the code WELCOME10",
  "Check out",
  "Undo that",
  "Tell me about the shop",
] as const;

export function assistant({ messages }: ScriptedCall): ScriptedTurn {
  const asked = messages.findLastIndex(isQuestion);
  const since = messages.slice(asked + 1);
  const results = since.flatMap(({ tool_results }) => tool_results ?? []);
  const text = messages[asked]?.text ?? "";
  const turn = /\bplan\b|quiet corner/i.test(text) ? plan(results) : results.length === 0 ? first(text) : after(results);
  return { ...paced(turn), usage: { tokens_in: size(messages), tokens_out: size([turn]) } };
}

const isQuestion = ({ sender, tool_results }: Message) => sender === "user" && !tool_results?.length;

// ---- what was said -------------------------------------------------------------------------------------------------

function first(text: string): ScriptedTurn {
  const wanted = mentioned(text);
  if (/\b(undo|take (it|that) back)\b/i.test(text)) return call("undo_last_action", {});
  if (/\b(check ?out|order|pay|buy now)\b/i.test(text)) return call("checkout", {});
  if (/\b(code|discount|coupon|voucher)\b/i.test(text)) return discount(text);
  if (/\b(add|put|want|take|buy)\b/i.test(text) && wanted.length > 0) {
    return { toolCalls: wanted.map(({ id }) => ({ name: "add_to_cart", input: { id, quantity: quantity(text) } })) };
  }
  if (/\b(cart|basket)\b/i.test(text)) return call("view_cart", {});
  if (/\b(about|story|who are you)\b/i.test(text)) return { text: story };
  const category = categories.find((name) => text.toLowerCase().includes(name));
  if (category || wanted[0]) return call("show_products", { category: category ?? wanted[0]?.category });
  if (/\b(show|browse|products|everything|have|sell|need|looking)\b/i.test(text)) return call("show_products", {});
  return { text: help };
}

function discount(text: string): ScriptedTurn {
  const code = /\b[A-Z]{3,}\d+\b/i.exec(text)?.[0];
  return code ? call("apply_discount", { code }) : { text: "Which code do you have? WELCOME10 works for everyone." };
}

const numbers = ["one", "two", "three", "four", "five"];

function quantity(text: string): number {
  const digits = Number(/\b(\d{1,2})\b/.exec(text)?.[1]);
  const word = numbers.findIndex((name) => new RegExp(`\\b${name}\\b`, "i").test(text)) + 1;
  return digits || word || 1;
}

// ---- what the tools gave -------------------------------------------------------------------------------------------

function after(results: readonly ToolResult[]): ScriptedTurn {
  const failed = results.find(({ result }) => result.status !== "success");
  if (failed) return { text: sorry(failed) };
  return { text: results.map(told).join(" ") };
}

function sorry({ tool_name, result }: ToolResult): string {
  const why = result.message ?? "";
  if (/permission denied/i.test(why)) return "Then I leave the price as it is. Ask again whenever you like.";
  if (tool_name === "checkout" && !/empty/.test(why)) return "No order was placed. Your cart stays as it is.";
  return `That did not work: ${why || "something went wrong"} Shall I try something else?`;
}

function told({ tool_name, result: { data } }: ToolResult): string {
  const given = (data ?? {}) as Record<string, unknown>;
  switch (tool_name) {
    case "show_products":
      return `Here ${Array.isArray(data) && data.length === 1 ? "is what" : `are ${(data as unknown[]).length} things`} I would look at. Press Add, or tell me what you like.`;
    case "add_to_cart":
      return `${given.quantity} × ${given.added} ${given.quantity === 1 ? "is" : "are"} in your cart.`;
    case "view_cart":
      return contents(given);
    case "apply_discount":
      return `${given.discount} % off: the total is ${euros(Number(given.total))} now.`;
    case "checkout":
      return `Thank you! Order ${given.number} is on its way to ${given.city}.`;
    case "undo_last_action":
      return "I took the last action back.";
    default:
      return "Done.";
  }
}

function contents({ lines, total }: Record<string, unknown>): string {
  const list = (lines as { name: string; quantity: number }[]).map(({ name, quantity }) => `${quantity} × ${name}`);
  if (list.length === 0) return "Your cart is empty. Shall I show you around?";
  return `You have ${list.join(", ")}: ${euros(Number(total))}. Say “check out” when you are ready.`;
}

// ---- a request of several steps ------------------------------------------------------------------------------------

const steps = [
  { content: "Find what takes the noise out", activeForm: "Looking for quiet things" },
  { content: "Put two felt panels into the cart", activeForm: "Adding the panels" },
  { content: "Add a light that does not glare", activeForm: "Adding a light" },
];

function plan(results: readonly ToolResult[]): ScriptedTurn {
  const failed = results.find(({ result }) => result.status !== "success");
  if (failed) return { text: sorry(failed) };
  const turns: ScriptedTurn[] = [
    { text: "A quiet corner takes three steps. I write them down first.", toolCalls: tasks(0) },
    call("show_products", { category: "sound" }),
    { toolCalls: [...tasks(1), { name: "add_to_cart", input: { id: "felt-panel", quantity: 2 } }] },
    { toolCalls: [...tasks(2), { name: "add_to_cart", input: { id: "aurora-lamp", quantity: 1 } }] },
    { toolCalls: tasks(3) },
    { text: "Your quiet corner is in the cart: two felt panels and the Aurora lamp. Say “undo that” to take the last one out." },
  ];
  // Each of these many results ends one of the turns above.
  const ends = [1, 2, 4, 6, 7];
  const at = ends.findIndex((count) => results.length < count);
  return turns[at < 0 ? turns.length - 1 : at] ?? { text: help };
}

function tasks(done: number): Calls {
  const status = (at: number) => (at < done ? "completed" : at === done ? "in_progress" : "pending");
  const todos = steps.map((step, at) => ({ ...step, status: status(at) }));
  return [{ name: "glove_update_tasks", input: { todos } }];
}

// ---- how it is said ------------------------------------------------------------------------------------------------

const call = (name: string, input: unknown): ScriptedTurn => ({ toolCalls: [{ name, input }] });

function paced(turn: ScriptedTurn): ScriptedTurn {
  const deltas = turn.text?.match(/\S+\s*/g);
  return { after: 250, every: 28, ...turn, ...(deltas && { deltas }) };
}

/** About what a model would count. */
const size = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);

const help = `I can show you what we have, fill your cart, take a discount code, and place the order. There are ${products.length} products; try “show me the desks”.`;

const story =
  `The shop began with one desk that would not fit through a door. We sawed it in half, put two hinges in the middle, and
sold it to the person who lived behind that door. She came back for a lamp, then for a chair, and then with a friend who could not
work because of the street below. So we learned about felt, and about fern, and about how little it takes until a corner of a
room is a place where one likes to think. Today we sell eight things. Each has stood on our own floor for a year before it came
into the shop, and each can be taken apart with one key. If you press Stop while I am telling this, what you have read stays in
the conversation, and the next question is answered as usual.`.replaceAll("\n", " ");

// The shop's script: what a model would do with what the person says and with what the tools gave.
import { type Answer, type Assistant, type Call, type Said, taskList } from "../network/script.js";
import { list, named, numberIn, says } from "../network/words.js";
import { categories, euros, products } from "./products.js";

export const assistant: Assistant = (said) => {
  if (says(said.text, /\bplan\b|quiet corner/)) return plan(said);
  if (said.failed) return { text: sorry(said) };
  const { results } = said;
  // “Add two chairs and check out”: the second half comes when the first is done.
  const alsoCheckout = says(said.text, checkout) && !results.some(({ tool_name }) => tool_name === "checkout");
  if (results.length > 0 && alsoCheckout) return { calls: [["checkout", {}]] };
  return results.length > 0 ? { text: told(said) } : first(said.text);
};

const checkout = /\b(check ?out|order|pay|buy now)\b/;

// ---- what was said -------------------------------------------------------------------------------------------------

function first(text: string): Answer {
  const wanted = named(products, text);
  if (says(text, /\bundo\b|\btake (it|that) back\b/)) return { calls: [["undo_last_action", {}]] };
  if (says(text, /\b(code|discount|coupon|voucher)\b/)) return discount(text);
  if (says(text, /\b(remove|without|drop|delete)\b/) && wanted.length > 0) {
    return { calls: wanted.map(({ id }): Call => ["remove_from_cart", { id }]) };
  }
  if (says(text, /\b(add|put|want|take|buy)\b/) && wanted.length > 0) {
    return { calls: wanted.map(({ id }): Call => ["add_to_cart", { id, quantity: numberIn(text) ?? 1 }]) };
  }
  if (says(text, checkout)) return { calls: [["checkout", {}]] };
  if (says(text, /\b(cart|basket)\b/)) return { calls: [["view_cart", {}]] };
  if (says(text, /\b(about|story|who are you)\b/)) return { text: story };
  const category = categories.find((name) => says(text, new RegExp(name))) ?? wanted[0]?.category;
  if (category || says(text, /\b(show|browse|products|everything|have|sell|need|looking)\b/)) {
    return { calls: [["show_products", { category }]] };
  }
  return { text: help };
}

function discount(text: string): Answer {
  const code = /\b[a-z]{3,}\d+\b/i.exec(text)?.[0];
  return code ? { calls: [["apply_discount", { code }]] } : { text: "Which code do you have? WELCOME10 works for everyone." };
}

// ---- what the tools gave -------------------------------------------------------------------------------------------

function sorry({ failed }: Said): string {
  const why = failed?.result.message ?? "";
  if (says(why, /permission denied/)) return "OK, the price stays as it is.";
  if (says(why, /empty/)) return "Your cart is empty. Add something first, then check out.";
  if (failed?.tool_name === "checkout") return "No order was placed. Your cart is unchanged.";
  return `That did not work: ${why || "something went wrong"} Shall I try something else?`;
}

// biome-ignore lint/suspicious/noExplicitAny: what a tool gave, as a model reads it.
const sentences: Readonly<Record<string, (data: any) => string>> = {
  show_products: ({ length }) =>
    `Here ${length === 1 ? "is one product" : `are ${length} products`}. Press Add, or tell me what you like.`,
  add_to_cart: ({ quantity, added }) => `In your cart now: ${quantity} × ${added}.`,
  remove_from_cart: ({ removed }) => `Removed the ${removed}.`,
  view_cart: ({ lines, total }) =>
    lines.length === 0
      ? "Your cart is empty. Shall I show you our products?"
      : `You have ${list(lines.map((line: { name: string; quantity: number }) => `${line.quantity} × ${line.name}`))}: ${euros(total)}. Say “check out” when you are ready.`,
  apply_discount: ({ discount, total }) => `${discount}% off. Your total is now ${euros(total)}.`,
  checkout: ({ number, city }) => `Thank you! Order ${number} is on its way to ${city}.`,
  undo_last_action: () => "The last action is undone.",
};

function told({ results }: Said): string {
  const last = results.at(-1)?.tool_name;
  const shown = last === "checkout" ? results.slice(-1) : results;
  return shown.map(({ tool_name, result }) => sentences[tool_name]?.(result.data) ?? "Done.").join(" ");
}

// ---- a request of several steps ------------------------------------------------------------------------------------

const tasks = taskList([
  { content: "Find sound-absorbing products", activeForm: "Finding sound-absorbing products" },
  { content: "Add two felt panels", activeForm: "Adding two felt panels" },
  { content: "Add a soft light", activeForm: "Adding a soft light" },
]);

function plan(said: Said): Answer {
  if (said.failed) return { text: sorry(said) };
  const turns: Answer[] = [
    { text: "Less echo and a softer light. Here is the plan.", calls: [tasks(0)] },
    { calls: [["show_products", { category: "sound" }]] },
    { calls: [tasks(1), ["add_to_cart", { id: "felt-panel", quantity: 2 }]] },
    { calls: [tasks(2), ["add_to_cart", { id: "aurora-lamp", quantity: 1 }]] },
    { calls: [tasks(3)] },
    { text: "Your quiet corner is in the cart: two felt panels and the Aurora lamp. Say “undo that” to remove the lamp." },
  ];
  // Each of these many results ends one of the turns above.
  const ends = [1, 2, 4, 6, 7];
  const at = ends.findIndex((count) => said.results.length < count);
  return turns.at(at) ?? { text: help };
}

const help = `I can show you what we have, fill your cart, apply a discount code, and place your order. There are ${products.length} products; try “show me the desks”.`;

const story =
  `The shop began with one desk that would not fit through a door. We sawed it in half, put two hinges in the middle, and
sold it to the person who lived behind that door. She came back for a lamp, then for a chair, and then with a friend who could not
work because of the street below. So we learned about felt, and about fern, and about how little it takes until a corner of a
room is a place where one likes to think. Today we sell eight things. Each has stood on our own floor for a year before it came
into the shop, and each can be taken apart with one key. If you press Stop while I am telling this, what you have read stays in
the conversation, and the next question is answered as usual.`.replaceAll("\n", " ");

// What the scripted model answers on each page, and the routes that its tools ask.
import type { Assistant } from "../../demo/network/script.js";

const orders = `Two of them are late:

| Order | Due | Where it is |
|---|---|---|
| A-1042 | 12 November | damaged in transit |
| A-1057 | 19 November | in customs |

`;

const refunds: Assistant = ({ results, failed, text }) => {
  if (failed) return { text: "The refund was not allowed, so nothing was paid." };
  if (results.length > 0) return { text: "Done: €80 are on their way back." };
  const input = { order: "A-1042", euros: 80, reason: "It arrived broken" };
  return { text: /late|which/i.test(text) ? orders : "I can refund that.", calls: [["refund", input]] };
};

/** Calls a tool once, and then says something. */
const once =
  (tool: string, input: unknown, then: string, before = ""): Assistant =>
  ({ results, failed }) =>
    failed
      ? { text: "All right: nothing was done." }
      : results.length > 0
        ? { text: then }
        : { text: before, calls: [[tool, input]] };

const time = once("local_time", { zone: "Asia/Tokyo" }, "That is the time in Tokyo now: your own clock told it, in this page.");

const assistants: Readonly<Record<string, Assistant>> = {
  "README.md": refunds,
  "docs/guides/approve-what-runs.md": refunds,
  "docs/guides/start-with-vite.md": time,
  "docs/guides/move-from-usechat.md": time,
  "docs/guides/ask-the-person.md": once("book_table", { guests: 2 }, "Your table is booked.", "With pleasure."),
  "docs/tool-results.md": once("order_status", { order: "A-1042" }, "Anna brings it this afternoon."),
  "docs/guides/move-from-assistant-ui.md": once("get_weather", { city: "Oslo" }, "Take a coat."),
  "docs/guides/move-from-chatkit.md": once("add_to_cart", { article: "Tea", count: 2 }, "Anything else?"),
  "docs/guides/move-from-glove.md": once("confirm_order", { items: ["Tea", "Honey"] }, "It is ordered."),
  "docs/guides/attach-files.md": ({ files }) => ({
    text: files.length
      ? `${files.length === 1 ? "One file" : `${files.length} files`} arrived: ${files.map(({ type, size }) => `${type}, ${size}`).join("; ")}.`
      : "Attach a receipt, and I read it.",
  }),
  "docs/guides/theme.md": () => ({ text: "We bake it today, and it is ready from **seven** tomorrow." }),
  gallery: refunds,
};

const anything: Assistant = ({ text }) => ({
  text: `You said: “${text}”.\n\nThis answer comes from a script in the page, so it needs no key. With a key of yours, a model answers.`,
});

export const assistantOf = (page: string): Assistant => assistants[page] ?? anything;

export const routes: Readonly<Record<string, (url: URL) => Response>> = {
  "/api/refunds": () => new Response("paid"),
  "/api/weather": () => Response.json({ degrees: 4 }),
};

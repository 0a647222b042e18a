// The guides that show something: the code of each, served beside a model that answers from a script, and what a reader does with it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel, type ScriptedTurn } from "glove-wasm/testing";
import type { Page } from "playwright-core";
import { blocks } from "../docs/blocks.js";
import { serveExamples } from "./docs-page.js";
import { root } from "./project.js";
import type { Served, ServeOptions } from "./server.js";

export interface Guide {
  /** The page, from the root of the repository. */
  readonly page: string;
  /** What the model answers, one for each request. */
  readonly answers: readonly (string | ScriptedTurn)[];
  /** Up to what the picture shows. */
  readonly shows: (page: Page) => Promise<void>;
  /** What comes after that. */
  readonly ends?: (page: Page) => Promise<void>;
  readonly routes?: ServeOptions["routes"];
  /** `App.tsx`, where the page has none. */
  readonly app?: string;
  /** The name of its picture in docs/pictures, and its size. */
  readonly picture?: { readonly name: string; readonly width: number; readonly height: number };
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const says = (page: Page, text: string) => page.getByText(text).first().waitFor();

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

const call = (name: string, input: unknown, text = ""): ScriptedTurn => ({ text, toolCalls: [{ name, input }] });

const start = {
  answers: [call("local_time", { zone: "Asia/Tokyo" }), "It is five past nine in the evening in Tokyo, and noon in Lisbon."],
  async shows(page: Page) {
    await press(page, "What time is it in Tokyo?");
    await says(page, "noon in Lisbon.");
    await page.reload();
    await says(page, "noon in Lisbon.");
  },
};

/** What a model of a task says: what it gathered, its plan, and each step of it. */
const brief = [
  "Trees cool streets, hold water and please people. Three sources agree.",
  JSON.stringify({
    objective: "One page that a city council can read in two minutes",
    steps: [
      { id: "s1", title: "Compare what three cities report", instructions: "A table." },
      { id: "s2", title: "Write the brief" },
    ],
    acceptance: [{ criterion: "No more than one page" }, { criterion: "Each claim has a source" }],
  }),
];

/** A photograph of a receipt, drawn. */
async function receipt(page: Page): Promise<Buffer> {
  const url = (await page.evaluate(`(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 300 });
    const context = canvas.getContext("2d");
    context.fillStyle = "#8d6e53";
    context.fillRect(0, 0, 300, 300);
    context.fillStyle = "#fdfbf4";
    context.fillRect(70, 20, 160, 260);
    context.fillStyle = "#443";
    context.font = "16px monospace";
    ["Coffee  3.70", "Bread   4.20", "Milk    1.90", "", "Total   9.80"].forEach((line, at) => context.fillText(line, 85, 70 + at * 36));
    return canvas.toDataURL();
  })()`)) as string;
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

const orders = `Two of them are late:

| Order | Due | Where it is |
|---|---|---|
| A-1042 | 12 November | damaged in transit |
| A-1057 | 19 November | in customs |
| A-1060 | 2 December | on its way |

`;

export const guides: readonly Guide[] = [
  {
    page: "README.md",
    answers: [call("refund", { order: "A-1042", euros: 80 }, orders), "Done: €80 are on their way back."],
    async shows(page) {
      await send(page, "Which orders are late? Refund the damaged one.");
      await says(page, "Refund €80 for order A-1042?");
      await page.reload();
      await says(page, "Refund €80 for order A-1042?");
    },
    async ends(page) {
      await press(page, "Allow");
      await says(page, "Done: €80 are on their way back.");
    },
    routes: { "/api/refunds": async () => new Response("paid") },
  },
  { page: "docs/guides/start-with-vite.md", ...start, picture: { name: "start", width: 800, height: 360 } },
  {
    page: "docs/tool-results.md",
    answers: [call("order_status", { order: "A-1042" }), "Anna brings it this afternoon."],
    app: `
      import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
      import { orderStatus } from "./order-status";
      const client = new GloveClient({ endpoint: "/api/chat", systemPrompt: "You help.", tools: [orderStatus], persistSession: true });
      const Chat = () => <Render glove={useGlove()} />;
      export default () => <GloveProvider client={client}><main data-glove-page=""><Chat /></main></GloveProvider>;
    `,
    async shows(page) {
      await send(page, "Where is order A-1042?");
      await says(page, "Anna brings it this afternoon.");
      await page.reload();
      await says(page, "Anna brings it:");
    },
  },
  {
    page: "docs/guides/ask-the-person.md",
    answers: [call("book_table", { guests: 2 }, "With pleasure."), "Your table is booked."],
    async shows(page) {
      await press(page, "A table for two, please");
      await says(page, "When, and for whom?");
      await page.reload();
      await says(page, "When, and for whom?");
      await page.getByRole("textbox", { name: "Name" }).fill("Ada");
    },
    async ends(page) {
      await press(page, "Book");
      await says(page, "Your table is booked.");
    },
  },
  {
    page: "docs/guides/approve-what-runs.md",
    answers: [
      call("refund", { order: "A-1042", euros: 80, reason: "It arrived broken" }, "I can refund that."),
      "The refund was not allowed.",
    ],
    async shows(page) {
      await press(page, "Refund €80 for order A-1042: it arrived broken");
      await says(page, "Refund €80 for order A-1042?");
      await page.reload();
      await says(page, "Refund €80 for order A-1042?");
    },
    async ends(page) {
      await press(page, "Deny");
      await says(page, "The refund was not allowed.");
    },
    routes: { "/api/refunds": async () => new Response("paid") },
  },
  {
    page: "docs/guides/attach-files.md",
    answers: ["You spent €7.40 on coffee."],
    async shows(page) {
      await page.getByRole("textbox", { name: "Message" }).waitFor();
      await page.locator("input[type=file]").setInputFiles([
        { name: "receipt.png", mimeType: "image/png", buffer: await receipt(page) },
        { name: "november.csv", mimeType: "text/csv", buffer: Buffer.from("day,what,euros\n3,coffee,3.70\n9,coffee,3.70\n") },
      ]);
      await page.locator("[data-glove-attachment][data-state=ready]").nth(1).waitFor();
      await page.getByRole("textbox", { name: "Message" }).fill("What did I spend on coffee?");
    },
    async ends(page) {
      await page.keyboard.press("Enter");
      await says(page, "You spent €7.40 on coffee.");
    },
    picture: { name: "attach", width: 800, height: 420 },
  },
  {
    page: "docs/guides/threads.md",
    answers: ["Take the night train.", "Carrots, rice, and a lime.", "The oak is the oldest: it is 900 years old."],
    async shows(page) {
      for (const [text, answer] of [
        ["How do I get to Vienna?", "night train"],
        ["A shopping list for soup", "Carrots"],
        ["What is the oldest tree in town?", "The oak"],
      ] as const) {
        await page.getByRole("button", { name: /^New/ }).click();
        await send(page, text);
        await page.getByRole("log").getByText(answer).waitFor();
      }
      await page.getByRole("button", { name: "A shopping list for soup" }).waitFor();
    },
  },
  {
    page: "docs/guides/theme.md",
    answers: [],
    shows: (page) => says(page, "Order before ten, and we bake it today."),
    picture: { name: "theme", width: 800, height: 480 },
  },
  {
    page: "docs/guides/give-it-tasks.md",
    answers: brief,
    async shows(page) {
      await press(page, "Start");
      await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
    },
    picture: { name: "tasks", width: 960, height: 760 },
  },
  {
    page: "docs/guides/move-from-glove.md",
    answers: ["Good day!"],
    shows: greets,
    picture: { name: "from-glove", width: 800, height: 300 },
  },
  {
    page: "docs/guides/move-from-usechat.md",
    answers: ["Good day!"],
    shows: greets,
    picture: { name: "from-usechat", width: 480, height: 160 },
  },
  {
    page: "docs/guides/move-from-assistant-ui.md",
    answers: [call("get_weather", { city: "Oslo" }), "Take a coat."],
    routes: { "/api/weather": async () => Response.json({ degrees: 4 }) },
    async shows(page) {
      await send(page, "How is Oslo?");
      await says(page, "4 °C");
      await says(page, "Take a coat.");
    },
    picture: { name: "from-assistant-ui", width: 640, height: 420 },
  },
  {
    page: "docs/guides/move-from-chatkit.md",
    answers: [call("add_to_cart", { article: "Tea", count: 2 }), "Anything else?"],
    async shows(page) {
      await page.getByRole("textbox").fill("Two teas");
      await page.keyboard.press("Enter");
      await says(page, "2 × Tea in your cart");
      await says(page, "Anything else?");
    },
    picture: { name: "from-chatkit", width: 420, height: 440 },
  },
];

async function greets(page: Page): Promise<void> {
  await send(page, "Hello");
  await says(page, "Good day!");
}

/** What the page of a guide asks: the endpoint, where the script answers, and routes of its own. */
export function routesOf({ answers, routes }: Guide): NonNullable<ServeOptions["routes"]> {
  let asked = 0;
  const answer = () => answers[asked++] ?? "The script has ended.";
  return { "/api/chat": createChatHandler({ createModel: () => createScriptedModel(answer) }), ...routes };
}

/** The page of a guide at `/main`: its own `main.tsx`, or the one of "Start with Vite" around its `App.tsx`. */
export function serveGuide(guide: Guide): Promise<Served> {
  const main = blocks().find(
    ({ place, file }) => place.startsWith("docs/guides/start-with-vite.md") && file.endsWith("main.tsx"),
  );
  const css = /^```css\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, guide.page), "utf8"))?.[1] ?? "";
  const more = { "main.tsx": main?.code ?? "", "App.tsx": guide.app ?? "", "App.css": css };
  return serveExamples(guide.page, ["main"], routesOf(guide), more);
}

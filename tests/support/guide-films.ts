// The films of the guides, made by scripts/pictures.mjs: the code that a guide prints, and what a person does with it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { chromiumArguments } from "../../scripts/lib/chromium.mjs";
import { type Sharp, type Size, Stage, scale } from "./film.js";
import { guides, serveGuide } from "./guides.js";
import { serveLook } from "./look.js";
import type { Served } from "./server.js";

interface Film extends Size {
  /** In docs/films, and of what stands for it in docs/pictures. */
  readonly name: string;
  readonly serve: () => Promise<Served>;
  readonly path: string;
  readonly plays: (stage: Stage) => Promise<void>;
  readonly made?: { readonly every: number; readonly quality: number };
}

const box = (page: Page) => page.getByRole("textbox", { name: "Message" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const says = (page: Page, text: string) => page.getByText(text).first().waitFor();

/** The guide of a page, whose model writes as fast as one reads. */
function guide(page: string, answers?: (typeof guides)[number]["answers"]): Pick<Film, "serve" | "path"> {
  const found = guides.find((one) => one.page === page);
  if (!found) throw new Error(`there is no guide ${page}`);
  const slow = (answers ?? found.answers).map((answer) => {
    const turn = typeof answer === "string" ? { text: answer } : answer;
    return { ...turn, after: 400, deltas: turn.text?.match(/[\s\S]{1,7}/g) ?? [], every: turn.every ?? 30 };
  });
  return { serve: () => serveGuide({ ...found, answers: slow }), path: "/main" };
}

export const films: readonly Film[] = [
  {
    name: "crash",
    width: 860,
    height: 620,
    ...guide("README.md"),
    async plays(stage) {
      stage.say("A model works with your tools");
      await stage.load((page) => box(page).fill("Which orders are late? Refund the damaged one."));
      await stage.click(button(stage.page, "Send"));
      await says(stage.page, "Refund €80 for order A-1042?");
      stage.say("The refund waits for a person");
      await stage.wait(2_000);
      stage.poster();
      await stage.crash();
      stage.say("The tab crashes");
      await stage.wait(1_400);
      stage.say("Opened again: everything is back, and the refund still waits");
      await stage.load((page) => button(page, "Allow").waitFor());
      await stage.wait(900);
      await stage.click(button(stage.page, "Allow"));
      await says(stage.page, "Done: €80 are on their way back.");
      stage.say("Allowed once, and paid once");
      await stage.wait(1_800);
    },
  },
  {
    name: "result",
    width: 800,
    height: 600,
    ...guide("docs/tool-results.md", [
      { text: "I look it up.", toolCalls: [{ name: "order_status", input: { order: "A-1042" } }] },
      "Your order left the depot at eight. **Anna** brings it this afternoon, and rings before she comes.",
    ]),
    async plays(stage) {
      stage.say("The model asks for a tool");
      await stage.load((page) => box(page).waitFor());
      await stage.type(box(stage.page), "Where is order A-1042?");
      await says(stage.page, "Anna brings it:");
      stage.say("The result is a component of yours, and the answer goes on");
      await says(stage.page, "rings before she comes.");
      stage.poster();
      await stage.wait(2_000);
    },
  },
  {
    name: "ask",
    width: 800,
    height: 600,
    ...guide("docs/guides/ask-the-person.md"),
    async plays(stage) {
      stage.say("A tool asks in the middle of its work");
      await stage.load((page) => button(page, "A table for two, please").waitFor());
      await stage.click(button(stage.page, "A table for two, please"));
      await says(stage.page, "When, and for whom?");
      await stage.wait(700);
      const name = stage.page.getByRole("textbox", { name: "Name" });
      await stage.click(name);
      await stage.page.keyboard.type("Ada Lovelace", { delay: 60 });
      stage.poster();
      await stage.wait(300);
      await stage.click(button(stage.page, "Book"));
      stage.say("The answer is the value of an await");
      await says(stage.page, "Your table is booked.");
      await stage.wait(1_800);
    },
  },
  {
    name: "approve",
    width: 800,
    height: 600,
    ...guide("docs/guides/approve-what-runs.md", [
      {
        text: "I can refund that.",
        toolCalls: [{ name: "refund", input: { order: "A-1042", euros: 80, reason: "It arrived broken" } }],
      },
      "€80 are on their way back.",
    ]),
    async plays(stage) {
      stage.say("An approval shows every argument");
      await stage.load((page) => button(page, "Refund €80 for order A-1042: it arrived broken").waitFor());
      await stage.click(button(stage.page, "Refund €80 for order A-1042: it arrived broken"));
      await says(stage.page, "Refund €80 for order A-1042?");
      await stage.wait(1_000);
      stage.poster();
      await stage.wait(200);
      await stage.close();
      stage.say("The person closes the tab");
      await stage.wait(1_300);
      stage.say("The next day, the approval is still there");
      await stage.load((page) => button(page, "Allow").waitFor());
      await stage.wait(800);
      await stage.click(button(stage.page, "Allow"));
      await says(stage.page, "on their way back.");
      stage.say("What was allowed is exactly what ran");
      await stage.wait(1_500);
    },
  },
  {
    name: "threads",
    width: 960,
    height: 500,
    ...guide("docs/guides/threads.md", [
      "Take the night train at 21:40. It is in Vienna at seven, and breakfast is served in your compartment.",
      {
        text: "Carrots, rice, and a lime. Fresh coriander, if the market has some. Two onions, and a litre of stock. Ginger, as much as a thumb. Boil the carrots in the stock, and add the rest. It keeps for three days.",
        every: 280,
      },
    ]),
    async plays(stage) {
      stage.say("Each conversation is a thread");
      await stage.load(async (page) => {
        await box(page).fill("How do I get to Vienna?");
        await page.keyboard.press("Enter");
        await says(page, "your compartment.");
      });
      await stage.click(stage.page.getByRole("button", { name: /^New/ }));
      await box(stage.page).fill("A shopping list for soup");
      await stage.wait(300);
      await stage.page.keyboard.press("Enter");
      await says(stage.page, "Carrots, rice");
      await stage.click(button(stage.page, "How do I get to Vienna?"));
      stage.say("The run continues while another thread is open");
      await says(stage.page, "your compartment.");
      stage.poster();
      await stage.wait(1_500);
      await stage.click(button(stage.page, "A shopping list for soup"));
      await says(stage.page, "It keeps for three days.");
      await stage.wait(1_500);
    },
  },
  {
    name: "long",
    width: 520,
    height: 440,
    made: { every: 120, quality: 30 },
    serve: () => serveLook({}, "look-page", true),
    path: "/",
    async plays(stage) {
      stage.say("5,000 entries, of which the page holds a few dozen");
      await stage.load(async (page) => {
        await page.waitForFunction("globalThis.chat");
        await page.evaluate(`{
          const store = (id) => {
            const made = new MemoryStore(id);
            made.appendMessages(Array.from({ length: 5_000 }, (_, at) => ({
              sender: at % 2 ? "agent" : "user",
              id: "m" + at,
              text: (at % 2 ? "**Answer " : "Question ") + (at + 1) + (at % 2 ? ".** " : "? ") + "Some words of it, and some more. ".repeat(at % 2 ? (at * 7) % 9 : 1),
            })));
            return made;
          };
          globalThis.client = chat([], { createStore: store, sessionId: "s" });
        }`);
        await says(page, "Answer 5000.");
      });
      await stage.wait(500);
      await stage.page.mouse.move(300, 220);
      const wheel = async (by: number, times: number) => {
        for (let at = 0; at < times; at++) {
          await stage.page.mouse.wheel(0, by);
          await stage.wait(40);
        }
      };
      await wheel(-50, 30);
      await wheel(-300, 25);
      stage.poster();
      stage.say("What is read stays where it is");
      await wheel(-40, 20);
      await stage.click(button(stage.page, "Jump to latest"));
      await says(stage.page, "Answer 5000.");
      await stage.wait(1_200);
    },
  },
];

interface Folders {
  readonly films: string;
  readonly pictures: string;
}

export async function takeGuideFilms(sharp: Sharp, folders: Folders, only: RegExp): Promise<string[]> {
  mkdirSync(folders.films, { recursive: true });
  const executablePath = process.env.GLOVE_CHROME_SHELL ?? process.env.GLOVE_CHROME ?? "/usr/bin/chromium";
  const args = [...chromiumArguments, `--force-device-scale-factor=${scale}`];
  const browser = await chromium.launch({ executablePath, args });
  const made: string[] = [];
  try {
    for (const film of films) {
      if (!only.test(film.name)) continue;
      made.push(await take(sharp, browser, film, folders));
      console.log(made.at(-1));
    }
  } finally {
    await browser.close();
  }
  return made;
}

async function take(sharp: Sharp, browser: Browser, { name, serve, path, plays, made, ...size }: Film, folders: Folders) {
  const server = await serve();
  try {
    const stage = await Stage.open(browser, `${server.url}${path}`, size);
    await plays(stage);
    const { film, still, seconds } = await stage.develop(sharp, made);
    writeFileSync(join(folders.films, `${name}.webp`), film);
    writeFileSync(join(folders.pictures, `${name}.webp`), still);
    return `${name}: ${seconds.toFixed(1)} s, ${(film.length / 1_000).toFixed(0)} kB`;
  } finally {
    await server.close();
  }
}

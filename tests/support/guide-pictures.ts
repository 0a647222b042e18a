// The pictures of the guides and of the parts of the look, as WebP, made by scripts/pictures.mjs.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { blocks } from "../docs/blocks.js";
import { openBrowser } from "./browser.js";
import { buildGuide } from "./guide-folders.js";
import { guides, routesOf, serveGuide } from "./guides.js";
import { serveLook, showState } from "./look.js";
import { root } from "./project.js";
import { type Served, serve } from "./server.js";

interface Picture {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly serve: () => Promise<Served>;
  readonly path: string;
  readonly shows: (page: Page) => Promise<void>;
  /** Half light and half dark. */
  readonly halves?: boolean;
}

const ofGuides = guides.flatMap(({ picture, ...guide }): Picture[] =>
  picture ? [{ ...picture, serve: () => serveGuide(guide), path: "/main", shows: guide.shows }] : [],
);

/** States of the look, each the picture of a part of it. */
const parts: Readonly<Record<string, readonly [width: number, height: number]>> = {
  messages: [800, 640],
  answers: [800, 760],
  welcome: [800, 620],
  cards: [800, 560],
  danger: [800, 620],
  files: [800, 620],
  queue: [800, 520],
  context: [800, 420],
  "failed-turn": [800, 420],
  "two-questions": [800, 620],
  compaction: [800, 460],
  "mcp-form": [800, 820],
};
const ofLook = Object.entries(parts).map(
  ([state, [width, height]]): Picture => ({
    name: `look-${state}`,
    width,
    height,
    serve: () => serveLook(),
    path: "/",
    halves: state === "messages",
    async shows(page) {
      await page.waitForFunction("globalThis.show");
      await showState(page, state);
    },
  }),
);

/** On a phone, and with the bar that finds words. */
const phone: Picture = {
  name: "look-phone",
  width: 360,
  height: 640,
  serve: () => serveLook(),
  path: "/",
  async shows(page) {
    await page.waitForFunction("globalThis.show");
    await showState(page, "danger");
  },
};

const finding: Picture = {
  name: "look-finding",
  width: 800,
  height: 420,
  serve: () => serveLook(),
  path: "/",
  async shows(page) {
    await page.waitForFunction("globalThis.chat");
    await page.evaluate(`{
      const store = new MemoryStore("s");
      store.appendMessages([
        { sender: "user", id: "a", text: "Which chairs do you have in oak?" },
        { sender: "agent", id: "b", text: "Two: the **oak** chair with arms, and the one without." },
        { sender: "user", id: "c", text: "And in ash?" },
        { sender: "agent", id: "d", text: "One. It is lighter than oak, and costs a third less." },
      ]);
      globalThis.client = chat([], { createStore: () => store, sessionId: "s", view: { find: true } });
    }`);
    await page.getByText("a third less").waitFor();
    await page.getByRole("textbox", { name: "Message" }).focus();
    await page.keyboard.press("Control+Shift+F");
    await page.keyboard.insertText("oak");
    await page.getByText(/of 3/).waitFor();
  },
};

const widget: Picture = {
  name: "look-widget",
  width: 640,
  height: 480,
  serve: () => serveLook({}, "widget-page"),
  path: "/",
  async shows(page) {
    await page.waitForFunction("globalThis.look");
    await page.evaluate(`look.open(["The oak chair is ready to send, and comes in one box."]), 0`);
    await page.locator("[data-glove-launcher]").click();
    await ask("Which chair comes first?", "in one box")(page);
  },
};

const time = [
  { toolCalls: [{ name: "local_time", input: { zone: "Asia/Tokyo" } }] },
  "It is evening in Tokyo, and noon in Lisbon.",
];
const ask = (text: string, answer: string) => async (page: Page) => {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
  await page.getByText(answer).waitFor();
};
const asksForTime = ask("What time is it in Tokyo?", "noon in Lisbon");

/** Guides whose files make a whole folder. */
const ofFolders = ["vue", "svelte", "solid"].map(
  (name): Picture => ({
    name: `start-${name}`,
    width: 480,
    height: 160,
    async serve() {
      const folder = join(root, ".cache", `picture-${name}`);
      const page = `docs/guides/start-with-${name}.md`;
      const served = await serve(await buildGuide(name, folder), {
        routes: routesOf({ page, answers: time, shows: asksForTime }),
      });
      return { ...served, close: () => served.close().finally(() => rmSync(folder, { recursive: true })) };
    },
    path: "/",
    shows: asksForTime,
  }),
);

const plain: Picture = {
  name: "start-plain",
  width: 480,
  height: 160,
  serve() {
    const page = "docs/guides/start-on-a-plain-page.md";
    const text = readFileSync(join(root, page), "utf8");
    const html = /^```html\n([\s\S]*?)^```$/m.exec(text)?.[1]?.replaceAll("/node_modules/glove-wasm/", "/") ?? "";
    const script = blocks().find(({ place, file }) => place.startsWith(page) && file.endsWith("main.js"))?.code ?? "";
    return serve(root, {
      pages: { "/": html, "/main.js": script },
      routes: routesOf({ page, answers: time, shows: asksForTime }),
    });
  },
  path: "/",
  shows: asksForTime,
};

const all: readonly Picture[] = [...ofGuides, ...ofLook, phone, finding, widget, ...ofFolders, plain];

export async function takeGuidePictures(folder: string, only: RegExp): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const browser = await openBrowser();
  const made: string[] = [];
  try {
    for (const picture of all) {
      if (!only.test(picture.name)) continue;
      const light = await shot(browser, picture, "light");
      const dark = picture.halves ? await shot(browser, picture, "dark") : undefined;
      const file = `${picture.name}.webp`;
      writeFileSync(join(folder, file), await packed(browser, light, dark));
      made.push(file);
    }
  } finally {
    await browser.close();
  }
  return made;
}

async function shot(browser: Browser, picture: Picture, colorScheme: "light" | "dark"): Promise<Buffer> {
  const { width, height } = picture;
  const server = await picture.serve();
  const context = await browser.newContext({ colorScheme, viewport: { width, height }, deviceScaleFactor: 1.5, locale: "en-GB" });
  try {
    const page = await context.newPage();
    await page.goto(`${server.url}${picture.path}`);
    await picture.shows(page);
    await page.mouse.move(0, 0);
    // What is loaded when it is first shown, and what waits for a moment.
    await page.waitForTimeout(1_500);
    return await page.screenshot({ animations: "disabled", caret: "hide" });
  } finally {
    await context.close();
    await server.close();
  }
}

/** One picture, or the left half of one and the right half of the other. */
async function packed(browser: Browser, left: Buffer, right?: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const sources = [left, ...(right ? [right] : [])].map((png) => `data:image/png;base64,${png.toString("base64")}`);
  const url = (await page.evaluate(`(async () => {
    const images = await Promise.all(${JSON.stringify(sources)}.map(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      return image;
    }));
    const [{ width, height }] = images;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    context.drawImage(images[0], 0, 0);
    if (images[1]) {
      context.beginPath();
      context.moveTo(width * 0.56, 0);
      context.lineTo(width, 0);
      context.lineTo(width, height);
      context.lineTo(width * 0.44, height);
      context.clip();
      context.drawImage(images[1], 0, 0);
    }
    return canvas.toDataURL("image/webp", 0.85);
  })()`)) as string;
  await page.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

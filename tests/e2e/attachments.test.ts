// Files in the built-in chat, in Chromium: picked, dropped and pasted, and what of them arrives at a provider that refuses as its vendor does.
import { mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { createChatHandler } from "glove-wasm/server";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { kindOf } from "../../js/react/attachments/file-kind.js";
import { barriers } from "../support/axe.js";
import { openBrowser } from "../support/browser.js";
import { openLook, serveLook } from "../support/look.js";
import { openProvider, type Provider, speak } from "../support/provider.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;
let provider: Provider;
let limits: { bodyBytes?: number } = {};
/** What the application has stored, by the name that it gave. */
const stored = new Map([["upload:report.pdf", new Blob(["%PDF-1.4 the report"], { type: "application/pdf" })]]);
beforeAll(async () => {
  const handle = (request: Request) =>
    createChatHandler({
      provider: "anthropic",
      apiKey: "k",
      baseURL: provider.url,
      limits,
      resolveFile: ({ url }) => stored.get(url),
      onError() {},
    })(request);
  [browser, server] = [await openBrowser(), await serveLook({ "/api/chat": handle })];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
beforeEach(async () => {
  limits = {};
  provider = await openProvider("anthropic");
  provider.reply({ body: speak.anthropic(["I see."]) });
});
afterEach(() => provider.close());

async function withChat(work: (page: Page) => Promise<void>, options: BrowserContextOptions = {}, more = "{}"): Promise<void> {
  const page = await openLook(browser, server, { viewport: { width: 800, height: 600 }, ...options });
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  try {
    await begin(page, more);
    await work(page);
    expect(problems).toEqual([]);
  } finally {
    await page.context().close();
  }
}

async function begin(page: Page, more = "{}"): Promise<void> {
  await page.evaluate(
    `globalThis.client = chat([], { createModel: () => createEndpointModel("/api/chat", { policy: { maxRetries: 0 } }), ...${more} }), undefined`,
  );
  await attach(page).waitFor();
}

const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const attach = (page: Page) => page.getByRole("button", { name: "Attach files" });
const attached = (page: Page) => page.getByRole("list", { name: "Attached files" }).getByRole("listitem");
const pick = (page: Page, files: Parameters<ReturnType<Page["locator"]>["setInputFiles"]>[0]) =>
  page.locator("input[type=file]").setInputFiles(files);
/** Waits until so many files are ready; large pictures take a while on a busy machine. */
const allReady = (page: Page, count: number) =>
  page
    .locator("[data-glove-attachment][data-state=ready]")
    .nth(count - 1)
    .waitFor();

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly source?: { readonly media_type: string; readonly data: string };
}

/** What the provider was sent in the last message of the last request. */
async function lastSent(): Promise<readonly Part[]> {
  await expect.poll(() => provider.asked.length).toBeGreaterThan(0);
  const { body, findings } = provider.asked.at(-1) as Provider["asked"][number];
  expect(findings).toEqual([]);
  return body.messages.at(-1).content;
}

const blobOf = ({ source }: Part) => new Blob([Buffer.from(source?.data ?? "", "base64")], { type: source?.media_type ?? "" });

/** A picture that the page makes: noise does not become small. */
const photograph = async (page: Page, width: number, height: number, type: string, draw: string): Promise<Buffer> =>
  Buffer.from(
    (await page.evaluate(`(async () => {
      const canvas = new OffscreenCanvas(${width}, ${height}), context = canvas.getContext("2d");
      ${draw}
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "${type}", quality: 0.95 })).arrayBuffer());
      let text = "";
      for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
      return btoa(text);
    })()`)) as string,
    "base64",
  );

const noise = `const tile = context.createImageData(256, 256);
  for (let at = 0; at < tile.data.length; at++) tile.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
  const small = new OffscreenCanvas(256, 256); small.getContext("2d").putImageData(tile, 0, 0);
  context.fillStyle = context.createPattern(small, "repeat"); context.fillRect(0, 0, canvas.width, canvas.height);`;

/** The colours in the middle of the left, right, upper and lower half, and how much is seen of the first pixel. */
const colours = (page: Page, part: Part) =>
  page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(part.source?.data)}), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: ${JSON.stringify(part.source?.media_type)} }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const at = (x, y) => { const [r, g, b, a] = context.getImageData(x * bitmap.width, y * bitmap.height, 1, 1).data; return a < 128 ? "clear" : r > g && r > b ? "red" : b > r ? "blue" : "other"; };
    return [at(0.5, 0.1), at(0.5, 0.9), at(0.1, 0.5), at(0.9, 0.5)];
  })()`);

test("a photograph of two megabytes arrives scaled, and one that is small enough to the byte", async () => {
  await withChat(async (page) => {
    const large = await photograph(page, 4000, 3000, "image/jpeg", noise);
    expect(large.length).toBeGreaterThan(2_000_000);
    const small = await photograph(page, 300, 200, "image/png", "context.fillStyle = 'red'; context.fillRect(0, 0, 300, 200);");
    await pick(page, [
      { name: "large.jpg", mimeType: "image/jpeg", buffer: large },
      { name: "small.png", mimeType: "image/png", buffer: small },
    ]);
    await allReady(page, 2);
    await field(page).fill("What is this?");
    await field(page).press("Enter");
    await page.getByText("I see.").waitFor();
    const [first, second, text, ...none] = await lastSent();
    expect([none, text?.text]).toEqual([[], "What is this?"]);
    const blob = blobOf(first as Part);
    expect(await kindOf(blob)).toMatchObject({ type: "image/jpeg", width: 1568, height: 1176 });
    expect([first?.source?.media_type, blob.size < 1_500_000]).toEqual(["image/jpeg", true]);
    expect(Buffer.from(second?.source?.data ?? "", "base64").equals(small)).toBe(true);
    expect(await attached(page).count()).toBe(0);
    // Drawn in the message, and large on demand; the keyboard comes back to where it was.
    const thumbnail = page.getByRole("button", { name: "Image you attached" }).first();
    await thumbnail.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Image you attached" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    expect(await thumbnail.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});

/** Marks a JPEG as taken with the camera turned to the right. */
function turned(jpeg: Buffer): Buffer {
  const data = Buffer.from("457869660000 4d4d002a00000008 0001 0112 0003 00000001 0006 0000 00000000".replace(/ /g, ""), "hex");
  const head = Buffer.from([0xff, 0xe1, 0, data.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

test("a photograph of a turned camera arrives upright, and what is seen through stays so", async () => {
  await withChat(async (page) => {
    const halves =
      "context.fillStyle = 'red'; context.fillRect(0, 0, 1200, 1200); context.fillStyle = 'blue'; context.fillRect(1200, 0, 1200, 1200);";
    const camera = turned(await photograph(page, 2400, 1200, "image/jpeg", halves));
    const clear = await photograph(
      page,
      2400,
      1200,
      "image/png",
      "context.fillStyle = 'blue'; context.fillRect(1200, 0, 1200, 1200);",
    );
    await pick(page, [
      { name: "camera.jpg", mimeType: "image/jpeg", buffer: camera },
      { name: "clear.png", mimeType: "image/png", buffer: clear },
    ]);
    await allReady(page, 2);
    await page.getByRole("button", { name: "Send" }).click();
    const [upright, through] = (await lastSent()) as [Part, Part];
    expect(await kindOf(blobOf(upright))).toMatchObject({ type: "image/jpeg", width: 784, height: 1568 });
    expect(await colours(page, upright)).toEqual(["red", "blue", expect.anything(), expect.anything()]);
    expect(await kindOf(blobOf(through))).toMatchObject({ type: "image/png", width: 1568, height: 784 });
    expect((await colours(page, through)) as string[]).toEqual([expect.anything(), expect.anything(), "clear", "blue"]);
  });
});

/** A PNG of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [head, tail] = [Buffer.alloc(4), Buffer.alloc(4)];
    head.writeUInt32BE(data.length);
    tail.writeUInt32BE(crc(body));
    return Buffer.concat([head, body, tail]);
  };
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  const rows = width * height > 1e8 ? Buffer.alloc(100) : Buffer.alloc((width + 1) * height);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", Buffer.concat([size, Buffer.from([8, 0, 0, 0, 0])])),
    chunk("IDAT", deflateSync(rows, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function crc(data: Buffer): number {
  let value = -1;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}

test("what cannot be attached is a sentence, and nothing else of the message is lost", async () => {
  const film = join(mkdtempSync(join(tmpdir(), "files-")), "film.mp4");
  writeFileSync(film, Buffer.from("000000186674797069736f6d0000000069736f6d69736f32", "hex"));
  truncateSync(film, 200_000_000);
  await withChat(async (page) => {
    await field(page).fill("Look at these");
    await pick(page, film);
    await attached(page)
      .getByText("The assistant cannot read \u2068film.mp4\u2069. It takes pictures, PDFs, text files.")
      .waitFor();
    const began = Date.now();
    await pick(page, [
      { name: "empty.png", mimeType: "image/png", buffer: Buffer.alloc(0) },
      { name: "bomb.png", mimeType: "image/png", buffer: png(30_000, 30_000) },
      { name: "really.png", mimeType: "image/png", buffer: Buffer.from("%PDF-1.4\n1 0 obj") },
      { name: "broken.jpg", mimeType: "image/jpeg", buffer: Buffer.from("ffd8ffe000104a464946", "hex") },
      { name: "main.rs", mimeType: "", buffer: Buffer.from("fn main() {}") },
    ]);
    await allReady(page, 2);
    const said = (await attached(page).allInnerTexts()).map((text) =>
      text.replace(/[\u2068\u2069\n]+/g, "").replace(/Remove.*/, ""),
    );
    expect(said).toEqual([
      "empty.png is empty.",
      "bomb.png has too many pixels to open here: 900 million; the limit is 120 million.",
      "really.pngreally.png is a PDF file, whatever its name says.",
      "broken.jpg cannot be opened. It may be damaged, or it may not be a picture.",
      "main.rsRS · 12 bytes",
    ]);
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(await field(page).inputValue()).toBe("Look at these");
    await field(page).press("Enter");
    const sent = await lastSent();
    expect(sent.map(({ type, text, source }) => text ?? `${type} ${source?.media_type}`)).toEqual([
      "document application/pdf",
      "main.rs:\nfn main() {}",
      "Look at these",
    ]);
    await expect
      .poll(() => page.locator("[data-glove-role=user] [data-glove-attachment]").allInnerTexts())
      .toEqual([expect.stringMatching(/really\.png/), expect.stringMatching(/main\.rs\s*RS · 12 bytes/)]);
  });
});

test("a picture of fifty megapixels is scaled and looked at in pieces, between which the page has its turn", async () => {
  await withChat(async (page) => {
    // Times tell nothing on a busy machine: all in one piece are 60 to 500 ms, and so are a few pieces there.
    await page.evaluate(`{
      globalThis.pieces = { scaled: [], seen: [] };
      const { createImageBitmap } = globalThis;
      globalThis.createImageBitmap = (source, ...how) => {
        if (source instanceof ImageBitmap) pieces.scaled.push(how[2] * how[3]);
        return createImageBitmap(source, ...how);
      };
      const { getImageData } = OffscreenCanvasRenderingContext2D.prototype;
      OffscreenCanvasRenderingContext2D.prototype.getImageData = function (...where) {
        pieces.seen.push(where[2] * where[3]);
        return getImageData.apply(this, where);
      };
    }`);
    const file = join(mkdtempSync(join(tmpdir(), "files-")), "wall.png");
    writeFileSync(file, png(8660, 5774));
    await pick(page, file);
    await allReady(page, 1);
    const { scaled, seen } = (await page.evaluate("pieces")) as Record<"scaled" | "seen", readonly number[]>;
    const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0);
    expect([sum(scaled) >= 8660 * 5774, sum(seen)]).toEqual([true, 1568 * 1045]);
    expect([Math.max(...scaled) <= 4_100_000, Math.max(...seen) <= 250_000], `${scaled} ${seen}`).toEqual([true, true]);
    await field(page).fill("Large?");
    await field(page).press("Enter");
    const [sent] = (await lastSent()) as [Part];
    expect(await kindOf(blobOf(sent))).toMatchObject({ type: "image/jpeg", width: 1568, height: 1045 });
  });
});

test("files are dropped and pasted too, a folder is told as one, and Enter waits for what is on its way", async () => {
  await withChat(async (page) => {
    const folder = mkdtempSync(join(tmpdir(), "folder-"));
    const one = join(folder, "one.txt");
    writeFileSync(one, "first");
    const client = await page.context().newCDPSession(page);
    const data = { items: [], files: [folder, one], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await client.send("Input.dispatchDragEvent", { type, x: 400, y: 200, data });
    await allReady(page, 1);
    expect((await attached(page).allInnerTexts()).join()).toContain("is a folder. Attach the files that are in it.");
    await field(page).focus();
    const large = (await photograph(page, 3000, 2000, "image/png", noise)).toString("base64");
    await page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(${JSON.stringify(large)}), (letter) => letter.charCodeAt(0))], "image.png", { type: "image/png" }));
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }`);
    await field(page).press("Enter");
    const sent = await lastSent();
    expect(sent.map(({ text, source }) => text ?? source?.media_type)).toEqual(["one.txt:\nfirst", "image/jpeg"]);
    // A table brings a picture of itself: its text is what is pasted.
    await page.evaluate(`{
      const data = new DataTransfer();
      data.setData("text/plain", "a\\tb");
      data.items.add(new File(["x"], "image.png", { type: "image/png" }));
      document.querySelector("textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }`);
    await page.waitForTimeout(200);
    expect(await attached(page).count()).toBe(0);
  });
});

const persists = "{ persistSession: true }";

test("the files of a draft are there again after a reload, each conversation's own, and are gone when they were sent", () =>
  withChat(
    async (page) => {
      await field(page).fill("What are these?");
      await pick(page, [
        { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Thursday") },
        { name: "dot.png", mimeType: "image/png", buffer: await photograph(page, 40, 30, "image/png", noise) },
      ]);
      await allReady(page, 2);
      await kept(page, 2);
      await page.reload();
      await begin(page, persists);
      await allReady(page, 2);
      expect(await field(page).inputValue()).toBe("What are these?");
      expect(await attached(page).locator("img").count()).toBe(1);
      await page.getByRole("button", { name: "Remove notes.md" }).click();
      await kept(page, 1);
      await page.reload();
      await begin(page, persists);
      await allReady(page, 1);
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("I see.").waitFor();
      expect((await lastSent()).map(({ type }) => type)).toEqual(["image", "text"]);
      await kept(page, 0);
      await page.reload();
      await begin(page, persists);
      await page.getByText("I see.").waitFor();
      expect(await attached(page).count()).toBe(0);
    },
    {},
    persists,
  ));

test("a duplicated tab gets the files of the draft as its own: what it does with them leaves the first one's alone", () =>
  withChat(
    async (page) => {
      await pick(page, [{ name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Thursday") }]);
      await allReady(page, 1);
      await kept(page, 1);
      // A window that is opened with an opener starts with a copy of the storage of its tab, as a duplicate does.
      const [copy] = await Promise.all([
        page.context().waitForEvent("page"),
        page.evaluate(() => void window.open(location.href)),
      ]);
      await copy.waitForLoadState();
      await begin(copy, persists);
      await allReady(copy, 1);
      await kept(page, 2);
      await copy.getByRole("button", { name: "Remove notes.md" }).click();
      await kept(page, 1);
      await copy.close();
      await page.reload();
      await begin(page, persists);
      await allReady(page, 1);
    },
    {},
    persists,
  ));

/** Waits until so many files of drafts are kept in the browser's database. */
async function kept(page: Page, count: number): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const wanted = <T>(request: IDBRequest<T>) =>
          new Promise<T>((resolve, reject) => {
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
          });
        // Opening it would make it.
        if (!(await indexedDB.databases()).some(({ name }) => name === "glove-wasm-drafts")) return 0;
        const database = await wanted(indexedDB.open("glove-wasm-drafts"));
        const drafts = await wanted(database.transaction("files").objectStore("files").getAll());
        database.close();
        return drafts.reduce((sum, { files }) => sum + files.length, 0);
      }),
    )
    .toBe(count);
}

test("sixty files at once, a keyboard that removes one of them, and axe", async () => {
  await withChat(async (page) => {
    await pick(
      page,
      Array.from({ length: 60 }, (_, at) => ({ name: `${at}.txt`, mimeType: "text/plain", buffer: Buffer.from("a") })),
    );
    await allReady(page, 20);
    await page.getByText("40 files were not attached: the number of files in a message is limited to 20.").first().waitFor();
    expect(await barriers(page, "main", ["region"])).toEqual([]);
    await page.getByRole("button", { name: "Remove 3.txt" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.title")).toBe("Remove 4.txt");
    await expect.poll(() => page.getByRole("status").first().textContent()).toContain("3.txt: Removed");
    for (let left = 19 + 1; left > 0; left--) {
      await page.keyboard.press("Enter");
      await expect.poll(() => attached(page).count()).toBe(left - 1);
    }
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
  });
});

const uploads = `{ persistSession: true, view: { attachments: { upload: (file, context) =>
  new Promise((end, fail) => (globalThis.uploads ??= []).push({ name: file.name, end, fail, ...context })) } } }`;

test("an application's own uploads: how far they are, a failure and another try, a reload, and a message that names the file", () =>
  withChat(
    async (page) => {
      const card = page.locator("[data-glove-attachment]");
      const sends: string[] = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/api/chat")) sends.push(request.postData() ?? "");
      });
      await pick(page, { name: "report.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4 the report") });
      await expect.poll(() => page.evaluate("globalThis.uploads?.length")).toBe(1);
      await page.evaluate("uploads[0].onProgress(0.4)");
      await expect.poll(() => card.innerText()).toContain("Uploading: 40 %");
      expect(await page.getByRole("progressbar", { name: "report.pdf" }).getAttribute("value")).toBe("0.4");
      expect(await barriers(page, "main", ["region"])).toEqual([]);
      // Enter waits for it; what fails is told, and nothing is sent without it.
      await field(page).fill("Sum it up");
      await field(page).press("Enter");
      await page.evaluate("uploads[0].fail(new Error('The disk is full.'))");
      await expect.poll(() => card.innerText()).toContain("could not be uploaded: The disk is full.");
      expect(await barriers(page, "main", ["region"])).toEqual([]);
      await field(page).press("Enter");
      const again = page.getByRole("button", { name: "Try again: report.pdf" });
      await expect.poll(() => again.evaluate((one) => one === document.activeElement)).toBe(true);
      expect([await field(page).inputValue(), sends]).toEqual(["Sum it up", []]);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.evaluate("globalThis.uploads?.length")).toBe(2);
      await page.evaluate("uploads[1].onProgress(0.5)");
      await expect.poll(() => card.innerText()).toContain("50 %");
      // The focus stays at the file.
      await expect.poll(() => page.evaluate("document.activeElement.title")).toBe("Remove report.pdf");

      // A reload in the middle of it: it begins anew.
      await kept(page, 1);
      await page.reload();
      await begin(page, uploads);
      await expect.poll(() => page.evaluate("globalThis.uploads?.length")).toBe(1);
      expect(await field(page).inputValue()).toBe("Sum it up");
      await field(page).press("Enter");
      expect(sends).toEqual([]);
      await page.evaluate("uploads[0].end('upload:report.pdf')");
      await page.getByText("I see.").waitFor();
      expect(sends).toHaveLength(1);
      expect(sends[0]).toContain("upload:report.pdf");
      expect(sends[0]).not.toContain(Buffer.from("%PDF-1.4 the report").toString("base64"));
      expect(await lastSent()).toMatchObject([
        {
          type: "document",
          source: { media_type: "application/pdf", data: Buffer.from("%PDF-1.4 the report").toString("base64") },
        },
        { type: "text", text: "Sum it up" },
      ]);
      // The message has its card, and the tray is empty.
      expect(await page.locator("[data-glove-role=user] [data-glove-attachment]").innerText()).toContain("report.pdf");
      expect(await attached(page).count()).toBe(0);

      // Taken away while it is on its way: it is stopped.
      await pick(page, { name: "other.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4 another") });
      await expect.poll(() => page.evaluate("globalThis.uploads?.length")).toBe(2);
      await page.getByRole("button", { name: "Remove other.pdf" }).click();
      expect(await page.evaluate("uploads[1].signal.aborted")).toBe(true);
      expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    },
    {},
    uploads,
  ));

test("a message whose files the server refuses is told as such, and the person decides: without them, or smaller", async () => {
  await withChat(async (page) => {
    limits = { bodyBytes: 400_000 };
    const send = async (text: string) => {
      await pick(page, {
        name: "a.jpg",
        mimeType: "image/jpeg",
        buffer: await photograph(page, 1500, 1000, "image/jpeg", noise),
      });
      await allReady(page, 1);
      await field(page).fill(text);
      await field(page).press("Enter");
      await page.getByRole("alert").waitFor();
    };
    await send("First");
    expect(await page.getByRole("alert").innerText()).toContain("This message is too large.");
    expect(provider.asked).toEqual([]);
    await page.getByText("The model cannot read these files.").waitFor();
    await page.getByRole("button", { name: "Send without the files" }).click();
    await page.getByText("I see.").waitFor();
    expect((await lastSent()).map(({ text }) => text)).toEqual(["[image left out: it was too large to send]\n\nFirst"]);
    await send("Second");
    await page.getByRole("button", { name: "Send smaller pictures" }).click();
    await expect.poll(() => page.getByText("I see.").count()).toBe(2);
    const [picture, text] = (await lastSent()) as [Part, Part];
    expect(text.text).toBe("Second");
    expect(await kindOf(blobOf(picture))).toMatchObject({ type: "image/jpeg", width: 750, height: 500 });
    expect(await page.getByText("The model cannot read these files.").count()).toBe(1);
  });
});

test("a chat that takes no files has no button, and nothing is loaded for it", async () => {
  const page = await openLook(browser, server, {});
  await page.evaluate(`chat([], { view: { attachments: false } }), undefined`);
  await field(page).waitFor();
  await page.waitForTimeout(300);
  expect(await attach(page).count()).toBe(0);
  await page.context().close();
});

// Files before they are sent: what they are by their bytes, which rules hold, and what does not fit into a message.
import { describe, expect, test } from "vitest";
import { kindOf } from "../../js/react/attachments/file-kind.js";
import { prepare, Refused } from "../../js/react/attachments/prepare.js";
import { sentence } from "../../js/react/attachments/problem-text.js";
import { allowedBy, Tray } from "../../js/react/attachments/tray.js";

const say = (word: string, gaps: Readonly<Record<string, unknown>> = {}) =>
  word.replace(/\{(\w+)\}/g, (gap, name: string) => String(gaps[name] ?? gap));
const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const be = (value: number) => String.fromCharCode(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
const png = (width: number, height: number, more = "") =>
  `\x89PNG\r\n\x1a\n${be(13)}IHDR${be(width)}${be(height)}\x08\x06\0\0\0${be(0)}${more}`;
const exif = (orientation: number) =>
  `Exif\0\0MM\0*${be(8)}\0\x01\x01\x12\0\x03${be(1)}\0${String.fromCharCode(orientation)}\0\0`;
const jpeg = (width: number, height: number, orientation = 1) => {
  const data = exif(orientation);
  const word = (value: number) => String.fromCharCode(value >> 8, value & 255);
  return `\xff\xd8\xff\xe1${word(data.length + 2)}${data}\xff\xc0\0\x11\x08${word(height)}${word(width)}\x03${"\0".repeat(20)}`;
};
const block = "\x21\xf9\x04\0\0\0\0\0";
const gif = (blocks: number) => `GIF89a\x20\0\x10\0\0\0\0${block.repeat(blocks)}${"\0".repeat(8)}`;

describe("a file is what its bytes say", () => {
  test.each<[string, string, string, object]>([
    ["a PNG called JPEG", png(640, 480), "image/jpeg", { type: "image/png", width: 640, height: 480, moves: false }],
    ["a moving PNG", png(8, 8, `${be(8)}acTL${be(2)}IDAT`), "", { type: "image/png", moves: true }],
    ["a JPEG", jpeg(300, 200), "", { type: "image/jpeg", width: 300, height: 200 }],
    ["a JPEG of a camera that was held upright", jpeg(300, 200, 6), "", { type: "image/jpeg", width: 200, height: 300 }],
    ["a GIF", gif(1), "", { type: "image/gif", width: 32, height: 16, moves: false }],
    ["a moving GIF", gif(2), "", { moves: true }],
    [
      "a WebP",
      `RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\x1f\x03\0\x57\x02\0`,
      "",
      { type: "image/webp", width: 800, height: 600, moves: true },
    ],
    [
      "an AVIF",
      `\0\0\0\x1cftypavif\0\0\0\0mif1${"\0".repeat(8)}\0\0\0\x14ispe\0\0\0\0${be(70000)}${be(40000)}${"\0".repeat(20)}`,
      "",
      { type: "image/avif", width: 70000, height: 40000 },
    ],
    ["a photograph of a telephone", `\0\0\0\x18ftypheic\0\0\0\0mif1heic`, "", { type: "image/heic" }],
    ["a film", `\0\0\0\x18ftypisom\0\0\0\0isomiso2`, "", { type: "video/mp4" }],
    ["a PDF called PNG", "%PDF-1.7\n%\xe2\xe3", "image/png", { type: "application/pdf" }],
    ["source that browsers take for a film", "export const a = 1;\n", "video/mp2t", { type: "text/plain" }],
    ["a table", "a,b\n1,2\n", "text/csv", { type: "text/csv" }],
    ["a drawing", "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", { type: "image/svg+xml" }],
    ["bytes that call themselves text", "a\0b\xff", "text/plain", { type: "" }],
    ["a picture that ends in its head", png(1, 1).slice(0, 18), "image/png", { type: "image/png" }],
  ])("%s", async (_, text, type, kind) => {
    expect(await kindOf(new Blob([bytesOf(text)], { type }))).toMatchObject(kind);
  });
});

test("the rules of the provider hold: the one that the page asks, the one that the application names, and else what all take", () => {
  expect(allowedBy({})).toMatchObject({
    pictures: "image/png image/jpeg image/gif image/webp",
    documents: "application/pdf",
    edge: 1568,
  });
  expect(allowedBy({}, "/api/chat")).toEqual(allowedBy({}));
  expect(allowedBy({}, "provider:openai")).toMatchObject({ edge: 2048, messageBytes: 35_000_000 });
  // What the endpoint takes counts too.
  expect(allowedBy({ provider: "openai" })).toMatchObject({ edge: 2048, messageBytes: 5_000_000, pictureBytes: 1_500_000 });
  expect(allowedBy({ provider: "openai", maxBytes: 9e6, maxFiles: 2, accept: ["image/*"] })).toMatchObject({
    ...{ messageBytes: 9e6, files: 2, accept: ["image/*"] },
  });
  expect(allowedBy({}, "provider:toString")).toEqual(allowedBy({}));
});

const refusal = async (file: File, options = {}) => {
  const error = await prepare(file, allowedBy(options)).catch((error: unknown) => error);
  if (!(error instanceof Refused)) throw error;
  return sentence(error.note, file.name, say).replace(/[\u2068\u2069]/g, "");
};
const file = (name: string, text: string, type = "") => new File([bytesOf(text)], name, { type });

test("each file that cannot be attached has a sentence that says why and what to do", async () => {
  const many = new File([new Uint8Array(6e6).fill(37)], "long.txt", { type: "text/plain" });
  expect([
    await refusal(file("none.png", "", "image/png")),
    await refusal(file("bomb.png", png(30_000, 30_000), "image/png")),
    await refusal(file("song.mp3", "ID3\0\xff", "audio/mpeg")),
    await refusal(file("a.zip", "PK\x03\x04\0\0\0\0\0\0\0\0", "application/zip")),
    await refusal(file("look.pdf", "%PDF-1.4", "application/pdf"), { provider: "gemini" }),
    await refusal(file("look.png", png(2, 2), "image/png"), { accept: ["application/pdf", ".csv"] }),
    await refusal(many),
  ]).toEqual([
    "none.png is empty.",
    "bomb.png has too many pixels to open here: 900 million; the limit is 120 million.",
    "The assistant cannot read song.mp3. It takes pictures, PDFs, text files.",
    "The assistant cannot read a.zip. It takes pictures, PDFs, text files.",
    "The assistant cannot read look.pdf. It takes pictures, text files.",
    "The assistant cannot read look.png. It takes PDFs.",
    "long.txt is too large: it is 6 MB, and a message can hold 5 MB.",
  ]);
});

test("texts and documents are sent as they are, under the type that they have", async () => {
  const prepared = async (one: File, options = {}) => {
    const { file, note } = await prepare(one, allowedBy(options));
    return [file.name, file.type, file.size, note && sentence(note, one.name, say).replace(/[\u2068\u2069]/g, "")];
  };
  expect(await prepared(file("main.ts", "let a;", "video/mp2t"))).toEqual(["main.ts", "text/plain", 6, undefined]);
  expect(await prepared(file("a.svg", "<svg/>", "image/svg+xml"))).toEqual([
    ...["a.svg", "text/plain", 6],
    "a.svg is a drawing. The assistant reads its source.",
  ]);
  expect(await prepared(file("bill.png", "%PDF-1.4 1", "image/png"))).toEqual([
    ...["bill.png", "application/pdf", 10],
    "bill.png is a PDF file, whatever its name says.",
  ]);
});

const settled = (tray: Tray) =>
  new Promise<void>((resolve) => {
    const look = () => (tray.busy ? undefined : resolve());
    tray.subscribe(look);
    look();
  });
const shown = (tray: Tray) =>
  tray
    .getItems()
    .map(({ name, state, note }) => (note ? sentence(note, name, say).replace(/[\u2068\u2069]/g, "") : `${name} ${state}`));

test("of sixty files at once as many are taken as fit, and one sentence tells of the others", async () => {
  const tray = new Tray();
  const files = Array.from({ length: 60 }, (_, at) => file(`${at}.txt`, "a"));
  tray.add(files, ["photos"], allowedBy({}));
  expect(tray.busy).toBe(true);
  await settled(tray);
  expect(shown(tray).slice(18)).toEqual([
    ...["18.txt ready", "19.txt ready"],
    "photos is a folder. Attach the files that are in it.",
    "40 files were not attached: the number of files in a message is limited to 20.",
  ]);
  expect(tray.take("")).toEqual({ files: expect.toSatisfy((files: File[]) => files.length === 20) });
  expect(tray.getItems()).toEqual([]);
});

test("files without room are counted until there is room again, named while they are few, and judged by their type first", async () => {
  const tray = new Tray();
  const allowed = allowedBy({ maxFiles: 2, accept: ["application/pdf"] });
  const pdf = (name: string) => file(name, "%PDF-1.4 1", "application/pdf");
  const add = async (...files: File[]) => {
    tray.add(files, [], allowed);
    await settled(tray);
    return shown(tray).slice(2);
  };
  const limited = "not attached: the number of files in a message is limited to 2.";
  const notTaken = "The assistant cannot read notes.txt. It takes PDFs.";
  expect(await add(pdf("a.pdf"), pdf("b.pdf"), pdf("c.pdf"), file("notes.txt", "n"))).toEqual([notTaken, `c.pdf was ${limited}`]);
  expect(await add(pdf("d.pdf"))).toEqual([`c.pdf, d.pdf were ${limited}`]);
  expect(await add(pdf("e.pdf"), pdf("f.pdf"))).toEqual([`4 files were ${limited}`]);
  tray.remove(tray.getItems()[0]?.id ?? "");
  expect(await add(pdf("g.pdf"), pdf("h.pdf"))).toEqual([`h.pdf was ${limited}`]);
});

test("what does not fit beside the others is told, and what was removed meanwhile is not sent", async () => {
  const tray = new Tray();
  const large = (name: string) => new File([new Uint8Array(2e6).fill(97)], name, { type: "text/plain" });
  tray.add([large("a.txt"), large("b.txt"), large("c.txt"), file("d.txt", "d")], [], allowedBy({}));
  tray.remove(tray.getItems()[1]?.id ?? "");
  await settled(tray);
  expect(shown(tray)).toEqual(["a.txt ready", "c.txt ready", "d.txt ready"]);
  tray.add([large("e.txt")], [], allowedBy({}));
  await settled(tray);
  expect(shown(tray)).toEqual([
    ...["a.txt ready", "c.txt ready", "d.txt ready"],
    "e.txt does not fit along with the other files: a message can hold 5 MB.",
  ]);
});

test("who waits for the files hears when they are ready, and nothing when one was refused that nobody has read of", async () => {
  const told: string[] = [];
  for (const name of ["good.txt", "bad.txt"]) {
    const tray = new Tray();
    tray.add([file(name, name === "bad.txt" ? "" : "a")], [], allowedBy({}));
    tray.whenReady(() => told.push(name));
    await settled(tray);
  }
  expect(told).toEqual(["good.txt"]);
});

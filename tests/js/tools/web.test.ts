// Tools that ask the web, against a server of this machine: granted as an origin, and refused in every other way.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { GloveClient } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { httpFetch, httpPost, linksCheck, urlExtract, webSearch } from "glove-wasm/tools";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { callTool } from "../../support/sandbox.js";

let origin = "";
let asked: string[] = [];
const pages: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  "/page": (_, response) => response.writeHead(200, { "content-type": "text/plain", "set-cookie": "a=b" }).end("a page"),
  "/long": (_, response) => response.writeHead(200).end("é".repeat(10_000)),
  "/moved": (_, response) => response.writeHead(301, { location: "/page" }).end(),
  "/out": (_, response) => response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
  "/echo": async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    response.writeHead(201).end(`${request.headers["content-type"]} ${body}`);
  },
  "/no-head": (request, response) => response.writeHead(request.method === "HEAD" ? 405 : 200).end("x"),
  "/gone": (_, response) => response.writeHead(410).end(),
};
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  const page = pages[request.url ?? ""];
  if (page) page(request, response);
  else response.writeHead(404).end();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  asked = [];
});
const display = () => ({ signal: new AbortController().signal, idempotencyKey: "k1" });

test("http_fetch reads granted hosts, follows within them, and reads no more than it may", async () => {
  const tool = httpFetch({ hosts: [origin], most: 1001 });
  const read = (path: string) => callTool(tool, { url: origin + path }, display());
  expect(await read("/page")).toEqual({ url: `${origin}/page`, status: 200, type: "text/plain", text: "a page" });
  expect(await read("/moved")).toMatchObject({ url: `${origin}/page`, text: "a page" });
  expect(await read("/none")).toMatchObject({ status: 404 });
  expect(await read("/long")).toMatchObject({ text: "é".repeat(500), cut: expect.any(String) });
  await expect(read("/out")).rejects.toThrow("http://169.254.169.254 is not granted");
  asked = [];
  const strict = httpFetch({ hosts: ["*"] });
  for (const url of [`${origin}/page`, origin.replace("127.0.0.1", "localhost"), "file:///etc/passwd", "http://example.com/"])
    await expect(callTool(strict, { url }, display())).rejects.toThrow("not granted");
  expect(asked).toEqual([]);
});

test("url_extract gives what the application makes of a granted page, within its bounds", async () => {
  const extract = vi.fn(({ text }: { text: string }) => text.replace(/a /g, ""));
  const tool = urlExtract({ hosts: [origin], most: 1000, extract });
  const read = (path: string) => callTool(tool, { url: origin + path }, display());
  expect(await read("/page")).toEqual({ url: `${origin}/page`, text: "page" });
  expect(extract).toHaveBeenCalledWith({ url: `${origin}/page`, type: "text/plain", text: "a page" });
  expect(await read("/long")).toMatchObject({ text: "é".repeat(500), cut: expect.any(String) });
  await expect(read("/gone")).rejects.toThrow("status 410");
  await expect(read("/out")).rejects.toThrow("not granted");
  extract.mockReturnValueOnce(7 as never);
  await expect(read("/page")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  expect(tool.timeoutMs).toBe(15_000);
  for (const options of [{ hosts: [origin] }, { extract }, { hosts: ["?"], extract }, { hosts: [], extract, agent: 1 }]) {
    expect(() => urlExtract(options as never)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  }
});

test("web_search asks the engine of the application, and takes no more than it may", async () => {
  const results = [1, 2, 3].map((at) => ({ title: `T${at}`, url: `https://example.com/${at}`, snippet: "x".repeat(2_000) }));
  const search = vi.fn(async (_query: string, _about: unknown): Promise<typeof results> => results);
  const tool = webSearch({ search, most: 2 });
  const found = (await callTool(tool, { query: "gloves" }, display())) as unknown as { title: string; snippet: string }[];
  expect(found.map(({ title, snippet }) => [title, snippet.length])).toEqual([
    ["T1", 1_000],
    ["T2", 1_000],
  ]);
  expect(search).toHaveBeenCalledWith("gloves", { most: 2, signal: expect.any(AbortSignal) });
  search.mockResolvedValueOnce([{ title: 3 }] as never);
  await expect(callTool(tool, { query: "gloves" }, display())).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  for (const options of [{}, { search: 1 }, { search, hosts: [] }]) {
    expect(() => webSearch(options as never)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  }
});

test("http_post sends to its hosts, and asks a person before it sends to others", async () => {
  const own = httpPost({ hosts: [origin] });
  expect(await callTool(own, { url: `${origin}/echo`, body: "{}" }, display())).toMatchObject({
    status: 201,
    text: "application/json {}",
  });
  await expect(callTool(own, { url: `${origin}/moved`, body: "" }, display())).rejects.toThrow("which a POST does not follow");
  const model = createScriptedModel([
    { toolCalls: [{ name: "http_post", input: { url: `${origin}/echo`, body: "secret" } }] },
    "Told.",
  ]);
  const session = new GloveClient({ createModel: () => model, tools: [httpPost({ hosts: [] })] }).session("s1");
  asked = [];
  const answer = session.sendMessage("Send");
  await expect.poll(() => session.getSnapshot().slots.length, { timeout: 20_000 }).toBe(1);
  expect(JSON.stringify(session.getSnapshot().slots)).toContain(`it sends to ${origin}/echo`);
  expect(asked).toEqual([]);
  session.abort();
  await answer.catch(() => {});
  // Nor does an approval open this machine: that is for the developer to name.
  await expect(callTool(httpPost({ hosts: [] }), { url: `${origin}/echo`, body: "" }, display())).rejects.toThrow("not granted");
  expect(asked).toEqual([]);
});

test("links_check says which links answer", async () => {
  const paths = ["/page", "/moved", "/no-head", "/gone", "/none"];
  const urls = [...paths.map((path) => origin + path), "https://elsewhere.example/", "no link"];
  const found = (await callTool(linksCheck({ hosts: [origin] }), { urls }, display())) as unknown as {
    ok: boolean;
    status?: number;
  }[];
  expect(found.map(({ ok, status }) => [ok, status])).toEqual([
    [true, 200],
    [true, 200],
    [true, 200],
    [false, 410],
    [false, 404],
    [false, undefined],
    [false, undefined],
  ]);
});

test("options that cannot hold are refused", () => {
  expect(() => httpFetch({ hosts: ["localhost"] })).toThrow("write it as an origin");
  expect(() => httpFetch({} as never)).toThrow("`hosts` of httpFetch must be an array");
  expect(() => linksCheck({ hosts: [], host: "a" } as never)).toThrow("There is no option");
});

// Files that the application stores itself: in the tray of a composer, and resolved by a chat handler.

import type { Message } from "glove-wasm";
import { createChatHandler, type FileReference, type ResolvedFile } from "glove-wasm/server";
import { createScriptedModel, type ScriptedCall } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import type { UploadContext } from "../../js/react/attachments/elsewhere/upload.js";
import { sentence } from "../../js/react/attachments/problem-text.js";
import { allowedBy, Tray } from "../../js/react/attachments/tray.js";

const say = (word: string, gaps: Readonly<Record<string, unknown>> = {}) =>
  word.replace(/\{(\w+)\}/g, (_, name: string) => String(gaps[name]));
const pdf = (name: string) => new File(["%PDF-1.4 1"], name, { type: "application/pdf" });

/** An application whose uploads end when a test says so. */
function storage() {
  const asked: (UploadContext & { readonly name: string; end(url: unknown): void; fail(error: Error): void })[] = [];
  const upload = (file: File, context: UploadContext) =>
    new Promise<string>((resolve, reject) => {
      asked.push({ ...context, name: file.name, end: (url) => resolve(url as string), fail: reject });
    });
  return { asked, upload };
}

const states = (tray: Tray) =>
  tray.getItems().map(({ name, state, progress }) => [name, state, progress].filter((one) => one !== undefined));

test("files are uploaded beside each other, tell how far they are, and a message says where they are", async () => {
  const { asked, upload } = storage();
  const tray = new Tray();
  tray.add([pdf("a.pdf"), pdf("b.pdf")], [], allowedBy({ upload }));
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  const changes = vi.fn();
  tray.subscribe(changes);
  asked[0]?.onProgress(0.404);
  asked[0]?.onProgress(0.406);
  asked[0]?.onProgress(0.1);
  asked[0]?.onProgress(Number.NaN);
  // One for each percent, and never less than before.
  expect(changes).toHaveBeenCalledTimes(1);
  expect(states(tray)).toEqual([
    ["a.pdf", "uploading", 0.4],
    ["b.pdf", "uploading", 0],
  ]);
  const ready = vi.fn();
  tray.whenReady(ready);
  asked[1]?.end("upload:b");
  await vi.waitFor(() => expect(states(tray)[1]).toEqual(["b.pdf", "ready"]));
  expect([tray.busy, ready.mock.calls.length]).toEqual([true, 0]);
  asked[0]?.end("/files/a");
  await vi.waitFor(() => expect(ready).toHaveBeenCalledOnce());
  asked[0]?.onProgress(1);
  expect(tray.take("Read these")).toEqual({
    content: [
      {
        type: "document",
        source: { type: "url", media_type: "application/pdf", url: "/files/a" },
        file: { name: "a.pdf", type: "application/pdf", size: 10 },
      },
      {
        type: "document",
        source: { type: "url", media_type: "application/pdf", url: "upload:b" },
        file: { name: "b.pdf", type: "application/pdf", size: 10 },
      },
      { type: "text", text: "Read these" },
    ],
  });
  expect(tray.getItems()).toEqual([]);
});

test("what was not uploaded says why, waits for a person, and is uploaded once more when that is asked for", async () => {
  const { asked, upload } = storage();
  const tray = new Tray();
  tray.add([pdf("a.pdf")], [], allowedBy({ upload }));
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  const send = vi.fn();
  tray.whenReady(send);
  asked[0]?.fail(new Error("The disk is full."));
  await vi.waitFor(() => expect(tray.failed).toBe(true));
  const [item] = tray.getItems();
  expect(sentence(item?.note as never, "a.pdf", say)).toBe("\u2068a.pdf\u2069 could not be uploaded: The disk is full.");
  expect([tray.busy, send.mock.calls.length]).toEqual([false, 0]);
  tray.retry(item?.id as string);
  expect([states(tray), tray.failed]).toEqual([[["a.pdf", "uploading", 0]], false]);
  // A file itself is no place where it is.
  asked[1]?.end("data:application/pdf;base64,AAAA");
  await vi.waitFor(() => expect(tray.failed).toBe(true));
  tray.retry(item?.id as string);
  asked[2]?.end("/files/a");
  await vi.waitFor(() => expect(states(tray)).toEqual([["a.pdf", "ready"]]));
});

test("who takes a file away stops its upload, and what it says later counts for nothing", async () => {
  const { asked, upload } = storage();
  const tray = new Tray();
  tray.add([pdf("a.pdf"), pdf("b.pdf")], [], allowedBy({ upload }));
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  const ready = vi.fn();
  tray.whenReady(ready);
  tray.remove(tray.getItems()[0]?.id as string);
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  asked[0]?.fail(new Error("stopped"));
  asked[0]?.onProgress(0.5);
  asked[1]?.end("/files/b");
  await vi.waitFor(() => expect(ready).toHaveBeenCalledOnce());
  expect(states(tray)).toEqual([["b.pdf", "ready"]]);
});

test("a draft that a reload brings back goes on with its uploads, and keeps what was there", async () => {
  const { asked, upload } = storage();
  const tray = new Tray();
  tray.restore([{ file: pdf("a.pdf"), url: "/files/a" }, { file: pdf("b.pdf") }], upload);
  await vi.waitFor(() => expect(asked.map(({ name }) => name)).toEqual(["b.pdf"]));
  expect(states(tray)).toEqual([
    ["a.pdf", "ready"],
    ["b.pdf", "uploading", 0],
  ]);
  // The application stores files no more: what one file lacks, all are sent as they are.
  const without = new Tray();
  without.restore([{ file: pdf("a.pdf"), url: "/files/a" }, { file: pdf("b.pdf") }]);
  expect(without.take("")).toEqual({ files: [expect.any(File), expect.any(File)] });
});

const reference = (url: string, more = {}) => ({
  type: "document",
  source: { type: "url", media_type: "application/pdf", url },
  file: { name: "a.pdf", type: "application/pdf", size: 10 },
  ...more,
});

/** What a handler gives its model of a message with these parts. */
async function resolvedBy(
  resolveFile: ((file: FileReference, request: Request) => ResolvedFile | Promise<ResolvedFile>) | undefined,
  content: unknown[],
  { limits = {}, body = "" } = {},
) {
  const asked: ScriptedCall[] = [];
  const errors: string[] = [];
  const handler = createChatHandler({
    createModel: () =>
      createScriptedModel((request) => {
        asked.push(request);
        return "ok";
      }),
    resolveFile,
    limits,
    onError: ({ code, message }) => errors.push(`${code}: ${message}`),
  });
  const text = body || JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "", content }] });
  const headers = { "content-type": "application/json", "x-user": "ann" };
  const response = await handler(new Request("http://here/api/chat", { method: "POST", body: text, headers }));
  const said = await response.text();
  return { status: response.status, said, errors, messages: asked[0]?.messages as readonly Message[] | undefined };
}

test("a handler asks its application for each file once, and the model has what is in it", async () => {
  const files: Record<string, ResolvedFile> = {
    "upload:a": new Blob(["%PDF-1.4 1"], { type: "application/pdf" }),
    "upload:t": new TextEncoder().encode("a,b\n1,2"),
    "upload:p": new Blob(["png"], { type: "image/png" }),
    "upload:s": "https://storage.example/signed",
  };
  const resolve = vi.fn(({ url }: FileReference, request: Request) =>
    request.headers.get("x-user") === "ann" ? files[url] : null,
  );
  const { status, messages } = await resolvedBy(resolve, [
    reference("upload:a"),
    reference("upload:a"),
    reference("upload:t", {
      source: { type: "url", media_type: "text/csv", url: "upload:t" },
      file: { name: "t.csv", type: "text/csv", size: 7 },
    }),
    reference("upload:p"),
    reference("upload:s"),
    reference("upload:gone"),
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    { type: "text", text: "Read these" },
  ]);
  expect(status).toBe(200);
  expect(resolve.mock.calls.map(([file]) => file.url)).toEqual(["upload:a", "upload:t", "upload:p", "upload:s", "upload:gone"]);
  expect(resolve.mock.calls[0]?.[0]).toEqual({ url: "upload:a", type: "application/pdf", name: "a.pdf" });
  const document = { type: "document", source: { type: "base64", media_type: "application/pdf", data: btoa("%PDF-1.4 1") } };
  expect(messages?.[0]?.content).toMatchObject([
    document,
    document,
    { type: "text", text: "t.csv:\na,b\n1,2" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: btoa("png") } },
    { source: { type: "url", url: "https://storage.example/signed" } },
    { type: "text", text: '[The file "a.pdf" is not there, so it cannot be read.]' },
    { source: { data: "AAAA" } },
    { type: "text", text: "Read these" },
  ]);
});

test("no address of a page is fetched, whatever it looks like, and only the application says what is read", async () => {
  const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("fetched"));
  try {
    const urls = ["http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "//here/secret", "https://evil.example/a"];
    const seen: string[] = [];
    const { status, messages } = await resolvedBy(
      ({ url }) => {
        seen.push(url);
        return null;
      },
      [
        ...urls.map((url) => reference(url)),
        // As texts that only look like a file that is there.
        { type: "document", source: { type: "url", data: "AAAA", media_type: "application/pdf", url: "http://localhost/" } },
      ],
    );
    expect([status, seen]).toEqual([200, [...urls, "http://localhost/"]]);
    // Not even the provider is sent there.
    expect(JSON.stringify(messages)).not.toMatch(/169|passwd|secret|evil|localhost|source/);
    expect(messages?.[0]?.text).toContain('[The file "a.pdf" is not there, so it cannot be read.]');
    expect(fetched).not.toHaveBeenCalled();
  } finally {
    fetched.mockRestore();
  }
});

test("a resolver that fails, gives something else or gives too much ends the request, and the page is not told why", async () => {
  const wrong: [ResolvedFile | (() => never), string][] = [
    [
      () => {
        throw new Error("secret-bucket is down");
      },
      "FILE_NOT_RESOLVED: secret-bucket is down",
    ],
    [
      "http://10.0.0.1/a",
      "FILE_NOT_RESOLVED: `resolveFile` must give a Blob, a Uint8Array, an address that begins with https://, or nothing; got another text.",
    ],
    [{ secret: 1 } as never, "FILE_NOT_RESOLVED: `resolveFile` must give a Blob"],
  ];
  for (const [given, error] of wrong) {
    const { status, said, errors, messages } = await resolvedBy(
      () => (typeof given === "function" ? given() : given),
      [reference("upload:a")],
    );
    expect([status, JSON.parse(said).error.code, messages]).toEqual([500, "FILE_NOT_RESOLVED", undefined]);
    expect(said).not.toMatch(/secret|10\.0/);
    expect(errors[0]).toContain(error.slice(0, 60));
  }
  const large = await resolvedBy(() => new Uint8Array(60), [reference("upload:a"), reference("upload:b")], {
    limits: { fileBytes: 100 },
  });
  expect([large.status, JSON.parse(large.said).error.code]).toEqual([413, "BODY_TOO_LARGE"]);
  expect(large.errors[0]).toContain("limits.fileBytes");
});

test("what stands beside a file is passed on as it is written, and a body that is none is refused as before", async () => {
  const big =
    '{"systemPrompt":"","messages":[{"sender":"user","text":"","content":[{"type":"document","source":{"type":"url","media_type":"application/pdf","\\u0075rl":"upload:a"}}]},{"sender":"agent","text":"","tool_calls":[{"tool_name":"pay","id":"c1","input_args":{"n":12345678901234567890,"__proto__":1.0}}]},{"sender":"user","text":"","tool_results":[{"tool_name":"pay","call_id":"c1","result":{"status":"success","data":1}}]}]}';
  const resolve = vi.fn(() => new Blob(["%PDF-1.4 1"], { type: "application/pdf" }));
  const { withFiles } = await import("../../js/server/files/resolve.js");
  const request = new Request("http://here/");
  const written = await withFiles(big, resolve, request);
  expect(written).toContain('"input_args":{"n":12345678901234567890,"__proto__":1.0}');
  expect(written).toContain(`"data":"${btoa("%PDF-1.4 1")}"`);
  const none = [reference("upload:a")];
  expect(
    await withFiles(
      JSON.stringify({ messages: [{ content: "a url" }, 1, null, { content: [1, null, "url"] }], url: none }),
      resolve,
      request,
    ),
  ).toBe(JSON.stringify({ messages: [{ content: "a url" }, 1, null, { content: [1, null, "url"] }], url: none }));
  expect(resolve).toHaveBeenCalledOnce();
  for (const body of ['{"url', '["url"]', 'null "url"', '{"messages":{"url":1}}']) {
    const { status } = await resolvedBy(resolve, [], { body });
    expect([body, status]).toEqual([body, 400]);
  }
});

test("a client that leaves does not wait for a file that never comes", async () => {
  const { withFiles } = await import("../../js/server/files/resolve.js");
  const leave = new AbortController();
  const request = new Request("http://here/", { signal: leave.signal });
  const body = JSON.stringify({ messages: [{ content: [reference("upload:a")] }] });
  const waiting = withFiles(body, () => new Promise<never>(() => {}), request);
  leave.abort();
  await expect(Promise.race([waiting, new Promise((later) => setTimeout(later, 200, "hangs"))])).rejects.toBeDefined();
});

test("a file that has not come after a minute cannot be read", async () => {
  vi.useFakeTimers();
  try {
    const resolving = resolvedBy(() => new Promise<never>(() => {}), [reference("upload:a")]);
    await vi.advanceTimersByTimeAsync(61_000);
    const { status, errors } = await resolving;
    expect([status, errors]).toEqual([500, [expect.stringContaining("it took longer than 60000 ms")]]);
  } finally {
    vi.useRealTimers();
  }
});

test("after a file that cannot be read no other one is asked for", async () => {
  const { withFiles } = await import("../../js/server/files/resolve.js");
  const body = JSON.stringify({ messages: [{ content: Array.from({ length: 12 }, (_, at) => reference(`upload:${at}`)) }] });
  const resolve = vi.fn(async ({ url }: FileReference) => {
    if (url === "upload:0") throw new Error("down");
    await new Promise((later) => setTimeout(later, 5));
    return new Blob(["x"], { type: "application/pdf" });
  });
  await expect(withFiles(body, resolve, new Request("http://here/"))).rejects.toBeDefined();
  await new Promise((later) => setTimeout(later, 40));
  expect(resolve).toHaveBeenCalledTimes(4);
});

// The pages of the contenders, bundled as an application's are, and a server that has their files compressed and answers their messages.
import { createServer } from "node:http";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { inRoot } from "../../scripts/lib/project.mjs";

const folder = inRoot("benches", "pages");

/** Bundles a module as Vite does for an application; gives its files, and the names of those that a page loads at once. */
export async function bundle(contents, external = []) {
  const { build } = await import("vite");
  const entry = join(folder, "entry.jsx");
  const virtual = {
    name: "entry",
    enforce: "pre",
    resolveId: (id) => (id === entry ? entry : undefined),
    load: (id) => (id === entry ? contents : undefined),
  };
  const { output } = await build({
    root: folder,
    configFile: false,
    // Each page is in a folder of its own.
    base: "./",
    // It tells of `use client` in every package.
    logLevel: "error",
    plugins: [virtual],
    // One React for all.
    resolve: {
      alias: external.length ? {} : { react: inRoot("node_modules", "react"), "react-dom": inRoot("node_modules", "react-dom") },
    },
    build: {
      write: false,
      rolldownOptions: { input: entry, external, ...(external.length && { preserveEntrySignatures: "strict" }) },
    },
  });
  const chunks = new Map(output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  const start = [...chunks.keys()].find((name) => chunks.get(name).isEntry);
  const atOnce = new Set([start]);
  for (const name of atOnce) {
    for (const other of chunks.get(name).imports) if (chunks.has(other)) atOnce.add(other);
  }
  const files = new Map([...chunks].map(([name, { code }]) => [name, Buffer.from(code)]));
  return { files, entry: start, atOnce: [...atOnce] };
}

/** What some files weigh as they travel. */
export const brotli = (files) => files.reduce((sum, bytes) => sum + brotliCompressSync(bytes).length, 0);

const now = { timestamp: 0, model: "none" };
/** The same answer in the form of each contender; every text is one piece. */
const answers = {
  bare: (texts) => texts,
  ours: (texts) => [
    ...texts.map((text) => ({ type: "text_delta", text })),
    { type: "done", message: { sender: "agent", text: texts.join("") }, tokens_in: 1, tokens_out: 1 },
  ],
  "ai-sdk": (texts) => [
    { type: "start", messageId: "a" },
    { type: "text-start", id: "t" },
    ...texts.map((delta) => ({ type: "text-delta", id: "t", delta })),
    { type: "text-end", id: "t" },
    { type: "finish" },
  ],
  tanstack: (texts) => [
    { type: "RUN_STARTED", runId: "r", threadId: "t", ...now },
    { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant", ...now },
    ...texts.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta, ...now })),
    { type: "TEXT_MESSAGE_END", messageId: "a", ...now },
    { type: "RUN_FINISHED", runId: "r", threadId: "t", finishReason: "stop", ...now },
  ],
};

/** Writes events all at once, or so many in a second. */
async function write(response, events, perSecond) {
  // Timers that are due together come together, as pieces of a network do.
  const since = performance.now();
  for (let sent = 0; sent < events.length; ) {
    const due = perSecond ? Math.ceil(((performance.now() - since) / 1000) * perSecond) + 1 : events.length;
    response.write(events.slice(sent, due).join(""));
    sent = Math.max(sent, due);
    if (perSecond) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  response.end();
}

/** Serves `/<name>/` for each page: the module that is its entry. Every message gets an answer of these texts. */
export async function serveSite(entries, { texts = ["Hello from the model."], perSecond = 0 } = {}) {
  const served = new Map();
  for (const [name, contents] of Object.entries(entries)) {
    const { files, entry, atOnce } = await bundle(contents);
    // As Vite does for what an entry imports.
    const hints = atOnce
      .filter((file) => file !== entry)
      .map((file) => `<link rel=modulepreload href=/${name}/${file} crossorigin>`);
    const html = `<!doctype html><meta charset=utf-8><meta name=viewport content="width=device-width"><link rel=icon href=data:,>${hints.join("")}<script type=module src=/${name}/${entry} crossorigin></script><div id=root></div>`;
    served.set(`/${name}/`, { type: "text/html", body: brotliCompressSync(html) });
    for (const [file, bytes] of files) {
      const isLater = !atOnce.includes(file);
      served.set(`/${name}/${file}`, { type: "text/javascript", body: brotliCompressSync(bytes), isLater });
    }
  }
  const server = createServer((request, response) => {
    const chat = /^\/chat\/(.*)$/.exec(request.url);
    if (chat) {
      const plain = chat[1] === "bare";
      const events = answers[chat[1]](texts).map((event) => (plain ? event : `data: ${JSON.stringify(event)}\n\n`));
      request.resume().on("end", () => {
        response.writeHead(200, {
          "content-type": plain ? "text/plain" : "text/event-stream",
          "x-vercel-ai-ui-message-stream": "v1",
        });
        write(response, events, perSecond);
      });
      return;
    }
    const found = served.get(request.url);
    if (!found) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": found.type, "content-encoding": "br" }).end(found.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${server.address().port}`,
    /** What a file weighs as it travels, if it is one that a page loads later. */
    weightOfLater: (path) => (served.get(path)?.isLater ? served.get(path).body.length : undefined),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

// Serves this folder, and a chat endpoint whose key stays here. Without a key a script plays.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";

const chat = createChatHandler(
  process.env.ANTHROPIC_API_KEY ? { provider: "anthropic" } : { createModel: () => createScriptedModel(play) },
);

function play({ messages }) {
  const [guess] = messages.at(-1).tool_results ?? [];
  if (guess?.result.data === 7) return { deltas: ["Seven ", "it ", "is. ", "Well done!"], every: 60 };
  const hint = guess ? (guess.result.data < 7 ? "Higher!" : "Lower!") : "Between 1 and 9:";
  return { text: guess ? "" : "I have thought of a number. ", toolCalls: [{ name: "ask_guess", input: { hint } }] };
}

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname === "/api/chat") return answer(url, request, response);
  const path = url.pathname === "/" ? "/index.html" : url.pathname;
  const body = await readFile(join(import.meta.dirname, normalize(path))).catch(() => undefined);
  response.writeHead(body ? 200 : 404, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(body);
});

/** The handler speaks the Fetch API: Node's request goes in as one of those, and its response comes back. */
async function answer(url, request, response) {
  const { method, headers } = request;
  const body = method === "POST" ? Readable.toWeb(request) : undefined;
  const asked = new Request(url, { method, headers, body, duplex: "half" });
  const answered = await chat(asked);
  // Of what was refused unread: a connection that still holds an upload carries no further request.
  if (asked.body && !asked.bodyUsed) void asked.body.pipeTo(new WritableStream()).catch(() => {});
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  // A page that leaves ends the pipeline, and with it the model's work.
  await pipeline(answered.body ?? [], response).catch(() => {});
}

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

// The server: who somebody is, their conversations, and the model. DATABASE_URL and SESSION_SECRET come from the environment or from .env.
import { createHmac, timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { Conflict, openDatabase } from "./database.mjs";

if (existsSync(".env")) process.loadEnvFile();
const { DATABASE_URL, SESSION_SECRET = "", ANTHROPIC_API_KEY, PORT = "3001" } = process.env;
if (SESSION_SECRET.length < 32) throw new Error("SESSION_SECRET needs 32 characters or more: openssl rand -hex 32");
const database = await openDatabase(DATABASE_URL);

const sign = (name) => createHmac("sha256", SESSION_SECRET).update(name).digest("base64url");

/** Whose cookie it is; undefined without a cookie that this server has signed. */
function userOf({ headers }) {
  const [, name = "", given = ""] = /(?:^|; )user=([\w%.~-]+)!([\w-]+)/.exec(headers.get("cookie") ?? "") ?? [];
  const [right, said] = [sign(name), given].map((text) => Buffer.from(text));
  return right.length === said.length && timingSafeEqual(right, said) ? name : undefined;
}

const model = ANTHROPIC_API_KEY
  ? { provider: "anthropic" }
  : {
      createModel: () =>
        createScriptedModel(({ messages }) => ({ deltas: ["It ", "is ", `noted: ${messages.at(-1).text}`], every: 20 })),
    };
const chat = createChatHandler({
  ...model,
  authorize: (request) => userOf(request) !== undefined,
  owner: (request) => userOf(request) ?? "",
});

const json = (value, init) => Response.json(value, init);

async function answer(request) {
  const { pathname } = new URL(request.url);
  if (pathname === "/api/chat") return chat(request);
  // A page of another site cannot send this type without being asked for it, and the cookie is not sent with its requests.
  const isJson = request.headers.get("content-type") === "application/json";
  if (request.method === "POST" && !isJson) return json({ error: "Send JSON." }, { status: 415 });
  // Anybody is who they say: put your sign-in here, and `Secure` into the cookie of a site with TLS.
  if (pathname === "/api/sign-in" && request.method === "POST") {
    const name = encodeURIComponent(
      String((await request.json()).name)
        .trim()
        .slice(0, 40),
    ).replace(/[!'()*]/g, "");
    if (!name) return json({ error: "Who are you?" }, { status: 400 });
    return json({ name }, { headers: { "set-cookie": `user=${name}!${sign(name)}; HttpOnly; SameSite=Strict; Path=/` } });
  }
  const owner = userOf(request);
  if (owner === undefined) return json({ error: "Sign in." }, { status: 401 });
  if (pathname === "/api/sessions") return json({ name: decodeURIComponent(owner), sessions: await database.list(owner) });
  const [, id, what] = /^\/api\/sessions\/([\w.-]{1,80})(?:\/(steps|messages))?$/.exec(pathname) ?? [];
  if (id && !what) return json(await database.read(owner, id));
  if (!id || request.method !== "POST") return json({ error: "There is nothing here." }, { status: 404 });
  const body = await request.json();
  const lists = what === "steps" ? [body?.messages, body?.records] : [body];
  if (!lists.every(Array.isArray)) return json({ error: "There are no messages in it." }, { status: 400 });
  await (what === "steps" ? database.appendStep(owner, id, body) : database.appendMessages(owner, id, body));
  return json({ stored: true });
}

async function handle(incoming, outgoing) {
  const { method, headers, url } = incoming;
  // A length that is not said is refused too.
  if (method === "POST" && !(Number(headers["content-length"]) <= 8_388_608)) return outgoing.writeHead(413).end();
  const body = method === "POST" ? { body: Readable.toWeb(incoming), duplex: "half" } : {};
  const response = await answer(new Request(new URL(url, "http://localhost"), { method, headers, ...body })).catch((error) => {
    if (error instanceof Conflict) return json({ error: "Somebody else has written to this conversation." }, { status: 409 });
    if (!(error instanceof SyntaxError)) console.error(error);
    return json({ error: "It was not stored." }, { status: error instanceof SyntaxError ? 400 : 503 });
  });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  await pipeline(response.body ?? [], outgoing).catch(() => {});
}

const server = createServer(handle).listen(Number(PORT), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);

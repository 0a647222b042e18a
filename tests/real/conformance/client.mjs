// The client that the conformance suite starts with the address of its server: somebody signs in where the server wants that, and a session calls
// each of its tools.
import { GloveClient } from "glove-wasm";
import { createMcpAuth, mcpServer } from "glove-wasm/mcp";
import { createScriptedModel } from "glove-wasm/testing";

const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
const url = process.argv.at(-1);
const isSignedIn = scenario.startsWith("auth/");
const { toolCalls } = JSON.parse(context);

/** What a browser keeps. */
const rows = new Map();
const store = {
  get: async (key) => rows.get(key),
  set: async (key, text) => void rows.set(key, text),
  delete: async (key) => void rows.delete(key),
};

// ---- a page that is left, and come back to ----------------------------------------------------------------------------

let led;

function pageAt(href) {
  const { origin, pathname, search } = new URL(href);
  const lead = (to) => {
    led = String(to);
  };
  globalThis.location = { href, origin, pathname, search, assign: lead, replace: lead };
  globalThis.history = { state: null, replaceState: (_, __, to) => pageAt(new URL(to, href).href) };
}

const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";
const newAuth = () =>
  createMcpAuth({
    clientName: "Application",
    way: "redirect",
    store,
    ...(scenario === "auth/basic-cimd" && { clientMetadataUrl }),
  });
const newServer = () =>
  mcpServer({ name: "suite", url, firstUse: "allow", approvals: () => false, store, ...(isSignedIn && { auth: newAuth() }) });

async function signIn(server) {
  await server.signIn();
  const { headers } = await fetch(led, { redirect: "manual" });
  pageAt(headers.get("location"));
}

pageAt("http://localhost:9/chat");
let server = newServer();
let tools;
for (let tries = 0; !tools; tries++) {
  tools = await server.listTools().catch(async (error) => {
    if (error.code !== "MCP_SIGNED_OUT" || tries === 3) throw error;
    await signIn(server);
    server = newServer();
  });
}

// ---- a session ------------------------------------------------------------------------------------------------------------

const values = { string: "word", object: {}, array: [], null: null };

function inputOf(tool, { properties = {}, required = [] }) {
  const observed = tools.find((one) => one.tool === "json_schema_2020_12_tool");
  if (tool === "json_schema_echo") return { schema: observed.inputSchema };
  return Object.fromEntries(required.map((name) => [name, values[properties[name].type] ?? 3]));
}

/** What no schema of the tool takes is left out, as by a model. */
const withoutNull = (input) => Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));

const calls =
  toolCalls?.map(({ name, arguments: input }) => ({ name: `suite__${name}`, input: withoutNull(input) })) ??
  tools.map(({ name, tool, inputSchema }) => ({ name, input: inputOf(tool, inputSchema) }));
const model = createScriptedModel([...calls.map((call) => ({ toolCalls: [call] })), "Done."]);
const session = new GloveClient({ createModel: () => model, plugins: [server] }).session("suite");

/** As the form is drawn: with what the server has put into its fields. */
const filled = ({ properties = {} }) =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.default ?? field.type !== "string"]));

const seen = new Set();
session.subscribe(() => {
  for (const { id, renderer, input } of session.getSnapshot().slots) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (renderer === "mcp_form") session.resolveSlot(id, { action: "accept", content: filled(input.schema) });
    else if (seen.size > 5) session.abort();
    else void again(id);
  }
});

/** The tool wants rights that were not given: the person signs in once more, and comes back. */
async function again(id) {
  await signIn(server);
  newAuth();
  const status = server.status();
  if (status.state !== "ready") await new Promise((resolve) => server.subscribe(({ state }) => state === "ready" && resolve()));
  session.resolveSlot(id, {});
}

await session.sendMessage("Use them");
for (const entry of session.getSnapshot().timeline)
  if (entry.kind === "tool") console.log(entry.name, entry.status, entry.output);
await server.disconnect();
process.exit(0);

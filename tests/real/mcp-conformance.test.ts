// The conformance suite of MCP, as its authors publish it: it starts our client and calls our server, and looks at each message.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { defineTool, GloveClient } from "glove-wasm";
import { createMcpHandler } from "glove-wasm/mcp/server";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { root } from "../support/project.js";
import { serve } from "../support/server.js";

const here = join(root, "tests", "real", "conformance");
const suite = join(root, "tests", "real", "mcp", "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** What the suite prints. Fails where it does, unless the caller looks at its results. */
async function conformance(...words: string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, ["--import", join(here, "any-node.mjs"), suite, ...words]);
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
}

/** Of what the suite lists: `  - name [2025-11-25,2026-07-28]`. */
async function listed(which: "client" | "server"): Promise<string[]> {
  const text = await conformance("list", `--${which}`);
  return [...text.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name = ""]) => name);
}

// ---- our client ------------------------------------------------------------------------------------------------------------

/** In the newest version that has them, and in another one where the protocol is another one. */
const versions: Readonly<Record<string, readonly string[]>> = {
  initialize: ["2025-11-25"],
  "elicitation-sep1034-client-defaults": ["2025-11-25"],
  "sse-retry": ["2025-11-25"],
  tools_call: ["2025-06-18", "2025-11-25", "2026-07-28"],
  "json-schema-2020-12-preservation": ["2025-11-25", "2026-07-28"],
  "auth/metadata-default": ["2025-11-25", "2026-07-28"],
  "auth/scope-step-up": ["2025-11-25", "2026-07-28"],
  "auth/2025-03-26-oauth-metadata-backcompat": ["2025-03-26"],
};

/** What our client does not do, and why. The other scenarios pass. */
const notOurs: Readonly<Record<string, string>> = {
  "auth/2025-03-26-oauth-endpoint-fallback": "A server without metadata is refused: nothing says who its tokens are from.",
  "auth/pre-registration": "A page keeps no secret, so a client that is known by one cannot be in it.",
  "auth/client-credentials-jwt":
    "A client without a person holds a key: it belongs in a handler, which sends what `headers` give.",
  "auth/client-credentials-basic": "The same, with a secret.",
  "auth/enterprise-managed-authorization": "The company's identity provider hands tokens on: an extension.",
  "auth/dpop": "Tokens that are bound to a key: an extension.",
  "auth/dpop-nonce": "The same.",
  "auth/wif-jwt-bearer": "A program signs in by where it runs: an extension.",
  "sep-2640-client-no-prefetch": "Skills that a server offers as resources: an extension.",
  "sep-2640-client-verify-digest": "The same.",
  "sep-2640-client-verify-size": "The same.",
  "sep-2640-client-verify-frontmatter": "The same.",
};

test("client scenarios: each passes in its versions, but for those that are named", async () => {
  const results = mkdtempSync(join(tmpdir(), "glove-conformance-"));
  closing.push(() => rmSync(results, { recursive: true }));
  const names = await listed("client");
  const ours = names.filter((name) => !(name in notOurs));
  expect(ours.length).toBeGreaterThan(30);
  // What the suite has no more is not named any longer.
  expect(Object.keys(notOurs).filter((name) => !names.includes(name))).toEqual([]);
  const runs = ours.flatMap((name) => (versions[name] ?? ["2026-07-28"]).map((version) => ({ name, version })));
  const told: Record<string, string> = {};
  const next = async () => {
    for (let run = runs.shift(); run; run = runs.shift()) {
      const { name, version } = run;
      const command = `${process.execPath} ${join(here, "client.mjs")}`;
      const said = await conformance(
        ...["client", "--command", command, "--scenario", name, "--spec-version", version, "--timeout", "60000", "-o", results],
      );
      const [, passed = "", all = ""] = /^Passed: (\d+)\/(\d+),/m.exec(said) ?? [];
      const isWhole = said.includes("OVERALL: PASSED") && Number(all) > 0 && passed === all;
      told[`${name} ${version}`] = isWhole ? "passed" : said;
    }
  };
  // More at once are too slow for what the suite times.
  await Promise.all([next(), next()]);
  expect(told).toEqual(Object.fromEntries(Object.keys(told).map((name) => [name, "passed"])));
}, 600_000);

// ---- our server ------------------------------------------------------------------------------------------------------------

const plain = z.object({});

const tools = [
  defineTool({ name: "test_simple_text", description: "Gives a text.", inputSchema: plain, do: () => "A text." }),
  defineTool({
    name: "test_logging_tool",
    description: "Writes into a log of its own.",
    inputSchema: plain,
    do: () => "It is written.",
  }),
  defineTool({
    name: "test_error_handling",
    description: "Fails, and says why.",
    inputSchema: plain,
    do: () => ({ status: "error" as const, message: "It fails here.", data: null }),
  }),
  defineTool({
    name: "test_tool_with_progress",
    description: "Tells of its progress.",
    inputSchema: plain,
    do: async (_, { progress }) => {
      for (const done of [0, 50, 100]) {
        progress("On the way", done, 100);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      return "Done.";
    },
  }),
  ...[
    "input_required_result_elicitation",
    "input_required_result_tampered_state",
    "input_required_result_request_state",
    "streaming_elicitation",
    "missing_capability",
  ].map((what) =>
    defineTool({
      name: `test_${what}`,
      description: "A person has to allow it.",
      inputSchema: plain,
      requireApproval: true,
      do: () => "It was allowed.",
    }),
  ),
  {
    name: "json_schema_2020_12_tool",
    description: "Its schema has words of JSON Schema 2020-12.",
    jsonSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    do: () => "It fits.",
  },
];

/** What our server does not do, and why: scenarios, and checks of scenarios (`scenario check`) whose other checks pass. */
const notServed: readonly (readonly [why: string, names: readonly string[]])[] = [
  [
    "It offers tools, and neither resources nor prompts.",
    [
      "completion-complete",
      ...["list", "read-binary", "read-text", "subscribe", "templates-read", "unsubscribe"].map((what) => `resources-${what}`),
      ...["list", "get-simple", "get-with-args", "get-embedded-resource", "get-with-image"].map((what) => `prompts-${what}`),
      ...["resources", "resources-templates", "prompts"].map((what) => `caching sep-2549-${what}-list-caching-hints`),
      "input-required-result-non-tool-request",
    ],
  ],
  [
    "A result is a text, with its object.",
    ["image", "audio", "embedded-resource", "mixed-content"].map((what) => `tools-call-${what}`),
  ],
  ["It sends no log.", ["logging-set-level", "tools-call-with-logging"]],
  [
    "What it asks is whether a tool may run, one question at a time, and of a client of 2026-07-28.",
    [
      ...["tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
      ...["basic-elicitation", "multiple-input-requests", "multi-round"].map((what) => `input-required-result-${what}`),
    ],
  ],
  [
    "It asks for no completion of a client's model, and for no folders.",
    [
      "tools-call-sampling",
      ...["basic-sampling", "basic-list-roots", "capability-check"].map((what) => `input-required-result-${what}`),
      "server-stateless sep-2575-server-rejects-undeclared-capability",
    ],
  ],
  [
    "To clients before 2026-07-28 it has no sessions.",
    ["server-session-lifecycle", "server-sse-polling", "server-sse-multiple-streams"],
  ],
  [
    "Its lists stay as they are, so there is nothing to listen to.",
    ["sends-subscription-ack", "tags-subscription-id"].map((what) => `server-stateless sep-2575-server-${what}`),
  ],
  ["None of its arguments is a header.", ["http-custom-header-server-validation"]],
  [
    "It runs no tasks: an extension.",
    [
      ...["lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "mrtr-input", "request-headers"],
      ...["dispatch-and-envelope", "status-notifications", "required-task-error", "mrtr-composition"],
    ].map((what) => `tasks-${what}`),
  ],
];

const inPart = new Set(["server-stateless", "caching"]);

interface Tried {
  readonly passed: readonly string[];
  /** Scenarios with a check that fails, or with none; of some of them the checks that fail. */
  readonly missed: readonly string[];
}

/** As a version of the protocol requires it. */
async function tried(url: string, version: string): Promise<Tried> {
  const results = mkdtempSync(join(tmpdir(), "glove-conformance-"));
  closing.push(() => rmSync(results, { recursive: true }));
  const said = await conformance("server", "--url", url, "--requirements", version, "-o", results);
  expect(said).toContain("SUMMARY");
  const passed: string[] = [];
  const missed: string[] = [];
  for (const folder of readdirSync(results)) {
    const name = folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const checks = JSON.parse(readFileSync(join(results, folder, "checks.json"), "utf8")) as { id: string; status: string }[];
    const failing = checks.filter(({ status }) => status === "FAILURE").map(({ id }) => `${name} ${id}`);
    const isTried = checks.some(({ status }) => status === "SUCCESS");
    if (isTried && (failing.length === 0 || inPart.has(name))) passed.push(name);
    missed.push(...(inPart.has(name) ? failing : isTried && failing.length === 0 ? [] : [name]));
  }
  return { passed: passed.sort(), missed: missed.sort() };
}

const always = [
  "dns-rebinding-protection",
  "json-schema-2020-12",
  "tools-call-error",
  "tools-call-simple-text",
  "tools-call-with-progress",
  "tools-list",
];
const served: Readonly<Record<string, readonly string[]>> = {
  "2025-11-25": [...always, "ping", "server-initialize"],
  "2026-07-28": [
    ...always,
    "caching",
    "http-header-validation",
    "input-required-result-ignore-extra-params",
    "input-required-result-missing-input-response",
    "input-required-result-request-state",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-unsupported-methods",
    "input-required-result-validate-input",
    "sep-2164-resource-not-found",
    "server-sse-multiple-streams",
    "server-stateless",
  ],
};

test("server scenarios: each passes in its versions, but for those that are named", async () => {
  const client = new GloveClient({ createModel: () => createScriptedModel([]), tools });
  const handler = createMcpHandler({ client, name: "suite", tools: tools.map(({ name }) => name) });
  // As a page has it: at the address that was asked.
  const atHost = (request: Request) => handler(new Request(`http://${request.headers.get("host")}/mcp`, request));
  const place = await serve(root, { routes: { "/mcp": atHost } });
  closing.push(() => place.close());
  const missed = new Set<string>();
  for (const version of Object.keys(served)) {
    const came = await tried(`${place.url}/mcp`, version);
    expect(came.passed).toEqual([...(served[version] ?? [])].sort());
    for (const name of came.missed) missed.add(name);
  }
  expect([...missed].sort()).toEqual(notServed.flatMap(([, names]) => names).sort());
});

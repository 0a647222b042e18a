// The table of providers and what they can do, in docs/models-and-keys.md: made of requests that were sent and judged, so it cannot lie.
// `GLOVE_WRITE_TABLE=1` writes it anew.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { root } from "../support/project.js";
import { hosts } from "./hosts.js";
import { judge } from "./judge.js";
import { byHandler } from "./matrix/capture.js";
import { type Situation, situations } from "./matrix/situations.js";
import { type Target, targets } from "./matrix/targets.js";
import type { Api } from "./types.js";

vi.unmock("glove-wasm");
vi.unmock("glove-wasm/server");

const page = `${root}/docs/models-and-keys.md`;
const shown =
  "openai openai-responses azure anthropic gemini gemini-openai openrouter mistral groq cerebras deepseek kimi mimo minimax glm xai perplexity together fireworks ollama lmstudio vllm llamacpp".split(
    " ",
  );
const recordings: Readonly<Record<Api, string>> = {
  chat: "openai-chat",
  responses: "openai-responses",
  anthropic: "anthropic-messages",
  gemini: "gemini-generate-content",
  endpoint: "glove-remote",
};
/** Parts that are the vendor's own, and the tests they run in. */
const real: Readonly<Record<string, readonly [what: string, test: string]>> = {
  llamacpp: ["its server", "tests/real/llama.test.ts"],
  openai: ["its client", "tests/real/clients/clients.test.ts"],
  "openai-responses": ["its client", "tests/real/clients/clients.test.ts"],
  anthropic: ["its client", "tests/real/clients/clients.test.ts"],
  gemini: ["its client", "tests/real/clients/clients.test.ts"],
  mistral: ["its client", "tests/real/clients/clients.test.ts"],
};

const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
/** What a request has to hold so that the model gets what was meant. */
const capabilities: Readonly<Record<string, readonly [situations: readonly string[], evidence: RegExp]>> = {
  text: [["a first word"], /Hi/],
  tools: [["a tool was used"], /"tools":\[.*weather/],
  "several calls": [["three calls at once"], /"tools":\[.*weather/],
  images: [["with a png"], /iVBORw0KGgo/],
  PDFs: [["with a pdf"], new RegExp(btoa("%PDF-1.4 one page").slice(0, 20))],
  "thoughts sent back": [
    ["all thoughts", "thoughts in words", "Gemini's signature", "the signature of Gemini's compatible endpoint"].map(
      (one) => `${one} beside a call, thinking on and sent back`,
    ),
    /I look\.|c2ln/,
  ],
  stop: [["a stop"], /END/],
  structured: [["structured"], /json_schema|responseJsonSchema/],
};

/** `yes`: it is in a request that the vendor takes. `no`: the vendor takes the request, in which something else stands for it. */
async function cell(all: readonly Target[], meant: readonly Situation[], evidence: RegExp): Promise<string> {
  for (const target of all) {
    for (const situation of meant) {
      const [sent] = await byHandler(target, situation);
      if (sent && evidence.test(sent.body) && judge(sent, target.host).length === 0) return "yes";
    }
  }
  return "no";
}

async function table(): Promise<string> {
  const head = ["provider", ...Object.keys(capabilities), "tested with"];
  const lines = [head, head.map(() => "---")];
  for (const id of shown) {
    const host = hosts.get(id);
    if (!host) throw new Error(`No host is called ${id}.`);
    const all = targets.filter((target) => target.host === id);
    const cells: string[] = [];
    for (const [names, evidence] of Object.values(capabilities)) {
      const own: Situation = {
        name: "structured",
        systemPrompt: "You help.",
        messages: [{ sender: "user", text: "Hi" }],
        tools: [{ name: "give_answer", description: "Gives the answer.", parameters: schema }],
      };
      const meant = names.includes("structured") ? [own] : situations.filter(({ name }) => names.includes(name));
      expect(meant.length, names.join()).toBe(names.length);
      cells.push(await cell(all, meant, evidence));
    }
    const known = real[id];
    const tested = [
      "stand-in",
      ...(existsSync(`${root}/tests/fixtures/streams/${recordings[host.api]}/raw`) ? ["recordings"] : []),
    ];
    if (known) {
      expect(existsSync(`${root}/${known[1]}`), known[1]).toBe(true);
      tested.push(known[0]);
    }
    lines.push([host.name, ...cells, tested.join(", ")]);
  }
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

test("the table of what providers can do says what was sent and taken", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const text = readFileSync(page, "utf8");
  const [before, , after] = text.split(/<!-- \/?capabilities -->/);
  expect(after, "the table's place in docs/models-and-keys.md").toBeDefined();
  const wanted = `${before}<!-- capabilities -->\n\n${await table()}\n\n<!-- /capabilities -->${after}`;
  if (process.env.GLOVE_WRITE_TABLE) writeFileSync(page, wanted);
  else expect(text).toBe(wanted);
}, 60_000);

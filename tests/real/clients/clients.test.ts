// The vendors' own clients and the frameworks' against our stand-ins: these must take what they send, and be understood by them.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { root } from "../../support/project.js";
import { openProvider, type Provider } from "../../support/provider.js";
import { type Api, answered } from "./answers.js";
import * as frameworks from "./frameworks.js";
import { type Ask, type Situation, situations } from "./situations.js";
import * as vendors from "./vendors.js";

interface Client {
  readonly name: string;
  /** The host that it takes our stand-in for. */
  readonly host: string;
  readonly api: Api;
  readonly ask: Ask;
}

const clients: readonly Client[] = [
  { name: "openai, chat completions", host: "openai", api: "chat", ask: vendors.openaiChat },
  { name: "openai, responses", host: "openai-responses", api: "responses", ask: vendors.openaiResponses },
  { name: "@anthropic-ai/sdk", host: "anthropic", api: "anthropic", ask: vendors.anthropic },
  { name: "@google/genai", host: "gemini", api: "gemini", ask: vendors.google },
  { name: "@mistralai/mistralai", host: "mistral", api: "mistral", ask: vendors.mistral },
  { name: "AI SDK, OpenAI chat", host: "openai", api: "chat", ask: frameworks.aiChat },
  { name: "AI SDK, OpenAI responses", host: "openai-responses", api: "responses", ask: frameworks.aiResponses },
  { name: "AI SDK, Anthropic", host: "anthropic", api: "anthropic", ask: frameworks.aiAnthropic },
  { name: "AI SDK, Google", host: "gemini", api: "gemini", ask: frameworks.aiGoogle },
  { name: "AI SDK, OpenAI-compatible", host: "compatible", api: "chat", ask: frameworks.aiCompatible },
  { name: "LangChain, OpenAI chat", host: "openai", api: "chat", ask: frameworks.langchainChat },
  { name: "LangChain, OpenAI responses", host: "openai-responses", api: "responses", ask: frameworks.langchainResponses },
  { name: "LangChain, Anthropic", host: "anthropic", api: "anthropic", ask: frameworks.langchainAnthropic },
];
const cases = clients.flatMap((client) =>
  situations.flatMap((situation) => [true, false].map((stream) => ({ ...client, situation, stream }))),
);

let provider: Provider | undefined;
afterEach(() => provider?.close());

const call = { id: "call12345", name: "look", args: '{"a": 1}' };
const text = "It rains, é 🌧.";

test.each(cases)("$name: $situation, stream $stream", async ({ host, api, ask, situation, stream }) => {
  provider = await openProvider(host);
  // Thoughts are told by those APIs that have a place for them.
  const thought = situation === "thinking" && api !== "chat" && api !== "mistral" ? "I look." : undefined;
  const last = answered(api, { text, ...(thought && { thought }) }, stream);
  provider.reply(...(situation === "tools" ? [answered(api, { text: "Wait.", call }, stream), last] : [last]));
  const said = await ask(provider.url, situation as Situation, stream);
  expect(said).toEqual({
    text,
    calls: situation === "tools" ? [{ name: "look", input: { a: 1 } }] : [],
    ...(thought && { thought }),
  });
  expect(provider.asked.map(({ findings }) => findings)).toEqual(situation === "tools" ? [[], []] : [[]]);
});

test("the tests of clients compile against the clients' types", async () => {
  const compiler = "node_modules/typescript/bin/tsc";
  await promisify(execFile)(process.execPath, [compiler, "-p", "tests/real/clients"], { cwd: root }).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}, 120_000);

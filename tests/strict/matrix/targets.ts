// Whom the requests of the matrix are for: a host of hosts.json, and a model of each family that has rules of its own there.
import type { CreateAdapterOptions } from "glove-wasm";
import { hosts } from "../hosts.js";

export interface Target {
  readonly name: string;
  readonly host: string;
  readonly options: Pick<CreateAdapterOptions, "provider" | "model" | "baseURL" | "format"> & { readonly apiKey: string };
}

/** The provider of the table that a host is reached by, where that is another one than OpenAI at an address of its own. */
const providers: Readonly<Record<string, CreateAdapterOptions["provider"]>> = {
  openrouter: "openrouter",
  anthropic: "anthropic",
  "kimi-anthropic": "anthropic",
  "minimax-anthropic": "anthropic",
  openai: "openai",
  "openai-responses": "openai",
  gemini: "gemini",
  vertex: "gemini",
  "gemini-openai": "gemini",
  minimax: "minimax",
  kimi: "kimi",
  glm: "glm",
  mimo: "mimo",
  ollama: "ollama",
  lmstudio: "lmstudio",
};

const formats = {
  chat: "openai_chat",
  responses: "openai_responses",
  anthropic: "anthropic",
  gemini: "gemini",
  endpoint: "openai_chat",
} as const;

const models: Readonly<Record<string, readonly string[]>> = {
  openai: ["gpt-4.1", "gpt-4o", "o4-mini", "gpt-5", "gpt-5.1", "gpt-5.5", "gpt-6-luna"],
  "openai-responses": ["gpt-5.1", "gpt-4.1", "o3", "gpt-5.6-sol", "gpt-6.1-sol"],
  azure: ["gpt-4.1", "gpt-5-mini"],
  "azure-responses": ["gpt-5"],
  anthropic: [
    "claude-sonnet-4-20250514",
    "claude-opus-4-20250514",
    "claude-haiku-4-5-20251001",
    "claude-opus-4-6",
    "claude-opus-4-7",
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-3-5-haiku-20241022",
  ],
  gemini: ["gemini-2.5-flash", "gemini-2.5-pro", "gemini-3-pro-preview", "gemini-2.0-flash", "gemini-3.8-flash"],
  vertex: ["gemini-2.5-flash"],
  "gemini-openai": ["gemini-2.5-flash", "gemini-3-flash-preview"],
  openrouter: ["anthropic/claude-sonnet-4", "anthropic/claude-sonnet-5.5", "google/gemini-3-pro-preview", "openai/gpt-5"],
  groq: ["llama-3.3-70b-versatile", "openai/gpt-oss-120b"],
  cerebras: ["gpt-oss-120b"],
  mistral: ["mistral-large-latest", "magistral-medium-latest"],
  deepseek: ["deepseek-chat", "deepseek-reasoner"],
  kimi: ["kimi-k2.5", "kimi-k2-0905-preview", "kimi-k3.1-pro", "kimi-k2.7-code"],
  mimo: ["mimo-v2.5"],
  minimax: ["MiniMax-M2.5", "MiniMax-M3"],
  glm: ["glm-4-plus", "glm-5.3"],
  xai: ["grok-4", "grok-3"],
  perplexity: ["sonar-pro"],
  together: ["meta-llama/Llama-3.3-70B-Instruct-Turbo"],
  fireworks: ["accounts/fireworks/models/kimi-k2-instruct"],
  dashscope: ["qwen-plus"],
  nvidia: ["meta/llama-3.3-70b-instruct"],
  huggingface: ["openai/gpt-oss-120b"],
  ollama: ["qwen3"],
  lmstudio: ["qwen2.5-7b-instruct"],
  vllm: ["Qwen/Qwen3-8B"],
  llamacpp: ["model.gguf"],
  "bedrock-openai": ["openai.gpt-oss-120b-1:0"],
  "kimi-anthropic": ["kimi-k2.5"],
  "minimax-anthropic": ["MiniMax-M2.5"],
  compatible: ["o3", "my-model"],
};

function optionsOf(id: string, model: string): Target["options"] {
  const host = hosts.get(id);
  if (!host) throw new Error(`No host is called ${id}.`);
  const name = (host.hostnames[0] ?? "gateway.test").replaceAll("*", "one");
  const scheme = /^localhost|\.test$/.test(name) || name.startsWith("localhost") ? "http" : "https";
  const base = host.base || (host.hostnames.length ? "" : "/v1");
  return {
    provider: providers[id] ?? "openai",
    model,
    baseURL: `${scheme}://${name}${base}`,
    format: formats[host.api],
    apiKey: "a-key",
  };
}

export const targets: readonly Target[] = Object.entries(models).flatMap(([host, list]) =>
  list.map((model) => ({ name: `${host} ${model}`, host, options: optionsOf(host, model) })),
);

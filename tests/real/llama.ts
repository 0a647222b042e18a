// llama.cpp's own server over the tiny model.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../support/project.js";
import { type TinyModel, tinyModel } from "./model.js";

/** Where its Python package is; nothing where it cannot be installed. */
export const llamaFolder: string | undefined = process.env.GLOVE_LLAMA;

export interface Llama {
  readonly url: string;
  close(): Promise<void>;
}

/** What llama.cpp calls the parameters of its server. */
export interface LlamaParams {
  readonly api_keys?: readonly string[];
  readonly n_ctx?: number;
  readonly n_predict?: number;
  readonly sampling?: { readonly seed?: number; readonly ignore_eos?: boolean };
}

/** What a request says, and what a test says in it for the random model. */
// biome-ignore lint/suspicious/noExplicitAny: whatever was sent.
export type Body = any;

export interface Steered {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** What was sent, before it was changed. */
  readonly asked: Body[];
}

/** Adds to what is sent: a model that says anything has to be told whether to call. `round` counts from 0. */
export function steered(change: (body: Body, round: number) => Body): Steered {
  const asked: Body[] = [];
  const send = (url: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body));
    asked.push(body);
    return fetch(url, { ...init, body: JSON.stringify(change(body, asked.length - 1)) });
  };
  return { fetch: send, asked };
}

/** A call in the first round, words in the next, as far as the server lets itself be told. Of the framework's own tools it knows
 *  none. */
export function callsOnce(body: Body, round: number): Body {
  const tools = body.tools?.filter((tool: Body) => !(tool.function ?? tool).name.startsWith("glove_"));
  if (!tools?.length) return { ...body, tools: undefined };
  const wanted = round === 0 ? "required" : "none";
  // This API's `none` is not heeded by the server.
  if ("input_schema" in tools[0])
    return round === 0 ? { ...body, tools, tool_choice: { type: "any" } } : { ...body, tools: undefined };
  return { ...body, tools, tool_choice: wanted, parallel_tool_calls: false };
}

const common = { model_alias: ["tiny"], verbosity: 1, n_parallel: 2, kv_unified: true, n_ctx: 4096, ui: false };

export async function openLlama(params: LlamaParams = {}, model: TinyModel = {}): Promise<Llama> {
  const folder = mkdtempSync(join(tmpdir(), "glove-llama-"));
  const file = join(folder, "tiny.gguf");
  writeFileSync(file, tinyModel(model));
  const given = JSON.stringify({ ...common, ...params, sampling: { seed: 1, ...params.sampling } });
  const server = spawn("python3", [join(root, "tests/real/llama_server.py"), file, given], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, PYTHONPATH: llamaFolder },
  });
  let log = "";
  server.stderr.on("data", (piece) => {
    log += piece;
  });
  const exited = once(server, "exit");
  const lines = createInterface(server.stdout);
  const first = await Promise.race([once(lines, "line"), exited.then(() => [])]);
  const url = String(first[0] ?? "");
  if (!url.startsWith("http")) throw new Error(`llama.cpp's server did not start: ${url} ${log}`);
  return {
    url,
    async close() {
      server.stdin.end();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

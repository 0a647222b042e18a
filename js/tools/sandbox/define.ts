// Tools whose work is code that runs in a sandbox: those of an application, and the one whose code a model writes.

import type { ToolConfig, ToolDisplay } from "../../src/ports/tool.js";
import type { InferOutput, Schema } from "../../src/schema/types.js";
import { checkTool } from "../../src/tools/options.js";
import { AbortError, GloveError, loadPart, reasonOf } from "../../src/values/error.js";
import { check } from "../../src/values/validate-options.js";
import type { ToolResultData } from "../../src/wire/record.js";
import { ask } from "../web/ask.js";
import { filled, struck } from "../web/credentials.js";
import { fileWork, isOfChat, mountedAttachments } from "./files.js";
import { checkGrants, limitsOf, type SandboxGrants } from "./options.js";

/** A tool whose work is sandboxed code. What it may have beside that is what `defineTool` takes. */
export interface SandboxTool<I extends Schema = Schema, N extends string = string>
  extends SandboxGrants,
    Omit<
      ToolConfig<InferOutput<I>>,
      "name" | "do" | "undo" | "inputSchema" | "timeoutMs" | "title" | "requireApproval" | "requiresPermission"
    > {
  /** What the model calls it: letters, digits, `_` and `-`. */
  readonly name: N;
  /** Describes the arguments to the model and checks them. */
  readonly inputSchema?: I;
  /** What a call does, for users. */
  readonly title?: string | ((input: InferOutput<I>) => string);
  /** Whether the user must permit the tool; "always" and "never" are stored. */
  readonly requiresPermission?: ToolConfig<InferOutput<I>>["requiresPermission"];
  /** Whether the user must approve each call. */
  readonly requireApproval?: ToolConfig<InferOutput<I>>["requireApproval"];
  /** A module of JavaScript. The function that it exports as `default` is called with the input; what it returns, or its promise gives, is the result, as JSON. */
  readonly code: string;
  /** Modules that it imports, by their names: `{ "./parse.mjs": "export const …" }`. */
  readonly modules?: Readonly<Record<string, string>>;
}

/** A tool whose code runs in an engine of its own: it reaches what it is granted, and nothing else of the page or the process. */
export function defineSandboxTool<const N extends string, I extends Schema>(
  tool: SandboxTool<I, N>,
): ToolConfig<InferOutput<I>> & { readonly name: N } {
  check("A sandboxed tool", tool, "object", "SANDBOX_INVALID");
  const { code, modules = {}, mounts, hosts, credentials, limits, ...config } = tool;
  const called = `the tool "${tool.name}"`;
  check(`\`code\` of ${called}`, code, "text", "SANDBOX_INVALID");
  check(`\`modules\` of ${called}`, modules, "object", "SANDBOX_INVALID");
  for (const [name, text] of Object.entries(modules))
    check(`\`modules["${name}"]\` of ${called}`, text, "text", "SANDBOX_INVALID");
  const named = Object.entries(modules).map(([name, text]) => [name.replace(/^\.\//, ""), text] as const);
  if (named.some(([name]) => name === "tool"))
    throw new GloveError("SANDBOX_INVALID", `\`modules\` of ${called} must not be named "tool": that is \`code\`.`);
  const own = config as unknown as Named<InferOutput<I>, N>;
  const grants = { mounts, hosts, credentials, limits };
  return sandboxed(own, grants, (input) => ({ modules: { ...Object.fromEntries(named), tool: code }, input }));
}

/** `sandbox_exec`: a tool by which a model runs code that it writes. */
export function sandboxExec(
  options: SandboxGrants & Pick<ToolConfig, "requireApproval" | "requiresPermission"> = {},
): ToolConfig<SandboxExecInput> & { readonly name: "sandbox_exec" } {
  check("The options of sandboxExec", options, "object", "SANDBOX_INVALID");
  const { requireApproval, requiresPermission, ...grants } = options;
  const { mounts = {}, hosts = [], credentials = {}, limits } = grants;
  const { timeMs } = limitsOf(limits);
  const folders = Object.entries(mounts).map(([folder, right]) => `${folder} (${right})`);
  const has = [
    "It is the body of an async function with the parameter `input`; `return` gives the result, as JSON. There are no modules and no timers.",
    folders.length
      ? `\`await files.read(path)\`, \`await files.list(folder)\`, \`await files.write(path, text)\` below ${folders.join(", ")}.`
      : "It reaches no files.",
    hosts.length ? `\`await fetch(url)\` asks ${hosts.join(", ")}.` : "It reaches no network.",
    ...Object.entries(hosts.length ? credentials : {}).map(
      ([name, hosts]) => `\`{{${name}}}\` in a header of it stands for a credential, at ${Array.from(hosts).join(", ")}.`,
    ),
    `It ends after ${timeMs} ms. \`console.log\` is told beside the result.`,
  ];
  const config = {
    name: "sandbox_exec" as const,
    description: `Runs JavaScript in a sandbox, for work that code does better than words: counting, converting, checking. ${has.join(" ")}`,
    title: "Runs code in a sandbox",
    jsonSchema: {
      type: "object",
      properties: { code: { type: "string" }, input: { description: "Any JSON, for the code to read as `input`" } },
      required: ["code"],
      additionalProperties: false,
    },
    ...(requireApproval !== undefined && { requireApproval }),
    ...(requiresPermission !== undefined && { requiresPermission }),
  };
  return sandboxed<SandboxExecInput, "sandbox_exec">(config, grants, ({ code, input }) => ({
    modules: { tool: `export default async (input) => {${code}\n}` },
    input,
  }));
}

/** What a model gives `sandbox_exec`. */
export interface SandboxExecInput {
  readonly code: string;
  readonly input?: unknown;
}

type Named<I, N extends string> = Omit<ToolConfig<I>, "do" | "name"> & { readonly name: N };

function sandboxed<I, N extends string>(
  config: Named<I, N>,
  grants: SandboxGrants,
  callOf: (input: I) => { readonly modules: Readonly<Record<string, string>>; readonly input: unknown },
): ToolConfig<I> & { readonly name: N } {
  const called = `the tool "${config.name}"`;
  checkGrants(grants, called);
  const limits = limitsOf(grants.limits);
  const { mounts = {}, hosts = [], credentials = {} } = grants;
  const made = {
    // Code that writes nothing and asks nobody has no effects.
    ...(!hosts.length && !Object.values(mounts).includes("write") && { idempotent: true }),
    ...config,
    do: (input: I, display: ToolDisplay) => call({ ...callOf(input), limits, mounts, hosts, named: credentials }, display),
  };
  checkTool(made);
  return made;
}

interface Call {
  readonly modules: Readonly<Record<string, string>>;
  readonly input: unknown;
  readonly limits: ReturnType<typeof limitsOf>;
  readonly mounts: NonNullable<SandboxGrants["mounts"]>;
  readonly hosts: readonly string[];
  /** Credentials that it may name, and for which hosts. */
  readonly named: NonNullable<SandboxGrants["credentials"]>;
}

async function call(
  { modules, input, limits, mounts, hosts, named }: Call,
  { signal, files: workspace, attachments, credentials = {} }: ToolDisplay,
): Promise<ToolResultData> {
  const granted = Object.keys(mounts).length > 0;
  try {
    const files = workspace ?? (attachments && Object.keys(mounts).every(isOfChat) ? mountedAttachments(attachments) : undefined);
    if (granted && !files)
      throw new GloveError(
        "SANDBOX_INVALID",
        "`mounts` are folders of a task's workspace, and this is no task: leave them away, or mount `attachments`, the files of a conversation.",
      );
    const { runSandboxed } = await loadPart(import("./run.js"));
    const { value, log } = await runSandboxed({
      modules,
      input,
      limits,
      signal,
      grants: [...(granted ? (["files"] as const) : []), ...(hosts.length ? (["fetch"] as const) : [])],
      work: (name, args, ended) => {
        if (name !== "fetch") return fileWork(files as NonNullable<typeof files>, mounts, name, args);
        return fetched(args, { hosts, named, credentials, signal: ended });
      },
    });
    return { status: "success", data: log ? { result: value, log } : value };
  } catch (error) {
    if (error instanceof AbortError || !(error instanceof GloveError)) throw error;
    // Code that fails is for its writer to mend, which may be the model.
    return { status: "error", data: { code: error.code }, message: error.message };
  }
}

const maxFetched = 1_000_000;

interface Asking {
  readonly hosts: readonly string[];
  readonly named: Call["named"];
  readonly credentials: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** What the code reads of an answer: servers and errors say again what was sent. */
async function fetched(args: readonly unknown[], { hosts, named, credentials, signal }: Asking): Promise<unknown> {
  const [url, method, sent, body] = args as [string, string, [string, string][], string | null];
  const clean = (text: string) => struck(text, credentials);
  try {
    const headers = sent.map(([name, value]) => [name, filled(value, url, named, credentials)] as const);
    const { status, headers: got, text, cut } = await ask({ url, method, headers, body, hosts, signal, most: maxFetched });
    // Half of an answer would be taken for the whole one.
    if (cut) throw new Error(`${url} answered more than ${maxFetched} bytes, of which none was read: ask for less of it`);
    return { status, headers: got.map(([name, value]) => [name, clean(value)]), text: clean(text) };
  } catch (error) {
    throw new Error(clean(reasonOf(error)));
  }
}

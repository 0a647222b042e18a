// What sandboxed code may be given, and what is refused of it.
import { GloveError } from "../../src/values/error.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import { checkHosts } from "../web/hosts.js";

/** What a call may use at most. */
export interface SandboxLimits {
  /** Of the call from the moment at which its code begins, waiting for files and answers too; default 10,000. */
  readonly timeMs?: number | undefined;
  /** In bytes, at least one MiB; default 64 MiB. */
  readonly memory?: number | undefined;
  /** The letters of the result as JSON; default 1,000,000. */
  readonly output?: number | undefined;
}

/** What sandboxed code may reach beside its input. Nothing, unless it is named. */
export interface SandboxGrants {
  /**
   * Folders of the task's workspace, by their paths: `{ "task": "read", "progress/artifacts": "write" }`. Who may write may read. In a chat it
   * is `{ attachments: "read" }`: each file of the conversation at `attachments/<id>`, or at `attachments/<name>`.
   */
  readonly mounts?: Readonly<Record<string, "read" | "write">> | undefined;
  /** Hosts that `fetch` may ask over HTTPS: `api.example.com`, `*.example.com`; one with a port or an address as it stands. */
  readonly hosts?: readonly string[] | undefined;
  /**
   * Credentials that the code may name in a header of `fetch`, and the hosts that may have them: `{ ORDERS_TOKEN: ["orders.example.com"] }` for
   * `authorization: "Bearer {{ORDERS_TOKEN}}"`. The code never has the value, which `credentials` of the task's agent gives for each call.
   */
  readonly credentials?: Readonly<Record<string, readonly string[]>> | undefined;
  /** How much time, memory and output a call may use. */
  readonly limits?: SandboxLimits | undefined;
}

const limitOptions = { timeMs: "whole", memory: "whole", output: "whole" } as const satisfies Options<SandboxLimits>;

export const grantOptions = {
  mounts: "object",
  hosts: "list",
  credentials: "object",
  limits: limitOptions,
} as const satisfies Options<SandboxGrants>;

const leastMemory = 1 << 20;
const maxMemory = 1 << 30;

export interface Limits {
  readonly timeMs: number;
  readonly memory: number;
  readonly output: number;
}

export function limitsOf({ timeMs = 10_000, memory = 64 << 20, output = 1_000_000 }: SandboxLimits = {}): Limits {
  if (memory < leastMemory || memory > maxMemory) {
    throw new GloveError(
      "SANDBOX_INVALID",
      `\`limits.memory\` must be from ${leastMemory} to ${maxMemory} bytes, got ${memory}.`,
    );
  }
  if (timeMs < 1 || output < 1)
    throw new GloveError("SANDBOX_INVALID", "`limits.timeMs` and `limits.output` must be at least 1.");
  return { timeMs, memory, output };
}

/** Refuses grants that could mean more than they say. */
export function checkGrants(grants: SandboxGrants, called: string): void {
  checkOptions(grants, grantOptions, { called: (option) => `\`${option}\` of ${called}`, code: "SANDBOX_INVALID" });
  for (const [path, right] of Object.entries(grants.mounts ?? {})) {
    check(`\`mounts["${path}"]\` of ${called}`, right, "read|write", "SANDBOX_INVALID");
    const clean = cleanPath(path);
    const governs = right === "write" && !/^progress\/artifacts(\/|$)/.test(clean);
    if (clean !== path || governs) {
      const message = governs
        ? `Sandboxed code may write below progress/artifacts alone: \`mounts\` of ${called} has "${path}".`
        : `\`mounts\` of ${called} must name folders like task or progress/artifacts, got "${path}".`;
      throw new GloveError("SANDBOX_INVALID", message);
    }
  }
  checkHosts(grants.hosts ?? [], called, "SANDBOX_INVALID");
  for (const [name, hosts] of Object.entries(grants.credentials ?? {})) {
    const option = `\`credentials["${name}"]\` of ${called}`;
    if (!/^\w+$/.test(name)) throw new GloveError("SANDBOX_INVALID", `${option} must have a name of letters, digits and _.`);
    check(option, hosts, "list", "SANDBOX_INVALID");
    checkHosts(hosts, called, "SANDBOX_INVALID");
    if (!hosts.length || hosts.includes("*"))
      throw new GloveError("SANDBOX_INVALID", `${option} must name the hosts that may have it.`);
  }
  limitsOf(grants.limits);
}

/** A path without empty names; nothing where it leads out, or is one that systems read differently. */
export function cleanPath(path: string): string {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names with control characters are refused.
  const odd = names.some((name) => name === ".." || /[\u0000-\u001f\u007f\\:<>"|?*]|[. ]$|^ /.test(name));
  return odd || path.startsWith("/") ? "" : names.join("/");
}

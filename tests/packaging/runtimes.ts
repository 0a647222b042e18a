// The server runtimes that come as npm packages: their programs lie in the package for this platform.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { root } from "../support/project.js";

const programs = {
  deno: ["@deno", "deno"],
  bun: ["@oven", "bin/bun"],
  workerd: ["@cloudflare", "bin/workerd"],
} as const;

export type Runtime = keyof typeof programs;

/** The path of a runtime's program. npm installs the package of this platform only. */
export function programOf(runtime: Runtime): string {
  const [scope, file] = programs[runtime];
  const folder = join(root, "node_modules", scope);
  const name = process.platform === "win32" ? `${file}.exe` : file;
  const found = readdirSync(folder).map((name_) => join(folder, name_, name));
  const program = found.find((path) => existsSync(path));
  if (!program) throw new Error(`${runtime} is not installed for this platform: run \`npm ci\` and look into ${folder}.`);
  return program;
}

export interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server that tells its port: `PORT 123` on standard output, or workerd's JSON on the third channel. */
export async function start(runtime: Runtime, args: string[], cwd: string, env: Record<string, string>): Promise<Running> {
  const child = spawn(programOf(runtime), args, {
    cwd,
    env: { ...process.env, ...env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const port = await portOf(child);
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill();
      }),
  };
}

function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    for (const channel of [1, 2, 3]) {
      (child.stdio[channel] as Readable).on("data", (text) => {
        said += text;
        const port = /PORT (\d+)|"port":(\d+)/.exec(said);
        if (port) resolve((port[1] ?? port[2]) as string);
      });
    }
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
}

// Apps made by the packed create-glove-wasm, in folders where they find what they name.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { inject, vi } from "vitest";
import { root } from "../support/project.js";
import { installed } from "./bundlers.js";

/** create-glove-wasm as npm publishes it, beside what it depends on. */
export function packCreate(): string {
  const folder = mkdtempSync(join(installed("create"), "run-"));
  const source = join(root, "packages", "create-glove-wasm");
  const pack = ["pack", "--json", "--loglevel=error", "--pack-destination", folder];
  const said = execFileSync("npm", pack, { cwd: source, encoding: "utf8", shell: process.platform === "win32" });
  const [{ filename }] = JSON.parse(said.slice(said.indexOf("[\n")));
  execFileSync("tar", ["-xzf", filename], { cwd: folder });
  return join(folder, "package");
}

/** What apps name and `projects` has not. */
export function linkTools(): void {
  const found = { vitest: join(root, "node_modules"), tsx: join(installed("create"), "node_modules") };
  for (const [name, folder] of Object.entries(found)) {
    const link = join(inject("projects"), "node_modules", name);
    if (!existsSync(link)) symlinkSync(join(folder, name), link, "junction");
  }
}

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs the command without a terminal. */
export function create(packed: string, args: readonly string[], cwd: string, userAgent = "npm/11.0.0 node/v24"): Said {
  const env = { ...process.env, npm_config_user_agent: userAgent };
  const made = spawnSync(process.execPath, [join(packed, "src", "index.js"), ...args], { cwd, env, encoding: "utf8" });
  return { code: made.status, out: made.stdout, error: made.stderr };
}

/** A folder for apps, in which they find their dependencies. */
export function appsFolder(): string {
  const folder = mkdtempSync(join(inject("projects"), "created-"));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The program of a dependency, as `npm run` finds it. */
export function program(name: "vite" | "next" | "tsx" | "tsc" | "tsc 5" | "vitest"): string {
  const bundlers = join(dirname(inject("projects")), "node_modules");
  const places = {
    vite: join(bundlers, "vite/bin/vite.js"),
    next: join(bundlers, "next/dist/bin/next"),
    tsx: join(installed("create"), "node_modules/tsx/dist/cli.mjs"),
    tsc: join(root, "node_modules/typescript/bin/tsc"),
    "tsc 5": join(bundlers, "typescript/bin/tsc"),
    vitest: join(root, "node_modules/vitest/vitest.mjs"),
  };
  return places[name];
}

const { NODE_ENV: _, VITEST: __, OPENAI_API_KEY: ___, GEMINI_API_KEY: ____, ...outer } = process.env;

/** Runs a program of the app to its end; what it said is the error if it fails. */
export function run(app: string, path: string, args: readonly string[]): void {
  const env = { ...outer, NEXT_TELEMETRY_DISABLED: "1", NO_COLOR: "1", CI: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { cwd: app, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${path} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
}

export interface Running {
  readonly url: string;
  said(): string;
  stop(): Promise<void>;
}

/** Starts a server of the app on a free port, and waits until it answers. */
export async function start(app: string, args: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const own = { ...outer, NEXT_TELEMETRY_DISABLED: "1", NO_COLOR: "1", PORT: String(port), ...env };
  const filled = args.map((word) => word.replace("PORT", String(port)));
  const child = spawn(process.execPath, filled, { cwd: app, env: own, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const stop = () => ended(child);
  try {
    await vi.waitFor(
      async () => {
        if (child.exitCode !== null) return;
        await fetch(url);
      },
      { timeout: 60_000, interval: 100 },
    );
    if (child.exitCode !== null) throw new Error("it ended");
  } catch (error) {
    await stop();
    throw new Error(`${args.join(" ")} does not answer: ${said}`, { cause: error });
  }
  return { url, said: () => said, stop };
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill();
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// `glove serve` as a process, behind a line that can be cut.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./project.js";

export const token = "0123456789abcdef";

/** Among the tests of Rust, so that cargo compiles no dependency again with other features. */
export function buildGlove(): void {
  const options = ["--workspace", "--all-features", "--test", "it", "--no-run"];
  execFileSync("cargo", ["test", ...options], { cwd: root, stdio: "inherit" });
}

export interface GloveServer {
  readonly url: string;
  /** What its tools work in. */
  readonly folder: string;
  /** Nothing gets through until `mend`. */
  cut(): void;
  mend(): void;
  /** Ends the process without a word, and begins another one with the same database. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startGlove(): Promise<GloveServer> {
  const folder = mkdtempSync(join(tmpdir(), "glove-serve-"));
  const database = mkdtempSync(join(tmpdir(), "glove-data-"));
  const options = ["--model", "scripted", "--listen", "127.0.0.1:0", "--database", join(database, "sessions.db"), folder];
  const lines = new Set<Socket>();
  let server: ChildProcess | undefined;
  let port = 0;
  let isCut = false;
  const start = async () => {
    const process_ = spawn(join(root, "target/debug/glove-tested"), ["serve", ...options], {
      env: { ...process.env, GLOVE_TOKEN: token },
      stdio: ["ignore", "ignore", "pipe"],
    });
    server = process_;
    const errors = createInterface({ input: process_.stderr as NodeJS.ReadableStream });
    for await (const line of errors) {
      const found = /^glove serves at .*:(\d+)$/.exec(line);
      if (!found) continue;
      port = Number(found[1]);
      break;
    }
    if (port === 0) throw new Error("glove did not start");
    process_.stderr?.resume();
  };
  const stop = async (signal: NodeJS.Signals) => {
    const ended = server && server.exitCode === null && server.signalCode === null ? once(server, "exit") : undefined;
    server?.kill(signal);
    await ended;
  };
  await start();
  const line = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      lines.add(one);
      one.pipe(other);
      one.on("error", () => {});
      one.on("close", () => {
        lines.delete(one);
        other.destroy();
      });
    }
  });
  line.listen(0, "127.0.0.1");
  await once(line, "listening");
  const cut = () => {
    isCut = true;
    for (const socket of lines) socket.destroy();
  };
  const mend = () => {
    isCut = false;
  };
  return {
    url: `http://127.0.0.1:${(line.address() as AddressInfo).port}`,
    folder,
    cut,
    mend,
    async restart() {
      await stop("SIGKILL");
      await start();
    },
    async close() {
      cut();
      line.close();
      await stop("SIGTERM");
      for (const path of [folder, database]) rmSync(path, { recursive: true });
    },
  };
}

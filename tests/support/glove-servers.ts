// Several `glove serve` with one database, behind nginx.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { token } from "./glove-server.js";
import { root } from "./project.js";

export interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

export interface Servers {
  /** Where nginx listens. */
  readonly url: string;
  readonly folder: string;
  /** The one that holds sessions. */
  holding(): Promise<Server>;
  kill(server: Server, signal: NodeJS.Signals): Promise<void>;
  close(): Promise<void>;
}

/** A database server, as a process of its own. */
export interface Database {
  readonly url: string;
  close(): Promise<void>;
}

const postgresPrograms = () => {
  const versions = "/usr/lib/postgresql";
  const found = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, "bin")) : [];
  return found
    .filter((path) => existsSync(join(path, "initdb")))
    .sort()
    .at(-1);
};
const found = (...paths: string[]) => paths.find((path) => existsSync(path));
const redisProgram = found("/usr/bin/redis-server");
export const nginxProgram = found("/usr/sbin/nginx", "/usr/bin/nginx");

/** What of these is installed, and how it is started. */
export const databases: Record<string, (() => Promise<Database>) | undefined> = {
  PostgreSQL: postgresPrograms() ? startPostgres : undefined,
  Redis: redisProgram ? startRedis : undefined,
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function listens(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const socket = connect(port, "127.0.0.1");
    const there = await Promise.race([once(socket, "connect").then(() => true), once(socket, "error").then(() => false)]).catch(
      () => false,
    );
    socket.destroy();
    if (there) return;
    if (tries > 600) throw new Error(`nothing listens at ${port}`);
    await sleep(50);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
  child.kill(signal);
  await ended;
}

/** It does not run as root. */
const nobody = 65_534;

async function startPostgres(): Promise<Database> {
  const programs = postgresPrograms() ?? "";
  const folder = mkdtempSync(join(tmpdir(), "glove-postgres-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, nobody, nobody);
  const as = { cwd: "/", stdio: "ignore", ...(isRoot && { uid: nobody, gid: nobody }) } as const;
  const data = join(folder, "data");
  const init = ["--no-sync", "--username=glove", "--auth=trust", "--encoding=UTF8", "--locale=C", data];
  await once(spawn(join(programs, "initdb"), init, as), "exit");
  const port = await freePort();
  const settings = ["-p", String(port), "-k", "", "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=16MB"];
  const server = spawn(join(programs, "postgres"), ["-D", data, ...settings], { ...as, stdio: ["ignore", "ignore", "pipe"] });
  // It listens before it answers.
  const ready = new Promise<void>((answers) => {
    server.stderr.on("data", (said) => String(said).includes("ready to accept connections") && answers());
  });
  await Promise.race([ready, once(server, "exit")]);
  return {
    url: `postgres://glove@127.0.0.1:${port}/postgres`,
    async close() {
      await end(server, "SIGQUIT");
      rmSync(folder, { recursive: true });
    },
  };
}

async function startRedis(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), "glove-redis-"));
  const port = await freePort();
  const durable = ["--save", "", "--appendonly", "yes", "--appendfsync", "always", "--dir", folder];
  const server = spawn(redisProgram ?? "", ["--port", String(port), "--bind", "127.0.0.1", ...durable], { stdio: "ignore" });
  await listens(port);
  return {
    url: `redis://127.0.0.1:${port}`,
    async close() {
      await end(server, "SIGKILL");
      rmSync(folder, { recursive: true });
    },
  };
}

/** Each works in the same folder. `options` are those of the model. */
export async function startServers(count: number, database: Database, options: readonly string[]): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), "glove-servers-"));
  const work = join(folder, "work");
  mkdirSync(work);
  const servers = await Promise.all(Array.from({ length: count }, () => startOne([...options, work], database)));
  const proxy = nginxProgram ? await startNginx(folder, servers) : undefined;
  const there = new Set(servers);
  const metrics = async ({ url }: Server) =>
    (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  return {
    url: proxy?.url ?? servers[0]?.url ?? "",
    folder: work,
    async holding() {
      for (;;) {
        for (const server of there) if (/^glove_sessions [1-9]/m.test(await metrics(server))) return server;
        await sleep(50);
      }
    },
    async kill(server, signal) {
      there.delete(server);
      await end(server.process, signal);
    },
    async close() {
      await Promise.all(servers.map(({ process }) => end(process, "SIGKILL")));
      if (proxy) await end(proxy.process, "SIGKILL");
      rmSync(folder, { recursive: true });
    },
  };
}

async function startOne(options: readonly string[], database: Database): Promise<Server> {
  const child = spawn(join(root, "target/debug/glove-tested"), ["serve", "--listen", "127.0.0.1:0", ...options], {
    env: { ...process.env, GLOVE_TOKEN: token, GLOVE_DATABASE: database.url },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    said.push(line);
    const url = /^glove serves at (http:.*)$/.exec(line)?.[1];
    if (!url) continue;
    child.stderr?.resume();
    return { url, process: child };
  }
  throw new Error(`glove did not start: ${said.join("\n")}`);
}

/** As docs/servers.md says, with the addresses of these servers. */
async function startNginx(folder: string, servers: readonly Server[]): Promise<Server> {
  const [, documented = ""] = /```nginx\n(.*?)```/s.exec(readFileSync(join(root, "docs/servers.md"), "utf8")) ?? [];
  const port = await freePort();
  const addresses = servers.map(({ url }) => url.slice("http://".length));
  const site = documented
    .replace(/10\.0\.0\.(\d):8787/g, (_, number) => addresses[Number(number) - 1] ?? "127.0.0.1:9")
    .replace("listen 80;", `listen 127.0.0.1:${port};`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`);
  const config = `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
    events {} http { access_log off; ${temporary.join(" ")} ${site} }`;
  writeFileSync(join(folder, "nginx.conf"), config);
  const child = spawn(nginxProgram ?? "", ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "ignore" });
  await listens(port);
  return { url: `http://127.0.0.1:${port}`, process: child };
}

// Two servers of this machine with the routes of tests/fixtures/web-asks.json, and its cases, which pages, Node and the native sandbox share.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Route {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly times?: number;
  readonly echo?: boolean;
  readonly hangs?: boolean;
  readonly waits?: string;
}

interface Outcome {
  readonly gives?: unknown;
  readonly fails?: string;
}

export interface WebCase extends Outcome {
  readonly code: string;
  readonly hosts?: readonly string[];
  readonly named?: Readonly<Record<string, readonly string[]>>;
  readonly given?: Readonly<Record<string, string>>;
  readonly timeMs?: number;
  /** The authorization that a server has read. */
  readonly sent?: string;
  readonly page?: Outcome;
}

export interface WebServers {
  readonly self: string;
  readonly other: string;
  readonly cases: readonly WebCase[];
  /** The authorizations that were read since the last look. */
  authorizations(): string[];
  close(): void;
}

export async function serveWeb(): Promise<WebServers> {
  const text = readFileSync(new URL("../fixtures/web-asks.json", import.meta.url), "utf8");
  let routes: Record<string, Route> = {};
  const read: string[] = [];
  const asked = new Map<string, () => void>();
  const servers = [0, 1].map(() => createServer((request, response) => void answer(request, response)));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    // A page asks whether it may, and is not told of most headers.
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "authorization, x-key, content-type");
    response.setHeader("access-control-expose-headers", "*");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    const path = request.url ?? "";
    const { status = 200, headers = {}, body = "", times = 1, echo, hangs, waits } = routes[path] ?? { status: 404 };
    if (request.headers.authorization) read.push(request.headers.authorization);
    let sent = "";
    for await (const part of request) sent += part;
    if (hangs) return undefined;
    asked.get(path)?.();
    if (waits) await new Promise<void>((resolve) => asked.set(waits, resolve));
    const { authorization = null, "x-key": key = null } = request.headers;
    const said = echo ? JSON.stringify({ method: request.method, key, authorization, body: sent }) : body.repeat(times);
    return response.writeHead(status, headers).end(said);
  };
  const origins = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );
  const [self = "", other = ""] = origins;
  const table = JSON.parse(text.replaceAll("{self}", self).replaceAll("{other}", other)) as {
    routes: Record<string, Route>;
    cases: WebCase[];
  };
  routes = table.routes;
  return {
    self,
    other,
    cases: table.cases,
    authorizations: () => read.splice(0),
    close: () => servers.forEach(end),
  };
}

function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** What the sandbox is called with. */
export const codeOf = ({ code }: WebCase, { self, other }: WebServers): string =>
  `const self = ${JSON.stringify(self)}, other = ${JSON.stringify(other)};\n${code}`;

export const grantsOf = ({ hosts, named, timeMs = 10_000 }: WebCase, { self }: WebServers) => ({
  hosts: hosts ?? [self],
  ...(named && { credentials: named }),
  limits: { timeMs },
});

// Zep on localhost, as its documentation says of the endpoints that a memory needs. It refuses what that does not allow.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

interface Episode {
  readonly uuid: string;
  readonly content: string;
  readonly created_at: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Filter {
  readonly property_name: string;
  readonly comparison_operator: string;
  readonly property_value: unknown;
}

interface Body {
  readonly user_id?: string;
  readonly graph_id?: string;
  readonly data?: string;
  readonly type?: string;
  readonly metadata?: Record<string, unknown>;
  readonly query?: string;
  readonly scope?: string;
  readonly limit?: number;
  readonly order_by?: string;
  readonly direction?: string;
  readonly episode_metadata_filters?: { readonly type: string; readonly filters: readonly Filter[] };
}

export interface ZepStandIn {
  readonly url: string;
  /** The requests so far: `POST /graph`. */
  readonly asked: string[];
  /** Each graph by its key, with its episodes. */
  readonly graphs: Map<string, Episode[]>;
  /** Facts that are no longer true. */
  readonly expired: Set<string>;
  close(): Promise<void>;
}

class Refusal {
  constructor(
    readonly status: number,
    readonly message: string,
  ) {}
}

export async function zep(key: string): Promise<ZepStandIn> {
  const graphs = new Map<string, Episode[]>();
  const expired = new Set<string>();
  const asked: string[] = [];
  let count = 0;

  const named = ({ user_id, graph_id }: Body) => {
    if ((user_id === undefined) === (graph_id === undefined)) throw new Refusal(400, "either user_id or graph_id is required");
    return user_id === undefined ? `graph/${graph_id}` : `user/${user_id}`;
  };
  const graphOf = (name: string) => {
    const graph = graphs.get(name);
    if (!graph) throw new Refusal(404, "not found");
    return graph;
  };
  const make = (name: string) => {
    if (graphs.has(name)) throw new Refusal(400, "it exists already");
    graphs.set(name, []);
    return { status: 201, body: {} };
  };
  const add = (body: Body) => {
    const { data, type, metadata = {} } = body;
    if (typeof data !== "string" || !["text", "json", "message", "fact_triple"].includes(type ?? "")) {
      throw new Refusal(400, "data and type are required");
    }
    if (data.length > 10_000) throw new Refusal(400, "data is longer than 10000 characters");
    if (type === "json") JSON.parse(data);
    const values = Object.values(metadata);
    if (values.length > 10 || values.some((value) => value === null || (typeof value === "object" && !Array.isArray(value)))) {
      throw new Refusal(400, "metadata must have at most 10 keys of scalars");
    }
    const episode = { uuid: `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`, content: data, metadata };
    const made = { ...episode, created_at: "2026-01-01T00:00:00Z" };
    graphOf(named(body)).push(made);
    return { status: 202, body: made };
  };
  const search = (body: Body) => {
    const { query, scope = "edges", limit = 10 } = body;
    if (!query) throw new Refusal(400, "query is required");
    if (limit > 50) throw new Refusal(400, "limit is at most 50");
    if (scope !== "edges") throw new Refusal(400, "this stand-in has edges alone");
    const words = query.toLowerCase().split(/\W+/);
    const facts = graphOf(named(body)).map(({ uuid, content, created_at }) => {
      const fact = (JSON.parse(content) as { text: string }).text;
      const fits = words.filter((word) => word && fact.toLowerCase().includes(word)).length;
      return { uuid: `fact-${uuid}`, fact, name: "SAYS", created_at, fits, ...(expired.has(fact) && { expired_at: created_at }) };
    });
    const edges = facts.filter(({ fits }) => fits > 0).sort((a, b) => b.fits - a.fits);
    return { status: 200, body: { edges: edges.slice(0, limit).map(({ fits: _, ...edge }) => edge) } };
  };
  const list = (name: string, { limit, order_by = "uuid", direction = "desc", episode_metadata_filters: given }: Body) => {
    if (!["uuid", "created_at"].includes(order_by) || !["asc", "desc"].includes(direction)) {
      throw new Refusal(400, "order_by is uuid or created_at, direction asc or desc");
    }
    if (given && given.type !== "and" && given.type !== "or") throw new Refusal(400, "a group of filters is of type and, or");
    const fits = ({ metadata }: Episode) =>
      (given?.filters ?? []).every(({ property_name, comparison_operator, property_value }) => {
        if (comparison_operator !== "=") throw new Refusal(400, "this stand-in compares with = alone");
        return metadata[property_name] === property_value;
      });
    // As they came is by both: the newest first, unless it is asked for otherwise.
    const found = graphOf(name).filter(fits);
    if (direction === "desc") found.reverse();
    // What is asked for is at most 50; a page has 100 where nothing is said.
    return { status: 200, body: { episodes: found.slice(0, limit === undefined ? 100 : Math.min(limit, 50)) } };
  };
  const remove = (uuid: string) => {
    for (const [name, episodes] of graphs) {
      const left = episodes.filter((episode) => episode.uuid !== uuid);
      if (left.length === episodes.length) continue;
      graphs.set(name, left);
      return { status: 200, body: { message: "deleted" } };
    }
    throw new Refusal(404, "not found");
  };
  const answer = (method: string, path: string, body: Body) => {
    const [, of, id] = /^\/graph\/episodes\/(user|graph)\/(.+)$/.exec(path) ?? [];
    if (method === "POST" && of && id) return list(`${of}/${decodeURIComponent(id)}`, body);
    const uuid = /^\/graph\/episodes\/([^/]+)$/.exec(path)?.[1];
    if (method === "DELETE" && uuid) return remove(decodeURIComponent(uuid));
    switch (`${method} ${path}`) {
      case "POST /users":
        return make(named({ user_id: body.user_id ?? "" }));
      case "POST /graph/create":
        return make(named({ graph_id: body.graph_id ?? "" }));
      case "POST /graph":
        return add(body);
      case "POST /graph/search":
        return search(body);
      default:
        throw new Refusal(404, "no such endpoint");
    }
  };

  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").replace(/^\/api\/v2/, "");
    asked.push(`${request.method} ${path}`);
    const reply = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    try {
      if (request.headers.authorization !== `Api-Key ${key}`) throw new Refusal(401, "unauthorized");
      const text = await textOf(request);
      const { status, body } = answer(request.method ?? "", path, text === "" ? {} : (JSON.parse(text) as Body));
      reply(status, body);
    } catch (error) {
      if (error instanceof Refusal) reply(error.status, { message: error.message });
      else reply(400, { message: String(error) });
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/v2`,
    asked,
    graphs,
    expired,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  return text;
}

// A memory in Zep, over HTTP: a user's graph for each user, and a graph of its own for each other channel.
import { GloveError } from "../../src/values/error.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import type { MemoryEntry, MemoryQuery, MemoryScope } from "../../src/wire/task-types.js";
import type { MemoryProvider } from "./provider.js";

/** Where Zep is, and who asks. */
export interface ZepOptions {
  /** Of a server: a page must not have it, and sends `headers` to a proxy of yours at `url` instead. */
  readonly apiKey?: string | undefined;
  /** `https://api.getzep.com/api/v2` unless given. */
  readonly url?: string | undefined;
  /** Sent with each request, such as the key of a proxy. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Takes the place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

const zepOptions = { apiKey: "text", url: "text", headers: "any", fetch: "work" } as const satisfies Options<ZepOptions>;

const usualUrl = "https://api.getzep.com/api/v2";
/** Zep gives no more at once. */
const maxAtOnce = 50;
/** Zep takes no longer text. */
const longestData = 10_000;
const patienceMs = 20_000;

interface Episode {
  readonly uuid: string;
  readonly content: string;
  readonly metadata?: { readonly glove_id?: unknown };
}

interface Fact {
  readonly uuid: string;
  readonly fact: string;
  readonly created_at?: string;
  readonly expired_at?: string | null;
  readonly invalid_at?: string | null;
}

/**
 * Remembers in Zep. An entry is an episode there; what is pinned is read as it was written, and what is recalled are the facts that Zep
 * makes of episodes, which takes it a while.
 */
export class ZepMemory implements MemoryProvider {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch | undefined;

  constructor(options: ZepOptions) {
    checkOptions(check("The options", options, "object"), zepOptions);
    const { apiKey, url = usualUrl, headers = {}, fetch } = options;
    if (!apiKey && Object.keys(headers).length === 0) {
      throw new GloveError(
        "CONFIG_INVALID",
        "ZepMemory requires the `apiKey` of a server, or `headers` for a proxy of yours at `url`.",
      );
    }
    this.#url = url.replace(/\/$/, "");
    this.#headers = { ...(apiKey && { authorization: `Api-Key ${apiKey}` }), ...headers };
    this.#fetch = fetch;
  }

  async put(scope: MemoryScope, entry: MemoryEntry): Promise<void> {
    const data = JSON.stringify(entry);
    if (data.length > longestData) {
      throw new GloveError("TASK_MEMORY_FAILED", `Zep takes at most ${longestData} letters, and the entry has ${data.length}.`);
    }
    const before = await this.#episodes(scope, "glove_id", entry.id);
    const metadata = { glove_id: entry.id, glove_pinned: entry.pinned === true };
    const added = { ...of(scope), type: "json", data, source_description: entry.source || "glove", metadata };
    const missing = await this.#ask("POST", "/graph", added);
    if (missing === undefined) {
      await this.#make(scope);
      if ((await this.#ask("POST", "/graph", added)) === undefined) throw failed("the graph is not there", 404);
    }
    // The old one goes when the new one is there.
    for (const { uuid } of before) await this.#ask("DELETE", `/graph/episodes/${encodeURIComponent(uuid)}`);
  }

  async query(scope: MemoryScope, { text, top_k, pinned }: MemoryQuery): Promise<readonly MemoryEntry[]> {
    if (pinned) {
      const episodes = await this.#episodes(scope, "glove_pinned", true);
      return episodes.flatMap(({ content }) => entryOf(content) ?? []).slice(0, top_k);
    }
    if (text.trim() === "") return [];
    const payload = { ...of(scope), query: text, scope: "edges", limit: Math.min(top_k, maxAtOnce) };
    const { edges } = ((await this.#ask("POST", "/graph/search", payload)) ?? {}) as { readonly edges?: readonly Fact[] | null };
    // What Zep has learned to be no longer true is none to act on.
    const facts = (edges ?? []).filter(({ expired_at, invalid_at }) => !expired_at && !invalid_at);
    return facts.map(({ uuid, fact, created_at }) => ({
      id: uuid,
      text: fact,
      source: created_at ? `zep ${created_at}` : "zep",
    }));
  }

  async delete(scope: MemoryScope, id: string): Promise<boolean> {
    const found = await this.#episodes(scope, "glove_id", id);
    for (const { uuid } of found) await this.#ask("DELETE", `/graph/episodes/${encodeURIComponent(uuid)}`);
    return found.length > 0;
  }

  /** The newest of those whose metadata have this. Checked here too: Zep calls the filter experimental. */
  async #episodes(scope: MemoryScope, name: "glove_id" | "glove_pinned", value: unknown): Promise<readonly Episode[]> {
    const [kind, id] = Object.entries(of(scope))[0] as [string, string];
    const path = `/graph/episodes/${kind === "user_id" ? "user" : "graph"}/${encodeURIComponent(id)}`;
    const filter = { property_name: name, comparison_operator: "=", property_value: value };
    const payload = { limit: maxAtOnce, order_by: "created_at", episode_metadata_filters: { type: "and", filters: [filter] } };
    const { episodes } = ((await this.#ask("POST", path, payload)) ?? {}) as { readonly episodes?: readonly Episode[] | null };
    return (episodes ?? []).filter(({ metadata }) => (metadata as Record<string, unknown> | undefined)?.[name] === value);
  }

  /** Somebody else may have made it meanwhile. */
  async #make(scope: MemoryScope): Promise<void> {
    const target = of(scope);
    await this.#ask("POST", "user_id" in target ? "/users" : "/graph/create", target).catch((error: unknown) => {
      if ((error as GloveError).status !== 400 && (error as GloveError).status !== 409) throw error;
    });
  }

  /** Nothing where Zep knows no such thing. */
  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const init: RequestInit = {
      method,
      headers: { ...this.#headers, ...(body && { "content-type": "application/json" }) },
      signal: AbortSignal.timeout(patienceMs),
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await (this.#fetch ?? fetch)(`${this.#url}${path}`, init);
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (!response.ok) throw failed(reasonIn(text) ?? "no reason was given", response.status);
    return text === "" ? {} : (JSON.parse(text) as unknown);
  }
}

const failed = (why: string, status: number) =>
  new GloveError("TASK_MEMORY_FAILED", `Zep answered with status ${status}: ${why.slice(0, 300)}`, { status });

function reasonIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Ids of graphs are ours, those of users are the application's. */
function of({ kind, id }: MemoryScope): { readonly user_id: string } | { readonly graph_id: string } {
  if (kind === "user") return { user_id: id };
  const letters = id.replace(/[^A-Za-z0-9-]/g, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`);
  return { graph_id: `glove-${kind}-${letters}` };
}

function entryOf(content: string): MemoryEntry | undefined {
  try {
    const entry = JSON.parse(content) as MemoryEntry;
    return typeof entry.id === "string" && typeof entry.text === "string" ? entry : undefined;
  } catch {
    return undefined;
  }
}

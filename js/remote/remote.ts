// What a client is given when its sessions run on a server.

import type { ModelAdapter } from "../src/ports/model.js";
import type { GloveClientConfig } from "../src/session/client.js";
import type { RunPhase } from "../src/snapshot/snapshot.js";
import type { ImportOptions, SessionCatalog } from "../src/store/sessions.js";
import { GloveError } from "../src/values/error.js";
import { checkOptions, type Options } from "../src/values/validate-options.js";
import { type RemoteOptions, RemoteServer } from "./server.js";
import { RemoteStore } from "./store.js";

export type { RemoteOptions } from "./server.js";

/** The part of a client's settings that says where its sessions are. */
export type RemoteSessions = Required<Pick<GloveClientConfig, "createModel" | "createStore" | "catalog" | "systemPrompt">>;

const remoteOptions = {
  url: "text",
  headers: "any",
  credentials: "omit|same-origin|include",
  fetch: "work",
} as const satisfies Options<RemoteOptions>;

/**
 * For sessions that run on a server (`glove serve`): pass what it gives to `new GloveClient({ ...createRemoteSession({ url }), tools })`. Hooks
 * and `<Render>` are used as with any client. The model, the instructions and the tools are the server's; of the tools of the client only
 * what they draw and how they are called is used.
 */
export function createRemoteSession(options: RemoteOptions): RemoteSessions {
  checkOptions(options, remoteOptions);
  if (!options?.url) throw new GloveError("CLIENT_CONFIG", "createRemoteSession requires the `url` of the server's sessions.");
  const server = new RemoteServer(options);
  return {
    createStore: (sessionId) => new RemoteStore(sessionId, server),
    catalog: catalogOf(server),
    createModel: () => noModel,
    // The server has its own.
    systemPrompt: "",
  };
}

const noModel: ModelAdapter = {
  name: "server",
  prompt: () =>
    Promise.reject(new GloveError("CLIENT_CONFIG", "The sessions of this client run on a server, and so does their model.")),
  setSystemPrompt() {},
};

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly messages: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** `interrupted`: it waits until a person lets it go on. */
  readonly phase: RunPhase;
  readonly asks: boolean;
}

function catalogOf(server: RemoteServer): SessionCatalog {
  return {
    async list() {
      const sessions = (await server.json("GET", "")) as readonly Listed[];
      return sessions
        .filter(({ messages }) => messages > 0)
        .map(({ id, name, title, messages, phase, asks, createdAt, updatedAt }) => ({
          id: ownId(id),
          title: name || title,
          createdAt,
          updatedAt,
          messageCount: messages,
          unfinished: phase !== "idle",
          phase: phase === "interrupted" ? "paused" : phase,
          asks,
        }));
    },
    async rename(id, name) {
      await server.json("POST", `/${encodeURIComponent(id)}/name`, { name });
    },
    async delete(id) {
      await server.json("DELETE", `/${encodeURIComponent(id)}`).catch((error: unknown) => {
        // Nothing of it is kept, as was wished.
        if (!(error instanceof GloveError && error.code === "SESSION_UNKNOWN")) throw error;
      });
    },
    export: (id) => server.text("GET", `/${encodeURIComponent(id)}/export`),
    async import(transcript: string, options: ImportOptions = {}) {
      const { id } = (await server.json("POST", "/import", { transcript, ...options })) as { readonly id: string };
      return ownId(id);
    },
  };
}

/** The id without its owner: the owner's client does not need that part. */
function ownId(id: string): string {
  return id.slice(id.indexOf(".") + 1);
}

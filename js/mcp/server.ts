// A server of the Model Context Protocol as a plugin of a session. What connects to it is loaded with the first use.

import type { Plugin, PluginRound } from "../src/ports/plugin.js";
import { GloveError, loadPart } from "../src/values/error.js";
import { check } from "../src/values/validate-options.js";
import type { McpSignInWay } from "./auth/auth-options.js";
import { McpAuth } from "./auth/mcp-auth.js";
import { register } from "./auth/registry.js";
import type { SignIn } from "./auth/sign-in-port.js";
import { openWindow } from "./auth/window.js";
import type { McpClient } from "./client.js";
import { type McpServerOptions, type McpSettings, settingsOf } from "./options.js";
import type { McpPromptInfo, McpResourceContent, McpResourceInfo, McpState, McpStatus, McpToolInfo } from "./types.js";

/**
 * The tools of a server for a session: `new GloveClient({ endpoint, plugins: [mcpServer({ name: "docs", url: "https://…/mcp" })] })`. All
 * sessions of a client share one connection, which is made with the first of them.
 */
export function mcpServer(options: McpServerOptions): McpServer {
  return new McpServer(settingsOf(options));
}

/** A server, as a plugin and for what an application asks of it. `mcpServer` makes it. */
export class McpServer implements Plugin<McpState> {
  readonly id: string;
  readonly required: boolean;
  readonly timeoutMs = 10_000;
  readonly initialState: McpState = { found: [] };
  readonly #settings: McpSettings;
  /** One for all, and one for each user where people sign in. */
  readonly #clients = new Map<string, Promise<McpClient>>();
  /** Whose the last session was. */
  #user: string | undefined;
  /** Also those that came before the client. */
  readonly #listeners = new Set<(status: McpStatus) => unknown>();
  #client: McpClient | undefined;

  /** @internal */
  constructor(settings: McpSettings) {
    this.#settings = settings;
    this.id = `glove.mcp ${settings.name}`;
    this.required = settings.required ?? false;
    const { url, name } = settings;
    settings.apps?.add(name, (user) => this.#load(user));
    const signIn = signInBy(settings);
    if (signIn && url) register(name, url, signIn);
  }

  get name(): string {
    return this.#settings.name;
  }

  async prepare(round: PluginRound<McpState>): Promise<void> {
    this.#user = round.conversation.userId;
    await (await this.#load()).prepare(round, this);
  }

  #load(of = this.#user): Promise<McpClient> {
    const by = signInBy(this.#settings);
    const user = by ? of : undefined;
    const key = user ?? "";
    const loading =
      this.#clients.get(key) ??
      loadPart(import("./client.js")).then(({ McpClient }) => {
        const client = new McpClient(this.#settings, by && (() => by(user)));
        client.connection.subscribe((status) => {
          if (client === this.#client) for (const listener of [...this.#listeners]) listener(status);
        });
        return client;
      });
    this.#clients.set(key, loading);
    return loading.then(
      (client) => {
        this.#client = client;
        return client;
      },
      (error: unknown) => {
        this.#clients.delete(key);
        throw error;
      },
    );
  }

  status(): McpStatus {
    return this.#client?.connection.status ?? { state: "idle" };
  }

  /** Calls the listener whenever the status has changed. Returns what ends that. */
  subscribe(listener: (status: McpStatus) => unknown): () => void {
    check("The listener", listener, "work");
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Connects now, and not with the first message. */
  async connect(): Promise<McpStatus> {
    const { connection } = await this.#load();
    await connection.connect();
    return connection.status;
  }

  /** Ends the connection; the next use makes another. */
  async disconnect(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(async (client) => (await client).connection.close()));
  }

  /**
   * Has the person sign in, who has asked for that by a click. `blocked` where the browser lets no window open: `signIn("redirect")` leaves the
   * page. What comes of it is told by `status()`.
   */
  async signIn(way?: McpSignInWay): Promise<"begun" | "blocked"> {
    const auth = this.#auth();
    const by = way ?? auth.options.way ?? "popup";
    // Before anything is waited for.
    const opened = by === "popup" ? openWindow() : undefined;
    try {
      return await (await this.#signIn()).begin(by, opened);
    } catch (error) {
      opened?.close();
      throw error;
    }
  }

  /** Deletes the person's tokens, and ends the connection in all tabs. */
  async signOut(): Promise<void> {
    await (await this.#signIn()).signOut();
  }

  #auth(): McpAuth {
    const { auth, name } = this.#settings;
    if (auth instanceof McpAuth) return auth;
    throw new GloveError("MCP_CONFIG", `The MCP server "${name}" has no \`auth: createMcpAuth()\`, which people sign in by.`);
  }

  #signIn(): Promise<SignIn> {
    const auth = this.#auth();
    return auth.signIn({ ...this.#settings, url: this.#settings.url as URL }, this.#user);
  }

  /** Its tools, asked for anew. */
  async listTools(): Promise<readonly McpToolInfo[]> {
    return (await this.#load()).listTools();
  }

  async listPrompts(): Promise<readonly McpPromptInfo[]> {
    return (await this.#load()).listPrompts();
  }

  /** What the server makes of a prompt, as text. */
  async getPrompt(name: string, args: Record<string, string> = {}): Promise<string> {
    return (await this.#load()).getPrompt(name, args);
  }

  /** Its resources, and the templates of such. */
  async listResources(): Promise<readonly McpResourceInfo[]> {
    return (await this.#load()).listResources();
  }

  async readResource(uri: string, signal?: AbortSignal): Promise<readonly McpResourceContent[]> {
    return (await this.#load()).readResource(uri, signal);
  }
}

/** What signs a user in, where people sign in. */
function signInBy(settings: McpSettings): ((user: string | undefined) => Promise<SignIn>) | undefined {
  const { auth, url } = settings;
  return auth instanceof McpAuth && url ? (user) => auth.signIn({ ...settings, url }, user) : undefined;
}

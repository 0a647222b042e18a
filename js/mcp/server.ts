// A server of the Model Context Protocol as a plugin of a session. What connects to it is loaded with the first use.

import type { Plugin, PluginRound } from "../src/ports/plugin.js";
import { loadPart } from "../src/values/error.js";
import { check } from "../src/values/validate-options.js";
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
  #loading: Promise<McpClient> | undefined;
  /** Also those that came before the client. */
  readonly #listeners = new Set<(status: McpStatus) => unknown>();
  #client: McpClient | undefined;

  /** @internal */
  constructor(settings: McpSettings) {
    this.#settings = settings;
    this.id = `glove.mcp ${settings.name}`;
    this.required = settings.required ?? false;
  }

  get name(): string {
    return this.#settings.name;
  }

  async prepare(round: PluginRound<McpState>): Promise<void> {
    await (await this.#load()).prepare(round, this);
  }

  #load(): Promise<McpClient> {
    this.#loading ??= loadPart(import("./client.js")).then(
      ({ McpClient }) => {
        const client = new McpClient(this.#settings);
        this.#client = client;
        client.connection.subscribe((status) => {
          for (const listener of [...this.#listeners]) listener(status);
        });
        return client;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
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
    await (await this.#loading)?.connection.close();
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

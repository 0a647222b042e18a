// Applications that are MCP servers, for tests, and the official client that calls them.
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type InputRequiredResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { GloveClient, type GloveClientConfig, MemoryStore, type StoreAdapter, type ToolConfig } from "glove-wasm";
import { createMcpHandler, type McpHandlerOptions } from "glove-wasm/mcp/server";
import { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from "glove-wasm/testing";
import { sharedSession } from "./shared-store.js";

export const address = "https://shop.example/mcp";

export interface App {
  /** The application's model, which no call of a tool asks. */
  readonly model: ScriptedModel;
  readonly handler: (request: Request) => Promise<Response>;
  readonly errors: string[];
  /** The stores of the sessions, by their ids. */
  readonly stores: Map<string, MemoryStore>;
  /** What a client has been told by HTTP. */
  readonly statuses: number[];
  /** A client whose requests have these headers. */
  connect(options?: ClientOptions, headers?: Record<string, string>, mode?: "auto" | "legacy"): Promise<Client>;
}

interface AppSettings {
  readonly fresh?: boolean;
  /** The stores know of each other, and refuse what was superseded. */
  readonly shared?: boolean;
  readonly config?: Partial<GloveClientConfig>;
  readonly script?: readonly ScriptedAnswer[];
}

/** With `fresh` each request is served by another process, over the same stores. */
export function mcpApp(
  tools: readonly ToolConfig[],
  options: Partial<McpHandlerOptions> = {},
  { fresh = false, shared = false, config = {}, script = [] }: AppSettings = {},
): App {
  const model = createScriptedModel(script);
  const stores = new Map<string, MemoryStore>();
  const opens = new Map<string, () => StoreAdapter>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    const open = opens.get(id) ?? sharedSession(id);
    opens.set(id, open);
    return shared ? open() : store;
  };
  const errors: string[] = [];
  const statuses: number[] = [];
  const make = () =>
    createMcpHandler({
      client: new GloveClient({ createModel: () => model, systemPrompt: "You are a test.", tools, createStore, ...config }),
      name: "shop",
      tools: tools.map(({ name }) => name),
      secret: "a secret that all servers of the application have",
      onError: ({ code, message }) => void errors.push(`${code}: ${message}`),
      ...options,
    });
  const one = make();
  const handler = (request: Request) => (fresh ? make() : one)(request);
  return {
    model,
    handler,
    errors,
    stores,
    statuses,
    async connect(clientOptions = {}, headers = {}, mode = "auto") {
      const client = new Client(
        { name: "test", version: "1.0.0" },
        { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode }, ...clientOptions },
      );
      const fetch = async (url: string | URL, init?: RequestInit) => {
        const response = await handler(new Request(url, init));
        statuses.push(response.status);
        return response;
      };
      await client.connect(new StreamableHTTPClientTransport(new URL(address), { fetch, requestInit: { headers } }));
      return client;
    },
  };
}

/** One round of a call: what is asked is an answer too. */
export const round = (client: Client, params: object): Promise<CallToolResult | InputRequiredResult> =>
  client.callTool(params as never, { allowInputRequired: true }) as Promise<CallToolResult | InputRequiredResult>;

export const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : block.type)).join();

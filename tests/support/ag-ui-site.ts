// An agent of ours behind AG-UI over HTTP, for clients that have packages of their own. Each request is served by another client over the same stores,
// as by several processes.
import { defineTool, GloveClient, type GloveClientConfig, MemoryStore } from "glove-wasm";
import { agUiState, createAgUiHandler } from "glove-wasm/ag-ui";
import { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from "glove-wasm/testing";
import { z } from "zod";
import { root } from "./project.js";
import { serve } from "./server.js";

export interface AgUiSite {
  readonly url: string;
  readonly model: ScriptedModel;
  /** The codes of what the handler reported. */
  readonly reported: string[];
  close(): Promise<void>;
}

export async function agUiSite(script: readonly ScriptedAnswer[], config: Partial<GloveClientConfig> = {}): Promise<AgUiSite> {
  const model = createScriptedModel(script);
  const stores = new Map<string, MemoryStore>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  const reported: string[] = [];
  const handler = (request: Request) =>
    createAgUiHandler({
      client: new GloveClient({ createModel: () => model, systemPrompt: "You are a test.", createStore, ...config }),
      onError: ({ code }) => void reported.push(code),
    })(request);
  const { url, close } = await serve(root, { routes: { "/agent": handler } });
  return { url: `${url}/agent`, model, reported, close };
}

export const call = (name: string, input: unknown, id: string) => ({ toolCalls: [{ name, input, id }] });

export const pay = (ran: unknown[], requireApproval = true) =>
  defineTool({
    name: "pay",
    description: "Pays.",
    inputSchema: z.object({ euros: z.number() }),
    requireApproval,
    parallel: true,
    do: ({ euros }) => {
      ran.push(euros);
      return `paid ${euros}`;
    },
  });

export const ask = defineTool({
  name: "ask",
  description: "Asks.",
  inputSchema: z.object({}),
  do: (_, display) => display.pushAndWait({ message: "Which size?", options: ["S", "M"] }, "select"),
});

/** Fills the cart that the page and the agent share. */
export const fill = defineTool({
  name: "fill",
  description: "Fills the cart.",
  inputSchema: z.object({}),
  do: async (_, display) => {
    await display.state(agUiState).set({ cart: ["milk", "tea"] });
    return "filled";
  },
});

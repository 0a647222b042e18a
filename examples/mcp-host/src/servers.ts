// The servers of this host: the library, and one of yours if `.env` names it.
import { mcpServer } from "glove-wasm/mcp";
import { fetchLibrary } from "./library";

const library = mcpServer({ name: "library", url: "https://library.invalid/mcp", fetch: fetchLibrary, approvals: "hints" });

const url: string | undefined = import.meta.env.VITE_MCP_URL;

export const servers = [
  { name: "library", at: "in this page", server: library },
  ...(url ? [{ name: "yours", at: url, server: mcpServer({ name: "yours", url }) }] : []),
];

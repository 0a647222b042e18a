// The tool that finds others, where a server has more than a model can read.

import type { PluginState } from "../../src/ports/plugin-state.js";
import type { ToolConfig, ToolDisplay } from "../../src/ports/tool.js";
import type { McpState, McpToolInfo } from "../types.js";

/** So many are found at once, and so many of all that were found are there. */
const most = { atOnce: 20, inAll: 64 };

export const searchName = (server: string) => `${server}__find_tools`;

/** What was found is a tool from the next call of the model on, after a reload too. `readable`: what a model may read of it. */
export function searchTool(
  server: string,
  tools: readonly McpToolInfo[],
  readable: (info: McpToolInfo) => Promise<string>,
  stateOf: (display: ToolDisplay) => PluginState<McpState>,
): ToolConfig<{ readonly query: string }> {
  return {
    name: searchName(server),
    description: `Finds tools of the server "${server}", which has ${tools.length}. What it finds can be called afterwards.`,
    title: "Find tools",
    jsonSchema: {
      type: "object",
      properties: { query: { type: "string", description: "What the tool should do, in a few words." } },
      required: ["query"],
    },
    idempotent: true,
    async do({ query }, display) {
      const found = ranked(tools, query).slice(0, most.atOnce);
      const names = found.map(({ name }) => name);
      if (names.length === 0) return `No tool of the server "${server}" fits. Try other words.`;
      await stateOf(display).set(({ found: before, ...rest }) => ({
        ...rest,
        found: [...new Set([...before.filter((name) => !names.includes(name)), ...names])].slice(-most.inAll),
      }));
      return Promise.all(found.map(async (info) => ({ name: info.name, description: (await readable(info)).slice(0, 300) })));
    },
  };
}

/** By how many words of the query each has: those in a name count more. */
function ranked(tools: readonly McpToolInfo[], query: string): McpToolInfo[] {
  const words = [...new Set(wordsOf(query))];
  const scored = tools.map((info) => {
    const names = wordsOf(`${info.tool} ${info.title ?? ""}`);
    const text = wordsOf(info.description);
    const score = words.reduce((sum, word) => sum + has(names, word) * 3 + has(text, word), 0);
    return { info, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ info }) => info);
}

const has = (words: readonly string[], word: string) =>
  words.includes(word) ? 2 : Number(words.some((one) => one.startsWith(word) || word.startsWith(one)));

function wordsOf(text: string): string[] {
  const parts = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return parts.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
}

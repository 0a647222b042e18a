// The prompts of servers, as `/name` in a message.

import { defineHook, type Hook } from "../src/ports/hook.js";
import type { McpServer } from "./server.js";
import type { McpPromptInfo } from "./types.js";

/**
 * The prompts of a server as hooks: `hooks: await mcpPrompts(docs)`. `/docs-review language=en` sends what the server makes of its prompt
 * `review`. A prompt with one argument takes all that stands behind its name.
 */
export async function mcpPrompts(server: McpServer): Promise<readonly Hook[]> {
  const prompts = await server.listPrompts();
  const taken = new Set<string>();
  return prompts.flatMap((prompt) => {
    const name = `${server.name}-${prompt.name.replace(/[^A-Za-z0-9_-]/g, "_")}`.slice(0, 64);
    if (taken.has(name)) return [];
    taken.add(name);
    return [hookOf(name, prompt, server)];
  });
}

function hookOf(name: string, prompt: McpPromptInfo, server: McpServer): Hook {
  return defineHook({
    name,
    description: prompt.title ?? (prompt.description || prompt.name),
    timeoutMs: 30_000,
    async run({ args }) {
      const given = argumentsOf(args, prompt);
      const missing = prompt.arguments.filter(({ name, required }) => required && !Object.hasOwn(given, name));
      if (missing.length > 0) return { stop: `/${name} needs ${missing.map((one) => `${one.name}=…`).join(" ")}` };
      return { text: await server.getPrompt(prompt.name, given) };
    },
  });
}

/** `key=value`, with quotes around what has spaces. */
function argumentsOf(text: string, { arguments: expected }: McpPromptInfo): Record<string, string> {
  const given: [string, string][] = [];
  for (const [, name = "", quoted, bare] of text.matchAll(/([\w.-]+)=(?:"([^"]*)"|(\S+))/g)) {
    if (expected.some((one) => one.name === name)) given.push([name, quoted ?? bare ?? ""]);
  }
  const [only, ...others] = expected;
  if (only && others.length === 0 && given.length === 0 && text.trim()) given.push([only.name, text.trim()]);
  return Object.fromEntries(given);
}

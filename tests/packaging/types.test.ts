// The packed declarations under every module resolution, checked themselves, with the strictest options and an old `lib`.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { root } from "../support/project.js";
import { makeProject } from "./app.js";

const app = `import { GloveClient, MemoryStore } from "glove-wasm";
import { defineTool, GloveProvider, Render, useGlove, type ToolConfig } from "glove-wasm/react";
import { createChatHandler } from "glove-wasm/server";
import { init } from "glove-wasm/slim";
import { createScriptedModel } from "glove-wasm/testing";
import module from "glove-wasm/wasm";
import { z } from "zod";
import "glove-wasm/react/style.css";

export const ask = defineTool({
  name: "ask",
  description: "Asks.",
  inputSchema: z.object({ count: z.number() }),
  displayPropsSchema: z.object({ question: z.string() }),
  resolveSchema: z.boolean(),
  async do(input, display) {
    const answer: boolean = await display.pushAndWait({ question: input.count.toFixed() });
    // @ts-expect-error: the display props are checked.
    await display.pushAndForget({ question: 1 });
    return { status: "success", data: answer };
  },
  render: ({ props, resolve }) => <button onClick={() => resolve(props.question === "")}>{props.question}</button>,
});

export const raw: ToolConfig = { name: "raw", description: "Raw.", jsonSchema: { type: "object" }, do: async () => 1 };

export const client = new GloveClient({
  createModel: () => createScriptedModel(["Hi"]),
  createStore: (id) => new MemoryStore(id),
  systemPrompt: "",
  tools: [ask, raw],
});

const Chat = () => <Render glove={useGlove({ tools: [ask] })} strategy="interleaved" />;
export const App = () => (
  <GloveProvider client={client}>
    <Chat />
  </GloveProvider>
);

export const POST: (request: Request) => Promise<Response> = createChatHandler({ provider: "anthropic", wasm: module });
export const started: Promise<void> = init(module);
`;

const compilers = { "TypeScript 5": () => join(inject("projects"), ".."), "TypeScript 7": () => root };

test.each([
  ["TypeScript 7", "bundler", "esnext"],
  ["TypeScript 7", "node16", "node16"],
  ["TypeScript 7", "nodenext", "nodenext"],
  ["TypeScript 5", "bundler", "esnext"],
] as const)("%s with moduleResolution %s finds no fault", (compiler, moduleResolution, module) => {
  const compilerOptions = {
    ...{ moduleResolution, module, target: "es2020", lib: ["es2020", "dom", "dom.iterable"], jsx: "react-jsx", types: [] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noUncheckedSideEffectImports: true },
    ...{ skipLibCheck: false, noEmit: true, verbatimModuleSyntax: true },
  };
  const files = {
    "package.json": JSON.stringify({ type: "module" }),
    "tsconfig.json": JSON.stringify({ compilerOptions }),
    "app.tsx": app,
  };
  const folder = makeProject("types", files);
  const tsc = join(compilers[compiler](), "node_modules", "typescript", "bin", "tsc");
  let said = "";
  try {
    execFileSync(process.execPath, [tsc, "-p", folder], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    said = (error as { stdout: string }).stdout;
  }
  expect(said).toBe("");
});

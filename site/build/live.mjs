// Which code of the docs runs on its page: whole apps, and blocks that print something.
import { escaped } from "./markdown.mjs";

/** What a block may import: the frame has nothing else. The board of a task needs a database, which a frame without an origin has not. */
const available = /^(glove-wasm(\/(react|react\/markdown|testing|tasks|skills))?|react|react-dom\/client|zod|\.\/[\w.-]+)$/;

/** The file that begins, by page; the guides have an `App.tsx`. */
const entries = { "README.md": "main.tsx", "docs/tool-results.md": "order-status.tsx" };

/** Files that a page leaves out because a guide before it has them. */
const more = {
  "docs/tool-results.md": {
    "App.tsx": `import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { orderStatus } from "./order-status";

const client = new GloveClient({ endpoint: "/api/chat", systemPrompt: "You help.", tools: [orderStatus], persistSession: true });
const Chat = () => <Render glove={useGlove()} suggestions={["Where is order A-1042?"]} />;

export default () => (
  <GloveProvider client={client}>
    <main data-glove-page=""><Chat /></main>
  </GloveProvider>
);
`,
  },
};

const importsOf = (code) =>
  [...code.matchAll(/^(?:import|export) [^;]*?from "([^"]+)"|^import "([^"]+)"/gm)].map(([, from, bare]) => from ?? bare);

/** "app" for the file that begins, "run" for what prints; nothing for the rest. */
export function liveBlock(file, { info, name, code }) {
  const has = importsOf(code).every((one) => available.test(one));
  if (!has) return undefined;
  if (info.includes("run") && !importsOf(code).some((one) => one.startsWith("."))) return "run";
  const entry = entries[file] ?? (file.startsWith("docs/guides/") ? "App.tsx" : undefined);
  if (name && name === entry) return "app";
  return undefined;
}

/** What the page's script needs beside the blocks that are shown. */
export function liveData(file, blocks) {
  if (!blocks.some(({ runs }) => runs)) return "";
  // The style sheet of an app is a block without a name.
  const css = blocks.find(({ language }) => language === "css")?.code;
  const files = { ...more[file], ...(css && { "App.css": css }) };
  return `<div id="live" hidden data-page="${escaped(file)}" data-files="${escaped(JSON.stringify(files))}"></div>`;
}

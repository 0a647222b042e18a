// The map app of docs/mcp.md, as it is printed there: its server, its app and its chat.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { blocks, folder, write } from "../docs/blocks.js";
import { openBrowser, patience } from "../support/browser.js";
import { serve } from "../support/server.js";

const printed = join(folder, "docs-mcp-md");

async function bundled(entry: string, more: BuildOptions): Promise<Record<string, string>> {
  const { outputFiles = [] } = await build({
    entryPoints: [join(printed, entry)],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    outdir: "/",
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
    ...more,
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path, text]));
}

test("the map app of the documentation is drawn in its chat, and calls its server", async () => {
  write(blocks());
  const [script = ""] = Object.values(await bundled("map-app.ts", { minify: true }));
  const html = `<!doctype html><meta charset=utf-8><body><script type=module>${script.replaceAll("</script", "<\\/script")}</script>`;
  const { mapServer } = (await import(pathToFileURL(join(printed, "map-server.ts")).href)) as {
    mapServer(html: string): { fetch(request: Request): Promise<Response> };
  };
  const map = mapServer(html);
  const model = createScriptedModel([
    { toolCalls: [{ name: "map__show_map", input: { place: "Rome" }, id: "c1" }] },
    "Here it is.",
  ]);
  const chat = createChatHandler({ createModel: () => model });
  const page =
    "<!doctype html><html lang=en><title>Chat</title><link rel=icon href=data:,><body><script type=module src=/map-chat.js></script>";
  const site = await serve("", {
    pages: { "/": page, ...(await bundled("map-chat.tsx", { splitting: true })) },
    routes: { "/mcp": (request) => map.fetch(request), "/api/chat": chat },
  });
  const browser = await openBrowser();
  try {
    const tab = await browser.newPage();
    tab.setDefaultTimeout(patience);
    await tab.goto(site.url);
    await tab.getByRole("textbox").fill("Show me Rome");
    await tab.getByRole("textbox").press("Enter");
    await tab.getByRole("button", { name: "Allow" }).click();
    await tab.getByRole("button", { name: "Show the app" }).click();
    const app = tab.frameLocator("iframe").frameLocator("iframe");
    await app.getByRole("heading", { name: "Rome at 41.9, 12.5" }).waitFor();
    await app.getByRole("button", { name: "What is near?" }).click();
    await tab.getByText('This is the first use of "near"').waitFor();
    await tab.getByRole("button", { name: "Allow" }).click();
    await app.getByRole("button", { name: "Near Rome: the sea" }).waitFor();
    await tab.reload();
    await app.getByRole("heading", { name: "Rome at 41.9, 12.5" }).waitFor();
    expect(await tab.locator("iframe").count()).toBe(1);
  } finally {
    await browser.close();
    await site.close();
  }
});

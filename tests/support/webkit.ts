// WebKit, as WebKitGTK's own browser on a screen that nobody sees, over its WebDriver.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Engine } from "./engines.js";
import { pagesOf } from "./webdriver.js";

/** `browser` is WebKitGTK's MiniBrowser. */
export async function openWebKit(programs: { driver: string; browser: string; screen: string }): Promise<Engine> {
  const screen = spawn(programs.screen, ["-displayfd", "3", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const [display] = (await once(screen.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer];
  const port = await freePort();
  const env = { ...process.env, DISPLAY: `:${display.toString().trim()}`, LIBGL_ALWAYS_SOFTWARE: "1" };
  const driver = spawn(programs.driver, ["--host=127.0.0.1", `--port=${port}`], { env, stdio: "ignore" });
  const ask = (method: string, path: string, body?: object) => command(method, `http://127.0.0.1:${port}${path}`, body);
  const options = { binary: programs.browser, args: ["--automation"] };
  const { sessionId, capabilities } = (await listening(() =>
    ask("POST", "/session", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } } }),
  )) as { sessionId: string; capabilities: { browserVersion: string } };
  const session = `/session/${sessionId}`;
  const open = await pagesOf({
    window: async () => (await ask("GET", `${session}/window`)) as string,
    newWindow: async () => ((await ask("POST", `${session}/window/new`, { type: "window" })) as { handle: string }).handle,
    switchTo: (handle) => ask("POST", `${session}/window`, { handle }),
    navigate: (url) => ask("POST", `${session}/url`, { url }),
    refresh: () => ask("POST", `${session}/refresh`, {}),
    script: (script, args) => ask("POST", `${session}/execute/sync`, { script, args }),
    closeWindow: () => ask("DELETE", `${session}/window`),
  });
  return {
    name: "webkit",
    version: capabilities.browserVersion,
    open,
    async close() {
      // Ends its browser too.
      await ask("DELETE", session).catch(() => {});
      await Promise.all([ended(driver), ended(screen)]);
    },
  };
}

async function command(method: string, url: string, body: object | undefined): Promise<unknown> {
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: { error?: string; message?: string } | null };
  if (value?.error) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** The driver takes a moment until it listens. */
async function listening<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TypeError) || tries === 100) throw error;
      await new Promise((again) => setTimeout(again, 50));
    }
  }
}

async function ended(process: ChildProcess): Promise<void> {
  const exited = once(process, "exit");
  if (process.kill()) await exited;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

// A headless Firefox with a fresh profile, over its own carrier of WebDriver commands (Marionette), which needs no driver.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "./engines.js";
import { pagesOf } from "./webdriver.js";

const preferences = {
  "marionette.port": 0,
  // Windows behind others keep their pace.
  "dom.min_background_timeout_value": 4,
  "dom.ipc.processCount": 2,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.connectivity-service.enabled": false,
  "network.captive-portal-service.enabled": false,
  "services.settings.server": "data:,none",
  "toolkit.telemetry.enabled": false,
};

export async function openFirefox(program: string): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), "glove-firefox-"));
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(join(folder, "user.js"), lines.join("\n"));
  const browser = spawn(program, ["--headless", "--marionette", "--no-remote", "--profile", folder], { stdio: "ignore" });
  const exited = once(browser, "exit");
  const socket = connect({ port: await portOf(folder), host: "127.0.0.1" });
  const ask = commands(socket);
  const session = (await ask("NewSession", { capabilities: {} })) as { capabilities: { browserVersion: string } };
  await ask("SetTimeouts", { script: 120_000 });
  const open = await pagesOf({
    window: async () => ((await ask("GetWindowHandle", {})) as { value: string }).value,
    newWindow: async () => ((await ask("NewWindow", { type: "window" })) as { handle: string }).handle,
    switchTo: (handle) => ask("SwitchToWindow", { handle }),
    navigate: (url) => ask("Navigate", { url }),
    refresh: () => ask("Refresh", {}),
    script: async (script, args) => ((await ask("ExecuteScript", { script, args, sandbox: null })) as { value: unknown }).value,
    closeWindow: () => ask("CloseWindow", {}),
  });
  return {
    name: "firefox",
    version: session.capabilities.browserVersion,
    open,
    async close() {
      socket.destroy();
      browser.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** It writes the port that it listens on into its profile. */
async function portOf(folder: string): Promise<number> {
  for (let tries = 0; tries < 600; tries++) {
    const text = await readFile(join(folder, "MarionetteActivePort"), "utf8").catch(() => "");
    if (text) return Number(text);
    await new Promise((again) => setTimeout(again, 50));
  }
  throw new Error("Firefox does not listen");
}

/** Each message is its length in bytes, a colon and JSON: `[0, id, name, parameters]` there, `[1, id, error, value]` back. */
function commands(socket: Socket): (name: string, parameters: object) => Promise<unknown> {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let left = Buffer.alloc(0);
  let last = 0;
  socket.on("data", (chunk) => {
    left = Buffer.concat([left, chunk]);
    for (let colon = left.indexOf(58); colon > 0; colon = left.indexOf(58)) {
      const end = colon + 1 + Number(left.subarray(0, colon).toString());
      if (left.length < end) return;
      const message = JSON.parse(left.subarray(colon + 1, end).toString()) as unknown;
      left = left.subarray(end);
      if (!Array.isArray(message)) continue;
      const [, id, error, value] = message as [number, number, { error: string; message: string } | null, unknown];
      if (error) waiting.get(id)?.reject(new Error(`${error.error}: ${error.message}`));
      else waiting.get(id)?.resolve(value);
      waiting.delete(id);
    }
  });
  const gone = (error?: Error) => {
    for (const { reject } of waiting.values()) reject(error ?? new Error("Firefox is gone"));
    waiting.clear();
  };
  socket.on("error", gone).on("close", () => gone());
  return (name, parameters) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      const text = JSON.stringify([0, id, `WebDriver:${name}`, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}

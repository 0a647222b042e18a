// A real browser for the tests of a file, with a fresh profile for each of them.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { openBrowser } from "./browser.js";
import { type Profile, servePackage, withProfile } from "./pages.js";
import type { Served, ServeOptions } from "./server.js";

export interface Profiles {
  server(): Served;
  profile<T>(work: (profile: Profile) => Promise<T>): Promise<T>;
}

/** `routes` answer by themselves. */
export function profiles(routes?: ServeOptions["routes"]): Profiles {
  let browser: Browser | undefined;
  let served: Served | undefined;
  beforeAll(async () => {
    [browser, served] = await Promise.all([openBrowser(), servePackage({}, routes)]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });
  const server = () => served as Served;
  return { server, profile: (work) => withProfile(browser as Browser, server(), work) };
}

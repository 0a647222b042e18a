// Sign-in of people to servers, by OAuth in the page. What does it is loaded with the first use.

import { loadPart } from "../../src/values/error.js";
import { checkAuthOptions, type McpAuthOptions } from "./auth-options.js";
import { returned } from "./returned.js";
import type { SignIn, SignInPlace } from "./sign-in-port.js";

/**
 * Has people sign in to servers of MCP: `mcpServer({ name: "docs", url, auth: createMcpAuth() })`. The call that needs it waits as a question,
 * over a reload too.
 */
export function createMcpAuth(options: McpAuthOptions = {}): McpAuth {
  checkAuthOptions(options);
  return new McpAuth(options);
}

/** Sign-in to servers. `createMcpAuth` makes it. */
export class McpAuth {
  /** @internal */
  readonly options: McpAuthOptions;
  readonly #signIns = new Map<string, Promise<SignIn>>();
  #returning: Promise<unknown> | undefined;

  /** @internal */
  constructor(options: McpAuthOptions) {
    this.options = options;
    const said = returned();
    // What goes wrong is told where it was begun.
    if (said)
      this.#returning = this.#load()
        .then(({ finish }) => finish(options, said))
        .catch(() => {});
  }

  #load() {
    return loadPart(import("./sign-in.js"));
  }

  /** The same for the same server and user. @internal */
  signIn(settings: SignInPlace, user: string | undefined): Promise<SignIn> {
    const { name, url, isVia } = settings;
    const key = JSON.stringify([url.href, user, isVia && name]);
    const made = this.#signIns.get(key) ?? (isVia ? this.#via(settings, user) : this.#own(name, url, user));
    this.#signIns.set(key, made);
    made.catch(() => this.#signIns.delete(key));
    return made;
  }

  async #own(server: string, url: URL, user: string | undefined): Promise<SignIn> {
    const { PageSignIn } = await this.#load();
    // What a person has just come back with counts.
    await this.#returning;
    return new PageSignIn(this.options, server, url, user);
  }

  /** Its handler has the tokens. */
  async #via(settings: SignInPlace, user: string | undefined): Promise<SignIn> {
    const { ViaSignIn } = await loadPart(import("./via-sign-in.js"));
    return new ViaSignIn(settings, user, this.options.way ?? "popup");
  }
}

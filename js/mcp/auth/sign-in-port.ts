// What signs one person in to one server: in the page itself, or by a chat handler that keeps the tokens.

import type { AuthProvider } from "@modelcontextprotocol/client";
import type { Maybe } from "../../src/timing/sync-or-promise.js";
import type { GloveError } from "../../src/values/error.js";
import type { McpSignInWay } from "./auth-options.js";
import type { Wanted } from "./rows.js";

/** How a sign-in is. `begun`: the person is in the other window. */
export type SignInState =
  | { readonly state: "signed-out" | "begun" | "signed-in" }
  | { readonly state: "failed"; readonly error: GloveError };

/** A server that a person signs in to, as it is reached. */
export interface SignInPlace {
  readonly name: string;
  readonly url: URL;
  /** By a chat handler at `url`, which is asked with these. */
  readonly isVia: boolean;
  readonly headers?: HeadersInit | (() => Maybe<HeadersInit>) | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export interface SignIn {
  readonly state: SignInState;
  /** Calls the listener whenever the state is another one. */
  readonly subscribe: (listener: () => unknown) => () => void;
  /** Calls it when the person has signed out, in whichever tab. */
  onSignedOut(listener: () => unknown): void;
  /** Looks at what is kept, which other tabs change too. */
  readonly look: () => Promise<SignInState>;
  /** Call it in a click. `blocked` where the browser lets no window open: then only leaving the page is left. */
  readonly begin: (way?: McpSignInWay, opened?: Window | null) => Promise<"begun" | "blocked">;
  signOut(): Promise<void>;
  /** Gives the connection tokens, and makes new ones where the server takes the old ones no more. */
  readonly provider: AuthProvider;
  /** The server takes no token that there is; `more` is what it wants beside. A person has to sign in, and is asked for all of it. */
  refused(more?: Wanted): Promise<void>;
}

// Who signs in to which server of this page: what draws the question finds it here, by what the question says.

import { shownUrl } from "../safe-address.js";
import type { SignIn } from "./sign-in-port.js";

/** What a question to sign in holds. It is in the record. */
export interface SignInQuestion {
  /** The `name` of the server. */
  readonly server: string;
  /** Where it is, without its query. */
  readonly url: string;
  readonly user?: string | undefined;
  readonly message: string;
}

type Find = (user: string | undefined) => Promise<SignIn>;

const known = new Map<string, Find>();

const keyOf = (server: string, url: string) => `${server} ${url}`;

export function register(server: string, url: URL, find: Find): void {
  known.set(keyOf(server, shownUrl(url)), find);
}

/** Nothing where this page knows no such server. */
export function signInFor({
  server,
  url,
  user,
}: {
  readonly [field in keyof SignInQuestion]?: SignInQuestion[field] | undefined;
}): Promise<SignIn> | undefined {
  return known.get(keyOf(server ?? "", url ?? ""))?.(user);
}

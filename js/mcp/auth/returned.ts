// A page that an authorization server has sent the person back to: what it said is taken out of the address at once.

import { statePrefix } from "./state-prefix.js";

let said: URLSearchParams | undefined;

/** What came with the address of this page. Several of a page may each look whether it is theirs. */
export function returned(): URLSearchParams | undefined {
  const { location, history } = globalThis;
  const given = new URLSearchParams(location?.search);
  if (!given.get("state")?.startsWith(statePrefix)) return said;
  said = given;
  const left = new URL(location.href);
  for (const name of ["code", "state", "iss", "error", "error_description", "error_uri"]) left.searchParams.delete(name);
  history?.replaceState(history.state, "", left);
  return said;
}

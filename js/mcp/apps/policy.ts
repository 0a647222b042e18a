// The policy that an app runs under: it reaches what its server has declared, and nothing else.

import type { AppReach } from "./kept-apps.js";

/** An app may run what it holds or makes itself; that leaves no origin to attack, only places to send things to. */
export function policyOf({ connect, load, frames }: AppReach): string {
  const of = (...sources: (string | readonly string[])[]) => sources.flat().join(" ") || "'none'";
  const made = ["blob:", "data:"];
  const directives = {
    "default-src": "'none'",
    "script-src": of("'unsafe-inline'", "'unsafe-eval'", made, load),
    "style-src": of("'unsafe-inline'", made, load),
    "img-src": of(made, load),
    "font-src": of(made, load),
    "media-src": of(made, load),
    "worker-src": of("blob:"),
    "connect-src": of(made, connect),
    "frame-src": of(frames),
    "form-action": "'none'",
    "base-uri": "'none'",
    // Of its own: `connect-src` does not hold for it.
    webrtc: "'block'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}

/** In front of all that the server has written: a policy holds for what stands behind it. */
export const underPolicy = (html: string, policy: string): string =>
  `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy.replaceAll('"', "&quot;")}">${html}`;

// A provider that judges what it is asked, and refuses as the vendor does. What it refused without being told to fails the test.
import { hostOf, judge } from "./judge.js";
import { refuse } from "./refuse.js";
import type { Finding, Host, Sent } from "./types.js";

export interface Verdict {
  readonly host: Host | undefined;
  readonly findings: readonly Finding[];
  /** The vendor's answer to a request with findings. */
  readonly refusal: ReturnType<typeof refuse> | undefined;
}

let noted: string[] = [];
let expected: ReadonlySet<string> = new Set();

/** Judges a request, and keeps what was found for the end of the test. */
export function verdict(sent: Sent, named?: string): Verdict {
  const host = hostOf(sent, named);
  const findings = judge(sent, named);
  for (const { rule, at, says } of findings) {
    if (!expected.has(rule)) noted.push(`${host?.name ?? sent.url}: ${rule} at ${at || "the body"}: ${says}`);
  }
  return { host, findings, refusal: findings.length ? refuse(host, findings) : undefined };
}

/** Something that no model may read was sent to one. */
export function leaked(says: string): void {
  noted.push(says);
}

/** A test that means to break these rules; it holds until the test ends. */
export function breaks(...rules: string[]): void {
  expected = new Set(rules);
}

/** What was refused since this was last asked. */
export function refused(): string[] {
  const all = noted;
  noted = [];
  expected = new Set();
  return all;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A `fetch` that asks a provider of the test's own, which is asked only what the vendor would take. */
export function judged<F extends Fetch>(fetch: F, named?: string): Fetch {
  return async (url, init) => {
    const { refusal } = verdict(sentBy(url, init), named);
    return refusal ? new Response(refusal.body, { status: refusal.status, headers: refusal.headers }) : fetch(url, init);
  };
}

/** A request as `fetch` would send it. */
export function sentBy(url: string, init: RequestInit): Sent {
  return {
    method: init.method ?? "GET",
    url: new URL(url, globalThis.location?.href ?? "http://here/").href,
    headers: Object.fromEntries(new Headers(init.headers)),
    body: typeof init.body === "string" ? init.body : "",
  };
}

// Asks an address for a tool: without the page's cookies, within its hosts also after redirects, and no more than a part of what comes.
import { allowedUrl } from "./hosts.js";

export interface WebAnswer {
  /** Where it came from in the end. */
  readonly url: string;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** There was more of it. */
  readonly cut: boolean;
}

export interface WebQuestion {
  readonly url: string;
  readonly method?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | null;
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
  /** In bytes. */
  readonly most?: number;
}

const maxRead = 1_000_000;
const maxRedirects = 5;
/** They would say who asks, or what the host is. */
const kept = /^(host|cookie|connection|content-length|transfer-encoding|te|trailer|upgrade|origin|referer|proxy-.*|sec-.*)$/i;

export async function ask(question: WebQuestion): Promise<WebAnswer> {
  const { hosts, signal, body = null } = question;
  const method = methodOf(question.method ?? "GET");
  let headers = question.headers ?? [];
  const refused = headers.find(([name]) => kept.test(name));
  if (refused) throw new Error(`the header "${refused[0]}" is not for tools to set`);
  const reads = method === "GET" || method === "HEAD";
  let url = allowedUrl(question.url, hosts);
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const response = await fetch(url, {
      method,
      headers: headers.map(([name, value]) => [name, value] as [string, string]),
      body: reads ? null : body,
      signal,
      redirect: "manual",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
    });
    const to = response.headers.get("location");
    const redirects = response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400 && to !== null);
    if (!redirects) return answerOf(url, response, question.most ?? maxRead);
    void response.body?.cancel();
    if (to === null) throw new Error(`${url.host} redirects, and pages are not told where to: ask for the address it leads to`);
    if (!reads) throw new Error(`${url.host} redirects to ${to.slice(0, 200)}, which a ${method} does not follow`);
    const next = allowedUrl(joined(to, url), hosts);
    // What was for one host is not told to another.
    if (next.origin !== url.origin) headers = [];
    url = next;
  }
  throw new Error(`${url.host} redirects more than ${maxRedirects} times`);
}

/** As `fetch` reads it. */
const methodOf = (method: string) => (/^(get|head|post|put|delete|options)$/i.test(method) ? method.toUpperCase() : method);

function joined(to: string, url: URL): string {
  try {
    return new URL(to, url).href;
  } catch {
    throw new Error(`${url.host} redirects to ${to.slice(0, 200)}, which is no address`);
  }
}

async function answerOf(url: URL, response: Response, most: number): Promise<WebAnswer> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let [text, read] = ["", 0];
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value.subarray(0, Math.max(most - read, 0)), { stream: true });
    read += value.length;
    if (read <= most) continue;
    void reader.cancel();
    break;
  }
  const headers: [string, string][] = [];
  response.headers.forEach((value, name) => {
    if (name !== "set-cookie") headers.push([name, value]);
  });
  return { url: url.href, status: response.status, headers, text, cut: read > most };
}

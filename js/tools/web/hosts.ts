// Which addresses a tool may ask: those of named hosts, and none of this machine or its network unless it is named as it stands.
// tests/fixtures/hosts.json says it case by case.
import { GloveError } from "../../src/values/error.js";

const isAddress = (host: string) => host.startsWith("[") || /^\d+(\.\d+){3}$/.test(host);
const isLocal = (host: string) => !host.includes(".") || /(^|\.)(localhost|local|internal|lan|home\.arpa)$/.test(host);

/** Refuses hosts that mean nothing, or more than they say. */
export function checkHosts(hosts: readonly string[], called: string, code: string): void {
  for (const host of hosts as readonly unknown[]) {
    const wrong = typeof host === "string" ? wrongHost(host) : "is no text";
    if (wrong) throw new GloveError(code, `"${host}" in the \`hosts\` of ${called} ${wrong}.`);
  }
}

function wrongHost(host: string): string | undefined {
  if (host === "*") return undefined;
  if (/^https?:\/\//.test(host)) {
    return origin(host) === host ? undefined : "must be an origin like http://127.0.0.1:8080, without a path";
  }
  const name = host.replace(/^\*\./, "");
  if (host !== name && !name.includes(".")) return "is a wildcard for a whole top-level domain";
  if (origin(`https://${name}`) !== `https://${name}` || name.endsWith(".") || name.includes("*"))
    return "must be a host like api.example.com or *.example.com";
  const { hostname } = new URL(`https://${name}`);
  if (isAddress(hostname) || isLocal(hostname))
    return "is an address or a local name: write it as an origin, such as http://127.0.0.1:8080";
  return undefined;
}

function origin(text: string): string {
  try {
    const url = new URL(text);
    return `${url.protocol}//${url.host}`;
  } catch {
    return "";
  }
}

/** The address, if it is one of these hosts; what it throws says why not. */
export function allowedUrl(text: string, hosts: readonly string[]): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error(`"${text.slice(0, 200)}" is no absolute address like https://example.com/page`);
  }
  if (url.username || url.password) throw new Error("an address with a name and a password in it is not asked");
  if (hosts.some((host) => allows(host, url))) return url;
  const granted = hosts.length ? `granted: ${hosts.join(", ")}` : "no host is granted";
  throw new Error(`${url.protocol}//${url.host} is not granted; ${granted}`);
}

function allows(host: string, url: URL): boolean {
  if (host.includes("://")) return `${url.protocol}//${url.host}` === host;
  const { protocol, hostname, port } = url;
  if (protocol !== "https:" || isAddress(hostname) || isLocal(hostname) || hostname.endsWith(".")) return false;
  if (host === "*") return port === "";
  return host.startsWith("*.") ? url.host.endsWith(host.slice(1)) : url.host === host;
}

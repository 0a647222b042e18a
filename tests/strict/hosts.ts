// The hosts that are known, and the schema of each: its API's, changed by the operations in hosts.json.
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Host, ModelRow, Patch } from "./types.js";

const json = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));

const data = json("hosts.json") as { readonly patches: Record<string, readonly Patch[]>; readonly hosts: readonly Host[] };
const models = json("models.json") as { readonly rows: readonly ModelRow[]; readonly thinks: Record<string, string> };

export const hosts: ReadonlyMap<string, Host> = new Map(data.hosts.map((host) => [host.id, host]));
export const modelRows: readonly ModelRow[] = models.rows;
export const rules: readonly RuleRow[] = json("rules.json").rules;

/** A row of rules.json. */
export interface RuleRow {
  readonly id: string;
  readonly says: string;
  readonly source: string;
  readonly read: string;
  readonly sure: boolean;
}

/** Models of this host think unless they are told not to. */
export function thinks(host: Host, model: string): boolean {
  const pattern = models.thinks[host.id];
  return pattern !== undefined && new RegExp(pattern).test(model);
}

const ajv = new Ajv2020({ allErrors: false, discriminator: true, strict: false });
const compiled = new Map<string, ValidateFunction>();

export function schemaOf(host: Host): ValidateFunction {
  let known = compiled.get(host.id);
  if (!known) {
    known = ajv.compile(patched(host));
    compiled.set(host.id, known);
  }
  return known;
}

/** What a model's row asks of the body. */
export function rowOf(row: ModelRow): ValidateFunction {
  const key = `row ${modelRows.indexOf(row)}`;
  let known = compiled.get(key);
  if (!known) {
    known = ajv.compile(row.body);
    compiled.set(key, known);
  }
  return known;
}

export function patched(host: Host): object {
  const schema = json(`schemas/${host.schema}.json`);
  schema.$id = `${host.schema}/${host.id}`;
  for (const step of host.patch) {
    for (const one of typeof step === "string" ? (data.patches[step] ?? missing(step)) : [step]) apply(schema, one, host.id);
  }
  return schema;
}

function missing(name: string): never {
  throw new Error(`hosts.json has no patch "${name}".`);
}

// biome-ignore lint/suspicious/noExplicitAny: a schema.
function apply(schema: any, patch: Patch, host: string): void {
  const path = ("add" in patch ? patch.add : patch.remove).slice(1).split("/");
  const last = path.pop() ?? "";
  const parent = path.reduce((value, key) => value?.[key], schema);
  if (!parent) throw new Error(`The patch of ${host} leads nowhere: ${JSON.stringify(patch)}`);
  if ("add" in patch) parent[last] = structuredClone(patch.value);
  else if (!(last in parent)) {
    if (!patch.missing) throw new Error(`The patch of ${host} removes what is not there: ${patch.remove}`);
  } else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
}

/** The host that an address belongs to; one on this machine is known by the path alone. */
export function hostAt(url: URL): Host | undefined {
  const named = data.hosts.filter(({ hostnames }) => hostnames.some((pattern) => fits(pattern, url)));
  // The longest base first: an API may stand below another one.
  const own = named
    .sort((a, b) => b.base.length - a.base.length)
    .find((host) => leadsTo(host, url.pathname.slice(host.base.length)));
  return own ?? (named.length ? named[0] : byPath(url.pathname));
}

function fits(pattern: string, url: URL): boolean {
  const name = pattern.includes(":") ? url.host : url.hostname;
  return new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]+")}$`).test(name);
}

function byPath(path: string): Host | undefined {
  if (path.endsWith("/api/chat")) return hosts.get("endpoint");
  if (path.endsWith("/messages")) return hosts.get("anthropic");
  if (path.endsWith("/responses")) return hosts.get("openai-responses");
  if (/:(stream)?[gG]enerateContent$/.test(path)) return hosts.get("gemini");
  return path.endsWith("/chat/completions") ? hosts.get("compatible") : undefined;
}

const ends: Readonly<Record<Host["api"], RegExp>> = {
  chat: /^\/chat\/completions$/,
  responses: /^\/responses$/,
  anthropic: /^\/v1\/messages$/,
  gemini: /^\/models\/[A-Za-z0-9._-]+:(stream)?[gG]enerateContent$/,
  endpoint: /^/,
};

/** `rest` is the path without the host's base. */
export function leadsTo(host: Host, rest: string): boolean {
  return ends[host.api].test(rest);
}

/** The path may have anything before it, as a base URL of the test's own has. */
export function endsRight(host: Host, path: string): boolean {
  const end = { chat: "/chat/completions", responses: "/responses", anthropic: "/v1/messages", gemini: "/models/", endpoint: "" }[
    host.api
  ];
  const at = path.lastIndexOf(end);
  return at >= 0 && leadsTo(host, path.slice(at)) && !path.includes("//");
}

/** It stands at an address of this host, not on this machine in its place. */
export function isOwn(host: Host, url: URL): boolean {
  return host.hostnames.some((pattern) => fits(pattern, url));
}

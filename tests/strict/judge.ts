// A judge of requests: what a vendor would refuse in one, by the vendor's own documents (hosts.json, models.json, rules.json and
// schemas/). It knows nothing of how this package writes requests.
import { anthropicRules } from "./anthropic-rules.js";
import { chatRules } from "./chat-rules.js";
import { endpointRules } from "./endpoint-rules.js";
import { geminiRules } from "./gemini-rules.js";
import { hostAt, hosts, modelRows, rowOf, schemaOf } from "./hosts.js";
import { httpRules } from "./http-rules.js";
import { responsesRules } from "./responses-rules.js";
import { brokenString, repeatedKey } from "./text-rules.js";
import type { Api, Body, Finding, Host, Judged, Sent } from "./types.js";

export type { Finding, Host, Sent } from "./types.js";

const ofApi: Readonly<Record<Api, (judged: Judged) => void>> = {
  chat: chatRules,
  responses: responsesRules,
  anthropic: anthropicRules,
  gemini: geminiRules,
  endpoint: endpointRules,
};

/** The host that a request is for: the one that is named, or the one at its address. */
export function hostOf(sent: Sent, named?: string): Host | undefined {
  return named === undefined ? hostAt(new URL(sent.url)) : hosts.get(named);
}

/** Everything that is wrong with a request. Nothing knows what to ask of a request to an unknown place, so that is a finding too. */
export function judge(sent: Sent, named?: string): Finding[] {
  const host = hostOf(sent, named);
  if (!host) return [{ rule: "http.host", at: "url", says: `No rules are known for ${named ?? sent.url}.`, status: 404 }];
  const url = new URL(sent.url);
  const found = [...httpRules(host, sent, url)];
  const body = read(sent.body, found);
  if (body === undefined) return found;
  const broken = brokenString(body);
  if (broken !== undefined) {
    found.push({ rule: "body.unicode", at: broken, says: "The request body is not valid JSON: no low surrogate in string." });
  }
  const key = repeatedKey(sent.body);
  if (key !== undefined) found.push({ rule: "body.repeated-key", at: key, says: `The key "${key}" stands twice in one object.` });
  const validate = schemaOf(host);
  const fits: boolean = validate(body);
  if (!fits) {
    const [error] = (validate.errors ?? []).sort((a, b) => b.instancePath.length - a.instancePath.length);
    const extra = error?.params.additionalProperty ?? error?.params.unevaluatedProperty;
    const at = `${error?.instancePath ?? ""}${extra === undefined ? "" : `/${extra}`}`;
    const rule = extra === undefined ? "body.schema" : "body.unknown-field";
    // Rules in code build on the form, so nothing more is asked.
    found.push({
      rule,
      at,
      says: extra === undefined ? `${at || "body"} ${error?.message}` : unknown(host, at, String(extra)),
      param: at.slice(1).replaceAll("/", "."),
      code: extra === undefined ? "invalid_type" : "unknown_parameter",
    });
    return found;
  }
  const model = host.api === "gemini" ? (/\/models\/([^/:]+):/.exec(url.pathname)?.[1] ?? "") : String(body.model ?? "");
  for (const row of modelRows) {
    if (row.api !== host.api || (row.hosts && !row.hosts.includes(host.id))) continue;
    if (row.model !== undefined && !new RegExp(row.model).test(model)) continue;
    if (row.version !== undefined && row.version !== sent.headers["anthropic-version"]) continue;
    if (rowOf(row)(body)) continue;
    found.push({ rule: row.rule, at: row.param, says: row.says, param: row.param, ...(row.code && { code: row.code }) });
  }
  const add: Judged["add"] = (rule, at, says, more) => void found.push({ rule, at, says, ...more });
  ofApi[host.api]({ host, sent, url, body, model, add });
  return found;
}

function read(text: string, found: Finding[]): Body | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (body && typeof body === "object" && !Array.isArray(body)) return body;
  } catch {}
  found.push({ rule: "body.json", at: "", says: "We could not parse the JSON body of your request.", code: "invalid_json" });
  return undefined;
}

function unknown(host: Host, at: string, key: string): string {
  const where = at.slice(1).replaceAll("/", ".");
  if (host.api === "anthropic") return `${where}: Extra inputs are not permitted`;
  if (host.api === "gemini") return `Invalid JSON payload received. Unknown name "${key}" at '${where}': Cannot find field.`;
  return `Unknown parameter: '${where}'.`;
}

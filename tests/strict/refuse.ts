// How each vendor says no: its status and its body.
import { hosts } from "./hosts.js";
import type { Finding, Host } from "./types.js";

export interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const anthropicTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
};
const googleStatus: Readonly<Record<number, string>> = { 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND" };

const forms: Readonly<Record<string, (finding: Finding, status: number) => unknown>> = {
  openai: ({ says, param, code, at }, status) => ({
    error: {
      message: says,
      type: status === 401 ? "authentication_error" : "invalid_request_error",
      param: param ?? (at || null),
      code: code ?? null,
    },
  }),
  anthropic: ({ says }, status) => ({
    type: "error",
    error: { type: anthropicTypes[status] ?? "invalid_request_error", message: says },
    request_id: "req_011CStrict00000000000000",
  }),
  google: ({ says, param, at }, status) => ({
    error: {
      code: status,
      message: says,
      status: googleStatus[status] ?? "INVALID_ARGUMENT",
      details: [
        { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: param ?? at, description: says }] },
      ],
    },
  }),
  "google-list": ({ says }, status) => [
    { error: { code: status, message: says, status: googleStatus[status] ?? "INVALID_ARGUMENT" } },
  ],
  openrouter: ({ says }, status) => ({ error: { message: says, code: status, metadata: { provider_name: null } } }),
  mistral: ({ says, at, rule, code }, status) => {
    if (status === 401) return { detail: "Unauthorized" };
    if (status !== 422) return { object: "error", message: says, type: "invalid_request_error", param: null, code: code ?? null };
    const type = rule === "body.unknown-field" ? "extra_forbidden" : "value_error";
    return { detail: [{ type, loc: ["body", ...at.split("/").filter(Boolean)], msg: says, input: null }] };
  },
  cerebras: ({ says, param }, status) => ({
    message: says,
    type: "invalid_request_error",
    param: param ?? null,
    code: status === 401 ? "wrong_api_key" : "wrong_api_format",
  }),
  glm: ({ says }, status) => ({ error: { code: status === 401 ? "1000" : "1210", message: says } }),
  xai: ({ says }, status) => ({ code: status === 401 ? "unauthenticated" : "Client specified an invalid argument", error: says }),
  fireworks: ({ says }) => ({ error: { object: "error", type: "invalid_request_error", message: says } }),
  vllm: ({ says, param }, status) => ({ error: { message: says, type: "BadRequestError", param: param ?? null, code: status } }),
  llamacpp: ({ says }, status) => ({
    error: { code: status, message: says, type: status === 401 ? "authentication_error" : "invalid_request_error" },
  }),
  plain: ({ says }) => ({ error: says }),
  endpoint: ({ says, code }) => ({ error: { code: code ?? "REQUEST_INVALID", message: says } }),
};

/** The answer to a request that was found wanting: the first finding decides, as a server stops at the first too. */
export function refuse(host: Host | undefined, findings: readonly Finding[]): Refusal {
  const [first] = findings;
  if (!first) throw new Error("There is nothing to refuse.");
  const known = host ?? (hosts.get("compatible") as Host);
  const status =
    first.status ?? (known.error === "mistral" && /^(body\.(schema|unknown-field)|model\.)/.test(first.rule) ? 422 : 400);
  const form = forms[known.error] ?? forms.openai;
  const headers = { "content-type": "application/json", ...(status === 405 && { allow: "POST" }) };
  return { status, headers, body: JSON.stringify(form?.(first, status)) };
}

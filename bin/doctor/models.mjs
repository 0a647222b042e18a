// Whether the models that the app names exist: by the list of their provider, or by the days that are known.
import { providers } from "./providers.mjs";

const noticeDays = 60;
const dayMs = 86_400_000;
const waitMs = 10_000;

export async function models(app, { offline, today, fetch }) {
  const asked = usesOf(app.files);
  const lists = new Map();
  if (!offline) {
    await Promise.all(
      [...new Set(asked.map(({ provider }) => provider))].map(async (provider) =>
        lists.set(provider, await listOf(provider, app, fetch)),
      ),
    );
  }
  return asked.flatMap((use) => judged(use, lists.get(use.provider), app, today));
}

/** What a chat handler or an adapter is told: the provider and, where it stands beside it, the model. */
function usesOf(files) {
  const uses = new Map();
  for (const { name: file, text } of files) {
    for (const { index } of text.matchAll(/\b(?:createChatHandler|createAdapter)\s*\(/g)) {
      const options = argument(text, text.indexOf("(", index));
      const provider = providers.find(({ id }) => id === /\bprovider:\s*["'`]([\w-]+)["'`]/.exec(options)?.[1]);
      // Another address is another list.
      if (!provider || /\bbaseURL\b/.test(options)) continue;
      const named = /\bmodel:\s*["'`]([^"'`$]+)["'`]/.exec(options)?.[1];
      const open = named === undefined && /\bmodel\b\s*[:,}]/.test(options);
      const model = named ?? (open ? undefined : provider.models[0]);
      uses.set(`${provider.id} ${model} ${file}`, { provider, model, named: named !== undefined, file, open });
    }
  }
  return [...uses.values()];
}

/** The text between a bracket and the one that closes it. */
function argument(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if ("([{".includes(text[at])) depth++;
    if (")]}".includes(text[at]) && --depth === 0) return text.slice(start, at + 1);
  }
  return text.slice(start);
}

/** The names of the provider's models; nothing where it cannot be asked, and why where that is to be told. */
async function listOf({ format, baseURL, envVar }, { variable }, fetch) {
  const key = envVar ? variable(envVar) : "";
  if (key === undefined) return {};
  const anthropic = format === "anthropic";
  const headers = anthropic
    ? { "x-api-key": key, "anthropic-version": "2023-06-01" }
    : key
      ? { authorization: `Bearer ${key}` }
      : {};
  const address = `${baseURL.replace(/\/$/, "")}${anthropic ? "/v1/models?limit=1000" : "/models"}`;
  try {
    const response = await fetch(address, { headers, redirect: "error", signal: AbortSignal.timeout(waitMs) });
    if (!response.ok) return { status: response.status };
    const { data } = await response.json();
    const names = Array.isArray(data) ? data.map(({ id }) => String(id).replace(/^models\//, "")) : [];
    return names.length ? { names } : {};
  } catch {
    return { unreachable: true };
  }
}

/** A model that was named is often listed with the day of its making, and "latest" stands for one of those. */
function isListed(names, model) {
  const base = model.replace(/[-:]latest$/, "");
  const rest = /^([-:]latest|-\d{8}|-\d{4}-\d\d-\d\d|-\d{3})?$/;
  return names.some((name) => name.startsWith(base) && (base !== model || rest.test(name.slice(base.length))));
}

function judged({ provider, model, named, file, open }, list = {}, { variable }, today) {
  const at = (level, code, message, mend) => [{ level, code, message, mend, file }];
  const { name, envVar, models: known, ends } = provider;
  if (envVar && variable(envVar) === undefined) {
    const missing = at(
      "note",
      "KEY_MISSING",
      `${file} asks ${name}, and ${envVar} is not set here.`,
      `Set it in .env or in the server's environment.`,
    );
    return [...missing, ...byDays()];
  }
  if (list.status === 401 || list.status === 403) {
    return at(
      "wrong",
      "KEY_REFUSED",
      `${name} refuses the key in ${envVar} (${list.status}).`,
      "Make a new key in the provider's console.",
    );
  }
  if (list.unreachable && !envVar) {
    return at(
      "note",
      "PROVIDER_UNREACHABLE",
      `${name} does not answer at ${provider.baseURL}.`,
      "Start it, or ignore this if it runs elsewhere.",
    );
  }
  if (list.unreachable) {
    return [
      ...at(
        "note",
        "PROVIDER_UNREACHABLE",
        `${name} could not be asked for its models.`,
        "Look at the network, or use --offline.",
      ),
      ...byDays(),
    ];
  }
  if (model !== undefined && list.names && !isListed(list.names, model)) {
    const choose = list.names.slice(0, 5).join(", ");
    return at(
      "wrong",
      "MODEL_UNKNOWN",
      `${name} has no model called "${model}" (${file}).`,
      `Name one that it lists, such as ${choose}.`,
    );
  }
  return byDays();

  function byDays() {
    if (model === undefined) {
      return open || known.length
        ? []
        : at(
            "wrong",
            "MODEL_MISSING",
            `${file} names no model, and ${name} has only those that you installed.`,
            'Name one: `model: "…"`.',
          );
    }
    if (ends[model] === undefined) return [];
    const days = Math.floor((Date.parse(ends[model]) - today.getTime()) / dayMs);
    if (days > noticeDays) return [];
    const mend = named ? `Name another, such as ${known[0]}.` : "Update glove-wasm, or name a model.";
    if (days < 0) return at("wrong", "MODEL_ENDED", `"${model}" of ${name} ended on ${ends[model]} (${file}).`, mend);
    return at("note", "MODEL_ENDS", `"${model}" of ${name} ends on ${ends[model]}, in ${days} days (${file}).`, mend);
  }
}

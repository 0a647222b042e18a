// A folder with a SKILL.md as a skill: the model reads its name and description at once, its text when it is activated, its other files when it
// asks for them.
import { defineSkill, type Skill } from "../src/ports/skill.js";
import type { ToolConfig } from "../src/ports/tool.js";
import type { Maybe } from "../src/timing/sync-or-promise.js";
import { withinTime } from "../src/timing/time-limit.js";
import { GloveError, reasonOf } from "../src/values/error.js";
import { check, checkOptions, describeValue, type Options } from "../src/values/validate-options.js";
import { readFrontMatter } from "./front-matter.js";

/** Texts of files by their paths, or what loads them when they are needed: also what `import.meta.glob` gives. */
export type AgentSkillFiles = Readonly<Record<string, string | (() => Maybe<unknown>)>>;

/** How `agentSkillAt` reads the files of a skill. */
export interface AgentSkillOptions {
  /** Paths of the files that the model may read, beside SKILL.md. Without it, every file below the skill's address. */
  readonly files?: readonly string[] | undefined;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Fetches the files; default the page's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** How long one file may take; default 10,000. */
  readonly timeoutMs?: number | undefined;
}

const options = {
  files: "list",
  headers: "object",
  fetch: "work",
  timeoutMs: "large",
} as const satisfies Options<AgentSkillOptions>;

const main = "SKILL.md";
const usualMs = 10_000;
/** As the specification has them. */
const most = { nameLetters: 64, descriptionLetters: 1_024 };
/** So much of a file is read with one call, and so large is the largest. */
const readLetters = 50_000;
const fileLetters = 5_000_000;
/** So many names of files does the model read. */
const namedFiles = 100;

const invalid = (where: string, why: string, cause?: unknown) =>
  new GloveError("SKILL_INVALID", `The skill in ${describeValue(where)} cannot be used: ${why}.`, { cause });

/** A skill of each SKILL.md among these files, with what lies beside and below it. */
export async function agentSkills(files: AgentSkillFiles): Promise<Skill[]> {
  check("The files of `agentSkills`", files, "object", "SKILL_INVALID");
  const paths = Object.keys(files);
  const mains = paths.filter((path) => path === main || path.endsWith(`/${main}`)).sort();
  if (mains.length === 0) throw invalid(paths[0] ?? "", `there is no ${main} among its files`);
  const folders = mains.map((path) => path.slice(0, -main.length)).sort((a, b) => b.length - a.length);
  const own = new Map<string, string[]>(mains.map((path) => [path.slice(0, -main.length), []]));
  for (const path of paths) {
    // The innermost one that it lies in: a skill may lie in another one's folder.
    const folder = folders.find((folder) => path.startsWith(folder));
    if (folder === undefined) continue;
    const name = path.slice(folder.length);
    if (name !== main && !isHidden(name)) own.get(folder)?.push(name);
  }
  return Promise.all(
    [...own].map(([folder, names]) => {
      const read = (name: string) => textOf(files[folder + name], folder + name);
      return skillOf(folder || main, read, names.sort());
    }),
  );
}

/** The skill whose SKILL.md has this address, or lies in this folder. */
export async function agentSkillAt(url: string | URL, given: AgentSkillOptions = {}): Promise<Skill> {
  check("The options of `agentSkillAt`", given, "object", "SKILL_INVALID");
  checkOptions(given, options, { code: "SKILL_INVALID" });
  const { files, headers, fetch: send = fetch, timeoutMs = usualMs } = given;
  const wrong = files?.find((path) => typeof path !== "string" || !isBelow(path));
  if (wrong !== undefined) throw invalid(String(url), `\`files\` must be paths below it, got ${describeValue(wrong)}`);
  const folder = folderOf(url);
  const read = (name: string, signal = new AbortController().signal) =>
    withinTime(timeoutMs, signal, async (signal) => {
      const path = name.split("/").map(encodeURIComponent).join("/");
      // Headers may hold a key, which would go along.
      const redirect = headers ? "error" : "follow";
      const response = await send(new URL(path, folder).href, { headers: { ...headers }, redirect, signal });
      if (!response.ok) throw new Error(`its server answers with ${response.status}`);
      return bounded(response);
    });
  return skillOf(folder, read, files && [...files]);
}

function folderOf(url: string | URL): string {
  const base = typeof document === "object" ? document.baseURI : undefined;
  if (!URL.canParse(String(url), base)) throw invalid(String(url), "this is no address");
  const address = new URL(String(url), base);
  address.search = address.hash = "";
  address.pathname = address.pathname.replace(/(\/SKILL\.md|\/)?$/, "/");
  return address.href;
}

async function bounded({ body }: Response): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  if (!body) return text;
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += decoder.decode(next.value, { stream: true });
      if (text.length > fileLetters) throw new Error(`it has more than ${fileLetters} letters`);
    }
  } finally {
    // Nobody waits for the rest of what is refused.
    reader.cancel().catch(() => {});
  }
  return text + decoder.decode();
}

async function textOf(file: AgentSkillFiles[string] | undefined, path: string): Promise<string> {
  const loaded: unknown = typeof file === "function" ? await file() : file;
  // A module that has the text as its default, as bundlers make of `?raw`.
  const text = typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : loaded;
  if (typeof text !== "string") throw new Error(`\`${path}\` is no text, got ${describeValue(text)}`);
  if (text.length > fileLetters) throw new Error(`\`${path}\` has more than ${fileLetters} letters`);
  return text;
}

type Read = (name: string, signal?: AbortSignal) => Maybe<string>;

/** `files` is undefined where nobody knows which there are. */
async function skillOf(where: string, read: Read, files: readonly string[] | undefined): Promise<Skill> {
  const parsed = async (signal?: AbortSignal) => {
    try {
      return readFrontMatter(await read(main, signal));
    } catch (cause) {
      throw invalid(where, reasonOf(cause) || `its ${main} cannot be read`, cause);
    }
  };
  const first = await parsed();
  const { name = "", description = "" } = Object.fromEntries(first.fields);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > most.nameLetters)
    throw invalid(where, `its \`name\` must be a-z, 0-9 and single "-", at most ${most.nameLetters}, got ${describeValue(name)}`);
  if (!description || description.length > most.descriptionLetters)
    throw invalid(where, `its \`description\` must be a text of at most ${most.descriptionLetters} letters`);
  if (!first.body) throw invalid(where, `there is no text below the front matter of its ${main}`);
  const reader = files?.length === 0 ? undefined : readerOf(name, read, files);
  return defineSkill({
    name,
    description,
    load: () => [first.body, ...(reader ? [filesOf(reader.name, files)] : [])].join("\n\n"),
    tools: reader && [reader],
    exposeToModel: first.fields.get("disable-model-invocation") !== "true",
  });
}

function filesOf(tool: string, files: readonly string[] | undefined): string {
  if (!files) return `Files that it names are read with ${tool}.`;
  const named = files.slice(0, namedFiles).map((path) => `- ${path}`);
  const more = files.length > namedFiles ? [`- and ${files.length - namedFiles} more`] : [];
  return [`Its files, to be read with ${tool}:`, ...named, ...more].join("\n");
}

function readerOf(skill: string, read: Read, files: readonly string[] | undefined): ToolConfig {
  return {
    name: `read_${skill.slice(0, most.nameLetters - "read_".length)}`,
    description: `Reads a file of the skill ${skill}, by its path. A long one is read in parts: \`from\` says behind how many letters.`,
    title: "Read a file of a skill",
    jsonSchema: {
      type: "object",
      properties: { path: { type: "string" }, from: { type: "integer", minimum: 0 } },
      required: ["path"],
      additionalProperties: false,
    },
    idempotent: true,
    parallel: true,
    async do(input, display) {
      const { path, from = 0 } = input as { path: string; from?: number };
      const clean = path.replace(/^(\.\/)+/, "");
      if (files ? !files.includes(clean) : !isBelow(clean))
        return refused(`The skill ${skill} has no file ${describeValue(path)}.`);
      try {
        return part(await read(clean, display.signal), from);
      } catch (cause) {
        if (display.signal.aborted) throw cause;
        return refused(`The file ${describeValue(path)} cannot be read: ${reasonOf(cause)}.`);
      }
    },
  };
}

const refused = (message: string) => ({ status: "error" as const, data: null, message });

/** No letter is cut in two. */
function part(text: string, from: number): string {
  const cut = (at: number) =>
    /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") ? at - 1 : at;
  const begin = cut(from);
  const end = cut(begin + readLetters);
  const rest = text.length - end;
  return rest > 0 ? `${text.slice(begin, end)}\n\n(${rest} more letters: read on from ${end})` : text.slice(begin);
}

const isHidden = (path: string) => path.split("/").some((name) => name.startsWith("."));

/** A path that leads out of its folder, or to another place, is none of it. */
const isBelow = (path: string) =>
  path !== main &&
  /^[^/\\:?#%]+(\/[^/\\:?#%]+)*$/.test(path) &&
  path.split("/").every((name) => !/^\.*$/.test(name)) &&
  !isHidden(path);

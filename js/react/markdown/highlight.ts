// Colours of code: the reader and the grammar of a language are loaded when the first code in it is shown.
import { createElement, type ReactNode } from "react";
import { Listeners } from "../hooks/listeners.js";

type Highlighter = typeof import("highlight.js/lib/core").default;
type Grammar = Parameters<Highlighter["registerLanguage"]>[1];
/** What highlight.js makes its HTML of. Its types leave it out. */
type Node = string | { readonly scope?: string; readonly children: readonly Node[] };

const grammars: Readonly<Record<string, () => Promise<{ readonly default: Grammar }>>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  go: () => import("highlight.js/lib/languages/go"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

const aliases: Readonly<Record<string, string>> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  "c++": "cpp",
  "c#": "csharp",
  cs: "csharp",
  golang: "go",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  kt: "kotlin",
  py: "python",
  rb: "ruby",
  rs: "rust",
  ts: "typescript",
  tsx: "typescript",
  html: "xml",
  svg: "xml",
  yml: "yaml",
  patch: "diff",
};

/** The names of highlight.js, as few as a style sheet needs. */
const kinds: Readonly<Record<string, string>> = {
  keyword: "keyword",
  built_in: "keyword",
  type: "keyword",
  literal: "literal",
  name: "selector",
  "selector-tag": "selector",
  "selector-class": "title",
  "selector-id": "title",
  tag: "selector",
  string: "string",
  regexp: "string",
  addition: "addition",
  deletion: "deletion",
  number: "number",
  attr: "attr",
  attribute: "attr",
  property: "attr",
  variable: "attr",
  symbol: "attr",
  title: "title",
  meta: "comment",
  comment: "comment",
};

const loaded = new Listeners();
const loading = new Map<string, Promise<void>>();
let highlighter: Highlighter | undefined;

export const { subscribe } = loaded;

/** The name of a language that can be coloured. */
export function languageOf(said: string): string | undefined {
  const name = said.toLowerCase();
  const language = Object.hasOwn(aliases, name) ? aliases[name] : name;
  return language !== undefined && Object.hasOwn(grammars, language) ? language : undefined;
}

/** Whether this language is there. Begins to load it where it is not; what cannot be loaded stays without colours. */
export function isLoaded(language: string): boolean {
  if (highlighter?.getLanguage(language)) return true;
  if (!loading.has(language))
    loading.set(
      language,
      load(language).catch(() => {}),
    );
  return false;
}

async function load(language: string): Promise<void> {
  const grammar = grammars[language]?.();
  const [{ default: shared }, rules] = await Promise.all([import("highlight.js/lib/core"), grammar]);
  // An application may have one of its own.
  highlighter ??= shared.newInstance();
  if (rules) highlighter.registerLanguage(language, rules.default);
  loaded.changed();
}

export function highlight(language: string, code: string): ReactNode {
  if (!highlighter?.getLanguage(language)) return code;
  const { errorRaised, _emitter: emitter } = highlighter.highlight(code, { language, ignoreIllegals: true });
  return errorRaised ? code : (emitter as unknown as { readonly rootNode: Exclude<Node, string> }).rootNode.children.map(draw);
}

function draw(node: Node, index: number): ReactNode {
  if (typeof node === "string") return node;
  const kind = kinds[node.scope?.split(".")[0] ?? ""];
  return createElement("span", { key: index, "data-code": kind }, node.children.map(draw));
}

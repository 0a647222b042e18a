// Calls of sandboxed tools outside of a session.
import type { ToolConfig, ToolDisplay } from "glove-wasm";

export interface SandboxOutcome {
  readonly status: string;
  readonly data: unknown;
  readonly message?: string;
}

/** What a call of the tool gives, with the files of a task or without. */
export async function callTool(tool: ToolConfig, input: unknown, display: Partial<ToolDisplay> = {}): Promise<SandboxOutcome> {
  return (await tool.do(input, display as ToolDisplay)) as SandboxOutcome;
}

/** Every way out that the code of a sandbox could try; each gives what it found, and none may find anything. */
export const escapes: readonly string[] = [
  "return typeof window",
  "return typeof document",
  "return typeof self",
  "return typeof process",
  "return typeof require",
  "return typeof fetch",
  "return typeof XMLHttpRequest",
  "return typeof WebSocket",
  "return typeof indexedDB",
  "return typeof localStorage",
  "return typeof postMessage",
  "return typeof importScripts",
  "return typeof navigator",
  "return typeof WebAssembly",
  "return typeof Worker",
  "return typeof setTimeout",
  "return typeof files",
  "return typeof host",
  "return typeof std",
  "return typeof os",
  "return typeof scriptArgs",
  "return typeof __loadScript",
  "return typeof (await import('os')).default",
  "return typeof (await import('std')).default",
  "return typeof (await import('node:fs')).default",
  "return typeof (await import('https://example.com/a.js')).default",
  "return typeof (await import('data:text/javascript,export default 1')).default",
  "return typeof (await import('../../../package.json')).default",
  "return typeof (() => {}).constructor('return process')()",
  "return typeof (async () => {}).constructor('return typeof process')",
  "return typeof globalThis.constructor.constructor('return window')()",
  "return typeof [].constructor.constructor('return globalThis')().process",
  "return typeof input.constructor.constructor('return globalThis')().postMessage",
  "return typeof input.__proto__.constructor.constructor('return self')()",
  "return typeof console.log.constructor('return process')()",
  "Error.prepareStackTrace = (_, sites) => sites; const sites = new Error().stack; return typeof sites[0]?.getThis?.()?.process",
  "Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFunction?.()); const all = await Promise.all((new Error().stack ?? []).filter(Boolean).map((one) => one.constructor('return typeof process')())); return all.find((one) => one !== 'undefined') ?? 'undefined'",
  "try { null.x } catch (error) { return typeof error.constructor.constructor('return process')() }",
  "return typeof Reflect.getPrototypeOf(async function* () {}).constructor('return process')",
  "return typeof eval('process')",
  "return typeof (0, eval)('this').fetch",
  "return typeof new Proxy({}, { get: (_, name) => globalThis[name] }).process",
  "return typeof Symbol.for('x').constructor.constructor('return document')()",
];

/** What each of them may give: nothing, or only names of the engine's own. */
export const harmless = /^(undefined|function|0)$/;

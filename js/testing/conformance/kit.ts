// What the cases of the store conformance kit are made of.
import type { Message, StoreAdapter, StoredStep } from "../../src/exports.js";
import type { Maybe } from "../../src/timing/sync-or-promise.js";

export interface Bench {
  /** A store of a session that is new. */
  make(): Promise<StoreAdapter>;
  /** Another store of the same session, as after a reload; the same store where that cannot be had. */
  reopen(store: StoreAdapter): Promise<StoreAdapter>;
}

export interface Case {
  readonly name: string;
  /** Methods without which the case says nothing. */
  readonly needs?: readonly (keyof StoreAdapter)[];
  run(store: StoreAdapter, bench: Bench): Promise<void>;
}

export function message(text: string, more: Partial<Message> = {}): Message {
  return { sender: "user", text, ...more };
}

export function answer(text: string, more: Partial<Message> = {}): Message {
  return { sender: "agent", text, ...more };
}

/** A step with one record, which is what a run writes for everything that happens to it. */
export function step(seq: number, firstMessage: number, more: Partial<StoredStep> = {}): StoredStep {
  return { firstMessage, messages: [], records: [{ seq, at: 1000 + seq, input: "recovered" }], seq, ...more };
}

/** A checkpoint as the core writes it, as far as a store may look into it. */
export function checkpoint(seq: number, messages: number, phase: unknown = "idle"): string {
  return JSON.stringify({ version: 1, seq, messages, state: { phase, current: phase === "idle" ? null : { id: "r" } } });
}

/** The stored run, with what is missing filled in. */
export async function runOf(store: StoreAdapter) {
  const { messages, records, checkpoint } = (await store.readRun?.()) ?? { messages: [], records: [] };
  return { messages, records, checkpoint: checkpoint ?? null };
}

export async function append(store: StoreAdapter, ...steps: readonly StoredStep[]): Promise<void> {
  for (const step of steps) await store.appendStep?.(step, "strict");
}

export function equal(found: unknown, expected: unknown, what: string): void {
  const at = difference(found, expected, what);
  if (at) throw new Error(at);
}

export function holds(fact: unknown, what: string): void {
  if (!fact) throw new Error(`expected: ${what}`);
}

/** The store has to refuse with `STORE_CONFLICT`, or with the JSON of `{"kind":"conflict"}`. */
export async function conflicts(writing: Maybe<unknown>, what: string): Promise<void> {
  const thrown = await refusal(writing, what);
  const { code, kind, message } = thrown as { code?: unknown; kind?: unknown; message?: unknown };
  const told = typeof message === "string" && message.includes('"kind":"conflict"');
  if (code === "STORE_CONFLICT" || kind === "conflict" || told) return;
  throw new Error(`${what}: refused without the code STORE_CONFLICT: ${String(thrown)}`);
}

export async function refusal(work: Maybe<unknown>, what: string): Promise<unknown> {
  try {
    await work;
  } catch (thrown) {
    return thrown;
  }
  throw new Error(`${what}: expected a refusal, but it succeeded`);
}

/** Where two JSON values differ; `undefined` members count as missing. */
function difference(found: unknown, expected: unknown, path: string): string | undefined {
  if (Object.is(found, expected)) return undefined;
  const both = [found, expected].every((value) => typeof value === "object" && value !== null);
  if (!both || Array.isArray(found) !== Array.isArray(expected)) {
    return `${path}: found ${show(found)}, expected ${show(expected)}`;
  }
  const [a, b] = [membersOf(found as object), membersOf(expected as object)];
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const inner = difference(a.get(key), b.get(key), `${path}.${key}`);
    if (inner) return inner;
  }
  return undefined;
}

function membersOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, member]) => member !== undefined));
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text;
}

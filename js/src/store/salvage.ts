// What can be read of a damaged session; loaded when one is met.

import type { Core } from "../ports/core.js";
import { type Salvage, type SessionDamage, type StoreAdapter, takesText } from "../ports/store.js";
import { GloveError, reasonOf } from "../values/error.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Message } from "../wire/record.js";
import { elementsOf, membersOf } from "./json-text.js";
import { limited } from "./limits.js";
import { unknownSession } from "./sessions.js";
import { writeTranscript } from "./transcript.js";

/** The stored messages one by one. */
export async function salvageOf(store: StoreAdapter): Promise<Salvage> {
  if (store.salvage) return store.salvage();
  if (store.readRunText && takesText(store, "readRunText", "readRun")) {
    const text: unknown = await store.readRunText();
    if (typeof text !== "string" || text === "null") return { texts: [], damage: [noRun] };
    const members = membersOf(text);
    const list = members.get("messages") ?? text.slice(Math.max(0, text.indexOf('"messages"')));
    return {
      texts: elementsOf(list.slice(list.indexOf("[") + 1)),
      ...stateOf(parsed(members.get("checkpoint")), parsed(members.get("records"))),
    };
  }
  const run = store.readRun ? await store.readRun() : { messages: await store.getMessages() };
  if (!run) return { texts: [], damage: [noRun] };
  const { messages, checkpoint, records }: { messages: unknown; checkpoint?: unknown; records?: unknown } = run;
  const state = stateOf(checkpoint, records);
  if (Array.isArray(messages)) return { texts: messages.map((message) => JSON.stringify(message) ?? ""), ...state };
  return { texts: [], damage: [{ place: "messages", reason: "not a list" }, ...state.damage] };
}

const noRun: SessionDamage = { place: "session", reason: "nothing is there" };

function stateOf(checkpoint: unknown, records: unknown): Pick<Salvage, "checkpoint" | "damage"> {
  const damage = Array.isArray(records ?? []) ? [] : [fault("records", "not a list", records)];
  for (const [at, record] of Array.isArray(records) ? records.entries() : [])
    if (!Number.isSafeInteger(record?.seq)) damage.push(fault(`records[${at}]`, "not a record", record));
  if (typeof (checkpoint ?? "") === "string") return { checkpoint: (checkpoint as string | null) ?? undefined, damage };
  return { damage: [...damage, fault("checkpoint", "not a text", checkpoint)] };
}

function fault(place: string, reason: string, stored: unknown): SessionDamage {
  return { place, reason, stored: JSON.stringify(stored) ?? "" };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return text;
  }
}

/** The core says which of them are messages. The others leave a mark in their place. */
export async function readable({ texts, damage, checkpoint }: Salvage, core: Core) {
  const { CoreRun, salvage } = await core.load();
  const text = salvage(JSON.stringify(texts));
  const { places, reasons } = JSON.parse(text) as { places: number[]; reasons: string[] };
  const faults = places.map((at, n): SessionDamage => {
    const stored = texts[at];
    return { place: `messages[${at}]`, reason: reasons[n] ?? "", ...(stored && { stored }) };
  });
  const messages = membersOf(text).get("messages") ?? "[]";
  const all = [...faults, ...damage];
  try {
    if (checkpoint !== undefined) new CoreRun("{}", messages, checkpoint).free();
  } catch (thrown) {
    const { code, message: reason } = fromCore(thrown) as GloveError;
    // A newer version reads it.
    if (code !== "STORE_NEWER") all.push({ place: "checkpoint", reason, stored: checkpoint ?? "" });
  }
  return { messages, damage: all };
}

/** A session of a store that exports nothing itself, without its run. */
export async function exportStore(stored: StoreAdapter, core: Core): Promise<string> {
  const store = limited(stored);
  const salvage = await salvageOf(store);
  if (salvage.texts.length + salvage.damage.length === 0) unknownSession(store.identifier);
  const { messages, damage } = await readable(salvage, core);
  const listed = async (place: string, read: () => Promise<unknown> | undefined) => {
    const list = await Promise.resolve(read()).catch((error: unknown) => {
      damage.push({ place, reason: reasonOf(error) });
      return [];
    });
    if (!Array.isArray(list ?? [])) damage.push({ place, reason: "not a list", stored: JSON.stringify(list) ?? "" });
    return Array.isArray(list) ? JSON.stringify(list) : "[]";
  };
  const tasks = await listed("tasks", () => store.getTasks?.());
  const inbox = await listed("inbox", () => store.getInboxItems?.());
  const about = { id: store.identifier, createdAt: 0, updatedAt: 0, turns: 0, tokens: { tokens_in: 0, tokens_out: 0 }, seq: 0 };
  const faults = damage.length > 0 && { damage: JSON.stringify(damage) };
  return writeTranscript(about, { messages, records: "[]", tasks, inbox, ...faults });
}

/** Begins a session in an empty store. */
export async function begin(store: StoreAdapter, messages: readonly Message[]): Promise<void> {
  if ((await store.getMessages()).length > 0) {
    throw new GloveError("SESSION_EXISTS", `There is a session "${store.identifier}" already; nothing was written to it.`);
  }
  await store.appendMessages([...messages]);
}

/** Begins a session in an empty store from the messages of a damaged one. Of that one nothing is changed. */
export async function repair(damaged: StoreAdapter, empty: StoreAdapter, core: Core): Promise<void> {
  const [from, to] = [limited(damaged), limited(empty)];
  const salvage = await salvageOf(from);
  if (salvage.texts.length + salvage.damage.length === 0) unknownSession(from.identifier);
  const { messages } = await readable(salvage, core);
  await begin(to, JSON.parse(messages));
  // Nothing that the conversation depends on.
  const tasks = await from.getTasks?.().catch(() => undefined);
  if (tasks?.length) await to.addTasks?.(tasks);
  const inbox = await from.getInboxItems?.().catch(() => undefined);
  for (const item of inbox ?? []) await to.addInboxItem?.(item);
}

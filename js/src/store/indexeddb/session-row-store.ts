// A session in IndexedDB, each step of it in one transaction: what a store of pages does with its rows, loaded with the first use.

import type {
  Durability,
  InboxItem,
  Salvage,
  SentRequest,
  StepMarks,
  StoredRun,
  StoredStep,
  TokenCount,
} from "../../ports/store.js";
import { GloveError, loadPart } from "../../values/error.js";
import { generateId } from "../../values/ids.js";
import { toJson } from "../../values/json.js";
import { check } from "../../values/validate-options.js";
import type { Message, PermissionStatus, Task } from "../../wire/record.js";
import { listIn, storeError } from "../errors.js";
import { arrayBody, membersOf } from "../json-text.js";
import { runWithRoom } from "../local/room.js";
import { forgetStored, rememberStored, wasStored } from "../local/stored-session-ids.js";
import { isPermissionOf, permissionKey } from "../permissions.js";
import { addTokens, checkFollows, checkNoRun, counted, isUnfinished, readStep, stepText } from "../step.js";
import { tellChanged, type Watched } from "./change-channel.js";
import type { Transaction } from "./connection.js";
import { type Media, type StoredText, takeOut } from "./media.js";
import { read, readRows, type SessionRows, textsOf } from "./read.js";
import { allOf, allSent, type MessagesRow, type SessionRow, type StoreName } from "./schema.js";
import { titleOf } from "./title.js";

/** In the same file as they travel: neither is used without the others. */
export { runWithRoom } from "../local/room.js";
export { forgetStored } from "../local/stored-session-ids.js";
export { tellChanged, tellDeleted } from "./change-channel.js";
export { Connection } from "./connection.js";

/** The database that it is in. */
interface Database extends Watched {
  readonly absent: GloveError | undefined;
  run<T>(names: readonly StoreName[], access: Access, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  next(transaction: Transaction): Promise<number>;
  order(): number;
  shared(id: string): Promise<string | undefined>;
  write<T>(id: string, work: () => Promise<T>): Promise<T>;
}

type Access = Durability | "readonly";

/** What a person writes to is neither put away nor deleted any more. */
const listed = { archived: undefined, deleted: undefined };

/** There is more of it, and nothing else that the list shows is different: whoever runs it is at work, or rests, as before. */
function goesOn(before: SessionRow, now: SessionRow): boolean {
  const atWork = ({ phase }: SessionRow) => phase === "model" || phase === "tools";
  const same = (["first", "unfinished", "asks", "queued", "archived", "deleted"] as const).every(
    (name) => before[name] === now[name],
  );
  return same && (before.phase === now.phase || (atWork(before) && atWork(now)));
}

/** Stands behind an `IndexedDBStore`, whose methods say what these do. */
export class SessionRowStore {
  readonly #database: Database;
  /** Writes keep their order, whatever it takes to prepare them. */
  #preparing: Promise<unknown> = Promise.resolve();
  #claim: string | undefined;
  #nextClaim = generateId();
  /** What the row said when the session was read. */
  #asRead: Pick<SessionRow, "write" | "claim"> | undefined;
  /**
   * The row as this store has written it last, when that write has ended: no write overtakes one that may have to be done again. Another tab,
   * or the list of sessions, may have changed the row since.
   */
  #written: Promise<SessionRow | undefined> = Promise.resolve(undefined);
  /** The claim could not be written, as the storage was full: the one that was found in its place. */
  #found: { readonly claim: string | undefined } | undefined;
  /** What was on its way when the session was read. */
  #sentAsRead: readonly SentRequest[] | undefined;
  /** The state of the run is missing, or how far it is stored: the session goes on from its messages. */
  #restarts: { readonly seq: unknown } | undefined;

  constructor(
    readonly identifier: string,
    database: Database,
  ) {
    this.#database = database;
  }

  get warning(): GloveError | undefined {
    return this.#found ? full() : this.#database.absent;
  }

  // ---- the run ---------------------------------------------------------------------------------------------------

  async appendStep(step: StoredStep, durability: Durability = "relaxed"): Promise<void> {
    return this.appendStepText(stepText(step), durability, step);
  }

  appendStepText(text: string, durability: Durability, marks?: StepMarks): Promise<void> {
    return this.#database.write(this.identifier, async () => {
      await this.#appendStep(text, durability, marks);
      // The claim went with it.
      this.#found = undefined;
    });
  }

  async #appendStep(text: string, durability: Durability, marks?: StepMarks): Promise<void> {
    const step = readStep(text);
    const { messages, records, checkpoint, seq } = step;
    const claim = this.#claim;
    const sent = requestsIn(records);
    const members = membersOf(text, ["messages", "records"]);
    // A message and the record of its request hold the same.
    const known = new Map<string, string>();
    const prepare = async (media: Map<string, Media>) => ({
      messages: await takeOut(arrayBody(members.get("messages")), media, known),
      records: await takeOut(arrayBody(members.get("records")), media, known),
      checkpoint: checkpoint === undefined ? undefined : await takeOut(checkpoint, media),
    });
    const names: readonly StoreName[] = sent.length > 0 ? [...read, "extras"] : read;
    await this.#append(messages, durability, names, prepare, ({ store }, before, texts) => {
      if (claim && !this.#isOwn(before.claim)) throw superseded();
      const id = this.identifier;
      const { seq: first } = (records[0] ?? {}) as { readonly seq?: number };
      const asRead = this.#restarts !== undefined && this.#restarts.seq === before.seq;
      const restarts = asRead && (first === 1 || !Number.isSafeInteger(before.seq));
      checkFollows(restarts ? { ...before, seq: (first ?? seq) - 1 } : before, step);
      if (restarts && first === 1) store("records").delete(allOf(id));
      // In the record from now on, and not on its way.
      for (const request of sent) store("extras").delete([id, "sent", request]);
      const later = checkpoint === undefined && records.length > 0;
      if (later) store("records").add(texts.records, [id, seq]);
      if (texts.checkpoint !== undefined) {
        if (before.records) store("records").delete(allOf(id));
        store("checkpoints").put(texts.checkpoint, id);
      }
      return {
        ...(claim && { claim }),
        ...counted(before.tokens, before.turns, messages),
        seq,
        unfinished: checkpoint === undefined ? later || before.unfinished : isUnfinished(checkpoint),
        records: checkpoint === undefined ? later || before.records : false,
        phase: marks?.phase,
        asks: marks?.asks,
        queued: marks?.queued,
        ...((marks?.queued ?? 0) > (before.queued ?? 0) && listed),
      };
    });
  }

  /** Adds messages behind those that are there. `rest` writes what else there is, and says how the row is different. */
  async #append<T extends { readonly messages: StoredText }>(
    messages: readonly Message[],
    durability: Durability,
    names: readonly StoreName[],
    prepare: (media: Map<string, Media>) => Promise<T>,
    rest: (transaction: Transaction, before: SessionRow, texts: T) => Partial<SessionRow>,
  ): Promise<void> {
    const media = new Map<string, Media>();
    const texts = await this.#prepare(() => prepare(media));
    const write = generateId();
    let first = false;
    let canWait = false;
    const id = this.identifier;
    const said = titleOf(messages);
    const count = messages.length;
    /** Nobody awaits these writes: a failed one aborts the transaction. Returns the row after the write. */
    const put = (transaction: Transaction, before: SessionRow, order: number, files: Iterable<[string, Media]>): SessionRow => {
      const { store } = transaction;
      const changes = rest(transaction, before, texts);
      for (const [key, data] of files) store("media").add(data, [id, key]);
      const added: MessagesRow = { count, text: texts.messages };
      if (count > 0) store("messages").add(added, [id, before.count]);
      const title = before.first ?? said;
      const row: SessionRow = {
        ...before,
        ...(title !== undefined && { first: title }),
        ...(said !== undefined && listed),
        ...{ count: before.count + count, updated: Date.now(), order, write },
        ...changes,
      };
      store("sessions").put(row, id);
      canWait = goesOn(before, row);
      return row;
    };
    const append = async (transaction: Transaction): Promise<SessionRow> => {
      const { ask, store } = transaction;
      const before = await this.#row(transaction);
      first = before.count === 0;
      // A connection that was lost may have stored it all the same.
      if (before.write === write) return before;
      // A file that is sent again is there already.
      const known = await Promise.all([...media.keys()].map((key) => ask(store("media").getKey([id, key]))));
      const files = [...media].filter((_, at) => known[at] === undefined);
      return put(transaction, before, await this.#database.next(transaction), files);
    };
    let other = false;
    /** Behind the row as this store has left it: what is written does not wait for that row, and is not kept if it is another one. */
    const appendAtOnce = async ({ ask, store }: Transaction, before: SessionRow): Promise<SessionRow> => {
      let row: SessionRow | undefined;
      const right = (found: unknown) => row !== undefined && JSON.stringify(found) === JSON.stringify(before);
      const asked = ask<unknown>(store("sessions").get(id), right);
      asked.catch(() => {});
      row = unlessRefused(() => put({ ask, store }, before, this.#database.order(), []));
      other = !right(await asked);
      if (!row || other) throw superseded();
      return row;
    };
    const run = (work: (transaction: Transaction) => Promise<SessionRow>) => this.#run(names, durability, work);
    const again = (error: unknown) => {
      if (other) return run(append);
      throw error;
    };
    const writing = this.#written.then((last) => {
      if (!last || media.size > 0) return run(append);
      return run((transaction) => appendAtOnce(transaction, last)).catch(again);
    });
    this.#written = writing.catch(() => undefined);
    await writing;
    tellChanged(this.#database, this.identifier, canWait);
    // Behind the write: one that is cut leaves no mark of a session that never was.
    if (first) await this.#isStored();
  }

  async readRun(): Promise<StoredRun> {
    return JSON.parse(await this.readRunText()) as StoredRun;
  }

  async readRunText(): Promise<string> {
    let rows = await this.#read();
    if (isNone(rows) && (await wasStored(this.#database.name, this.identifier))) {
      // Another page may have stored it first a moment ago.
      rows = await this.#read();
      if (isNone(rows)) throw this.#lost();
    }
    if (rows.session) void this.#isStored();
    const { messages, records, checkpoint } = await textsOf(rows);
    const seq = rows.session?.seq ?? 0;
    this.#restarts = (checkpoint === undefined && seq !== 0) || !Number.isSafeInteger(seq) ? { seq } : undefined;
    const run = checkpoint === undefined ? "" : `,"checkpoint":${JSON.stringify(checkpoint)}`;
    return `{"messages":${messages},"records":${records}${run}}`;
  }

  /** A session that is lost begins anew. */
  forget(): void {
    void forgetStored(this.#database.name, this.identifier);
  }

  async #isStored(): Promise<void> {
    if (!this.#database.inMemory) await rememberStored(this.#database.name, this.identifier);
  }

  #lost(): GloveError {
    const why = this.#database.absent
      ? "the browser allows no database now"
      : "the browser discarded its data, or somebody cleared it";
    return storeError(
      "lost",
      `This session was stored on this device but is gone: ${why}. Nothing in it will run again. Dismiss this ` +
        "(`clearError()`) to start it anew, empty.",
    );
  }

  async salvage(): Promise<Salvage> {
    return (await loadPart(import("../maintenance-chunk.js"))).salvageRows(this.#database, this.identifier);
  }

  async #read(): Promise<SessionRows> {
    const id = this.identifier;
    // In one transaction: what is on its way is not in the record.
    const [rows, sent] = await this.#run([...read, "extras"], "readonly", (transaction) =>
      Promise.all([readRows(transaction, id), this.#readSent(transaction)]),
    );
    this.#asRead = rows.session;
    this.#sentAsRead = sent;
    // One for each reading: a claim that was given up may be stored all the same, and is asked for again.
    this.#nextClaim = generateId();
    return rows;
  }

  /** Nobody has claimed the session since this store has. */
  #isOwn(last: string | undefined): boolean {
    return last === undefined || last === this.#claim || (this.#found !== undefined && last === this.#found.claim);
  }

  // ---- between tabs ------------------------------------------------------------------------------------------------

  async claim(): Promise<void> {
    const { write, claim: found } = this.#asRead ?? {};
    const claim = this.#nextClaim;
    this.#found = undefined;
    await this.#run(["sessions"], "relaxed", async ({ ask, store }) => {
      const row = await ask<SessionRow | undefined>(store("sessions").get(this.identifier));
      // A connection that was lost may have stored it all the same.
      if (row?.claim === claim) return;
      if (row?.write !== write || row?.claim !== found) throw superseded();
      // What is not stored yet is claimed by its first write.
      if (row) await ask(store("sessions").put({ ...row, claim }, this.identifier));
    }).catch((error: GloveError) => {
      if (error.code !== "STORE_QUOTA") throw error;
      // It can still be read. The first write that succeeds claims it.
      this.#found = { claim: found };
    });
    this.#claim = claim;
  }

  async holds(): Promise<boolean> {
    return this.#isOwn((await this.#stored()).claim);
  }

  lease(holder: string, ms: number, takesAway = false): Promise<boolean> {
    const key = [this.identifier, "lease"];
    return this.#run(["extras"], "relaxed", async ({ ask, store }) => {
      // Not waited for: a page that is left has no time for an answer.
      if (ms === 0) store("extras").delete(key);
      else {
        const [owner, until] = (await ask<[string, number] | undefined>(store("extras").get(key))) ?? [holder, 0];
        const now = Date.now();
        // One that ends later than any that is given now comes from a clock that was set back.
        if (owner !== holder && !takesAway && until > now && until <= now + ms) return false;
        await ask(store("extras").put([holder, now + ms], key));
      }
      return true;
    });
  }

  // ---- what is on its way ------------------------------------------------------------------------------------------

  async keepSent(message: SentRequest): Promise<void> {
    const { id, request, at } = check("`message`", message, "object");
    check("`message.request`", request, "text");
    check("`message.at`", at, "amount");
    const key = [this.identifier, "sent", check("`message.id`", id, "text")];
    if (await this.#isThere()) await this.#run(["extras"], "relaxed", ({ ask, store }) => ask(store("extras").put(message, key)));
  }

  async dropSent(id: string): Promise<void> {
    const key = [this.identifier, "sent", check("`id`", id, "text")];
    if (await this.#isThere()) await this.#run(["extras"], "relaxed", ({ ask, store }) => ask(store("extras").delete(key)));
  }

  async listSent(): Promise<readonly SentRequest[]> {
    const read = this.#sentAsRead;
    this.#sentAsRead = undefined;
    return read ?? this.#run(["extras"], "readonly", (transaction) => this.#readSent(transaction));
  }

  async #readSent({ ask, store }: Transaction): Promise<readonly SentRequest[]> {
    // In memory it would be gone with its page.
    if (this.#database.inMemory) return [];
    const rows = await ask<SentRequest[]>(store("extras").getAll(allSent(this.identifier)));
    return rows.sort((a, b) => a.at - b.at);
  }

  async #isThere(): Promise<boolean> {
    return (await this.#database.shared(this.identifier)) !== undefined;
  }

  // ---- messages and counters ---------------------------------------------------------------------------------------

  async getMessages(): Promise<Message[]> {
    const { messages } = await this.readRun();
    return [...messages];
  }

  /** A finished run gives way: the session goes on from its messages. */
  async appendMessages(msgs: Message[]): Promise<void> {
    if (check("`messages`", msgs, "list").length > 0)
      await this.#database.write(this.identifier, () => this.#appendMessages(msgs));
  }

  async #appendMessages(msgs: Message[]): Promise<void> {
    const text = arrayBody(toJson(msgs, "`messages`"));
    const prepare = async (media: Map<string, Media>) => ({ messages: await takeOut(text, media) });
    await this.#append(msgs, "relaxed", read, prepare, ({ store }, { unfinished }) => {
      checkNoRun(unfinished);
      store("records").delete(allOf(this.identifier));
      store("checkpoints").delete(this.identifier);
      return { seq: 0, records: false };
    });
  }

  async getTokenCount(): Promise<number> {
    const { tokens_in, tokens_out } = await this.getTokenConsumption();
    return tokens_in + tokens_out;
  }

  /** The counters one by one. */
  async getTokenConsumption(): Promise<TokenCount> {
    return { ...(await this.#stored()).tokens };
  }

  async addTokens(count: number | TokenCount): Promise<void> {
    await this.#change(({ tokens }) => ({ tokens: addTokens(tokens, count) }));
  }

  async getTurnCount(): Promise<number> {
    return (await this.#stored()).turns;
  }

  async incrementTurn(): Promise<void> {
    await this.#change(({ turns }) => ({ turns: turns + 1 }));
  }

  async resetCounters(): Promise<void> {
    await this.#change(() => ({ turns: 0, tokens: { tokens_in: 0, tokens_out: 0 } }));
  }

  // ---- tasks, permissions, inbox -------------------------------------------------------------------------------------

  async getTasks(): Promise<Task[]> {
    return this.#list<Task>("tasks");
  }

  async addTasks(tasks: Task[]): Promise<void> {
    await this.#changeList<Task>("tasks", () => check("`tasks`", tasks, "list"));
  }

  async updateTask(taskId: string, updates: Partial<Omit<Task, "id">>): Promise<void> {
    await this.#changeList<Task>("tasks", (tasks) => changed(tasks(), taskId, updates));
  }

  /** An answer for these very arguments comes before the one for the tool. */
  async getPermission(toolName: string, input?: unknown): Promise<PermissionStatus> {
    const keys = input === undefined ? [toolName] : [permissionKey(toolName, input), toolName];
    const found = await this.#run(["extras"], "readonly", ({ ask, store }) =>
      Promise.all(keys.map((key) => ask<PermissionStatus | undefined>(store("extras").get(this.#permission(key))))),
    );
    return found.find((status) => status !== undefined) ?? "unset";
  }

  async setPermission(toolName: string, status: PermissionStatus, input?: unknown): Promise<void> {
    if (status === "unset" && input === undefined) {
      await this.#run(["extras"], "strict", async ({ ask, store }) => {
        const extras = store("extras");
        const isKept = isPermissionOf(toolName);
        const keys = (await ask(extras.getAllKeys(allOf(this.identifier)))) as string[][];
        const kept = keys.filter(([, what, key]) => what === "permission" && key !== undefined && isKept(key));
        await Promise.all(kept.map((key) => ask(extras.delete(key))));
      });
      return;
    }
    const key = this.#permission(input === undefined ? toolName : permissionKey(toolName, input));
    await this.#run(["extras"], "strict", ({ ask, store }) => ask(store("extras").put(status, key)));
  }

  async getInboxItems(): Promise<InboxItem[]> {
    return this.#list<InboxItem>("inbox");
  }

  async addInboxItem(item: InboxItem): Promise<void> {
    await this.#changeList<InboxItem>("inbox", (items) => [...items(), check("`item`", item, "object")]);
  }

  async updateInboxItem(id: string, updates: Partial<InboxItem>): Promise<void> {
    await this.#changeList<InboxItem>("inbox", (items) => changed(items(), id, updates as Partial<Omit<InboxItem, "id">>));
  }

  async getResolvedInboxItems(): Promise<InboxItem[]> {
    return (await this.getInboxItems()).filter(({ status }) => status === "resolved");
  }

  // ---- how -----------------------------------------------------------------------------------------------------------

  #run<T>(names: readonly StoreName[], access: Access, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return runWithRoom(this.#database, names, access, work);
  }

  #prepare<T>(work: () => Promise<T>): Promise<T> {
    const preparing = this.#preparing.then(work);
    this.#preparing = preparing.catch(() => {});
    return preparing;
  }

  async #row({ ask, store }: Transaction): Promise<SessionRow> {
    const row = await ask<SessionRow | undefined>(store("sessions").get(this.identifier));
    const now = Date.now();
    return (
      row ?? {
        id: this.identifier,
        count: 0,
        seq: 0,
        turns: 0,
        tokens: { tokens_in: 0, tokens_out: 0 },
        created: now,
        updated: now,
        unfinished: false,
        records: false,
        write: "",
      }
    );
  }

  #stored(): Promise<SessionRow> {
    return this.#run(["sessions"], "readonly", (transaction) => this.#row(transaction));
  }

  #change(change: (row: SessionRow) => Partial<SessionRow>): Promise<unknown> {
    return this.#run(["sessions"], "relaxed", async (transaction) => {
      const row = await this.#row(transaction);
      return transaction.ask(transaction.store("sessions").put({ ...row, ...change(row) }, this.identifier));
    });
  }

  async #list<T>(name: "tasks" | "inbox"): Promise<T[]> {
    const text = await this.#run(["extras"], "readonly", ({ ask, store }) =>
      ask<string | undefined>(store("extras").get([this.identifier, name])),
    );
    return listIn<T>(name, text);
  }

  #changeList<T>(name: "tasks" | "inbox", change: (list: () => T[]) => T[]): Promise<unknown> {
    const key = [this.identifier, name];
    return this.#run(["extras"], "relaxed", async ({ ask, store }) => {
      const text = await ask<string | undefined>(store("extras").get(key));
      return ask(
        store("extras").put(
          toJson(
            change(() => listIn<T>(name, text)),
            name,
          ),
          key,
        ),
      );
    });
  }

  #permission(key: string): IDBValidKey {
    return [this.identifier, "permission", key];
  }
}

/** The ids of the requests that come into the record with these. */
function requestsIn(records: readonly unknown[]): string[] {
  const ids: string[] = [];
  for (const record of records) {
    const { input } = (record ?? {}) as { readonly input?: { readonly request?: { readonly id?: unknown } } };
    const id = input?.request?.id;
    if (typeof id === "string") ids.push(id);
  }
  return ids;
}

function full(): GloveError {
  return storeError(
    "quota",
    "The browser's storage is full: this session can be read, but nothing more can be stored. Delete sessions or free " +
      "space, then try again.",
  );
}

/** What `work` gives; nothing where that does not follow on what is stored. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof GloveError) return undefined;
    throw error;
  }
}

function superseded(): GloveError {
  return storeError(
    "conflict",
    "Another tab now runs this session, so this write was not stored. Reopen the session to see what that tab wrote.",
  );
}

function changed<T extends { readonly id: string }>(list: readonly T[], id: string, updates: Partial<Omit<T, "id">>): T[] {
  return list.map((item) => (item.id === id ? { ...item, ...updates } : item));
}

function isNone({ session, messages }: SessionRows): boolean {
  return !session && messages.length === 0;
}

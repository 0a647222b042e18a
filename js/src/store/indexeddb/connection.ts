// A connection to the database, opened when needed, and transactions that end in every case.

import type { Durability } from "../../ports/store.js";
import { inBackground } from "../../timing/in-background.js";
import { GloveError } from "../../values/error.js";
import { storeError } from "../errors.js";
import { isAbsent, isAftermath, isDead, isSilent, typed } from "./failures.js";
import type { StoreName } from "./schema.js";
import { blocked, blockedMs, giveWay, isNewer, type Migration, migrate, migrations } from "./versions.js";

/** How long opening may take. */
const openingMs = 10_000;
/** How long one that was given up is waited for by those who need it later. */
const lateMs = 2_000;
/** A transaction of which nothing is heard for six of these, or a little longer, is given up. They are short: a page that sleeps loses one. */
const tickMs = 5_000;
/** The first tick may come at once. */
const patience = 7;

/**
 * A transaction. `ask` gives what a request answers; nothing else may be awaited inside of it. Where that is not `right`, the
 * transaction ends at once: what was written behind the request is on its way already.
 */
export interface Transaction {
  store(name: StoreName): IDBObjectStore;
  ask<T>(request: IDBRequest<T>, right?: (answer: T) => boolean): Promise<T>;
}

export class Connection {
  readonly #name: string;
  readonly #migrations: readonly Migration[];
  #pendingOpen: PendingOpen | undefined;
  #absent: GloveError | undefined;
  /** It was open once: what was stored is there, whatever happens now. */
  #found = false;

  /**
   * `newer` is called when a newer version wants the database, which is held until what it gives has settled; `late` when one opens
   * that was given up.
   */
  constructor(
    name: string,
    steps = migrations,
    readonly newer = async () => {},
    readonly late = () => {},
  ) {
    this.#name = name;
    this.#migrations = steps;
  }

  /** Why there is no database, once that is known. */
  get absent(): GloveError | undefined {
    return this.#absent;
  }

  /** Finds out whether there is a database. Anything else that is wrong with it shows in the transactions. */
  async isThere(): Promise<boolean> {
    if (!this.#pendingOpen?.givenUp) await this.#open().catch(() => {});
    return !this.#absent;
  }

  /**
   * Does some work in one transaction: all of it is stored, or nothing. A connection that died is opened again, once, so
   * `work` may be called twice.
   */
  async run<T>(
    names: readonly StoreName[],
    durability: Durability | "readonly",
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const attempt = () => this.#once(names, durability, work);
    try {
      return await attempt().catch((error: unknown) => {
        if (isDead(error)) return attempt();
        throw error;
      });
    } catch (error) {
      throw typed(error);
    }
  }

  /** Lets go of the database; it is opened again when needed. */
  close(): void {
    this.#pendingOpen?.database.then(
      (database) => database.close(),
      () => {},
    );
    this.#pendingOpen = undefined;
  }

  async #once<T>(
    names: readonly StoreName[],
    durability: Durability | "readonly",
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const database = this.#open();
    const pendingOpen = this.#pendingOpen;
    try {
      return await settled(begin(await database, names, durability), work);
    } catch (error) {
      // A dead connection that is kept would fail for ever, and so may a silent one. One that was opened since has not failed.
      if ((isDead(error) || isSilent(error)) && this.#pendingOpen === pendingOpen) this.close();
      throw error;
    }
  }

  /** All wait for one opening, and not much longer than its limit: it is begun once, and one that comes late is as good. */
  #open(): Promise<IDBDatabase> {
    if (this.#pendingOpen) return this.#pendingOpen.inTime();
    const pendingOpen = open(this.#name, this.#migrations);
    this.#pendingOpen = pendingOpen;
    pendingOpen.database.then(
      (database) => {
        this.#found = true;
        const gone = () => {
          database.close();
          if (this.#pendingOpen === pendingOpen) this.#pendingOpen = undefined;
        };
        database.onversionchange = ({ newVersion }) => giveWay(newVersion, this.newer, gone);
        database.onclose = gone;
        if (pendingOpen.givenUp) this.late();
      },
      (error: unknown) => {
        if (this.#pendingOpen === pendingOpen) this.#pendingOpen = undefined;
        // It was lost unheard, and a newer version was faster.
        if (isNewer(error)) void this.newer();
        if (isAbsent(error) && !this.#found) this.#absent = new GloveError("STORAGE_MEMORY", absence, { cause: error });
      },
    );
    return pendingOpen.inTime();
  }
}

/** A database that is being opened, for as long as that takes and for as long as anybody waits. */
interface PendingOpen {
  readonly database: Promise<IDBDatabase>;
  readonly givenUp: boolean;
  inTime(): Promise<IDBDatabase>;
}

const opensNot =
  "The browser does not open the database. Another tab may hold it: close or reload that tab, or reload this page.";
const absence = "This browser allows no database here, so sessions are kept in memory and lost when the page closes.";

function open(name: string, steps: readonly Migration[]): PendingOpen {
  let why: GloveError | undefined;
  let giveUp = (_why: string) => {};
  const late = new Promise<never>((_, reject) => {
    giveUp = (reason) => {
      why = storeError("unavailable", reason);
      reject(why);
    };
  });
  let timer = setTimeout(giveUp, openingMs, opensNot);
  const database = new Promise<IDBDatabase>((resolve, reject) => {
    try {
      const request = indexedDB.open(name, steps.length);
      request.onupgradeneeded = ({ oldVersion }) => {
        if (request.transaction) migrate(request.result, request.transaction, oldVersion, steps);
      };
      request.onblocked = () => {
        clearTimeout(timer);
        timer = setTimeout(giveUp, blockedMs, blocked);
      };
      request.onerror = () => reject(request.error);
      request.onsuccess = () => resolve(request.result);
    } catch (error) {
      // Also when there is no `indexedDB` to call.
      reject(typeof indexedDB === "undefined" || indexedDB === null ? undefined : error);
    }
  });
  const over = () => clearTimeout(timer);
  database.then(over, over);
  const inTime = Promise.race([database, late]);
  inTime.catch(() => {});
  return {
    database,
    get givenUp() {
      return why !== undefined;
    },
    inTime: () => (why ? Promise.race([database, after(lateMs, why)]) : inTime),
  };
}

function after(ms: number, error: Error): Promise<never> {
  return new Promise((_, reject) => setTimeout(reject, ms, error));
}

function begin(database: IDBDatabase, names: readonly StoreName[], durability: Durability | "readonly"): IDBTransaction {
  try {
    return durability === "readonly"
      ? database.transaction(names, "readonly")
      : database.transaction(names, "readwrite", { durability });
  } catch (error) {
    // A connection that is being closed.
    if (error instanceof DOMException && error.name === "InvalidStateError")
      throw new DOMException(error.message, "UnknownError");
    throw error;
  }
}

/** A transaction that is not over. */
interface Waiting {
  patience: number;
  giveUp(): void;
}

const allWaiting = new Set<Waiting>();
let clock: ReturnType<typeof setInterval> | undefined;

/** One clock for all: a timer for each costs a twentieth of a stored step. It stops when nothing has waited for a while. */
function wait(waiting: Waiting): void {
  allWaiting.add(waiting);
  clock ??= inBackground(setInterval(tick, tickMs));
}

function tick(): void {
  if (allWaiting.size === 0) {
    clearInterval(clock);
    clock = undefined;
  }
  for (const waiting of allWaiting) {
    if (--waiting.patience > 0) continue;
    allWaiting.delete(waiting);
    waiting.giveUp();
  }
}

function settled<T>(transaction: IDBTransaction, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let failure: unknown;
    let ended = false;
    let result: { readonly value: T } | undefined;
    const waiting: Waiting = {
      patience,
      giveUp() {
        reject(new DOMException("The database did not respond.", "TimeoutError"));
        tryTo(() => transaction.abort());
      },
    };
    wait(waiting);
    const settle = () => {
      if (!ended || !(result || failure)) return;
      allWaiting.delete(waiting);
      if (result) resolve(result.value);
      else reject(failure);
    };
    transaction.oncomplete = () => {
      ended = true;
      settle();
    };
    transaction.onabort = () => {
      allWaiting.delete(waiting);
      // What the abort took with it says nothing; a quota shows here only.
      const own = isAftermath(failure) ? undefined : failure;
      reject(own ?? transaction.error ?? new DOMException("The browser stopped the write.", "AbortError"));
    };
    const ask = <R>(request: IDBRequest<R>, right: (answer: R) => boolean = () => true) =>
      new Promise<R>((answer, refuse) => {
        request.onsuccess = () => {
          waiting.patience = patience;
          if (!right(request.result)) transaction.abort();
          answer(request.result);
        };
        request.onerror = () => refuse(request.error ?? new DOMException("A request failed.", "AbortError"));
      });
    work({ store: (name) => transaction.objectStore(name), ask }).then(
      (value) => {
        result = { value };
        // Without it the browser waits whether more comes.
        tryTo(() => transaction.commit());
        settle();
      },
      (error: unknown) => {
        failure = error ?? new DOMException("A request failed.", "AbortError");
        tryTo(() => transaction.abort());
        settle();
      },
    );
  });
}

/** For what throws only because the transaction is over. */
function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // Its events tell.
  }
}

// Who may run the task of a workspace: one runner in all tabs of an origin, by a Web Lock, which ends with its page.

/** A page that is being reloaded or closed keeps its lock for a moment. */
const patience = 1_500;

/** Where there are no locks, as in Node: the runners of this process. */
const held = new Set<string>();

/** A frame without an origin has them, and every use of them is refused. */
async function locksHere(): Promise<LockManager | undefined> {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  return locks?.query().then(
    () => locks,
    () => undefined,
  );
}

const idOf = (name: string) => `glove-task:${name}`;

/** One after the other, in all tabs of an origin: whoever comes second sees what the first has written. */
export async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const id = `glove-task-decision:${name}`;
  const locks = await locksHere();
  if (locks) {
    const signal = AbortSignal.timeout(patience);
    let begun = false;
    const begin = () => {
      begun = true;
      return work();
    };
    // A tab that hangs inside the lock does not block the others.
    return locks.request(id, { signal }, begin).catch((error: unknown) => {
      if (begun || !signal.aborted) throw error;
      return work();
    });
  }
  const before = turns.get(id);
  const turn = (before ?? Promise.resolve()).then(work, work);
  turns.set(id, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(id) === turn) turns.delete(id);
  }
}

/** Where there are no locks. */
const turns = new Map<string, Promise<unknown>>();

/** Whether somebody has it. */
export async function isLeased(name: string): Promise<boolean> {
  const locks = await locksHere();
  if (!locks) return held.has(idOf(name));
  return (await locks.query()).held?.some((lock) => lock.name === idOf(name)) ?? false;
}

export async function leaseOf(name: string): Promise<(() => void) | undefined> {
  const locks = await locksHere();
  const id = idOf(name);
  if (!locks) {
    if (held.has(id)) return undefined;
    held.add(id);
    return () => void held.delete(id);
  }
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(patience);
    const lock = locks.request(id, { signal }, () => new Promise<void>((release) => resolve(release)));
    lock.catch((error: unknown) => (signal.aborted ? resolve(undefined) : reject(error)));
  });
}

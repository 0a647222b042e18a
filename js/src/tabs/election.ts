// Which of the tabs runs a session: the one that holds its lock; without locks, the one that holds its lease.
import { generateId } from "../values/ids.js";

export interface Candidate {
  /** It runs the session from now on. */
  granted(): void;
  /** It does not any more. */
  lost(): void;
}

/** Keeps a session for a tab for some time; false when another tab has it, unless it is taken away. A time of 0 gives it back. */
export type Lease = (holder: string, ms: number, takesAway?: boolean) => Promise<boolean>;

/** Stands for leader until the returned function is called, which also gives up the leadership. With `takesAway` it does not wait for its turn. */
export function stand(name: string, lease: Lease | undefined, candidate: Candidate, takesAway: boolean): () => void {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  if (locks) return byLock(locks, name, candidate, takesAway);
  return lease ? byLease(lease, candidate, takesAway) : () => {};
}

function byLock(locks: LockManager, name: string, { granted, lost }: Candidate, steal: boolean): () => void {
  const stop = new AbortController();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const grant = () => {
    if (stop.signal.aborted) return;
    granted();
    return held;
  };
  // It is refused when it is given up, and when somebody has stolen it.
  locks.request(name, steal ? { steal } : { signal: stop.signal }, grant).catch(() => stop.signal.aborted || lost());
  return () => {
    stop.abort();
    release();
  };
}

/** Longer than the minute after which browsers let a timer of a hidden page run. Who leaves in good order gives it back. */
const leaseMs = 70_000;
const turnMs = 2_000;

function byLease(lease: Lease, { granted, lost }: Candidate, takesAway: boolean): () => void {
  const holder = generateId();
  let holds = false;
  let over = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveBack = () => void lease(holder, 0).catch(() => {});
  const turn = async (takesAway = false) => {
    // A database that fails gives nothing to anybody.
    const mine = await lease(holder, leaseMs, takesAway).catch(() => false);
    if (over) {
      if (mine) giveBack();
      return;
    }
    timer = setTimeout(() => void turn(), turnMs);
    if (mine === holds) return;
    holds = mine;
    if (mine) granted();
    else lost();
  };
  void turn(takesAway);
  return () => {
    over = true;
    clearTimeout(timer);
    if (holds) giveBack();
  };
}

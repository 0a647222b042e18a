// Which agents are at work for a page, where the page after it, or another tab, finds it: what an agent does itself is not asked for twice in silence.

const key = (url: string, thread: string) => `glove:ag-ui:${JSON.stringify([url, thread])}`;

/** Where a browser keeps nothing, or elsewhere than in a browser, it is known as long as the program runs. */
const own = new Map<string, string>();

/** Whatever it is asked next. */
const anything = "*";

/** Nothing where there is none, it is full, or a policy forbids it. */
function inStorage<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return globalThis.localStorage && work(globalThis.localStorage);
  } catch {
    return undefined;
  }
}

export const underWay = {
  /** Whether the agent was asked just this, and what came of it is not known. `asked` is the last message. */
  has(url: string, thread: string, asked: string): boolean {
    const noted = inStorage((storage) => storage.getItem(key(url, thread))) ?? own.get(key(url, thread));
    return noted === asked || noted === anything;
  },
  begin(url: string, thread: string, asked: string = anything): void {
    own.set(key(url, thread), asked);
    inStorage((storage) => storage.setItem(key(url, thread), asked));
  },
  end(url: string, thread: string): void {
    own.delete(key(url, thread));
    inStorage((storage) => storage.removeItem(key(url, thread)));
  },
};

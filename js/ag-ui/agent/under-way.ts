// Which agents are at work for a page, where the page after it, or another tab, finds it: what an agent does itself is not asked for twice in silence.

const key = (url: string, thread: string) => `glove:ag-ui:${JSON.stringify([url, thread])}`;

/** Where a browser keeps nothing, or elsewhere than in a browser, it is known as long as the program runs. */
const own = new Set<string>();

function storage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

export const underWay = {
  has: (url: string, thread: string): boolean => own.has(key(url, thread)) || !!storage()?.getItem(key(url, thread)),
  begin(url: string, thread: string): void {
    own.add(key(url, thread));
    try {
      storage()?.setItem(key(url, thread), "1");
    } catch {
      // It is full.
    }
  },
  end(url: string, thread: string): void {
    own.delete(key(url, thread));
    storage()?.removeItem(key(url, thread));
  },
};

// The title of a fork: that of its source, and a number, as no two of them are called the same.
import type { SessionCatalog } from "../store/sessions.js";
import { withinTime } from "../timing/time-limit.js";

/** A fork waits no longer than this for the list of a slow server. */
const patienceMs = 2_000;

/** A year in brackets is a part of the title. */
const numbered = /^(.*?)(?: \((\d{1,3})\))?$/s;

/** The fork is there whether it can be named or not. */
export async function nameFork(catalog: () => SessionCatalog, from: string, to: string): Promise<void> {
  try {
    await withinTime(patienceMs, new AbortController().signal, async (signal) => {
      const sessions = catalog();
      const all = await sessions.list();
      const base = numbered.exec(all.find(({ id }) => id === from)?.title ?? "")?.[1];
      if (!base || signal.aborted) return;
      let last = 1;
      for (const { title } of all) {
        const [, name, number = 1] = numbered.exec(title) ?? [];
        if (name === base) last = Math.max(last, Number(number));
      }
      await sessions.rename(to, `${base} (${last + 1})`);
    });
  } catch {
    // It has the title that its first message gives it.
  }
}

// One session for several clients of a process, as tabs have it: each gets a store of its own over the same messages.
import { GloveError, MemoryStore, type SentRequest, type StoreAdapter } from "glove-wasm";

export function sharedSession(id: string): () => StoreAdapter {
  const memory = new MemoryStore(id);
  const name = `test:${id}:${Math.random()}`;
  let claimed: unknown;
  let written = 0;
  const sent = new Map<string, SentRequest>();
  let leased: { holder: string; until: number } | undefined;
  return () => {
    let claim: unknown;
    let read: [claimed: unknown, written: number] = [undefined, 0];
    const refuse = () => {
      throw new GloveError("STORE_CONFLICT", "superseded");
    };
    // What this store checks, it checks in the methods for objects.
    const without = ["constructor", "appendStepText", "readRunText"];
    const methods = Object.getOwnPropertyNames(MemoryStore.prototype).filter((method) => !without.includes(method));
    const bound = methods.map((method) => [method, (memory[method as keyof MemoryStore] as () => unknown).bind(memory)]);
    const store = { identifier: id, ...Object.fromEntries(bound) } as StoreAdapter;
    return {
      ...store,
      shared: async () => name,
      claim: async () => {
        if (read[0] !== claimed || read[1] !== written) refuse();
        claim = claimed = {};
      },
      readRun: async () => {
        read = [claimed, written];
        return memory.readRun();
      },
      appendStep: async (step) => {
        if (claim && claim !== claimed) refuse();
        written++;
        await memory.appendStep(step);
        for (const record of step.records as ({ input?: { request?: { id: string } } } | null)[])
          sent.delete(record?.input?.request?.id ?? "");
      },
      keepSent: async (message) => void sent.set(message.id, message),
      dropSent: async (id) => void sent.delete(id),
      listSent: async () => [...sent.values()].sort((a, b) => a.at - b.at),
      holds: async () => claim === undefined || claim === claimed,
      lease: async (holder, ms, takesAway) => {
        if (leased && leased.holder !== holder && !takesAway && leased.until > Date.now()) return false;
        leased = ms > 0 ? { holder, until: Date.now() + ms } : undefined;
        return true;
      },
    };
  };
}

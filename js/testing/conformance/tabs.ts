// Conformance: stores that tabs share.
import type { StoreAdapter } from "../../src/exports.js";
import { append, type Case, conflicts, equal, holds, message, runOf, step } from "./kit.js";

async function claim(store: StoreAdapter): Promise<void> {
  await runOf(store);
  await store.claim?.();
}

const claims: readonly Case[] = [
  {
    name: "stores of one session have one name for tabs, and stores of two have two",
    needs: ["shared"],
    async run(store, { make, reopen }) {
      const name = await store.shared?.();
      equal(await (await reopen(store)).shared?.(), name, "name after a reload");
      const other = await (await make()).shared?.();
      holds(name === undefined || other !== name, "another session has another name");
    },
  },
  {
    name: "a claim refuses writes of the one before, also in its place",
    needs: ["claim", "appendStep"],
    async run(store, { reopen }) {
      await claim(store);
      await append(store, step(1, 0, { messages: [message("a")] }));
      const next = await reopen(store);
      if (next === store) return;
      await claim(next);
      await conflicts(append(store, step(2, 1, { messages: [message("late")] })), "a write of the one before");
      await append(next, step(2, 1, { messages: [message("b")] }));
      await conflicts(append(store, step(3, 2)), "a later write");
      equal(await next.getMessages(), [message("a"), message("b")], "messages");
    },
  },
  {
    name: "a claim takes what was stored as it is",
    needs: ["claim", "appendStep"],
    async run(store, { reopen }) {
      await append(store, step(1, 0, { messages: [message("a")] }), step(2, 1));
      const before = await runOf(store);
      const next = await reopen(store);
      await claim(next);
      equal(await runOf(next), before, "run");
    },
  },
  {
    name: "reading alone claims nothing",
    needs: ["claim", "appendStep"],
    async run(store, { reopen }) {
      await claim(store);
      await append(store, step(1, 0, { messages: [message("a")] }));
      const next = await reopen(store);
      if (next === store) return;
      await runOf(next);
      equal((await store.holds?.()) ?? true, true, "the claim is the last one");
      await append(store, step(2, 1, { messages: [message("b")] }));
      equal(await next.getMessages(), [message("a"), message("b")], "messages");
    },
  },
  {
    name: "what was written or claimed since it was read is not claimed unread",
    needs: ["claim", "appendStep"],
    async run(store, { reopen }) {
      await claim(store);
      await append(store, step(1, 0, { messages: [message("a")] }));
      const next = await reopen(store);
      if (next === store) return;
      await runOf(next);
      await append(store, step(2, 1, { messages: [message("b")] }));
      await conflicts(next.claim?.(), "a claim of what another one has written to");
      await append(store, step(3, 2, { messages: [message("c")] }));
      await runOf(store);
      await claim(next);
      await conflicts(store.claim?.(), "a claim of what another one has claimed");
    },
  },
];

const leases: readonly Case[] = [
  {
    name: "one holder has the lease, until it gives it back or its time is over",
    needs: ["lease"],
    async run(store, { reopen }) {
      const other = await reopen(store);
      equal(await store.lease?.("a", 60_000), true, "the first");
      equal(await other.lease?.("b", 60_000), false, "another one meanwhile");
      equal(await store.lease?.("a", 60_000), true, "the first again");
      await store.lease?.("a", 0);
      equal(await other.lease?.("b", 1), true, "another one after it was given back");
      await new Promise((resolve) => setTimeout(resolve, 20));
      equal(await store.lease?.("a", 60_000), true, "the first when the time of the other is over");
    },
  },
];

export const tabCases: readonly Case[] = [...claims, ...leases];

// Conformance: the store as a session uses it.
import type { StoreAdapter } from "../../src/exports.js";
import { bridgeStore } from "../../src/store/bridge.js";
import { Limits } from "../../src/store/limits.js";
import { answer, type Case, checkpoint, equal, holds, message, refusal, step } from "./kit.js";

const quiet = { tasks: () => {}, inbox: () => {}, failed: () => {} };

function host(store: StoreAdapter, style: "object" | "number" = "object") {
  return bridgeStore(store, style, quiet, new Limits(), async () => {}).host;
}

const usage = { tokens_in: 10, tokens_out: 5 };
const turns = [
  step(1, 0, { messages: [message("Hi")], checkpoint: checkpoint(1, 1, "turn") }),
  step(2, 1, { messages: [answer("Hello", { usage })], checkpoint: checkpoint(2, 2) }),
  step(3, 2, { messages: [message("summary", { is_compaction: true })], checkpoint: checkpoint(3, 3) }),
];

export function sessionCases(style: "object" | "number" | "both"): readonly Case[] {
  const styles = style === "both" ? (["object", "number"] as const) : [style];
  return [
    ...styles.map(
      (style): Case => ({
        name: `a session writes its steps and counts its answers (tokens as ${style})`,
        async run(store, { reopen }) {
          const { append } = host(store, style);
          for (const step of turns) await append(JSON.stringify(step), true);
          equal([await store.getTurnCount(), await store.getTokenCount()], [1, 15], "turns and tokens");
          const loaded = JSON.parse(await host(await reopen(store)).load()) as { messages: { text: string }[] };
          equal(
            loaded.messages.map(({ text }) => text),
            ["Hi", "Hello", "summary"],
            "texts",
          );
        },
      }),
    ),
    {
      name: "a session never resets the history, and a summary keeps what is before it",
      async run(store) {
        let called = 0;
        store.resetHistory = async () => void called++;
        for (const step of turns) await host(store).append(JSON.stringify(step), true);
        equal([called, (await store.getMessages()).length], [0, 3], "calls of resetHistory, and messages");
      },
    },
    {
      name: "a new session loads as empty",
      async run(store) {
        const { messages, records, checkpoint } = JSON.parse(await host(store).load());
        equal([messages, records, checkpoint ?? null], [[], [], null], "what was loaded");
      },
    },
    {
      name: "the core is told of a conflict by its kind",
      needs: ["appendStep", "readRun"],
      async run(store) {
        const thrown = await refusal(host(store).append(JSON.stringify(step(1, 7)), false), "a step that does not follow");
        const { kind, message } = JSON.parse((thrown as { detail: string }).detail) as { kind: string; message: string };
        equal(kind, "conflict", "kind");
        holds(message.length > 10, "the message says what happened");
      },
    },
    {
      name: "a permission given in a session is found by the next one",
      needs: ["getPermission", "setPermission"],
      async run(store, { reopen }) {
        await host(store).setPermission("rm", undefined, true);
        equal(await host(await reopen(store)).permission("rm", undefined), "granted", "permission");
      },
    },
    {
      name: "inbox items that a session has read are not given again",
      needs: ["getInboxItems", "addInboxItem", "updateInboxItem"],
      async run(store) {
        await store.addInboxItem?.({ id: "a", status: "resolved", response: "yes" });
        await store.addInboxItem?.({ id: "b", status: "pending" });
        await host(store).consumeInbox(JSON.stringify(["a"]));
        const left = JSON.parse(await host(store).inbox()) as { id: string }[];
        equal(
          left.map(({ id }) => id),
          ["b"],
          "items left",
        );
      },
    },
  ];
}

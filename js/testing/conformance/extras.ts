// Conformance: tasks, permissions and the inbox, for stores that keep them.
import type { InboxItem, Task } from "../../src/exports.js";
import { type Case, equal, message } from "./kit.js";

const task = (id: string, status: Task["status"] = "pending"): Task => ({
  id,
  content: `do ${id}`,
  activeForm: `doing ${id}`,
  status,
});
const item = (id: string, more: Partial<InboxItem> = {}): InboxItem => ({
  id,
  tag: "order",
  request: `ask ${id}`,
  status: "pending",
  ...more,
});

const tasks: readonly Case[] = [
  { name: "a new session has no tasks", run: async (store) => equal(await store.getTasks?.(), [], "tasks") },
  {
    name: "tasks come back in order",
    async run(store, { reopen }) {
      await store.addTasks?.([task("b"), task("a", "completed"), task("c", "in_progress")]);
      const all = [task("b"), task("a", "completed"), task("c", "in_progress")];
      equal(await store.getTasks?.(), all, "tasks");
      equal(await (await reopen(store)).getTasks?.(), all, "tasks after a reload");
    },
  },
  {
    name: "a new list of tasks replaces the old one",
    async run(store) {
      await store.addTasks?.([task("a"), task("b")]);
      await store.addTasks?.([task("c")]);
      equal(await store.getTasks?.(), [task("c")], "tasks");
      await store.addTasks?.([]);
      equal(await store.getTasks?.(), [], "tasks after an empty list");
    },
  },
  {
    name: "a task is changed alone, and keeps its place and its id",
    needs: ["updateTask"],
    async run(store) {
      await store.addTasks?.([task("a"), task("b"), task("c")]);
      await store.updateTask?.("b", { status: "completed" });
      equal(await store.getTasks?.(), [task("a"), task("b", "completed"), task("c")], "tasks");
    },
  },
  {
    name: "changing a task that is not there changes nothing",
    needs: ["updateTask"],
    async run(store) {
      await store.addTasks?.([task("a")]);
      await store.updateTask?.("zzz", { status: "completed" });
      equal(await store.getTasks?.(), [task("a")], "tasks");
    },
  },
  {
    name: "tasks changed at the same time are all changed",
    needs: ["updateTask"],
    async run(store) {
      const ids = ["a", "b", "c", "d"];
      await store.addTasks?.(ids.map((id) => task(id)));
      await Promise.all(ids.map((id) => store.updateTask?.(id, { status: "completed" })));
      equal(
        (await store.getTasks?.())?.map(({ status }) => status),
        ids.map(() => "completed"),
        "statuses",
      );
    },
  },
  {
    name: "tasks are no messages",
    async run(store) {
      await store.addTasks?.([task("a")]);
      equal(await store.getMessages(), [], "messages");
    },
  },
];

const permissions: readonly Case[] = [
  {
    name: "nothing is permitted or refused at first",
    run: async (store) => equal(await store.getPermission?.("rm"), "unset", "permission"),
  },
  ...(["granted", "denied"] as const).map(
    (status): Case => ({
      name: `a permission that was ${status} is kept`,
      async run(store, { reopen }) {
        await store.setPermission?.("rm", status);
        equal(await store.getPermission?.("rm"), status, "permission");
        equal(await (await reopen(store)).getPermission?.("rm"), status, "permission after a reload");
      },
    }),
  ),
  {
    name: "a later decision replaces an earlier one, and can be taken back",
    async run(store) {
      await store.setPermission?.("rm", "denied");
      await store.setPermission?.("rm", "granted");
      equal(await store.getPermission?.("rm"), "granted", "permission");
      await store.setPermission?.("rm", "unset");
      equal(await store.getPermission?.("rm"), "unset", "permission taken back");
    },
  },
  {
    name: "a permission holds for its tool only",
    async run(store) {
      await store.setPermission?.("rm", "granted");
      for (const tool of ["r", "rmdir", "RM ", "__proto__", "constructor", "toString", ""]) {
        equal(await store.getPermission?.(tool), "unset", `permission of ${JSON.stringify(tool)}`);
      }
    },
  },
  {
    name: "what is taken back of a tool is what holds for certain arguments too, and nothing of another tool",
    async run(store, { reopen }) {
      for (const tool of ["pay", "payback"]) {
        await store.setPermission?.(tool, "granted");
        await store.setPermission?.(tool, "granted", { to: "a" });
      }
      await store.setPermission?.("pay", "unset");
      const again = await reopen(store);
      equal(await again.getPermission?.("pay", { to: "a" }), "unset", "permission for the arguments");
      equal(await again.getPermission?.("pay"), "unset", "permission for the tool");
      equal(await again.getPermission?.("payback", { to: "a" }), "granted", "permission of another tool");
    },
  },
  {
    name: "a permission for arguments holds for these arguments only",
    async run(store, { reopen }) {
      await store.setPermission?.("pay", "granted", { to: "a", cents: 1 });
      const again = await reopen(store);
      equal(await again.getPermission?.("pay", { to: "a", cents: 1 }), "granted", "permission for these arguments");
      equal(await again.getPermission?.("pay", { to: "a", cents: 2 }), "unset", "permission for other arguments");
      equal(await again.getPermission?.("pay"), "unset", "permission for the tool");
    },
  },
  {
    name: "tools with names that mean something in JavaScript have permissions like others",
    async run(store) {
      for (const tool of ["__proto__", "constructor", "hasOwnProperty"]) {
        await store.setPermission?.(tool, "granted");
        equal(await store.getPermission?.(tool), "granted", `permission of ${tool}`);
      }
    },
  },
  {
    name: "a permission holds for its session only",
    async run(store, { make }) {
      await store.setPermission?.("rm", "granted");
      equal(await (await make()).getPermission?.("rm"), "unset", "permission in another session");
    },
  },
];

const inbox: readonly Case[] = [
  { name: "a new session has an empty inbox", run: async (store) => equal(await store.getInboxItems?.(), [], "inbox") },
  {
    name: "inbox items come back in order, with all their fields",
    async run(store, { reopen }) {
      const all = [item("b", { blocking: true, created_at: 5 }), item("a", { response: null, more: { x: [1] } })];
      for (const one of all) await store.addInboxItem?.(one);
      equal(await store.getInboxItems?.(), all, "inbox");
      equal(await (await reopen(store)).getInboxItems?.(), all, "inbox after a reload");
    },
  },
  {
    name: "an inbox item is answered alone",
    async run(store) {
      await store.addInboxItem?.(item("a"));
      await store.addInboxItem?.(item("b"));
      await store.updateInboxItem?.("a", { status: "resolved", response: "yes" });
      equal(await store.getInboxItems?.(), [item("a", { status: "resolved", response: "yes" }), item("b")], "inbox");
    },
  },
  {
    name: "answered items are those that are resolved and not consumed",
    needs: ["getResolvedInboxItems"],
    async run(store) {
      for (const id of ["a", "b", "c"]) await store.addInboxItem?.(item(id));
      await store.updateInboxItem?.("a", { status: "resolved" });
      await store.updateInboxItem?.("b", { status: "consumed" });
      equal(
        (await store.getResolvedInboxItems?.())?.map(({ id }) => id),
        ["a"],
        "answered items",
      );
    },
  },
  {
    name: "changing an inbox item that is not there changes nothing",
    async run(store) {
      await store.addInboxItem?.(item("a"));
      await store.updateInboxItem?.("zzz", { status: "consumed" });
      equal(await store.getInboxItems?.(), [item("a")], "inbox");
    },
  },
  {
    name: "inbox items that come at the same time are all kept",
    async run(store) {
      const ids = Array.from({ length: 10 }, (_, at) => `i${at}`);
      await Promise.all(ids.map((id) => store.addInboxItem?.(item(id))));
      equal((await store.getInboxItems?.())?.map(({ id }) => id).sort(), ids, "ids");
    },
  },
  {
    name: "a message and an inbox item written at the same time are both kept",
    async run(store) {
      await Promise.all([store.appendMessages([message("m")]), store.addInboxItem?.(item("a"))]);
      equal([(await store.getMessages()).length, (await store.getInboxItems?.())?.length], [1, 1], "numbers");
    },
  },
];

const needing = (needs: NonNullable<Case["needs"]>, cases: readonly Case[]) =>
  cases.map((one) => ({ ...one, needs: [...needs, ...(one.needs ?? [])] }));

export const extraCases: readonly Case[] = [
  ...needing(["getTasks", "addTasks"], tasks),
  ...needing(["getPermission", "setPermission"], permissions),
  ...needing(["getInboxItems", "addInboxItem", "updateInboxItem"], inbox),
];

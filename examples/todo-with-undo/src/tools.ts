// Three tools, and how each is taken back: `undo` gets what was asked for, and what `do` gave.
import { defineTool } from "glove-wasm/react";
import { z } from "zod";
import { add, all, check, putBack, remove } from "./list";

const say = (count: number, what: string) => `${count} ${count === 1 ? "thing" : "things"} ${what}`;

export const addItems = defineTool({
  name: "add_items",
  description: "Adds things to the list.",
  inputSchema: z.object({ texts: z.array(z.string().min(1)).min(1) }),
  title: ({ texts }) => say(texts.length, "added"),
  do: ({ texts }, { idempotencyKey }) => ({ ids: add(texts, idempotencyKey) }),
  undo: (_, { ids }) => remove(ids),
});

export const checkItems = defineTool({
  name: "check_items",
  description: "Checks things that are done. The list is in the message behind all others.",
  inputSchema: z.object({ ids: z.array(z.string()).min(1) }),
  title: ({ ids }) => say(ids.length, "checked"),
  do({ ids }) {
    const changed = all().flatMap(({ id, done }) => (ids.includes(id) && !done ? [id] : []));
    check(changed, true);
    return { changed };
  },
  undo: (_, { changed }) => check(changed, false),
});

export const removeItems = defineTool({
  name: "remove_items",
  description: "Removes things from the list.",
  inputSchema: z.object({ ids: z.array(z.string()).min(1) }),
  title: ({ ids }) => say(ids.length, "removed"),
  do({ ids }) {
    const removed = all().flatMap((item, at) => (ids.includes(item.id) ? [{ at, item }] : []));
    remove(ids);
    return { removed };
  },
  undo: (_, { removed }) => putBack(removed),
});

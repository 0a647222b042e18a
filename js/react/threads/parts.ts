// `<ThreadList>` and its parts, loaded when the first of them is shown.
import { createElement, type ReactNode } from "react";
import { Loader } from "../look/loader.js";
import type { ThreadListProps } from "./thread-list.js";
import { useVisibleThreads } from "./use-visible-threads.js";

const threads = /* @__PURE__ */ new Loader(() => import("./index.js"));

/** Loads the list of threads ahead of its first render: for a server that renders to one string, and for tests. */
export async function preloadThreadList(): Promise<void> {
  await threads.load();
}

const Loaded = /* @__PURE__ */ threads.component("LoadedThreadList");

/** The list of conversations, finished; with children, the frame of your own. */
// What is loaded is given the hook: by importing it, it would bring it into pages that have no list.
export const ThreadList = (props: ThreadListProps): ReactNode => createElement(Loaded, { ...props, useVisibleThreads });
/** The messages that have the words that are searched; a function as its child draws each. */
export const ThreadListHits = /* @__PURE__ */ threads.component("ThreadListHits");
/** The threads by the day of their last change; a function as its child draws each. */
export const ThreadListItems = /* @__PURE__ */ threads.component("ThreadListItems");
/** Begins a new conversation. */
export const ThreadListNew = /* @__PURE__ */ threads.component("ThreadListNew");
/** Finds threads by words of their titles. */
export const ThreadListSearch = /* @__PURE__ */ threads.component("ThreadListSearch");
/** The way to a thread, by mouse and keyboard. */
export const ThreadListTrigger = /* @__PURE__ */ threads.component("ThreadListTrigger");
/** Says what was deleted, and brings it back. */
export const ThreadListUndo = /* @__PURE__ */ threads.component("ThreadListUndo");

// What the parts of a list of threads share: the threads, the one that is shown, and the way to another one.
import { type Context, createContext, type RefObject, useContext } from "react";
import type { GloveClient } from "../../src/session/client.js";
import type { ThreadInfo } from "../../src/threads/thread.js";
import { GloveError } from "../../src/values/error.js";
import type { Engine } from "../hooks/engine.js";
import type { UseThreadsReturn } from "./use-threads.js";

export interface ThreadListState {
  readonly list: UseThreadsReturn;
  readonly search: string;
  /** The field has had the focus: what finds words in messages is there. */
  readonly finds: boolean;
  readonly client: GloveClient | undefined;
  /** The id of the thread that is shown. */
  readonly current: string;
  /** The thread whose title is being written, or was written and is not shown yet. */
  readonly editing: { readonly id: string; readonly title?: string } | undefined;
}

/** The same as long as the list is there. */
export interface ThreadListActions {
  setSearch(text: string): void;
  /** Begins to find words in messages too. */
  find(): void;
  /** Shows a thread, and a message of it. */
  select(id: string, message?: string): void;
  /** What shows the conversation, if anything does. */
  engine(): Engine | undefined;
  /** Begins a new conversation. */
  begin(): void;
  rename(id: string, title: string): void;
  archive(id: string, archived: boolean): void;
  remove(thread: ThreadInfo): void;
  restore(thread: ThreadInfo): void;
  edit(id: string | undefined): void;
  /** The focus goes to the row of a thread, or to what takes a deletion back, once that is drawn. */
  focusLater(to: { readonly thread: string } | "undo"): void;
  /** It is put there, and not by a person. */
  readonly placing: { current: boolean };
  /** The element around all of it. */
  readonly root: RefObject<HTMLElement | null>;
}

/** The rows that can be reached, of threads and of what was found in them: those of a folded part cannot. */
export const rowsOf = ({ root }: Pick<ThreadListActions, "root">): HTMLElement[] =>
  [...(root.current?.querySelectorAll<HTMLElement>("[data-glove-thread], [data-glove-hits] li :is(button, a)") ?? [])].filter(
    (row) => !row.closest("details:not([open])"),
  );

export const StateContext: Context<ThreadListState | null> = /* @__PURE__ */ createContext<ThreadListState | null>(null);
export const ActionsContext: Context<ThreadListActions | null> = /* @__PURE__ */ createContext<ThreadListActions | null>(null);

export const useListState = (): ThreadListState => inList(useContext(StateContext));
export const useListActions = (): ThreadListActions => inList(useContext(ActionsContext));

function inList<T>(found: T | null): T {
  if (!found) throw new GloveError("CLIENT_CONFIG", "The parts of a list of threads must be inside a `<ThreadList>`.");
  return found;
}

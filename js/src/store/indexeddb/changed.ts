// Who is told that the list of sessions shows one of them differently.
import { postChange } from "../../tabs/post.js";
import { listName } from "../sessions.js";

/** What is needed of a database. */
export interface Watched {
  readonly name: string;
  readonly inMemory: boolean;
  readonly watchers: ReadonlySet<(id: string) => void>;
}

/** Every tab: in a moment, if that `canWait`. */
export function tellChanged({ name, inMemory, watchers }: Watched, id: string, canWait = false): void {
  for (const watcher of watchers) watcher(id);
  if (!inMemory) postChange(listName(name), id, canWait);
}

// A display manager as the view of a session, from its making on: what holds the session's slots comes when that is opened.

import type { DisplayManagerAdapter } from "../ports/display.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { DisplayManager, type DisplayPort } from "./manager.js";

/** `opened` returns the session's slots once they exist; `ready` opens the session. Returns a function that reports changes. */
export function bound(
  manager: DisplayManagerAdapter,
  currentPort: () => DisplayPort | undefined,
  ready: () => Promise<unknown>,
  failed: (error: unknown) => void,
): () => void {
  // One of the application's own kind is asked by the session.
  if (!(manager instanceof DisplayManager)) return () => {};
  manager.onError ??= failed;
  /** Whatever needs the session starts it. */
  const begun = <T>(act: (slots: DisplayPort) => Maybe<T>): Maybe<T> => {
    const slots = currentPort();
    return slots ? act(slots) : ready().then(() => act(currentPort() as DisplayPort));
  };
  return manager.bind({
    slots: () => currentPort()?.slots() ?? [],
    show: (slot) => begun((slots) => slots.show(slot)),
    ask: (slot, begins) => begun((slots) => slots.ask(slot, begins)),
    resolve: (id, value) => currentPort()?.resolve(id, value) ?? false,
    reject: (id, error) => currentPort()?.reject(id, error) ?? false,
    remove: (id) => currentPort()?.remove(id) ?? false,
    clear: () => currentPort()?.clear(),
  });
}

// The arguments of a call that is being written, put together from the core's patches.

import type { InputPatch } from "../wire/core-types.js";
import type { StreamingCall } from "./snapshot.js";

/** What holds other values. */
type Container = Record<string, unknown>;

/** The call as it is after these patches. What is in `fresh` is not shown yet, so it is changed in place. */
export function withPatches(call: StreamingCall, patches: readonly InputPatch[], fresh: WeakSet<object>): StreamingCall {
  let { input, at } = call;
  for (const [path, mark, value] of patches) {
    // Who came too late for the beginning waits for the next call.
    if (input === undefined && path !== "") return call;
    const whole = mark === "." || mark === "!";
    if (mark !== ".") {
      input = changed(input, path === "" ? [] : path.slice(1).split("/"), mark === "+", value, fresh);
    }
    at = !whole ? path : path === "" ? undefined : path.slice(0, path.lastIndexOf("/"));
  }
  return { ...call, input, at };
}

function changed(
  old: unknown,
  [step, ...steps]: readonly string[],
  adds: boolean,
  value: unknown,
  fresh: WeakSet<object>,
): unknown {
  if (step === undefined) {
    if (adds) return (old as string) + (value as string);
    // The patch is told to other tabs too, so what it holds stays empty.
    const container = Array.isArray(value) ? [] : value && typeof value === "object" ? {} : value;
    if (container && typeof container === "object") fresh.add(container);
    return container;
  }
  const shown = old as Container;
  const copy = (fresh.has(shown) ? shown : Array.isArray(shown) ? [...shown] : { ...shown }) as Container;
  fresh.add(copy);
  const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
  const inside = changed(Object.hasOwn(copy, key) ? copy[key] : undefined, steps, adds, value, fresh);
  // A key of this name would change what kind of object it is.
  if (key === "__proto__")
    Object.defineProperty(copy, key, { value: inside, enumerable: true, configurable: true, writable: true });
  else copy[key] = inside;
  return copy;
}

// What a surface is by now: what was shown, what its person answered, and what has changed since, as the record has it.

import { writtenAt } from "./data.js";
import type { Surface } from "./surface.js";

/** The names that models use. */
export const showTool = "show_surface";
export const updateTool = "update_surface";

/** A call of one of the two tools. */
export interface SurfaceCall {
  readonly id: string;
  readonly kind: "show" | "update";
  readonly input: unknown;
  /** The data as the person has left it. */
  readonly left?: unknown;
}

interface Shown extends Surface {
  readonly call: string;
}

/** What a person has done, as a tool gives it to the model. */
export interface SurfaceAction {
  readonly surface: string;
  readonly action: string;
  readonly context: unknown;
  /** What is in the surface by then. */
  readonly data: unknown;
}

/** Where two changes meet, the later one counts. */
export function updated(surface: Surface, input: unknown): Surface {
  const { components, data } = Object(input) as { readonly components?: unknown; readonly data?: unknown };
  const given = Array.isArray(components) ? (components as readonly { readonly id?: unknown }[]) : [];
  const there = surface.components as readonly { readonly id?: unknown }[];
  const place = new Map(given.map((one) => [one?.id, one]));
  const kept = there.map((one) => place.get(one?.id) ?? one);
  const fresh = given.filter(({ id }) => !there.some((one) => one?.id === id));
  let now = surface.data;
  for (const [path, value] of Object.entries(Object(data))) now = writtenAt(now, path.startsWith("/") ? path : `/${path}`, value);
  return { components: [...kept, ...fresh], data: now };
}

const nameOf = ({ input }: SurfaceCall) => (Object(input) as { readonly surface?: unknown }).surface;

/** The surface of this call, or the last of this name. */
export function surfaceIn(
  calls: readonly SurfaceCall[],
  which: { readonly call: string } | { readonly name: string },
): Shown | undefined {
  const at = calls.findLastIndex(
    (one) => one.kind === "show" && ("call" in which ? one.id === which.call : nameOf(one) === which.name),
  );
  const call = calls[at];
  if (!call) return undefined;
  const { components, data } = Object(call.input) as Partial<Surface>;
  let surface: Surface = { components: Array.isArray(components) ? components : [], data: call.left ?? data ?? {} };
  for (const one of calls.slice(at + 1)) {
    if (nameOf(one) !== nameOf(call)) continue;
    // Another one has its name now.
    if (one.kind === "show") break;
    try {
      surface = updated(surface, one.input);
    } catch {
      // What did not fit was refused when it was said.
    }
  }
  return { ...surface, call: call.id };
}

// A surface that a model is writing: each component is drawn once it is whole and fits its schema. Nothing can be done with it yet.

import { type ReactNode, useMemo } from "react";
import type { SlotProps } from "../react/renderers/props.js";
import type { StreamingCall } from "../src/snapshot/snapshot.js";
import { writtenAt } from "./data.js";
import { placed, type Surface } from "./surface.js";
import { PartView, type SurfaceRules, useRules } from "./surface-card.js";

/** Names what draws it. */
export type WrittenSurfaceOf = "a written call of show_surface";

const nothing = () => {};

export function WrittenSurface({ data, ...given }: SlotProps & SurfaceRules): ReactNode {
  const { input, at } = data as StreamingCall;
  const { components, data: values } = Object(input) as Partial<Surface>;
  const all = Array.isArray(components) ? components : [];
  const cut = /^\/components\/(\d+)/.exec(at ?? "")?.[1];
  const whole = cut === undefined ? all.length : Number(cut);
  const place = at?.startsWith("/data") ? at.slice("/data".length) : undefined;
  // What is whole changes no more: a letter more of the rest draws nothing anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they change with each letter.
  const surface = useMemo(
    () => ({ components: all.slice(0, whole), data: known(values, place) }),
    [whole, place, values === undefined],
  );
  const rules = useRules(surface.components, given);
  const root = useMemo(() => rules && placed(surface, rules, true).root, [surface, rules]);
  if (!rules || !root) return null;
  return (
    <fieldset data-glove-surface="" aria-busy="true" disabled style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      <PartView of={root} rules={rules} disabled act={nothing} set={nothing} written />
    </fieldset>
  );
}

/** Without the value that is being written. */
function known(data: unknown, place: string | undefined): unknown {
  if (place === undefined) return data;
  try {
    return place === "" ? data : writtenAt(data, place, undefined);
  } catch {
    return undefined;
  }
}

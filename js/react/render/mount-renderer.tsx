// Mounts a render function of the application as a component of its own, whatever the way it was written.
import { type ComponentType, createElement, type FunctionComponent, type ReactElement, type ReactNode } from "react";
import { check } from "../../src/values/validate-options.js";
import { Boundary, type Guard } from "./boundary.js";

/** A component, or a function that is called like one. */
export type Renderer<P> = ComponentType<P> | ((props: P) => ReactNode);

/**
 * A function written inside a component is a new one each time that component renders. Mounted as it is, it would lose its
 * state each time; called as it is, its hooks would be those of the caller. So a component that stays calls it, and a new one
 * comes only where other code takes its place. What it throws stays in its place.
 */
export function mountRenderer<P extends object>(renderer: Renderer<P>, props: P, guard: Guard): ReactElement {
  return (
    <Boundary key={kindOf(renderer)} by={renderer} {...guard}>
      <Mounted renderer={renderer as Renderer<object>} props={props} />
    </Boundary>
  );
}

/** A part of the conversation as the application's render prop of this name draws it, or else as it is drawn here, if at all. */
export function renderPart<N extends string, P extends object>(
  given: { readonly [name in N]?: Renderer<P> | undefined },
  name: N,
  ours: FunctionComponent<P> | null,
  props: P,
  of?: unknown,
): ReactElement | null {
  const own = given[name];
  if (own && typeof own !== "object") check(`\`${name}\``, own, "work");
  return own ? mountRenderer(own, props, { name, of }) : ours && createElement(ours, props);
}

function Mounted({ renderer, props }: { renderer: Renderer<object>; props: object }): ReactNode {
  const called = typeof renderer === "function" && !renderer.prototype?.isReactComponent;
  return called ? (renderer as (props: object) => ReactNode)(props) : createElement(renderer as ComponentType<object>, props);
}

const kinds = new WeakMap<object, number>();
const sources = new Map<string, number>();
let count = 0;

// Functions with the same text come from the same place and use the same hooks. What wraps others says their text (`defineTool`); a
// bound function has a text that says nothing, but its name; what a factory makes may have a `displayName`, as React's wrappers do.
function kindOf(renderer: object): number {
  const known = kinds.get(renderer);
  if (known !== undefined) return known;
  const source =
    typeof renderer === "function" ? `${(renderer as FunctionComponent).displayName ?? renderer.name} ${renderer}` : undefined;
  const kind = (source === undefined ? undefined : sources.get(source)) ?? count++;
  if (source !== undefined) sources.set(source, kind);
  kinds.set(renderer, kind);
  return kind;
}

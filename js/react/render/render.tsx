// `<Render>`: a conversation as a finished chat. What draws it is loaded when it is first shown.
import { type ComponentType, createElement, type ReactNode, Suspense } from "react";
import { Boundary } from "./boundary.js";
import type { RenderProps } from "./types.js";

/** Draws a conversation: messages, tools with their components, questions, and the input. */
export function Render(props: RenderProps): ReactNode {
  return (
    <Boundary name="Render" by={Render}>
      <Suspense fallback={null}>
        <Loaded {...props} />
      </Suspense>
    </Boundary>
  );
}

let view: ComponentType<RenderProps> | undefined;
let loading: Promise<void> | undefined;
let failure: { readonly error: unknown } | undefined;

/** Loads what `<Render>` draws with, ahead of its first render: for a server that renders to one string, and for tests. */
export function preloadRender(): Promise<void> {
  loading ??= import("../look/view.js").then(
    (module) => {
      view = module.View;
    },
    (error) => {
      loading = undefined;
      failure = { error };
    },
  );
  return loading;
}

function Loaded(props: RenderProps): ReactNode {
  if (view) return createElement(view, props);
  if (failure) {
    // Whoever tries again loads again; React itself tries for a second time at once.
    setTimeout(() => {
      failure = undefined;
    }, 0);
    throw failure.error;
  }
  throw preloadRender();
}

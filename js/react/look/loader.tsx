// Components that are loaded when the first of them is shown: a page that draws its chat itself, or not yet, does without.
import { type ComponentType, createElement, type ReactNode, Suspense } from "react";
import { Boundary } from "../render/boundary.js";

/** What is loaded as one, once. */
export class Loader<M extends object> {
  readonly #load: () => Promise<M>;
  #module: M | undefined;
  #loading: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** It could not be loaded once: it stays in its boundary, so that nothing is mounted anew. */
  #failed = false;

  constructor(load: () => Promise<M>) {
    this.#load = load;
  }

  readonly load = (): Promise<void> => {
    this.#loading ??= this.#load().then(
      (module) => {
        this.#module = module;
      },
      (error) => {
        this.#loading = undefined;
        this.#failure = { error };
        this.#failed = true;
      },
    );
    return this.#loading;
  };

  /** What stands for one of its components until that is there, and then draws it. */
  component<N extends keyof M & string>(name: N): M[N] {
    const Loaded = (props: object): ReactNode => {
      if (this.#module) return createElement(this.#module[name] as ComponentType<object>, props);
      if (!this.#failure) throw this.load();
      // Whoever tries again loads again; React itself tries for a second time at once.
      setTimeout(() => {
        this.#failure = undefined;
      }, 0);
      throw this.#failure.error;
    };
    const Guarded = (props: object): ReactNode =>
      this.#failed ? (
        <Boundary name={name} by={Component}>
          <Loaded {...props} />
        </Boundary>
      ) : (
        Loaded(props)
      );
    // The same around it whether it is loaded or not: what is typed into it stays, and the HTML of a server fits.
    const Component = (props: object): ReactNode => (
      <Suspense fallback={null}>
        <Guarded {...props} />
      </Suspense>
    );
    return Object.assign(Component, { displayName: name }) as M[N];
  }
}

// Components that are loaded when the first of them is shown: a page that draws its chat itself, or not yet, does without.
import { type ComponentType, createElement, type ReactNode, Suspense } from "react";
import { Boundary } from "../render/boundary.js";

/** What is loaded as one, once. */
export class Loader<M extends object> {
  readonly #load: () => Promise<M>;
  #module: M | undefined;
  #loading: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

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
      },
    );
    return this.#loading;
  };

  /** What stands for one of its components until that is there, and then draws it. */
  component<N extends keyof M & string>(name: N): M[N] {
    const Later = (props: object): ReactNode => {
      if (this.#module) return createElement(this.#module[name] as ComponentType<object>, props);
      if (!this.#failure) throw this.load();
      // Whoever tries again loads again; React itself tries for a second time at once.
      setTimeout(() => {
        this.#failure = undefined;
      }, 0);
      throw this.#failure.error;
    };
    const Component = (props: object): ReactNode => {
      if (this.#module) return createElement(this.#module[name] as ComponentType<object>, props);
      return (
        <Boundary name={name} by={Component}>
          <Suspense fallback={null}>
            <Later {...props} />
          </Suspense>
        </Boundary>
      );
    };
    return Object.assign(Component, { displayName: name }) as M[N];
  }
}

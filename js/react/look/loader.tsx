// Components that are loaded when the first of them is shown: a page that draws its chat itself, or not yet, does without.
import { type ComponentType, createElement, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { Boundary } from "../render/boundary.js";

/** What is loaded as one, once. */
export class Loader<M extends object> {
  readonly #load: () => Promise<M>;
  #module: M | undefined;
  #loading: Promise<M | undefined> | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** It could not be loaded once: it stays in its boundary, so that nothing is mounted anew. */
  #failed = false;
  /** A component waits for it. */
  #drawn = false;

  /** `patient`: a page can do without it, so while there is no network nothing stands in its place, and it comes when that is back. */
  constructor(load: () => Promise<M>, patient = false) {
    this.#load = patient ? () => load().catch((error) => (navigator.onLine ? Promise.reject(error) : online().then(load))) : load;
  }

  readonly load = (): Promise<M | undefined> => {
    this.#loading ??= this.#load().then(
      (module) => {
        this.#module = module;
        return module;
      },
      (error) => {
        this.#loading = undefined;
        // What was loaded ahead is loaded again when it is drawn.
        if (this.#drawn) this.#failure = { error };
        this.#failed ||= this.#drawn;
        this.#drawn = false;
        return undefined;
      },
    );
    return this.#loading;
  };

  /** What stands for one of its components until that is there, and then draws it. */
  component<N extends keyof M & string>(name: N): M[N] {
    const Loaded = (props: object): ReactNode => {
      if (this.#module) return createElement(this.#module[name] as ComponentType<object>, props);
      if (!this.#failure) {
        this.#drawn = true;
        throw this.load();
      }
      // Whoever tries again loads again; React itself tries for a second time at once.
      setTimeout(() => {
        this.#failure = undefined;
      }, 0);
      throw this.#failure.error;
    };
    const Guarded = ({ childProps, mounted }: { childProps: object; mounted?: () => void }): ReactNode => {
      useEffect(() => mounted?.(), [mounted]);
      if (!this.#failed) return Loaded(childProps);
      return (
        <Boundary name={name} by={Component}>
          <Loaded {...childProps} />
        </Boundary>
      );
    };
    // The same around it whether it is loaded or not: what is typed into it stays, and the HTML of a server fits.
    const Component = (childProps: object): ReactNode => {
      const hydrates = useSyncExternalStore(never, no, yes);
      const [mounted, setMounted] = useState(!hydrates);
      const [first] = useState(
        () =>
          hydrates && (
            <Suspense fallback={null}>
              <Guarded childProps={childProps} mounted={() => setMounted(true)} />
            </Suspense>
          ),
      );
      // The HTML of a server is taken over with what it was drawn from: React 18 throws it away when that changes before.
      if (!mounted) return first;
      return (
        <Suspense fallback={null}>
          <Guarded childProps={childProps} />
        </Suspense>
      );
    };
    return Object.assign(Component, { displayName: name }) as M[N];
  }
}

const online = () => new Promise<unknown>((back) => addEventListener("online", back, { once: true }));
const never = () => () => {};
const no = () => false;
const yes = () => true;

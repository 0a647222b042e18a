// How the core reaches a model by itself, without asking the page for each call.

import type { ModelAdapter } from "../ports/model.js";
import type { Fetch } from "../relay/http.js";
import type { HttpModelOptions } from "../wire/core-types.js";

/** How the core reaches a model by itself. A model that has it is not asked through `prompt`. */
export interface Transport {
  readonly options: { readonly http: HttpModelOptions };
  readonly fetch: Fetch | undefined;
  /** What is sent is the core's body as it is, so that the page may send it before the core is there. */
  readonly early?: true;
  /** How the same is asked without this page; not where the application gave a `fetch`. */
  readonly reach?: (() => Promise<Reach>) | undefined;
  /** The same where nothing of the application is to be asked for it. */
  readonly known?: (() => Reach) | undefined;
}

export interface Reach {
  readonly headers: Readonly<Record<string, string>>;
  readonly redirect: RequestRedirect;
}

const transports = new WeakMap<ModelAdapter, Transport>();

export function transportOf(model: ModelAdapter): Transport | undefined {
  return transports.get(model);
}

export function withTransport<M extends ModelAdapter>(model: M, transport: Transport): M {
  transports.set(model, transport);
  return model;
}

// What the page does for the core: tools, models, HTTP and the store. It is stopped when the core has trapped.

import { type Reach, transportOf } from "../models/transport.js";
import type { StoreAdapter } from "../ports/store.js";
import { hostFetch } from "../relay/http.js";
import { bridgeStore, forCore, type StoreChanges } from "../store/bridge.js";
import { asError, codeOf } from "../values/error.js";
import { controllerOf } from "../wasm/controllers.js";
import type { HostPrompt, SessionHost } from "../wasm/core-api.js";
import type { SessionOptions } from "../wire/core-types.js";
import type { Task } from "../wire/record.js";
import type { CoreEvents } from "./events.js";
import type { Fence } from "./fence.js";
import type { OpenSession } from "./open-session.js";

/** What a core in a worker is made with, beside its host. */
export interface WorkerParts {
  readonly store: StoreAdapter;
  readonly style: "object" | "number" | undefined;
  readonly claim: () => Promise<void>;
  /** What becomes of what is written beside the conversation. */
  readonly changes: StoreChanges;
  readonly page: OpenSession;
  /** How a request to the model is made without the page; nothing where only that can make it. */
  reach(url: string): Promise<RequestTarget> | undefined;
  /** JSON of an `Ahead`. */
  ahead(): string;
}

/** How a request is made, and the address that it goes to. */
export interface RequestTarget extends Reach {
  readonly url: string;
}

/** What a worker need not ask before it calls the model. */
export interface RequestHints {
  /** There is something to do before that, which the page is asked for. */
  readonly prepares: boolean;
  /** How the model at `of` is reached. */
  readonly reach?: (RequestTarget & { readonly of: string }) | undefined;
}

export type CoreHost = ReturnType<typeof createCoreHost>;

export function createCoreHost(page: OpenSession, fence: Fence, events: CoreEvents) {
  /** What runs; the signals of a core that has trapped fire no more. */
  const running = new Set<AbortController>();
  /** How often a model of the page was called. */
  let calls = 0;

  /** A signal for work of the page, and what is called when that is over. */
  const signalOf = (signal: AbortSignal): [AbortSignal, () => void] => {
    const controller = new AbortController();
    const over = () => void running.delete(controller);
    const stop = () => {
      over();
      controller.abort(signal.reason);
    };
    running.add(controller);
    // The core makes one for each work, and it goes with it.
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    return [controller.signal, over];
  };

  /** For a core that is started. `claim` comes ahead of all that it writes. */
  const open = (
    claim: () => Promise<void>,
  ): { readonly keeps: NonNullable<SessionOptions["keeps"]>; readonly host: SessionHost; readonly workerParts: WorkerParts } => {
    const { parts, tools, snapshots, models, subscribers, limits } = page;
    const { store, tokenCounterStyle } = parts;
    const changes = {
      tasks: (tasks: readonly Task[]) => snapshots.set({ tasks }),
      inbox: (inbox: readonly unknown[]) => snapshots.set({ inbox }),
      failed: (error: unknown) => {
        const isWrong = codeOf(asError(error)) === "TOKEN_COUNT_WRONG";
        subscribers.report(isWrong ? "TOKEN_COUNT_WRONG" : "STORE_FAILED", error);
      },
    };
    const bridge = bridgeStore(store, tokenCounterStyle, changes, limits, claim);
    const within = <T>(signal: AbortSignal, work: (inside: AbortSignal) => Promise<T>) => {
      // Another one beside the core's own would cost more than all else that is done here for a call.
      const own = controllerOf(signal);
      if (own) running.add(own);
      const [inside, over] = own ? [signal, () => void running.delete(own)] : signalOf(signal);
      return work(inside).finally(over);
    };
    const host = quietly({
      events: (batch) => events.take(batch),
      permissionOf: (callId, tool, input, validated) => tools.permissionOf(callId, tool, input, validated),
      approval: (callId, tool, input, validated) => tools.approval(callId, tool, input, validated),
      run: (callId, tool, input, validated, signal, key, judged) =>
        within(signal, (inside) => tools.run(callId, tool, input, validated, inside, key, judged)),
      undo: (callId, tool, input, validated, signal) =>
        within(signal, (inside) => tools.undo(callId, tool, input, validated, inside)),
      prepare: () => page.prepare(),
      prompt: (request: HostPrompt, delta, signal) => {
        events.modelInPage = true;
        const call = request.purpose === "turn" ? ++calls : undefined;
        if (call !== undefined) snapshots.apply({ kind: "modelCalled", call });
        const over = () => call !== undefined && snapshots.apply({ kind: "failed", call });
        return within(signal, (inside) => {
          inside.addEventListener("abort", over, { once: true });
          const prompted = models.prompt(request, delta, inside, call);
          prompted.catch(over);
          return prompted;
        });
      },
      fetch: async (url, headers, body, signal) => {
        events.modelInPage = false;
        const [inside, over] = signalOf(signal);
        const transport = transportOf(page.config().model);
        const early = page.page.taken(transport, url, headers, body);
        const response = await hostFetch(early ?? transport?.fetch, url, headers, body, inside);
        // What is not read, the core stops.
        return { ...response, read: (push) => response.read(push).finally(over) };
      },
      ...bridge.host,
      confirm: () =>
        fence.pass()?.catch((thrown: unknown) => {
          throw forCore(thrown);
        }),
      append: async (...step) => {
        const began = performance.now();
        await bridge.host.append(...step);
        fence.certain(began);
      },
    });
    const here = (url: string) => new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href).href;
    const reach = (url: string) => {
      events.modelInPage = false;
      return transportOf(page.config().model)
        ?.reach?.()
        .then((how) => ({ ...how, url: here(url) }));
    };
    const ahead = () => {
      const { prepares } = page;
      const { known, options } = transportOf(page.config().model) ?? {};
      const of = options?.http.url ?? "";
      try {
        return JSON.stringify({ prepares, reach: known && { ...known(), of, url: here(of) } } satisfies RequestHints);
      } catch {
        // An error in `known()` is reported by the request that uses it.
        return JSON.stringify({ prepares } satisfies RequestHints);
      }
    };
    const workerParts: WorkerParts = { store: page.place, style: tokenCounterStyle, claim, changes, page, reach, ahead };
    return { keeps: bridge.keeps, host, workerParts };
  };

  /** Stops all that runs. */
  const stop = (): void => {
    for (const controller of running) controller.abort();
    running.clear();
  };

  return { open, stop };
}

/** The core may have let go of something before it listens to what comes of it. */
function quietly(host: SessionHost): SessionHost {
  const quiet =
    <A extends unknown[]>(work: (...args: A) => unknown) =>
    (...args: A) => {
      const result = work(...args);
      if (result instanceof Promise) result.catch(() => {});
      return result;
    };
  return Object.fromEntries(Object.entries(host).map(([name, work]) => [name, quiet(work)])) as unknown as SessionHost;
}

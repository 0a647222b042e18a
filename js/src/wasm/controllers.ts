// The controllers of the core's signals: one that has trapped aborts none of them any more, so the page does.

const controllers = new WeakMap<AbortSignal, AbortController>();

export function newController(): AbortController {
  const controller = new AbortController();
  controllers.set(controller.signal, controller);
  return controller;
}

/** What aborts a signal that the core made; nothing for one from elsewhere. */
export function controllerOf(signal: AbortSignal): AbortController | undefined {
  return controllers.get(signal);
}

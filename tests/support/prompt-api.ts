// A stand-in for the browser's Prompt API, for pages: no engine runs where there is no hardware for one. It keeps the rules of
// its specification that callers meet: who may speak when, what is refused, what aborting and destroying do, what fills.

/** Runs in a page, ahead of everything else: `api.script` answers, `api.log` tells what was asked. */
export const promptApi = `
  globalThis.api = { availability: "available", script: () => "", log: [], window: 1000, live: 0, old: false };
  const words = (input) => JSON.stringify(input).split(/[^a-z0-9]+/i).filter(Boolean).length;
  const checked = (prompts, first) => {
    for (const [at, { role, content }] of prompts.entries()) {
      if (!["system", "user", "assistant"].includes(role)) throw new TypeError("bad role");
      if (role === "system" && !(first && at === 0)) throw new TypeError("system must be first");
      if (typeof content !== "string" && !Array.isArray(content)) throw new TypeError("bad content");
      for (const part of typeof content === "string" ? [] : content) {
        if (part.type === "image" ? !(part.value instanceof Blob) : typeof part.value !== "string") throw new TypeError("bad part");
        if (part.type === "image" && role === "assistant") throw new DOMException("no media", "NotSupportedError");
      }
    }
  };
  class Session extends EventTarget {
    #used = 0; #dead = new AbortController();
    constructor(options) {
      super();
      api.live++;
      this.#used = words(options.initialPrompts ?? []);
      options.signal?.addEventListener("abort", () => this.destroy());
    }
    get used() { return this.#used; }
    async measure(input) { return words(input); }
    destroy() { if (!this.#dead.signal.aborted) { api.live--; this.#dead.abort(new DOMException("destroyed", "AbortError")); } }
    promptStreaming(prompts, options = {}) {
      api.log.push({ prompts, ...options, signal: options.signal !== undefined });
      const before = this.#used;
      const dead = this.#dead.signal;
      const start = async (controller) => {
        try {
          checked(prompts, false);
          if (options.omitResponseConstraintInput && !options.responseConstraint) throw new TypeError("nothing to omit");
          if (words(prompts) > api.window) throw new DOMException("too long", "QuotaExceededError");
          if (dead.aborted) throw new DOMException("destroyed", "InvalidStateError");
          this.#used += words(prompts);
          if (this.#used > api.window) {
            this.#used = words(prompts);
            this.dispatchEvent(new Event(api.old ? "quotaoverflow" : "contextoverflow"));
          }
          const answer = await api.script(prompts, options, this);
          for (const piece of [answer].flat()) {
            await new Promise((resolve) => setTimeout(resolve, 5));
            for (const signal of [options.signal, dead]) signal?.throwIfAborted();
            if (piece === undefined) await new Promise((_, reject) => options.signal?.addEventListener("abort", () => reject(options.signal.reason)));
            controller.enqueue(piece);
            this.#used += words(piece);
          }
          controller.close();
        } catch (error) {
          this.#used = before;
          controller.error(error);
        }
      };
      return new ReadableStream({ start });
    }
  }
  globalThis.LanguageModel = class {
    static async availability(options) { api.asked = options; return api.availability; }
    static async create(options = {}) {
      api.log.push({ create: options.initialPrompts ?? [], expectedInputs: options.expectedInputs });
      checked(options.initialPrompts ?? [], true);
      if (api.refuse) throw api.refuse;
      options.signal?.throwIfAborted();
      const monitor = new EventTarget();
      options.monitor?.(monitor);
      for (const loaded of [0, 0.5, 1]) monitor.dispatchEvent(new ProgressEvent("downloadprogress", { loaded, total: 1 }));
      const session = new Session(options);
      const names = api.old ? ["inputUsage", "inputQuota", "measureInputUsage"] : ["contextUsage", "contextWindow", "measureContextUsage"];
      Object.defineProperty(session, names[0], { get: () => session.used });
      Object.defineProperty(session, names[1], { get: () => api.window });
      session[names[2]] = (input) => session.measure(input);
      return session;
    }
  };
`;

// What no model may read: what tools show to people (widgets, bodies of files, own types, render data), and what plugins keep for
// another user. The core of each session is watched at its border, where every request passes, whatever the model is.

/** The parts of `CoreSession` that say something. */
interface Core {
  request(request: string): Promise<string>;
  setPlugins(states: string): void;
}

type Host = Record<string, ((...args: never[]) => unknown) | undefined>;
type CoreClass = new (options: string, host: Host) => Core;

/** Shorter texts stand in requests by chance. */
const least = 6;

/** Stands in the plugin states of every session that has some, as those of another user. */
export const ofAnotherUser = "kept-for-another-user";
const anotherUser = "another user of this session";

/** All texts in a JSON value. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return value.length < least ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(texts);
}

function decoded(base64: unknown): string[] {
  if (typeof base64 !== "string") return [];
  try {
    return [new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)))];
  } catch {
    return [];
  }
}

interface Shown {
  readonly type: string;
  readonly data?: unknown;
  readonly fallback?: unknown;
}

/** What of an output is for people. The name and the type of a file are told to a model. */
function shownTexts({ type, data, fallback }: Shown): string[] {
  if (type !== "file") return [...texts(data), ...texts(fallback)];
  const body = (data as { readonly data?: unknown } | null)?.data;
  return [...texts(body), ...decoded(body).flatMap(texts)];
}

class Watch {
  readonly #found: (says: string) => void;
  /** What was shown and by what. */
  readonly #shown = new Map<string, string>();
  /** What may be read: what was asked, called and returned. */
  readonly #said: string[] = [];
  #states: readonly (readonly [user: string, text: string])[] = [];
  #user = "";

  constructor(found: (says: string) => void) {
    this.#found = found;
  }

  said(text: string): void {
    this.#said.push(text);
  }

  asked(request: string): void {
    this.said(request);
    try {
      const { extra } = JSON.parse(request) as { readonly extra?: { readonly userId?: unknown } };
      this.#user = String(extra?.userId ?? "");
    } catch {
      // The core refuses it.
    }
  }

  kept(states: string): string {
    const all = JSON.parse(states) as Record<string, Record<string, unknown>>;
    for (const users of Object.values(all)) users[anotherUser] = ofAnotherUser;
    this.#states = Object.values(all).flatMap((users) =>
      Object.entries(users).flatMap(([user, state]) => texts(state).map((text) => [user, text] as const)),
    );
    return JSON.stringify(all);
  }

  returned(came: string): void {
    const { returned } = JSON.parse(came) as { readonly returned?: { result: Record<string, unknown>; outputs?: Shown[] } };
    if (!returned) {
      this.said(came);
      return;
    }
    const { renderData, ...result } = returned.result;
    this.said(JSON.stringify(result));
    for (const text of texts(renderData)) this.#shown.set(text, "render data");
    for (const output of returned.outputs ?? []) {
      for (const text of shownTexts(output)) this.#shown.set(text, `a ${output.type}`);
      this.said(JSON.stringify({ ...output, data: undefined, fallback: undefined }));
    }
  }

  /** Whatever is sent to a model. */
  sent(request: string): void {
    const reads = (text: string) => request.includes(JSON.stringify(text).slice(1, -1)) || request.includes(text);
    for (const [text, what] of this.#shown) {
      if (!reads(text)) continue;
      const inside = JSON.stringify(text).slice(1, -1);
      if (this.#said.some((said) => said.includes(inside) || said.includes(text))) continue;
      this.#found(`a model reads ${what}, which is for people: ${text.slice(0, 200)}`);
    }
    const own = this.#states.filter(([user]) => user === this.#user).map(([, text]) => text);
    for (const [user, text] of this.#states) {
      if (user === this.#user || !reads(text) || own.some((known) => known.includes(text))) continue;
      if (text !== ofAnotherUser && this.#said.some((said) => said.includes(text))) continue;
      this.#found(`a model reads what a plugin keeps for "${user}", asked by "${this.#user}": ${text.slice(0, 200)}`);
    }
  }

  host(host: Host): Host {
    const { run, prompt, fetch } = host as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    return {
      ...host,
      ...(run && {
        run: async (...args: readonly unknown[]) => {
          this.said(String(args[2]));
          const came = await run(...args);
          this.returned(came as string);
          return came;
        },
      }),
      ...(prompt && {
        prompt: async (...args: readonly unknown[]) => {
          this.sent(Object.values(args[0] as object).join("\n"));
          const reply = await prompt(...args);
          this.said(String(reply));
          return reply;
        },
      }),
      ...(fetch && {
        fetch: async (...args: readonly unknown[]) => {
          this.sent(args.slice(0, 3).join("\n"));
          return fetch(...args);
        },
      }),
    };
  }
}

/** The class with a watch at the border of each session. `found` is told what a model must not read. */
export function watched<C extends CoreClass>(core: C, found: (says: string) => void): C {
  const watches = new WeakMap<object, Watch>();
  const Base: CoreClass = core;
  const made = class extends Base {
    constructor(options: string, host: Host) {
      const watch = new Watch(found);
      super(options, watch.host(host));
      watches.set(this, watch);
    }

    override request(request: string): Promise<string> {
      watches.get(this)?.asked(request);
      return super.request(request);
    }

    override setPlugins(states: string): void {
      super.setPlugins(watches.get(this)?.kept(states) ?? states);
    }
  };
  return made as unknown as C;
}

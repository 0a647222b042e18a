// Plays one golden session, a file of tests/fixtures/golden, in Node or in a page, and gives its log: what the store was told and
// what the model was asked, each as the very text that crossed. tests/it/golden.rs plays the same files natively.
import {
  createEndpointModel,
  GloveClient,
  type GloveSession,
  type InboxItem,
  MemoryStore,
  type PermissionStatus,
  type RunOutcome,
  type Task,
  type ToolConfig,
} from "glove-wasm";

/** One answer of the model, as an endpoint gives it. */
interface Answer {
  readonly text?: string;
  readonly deltas?: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly id: string; readonly input: unknown }[];
  readonly tokens?: readonly [number, number];
  /** An `error` event, or another status. */
  readonly error?: object;
  readonly status?: number;
  /** The stream ends without an end. */
  readonly cut?: boolean;
  /** It goes no further than its deltas. */
  readonly holds?: boolean;
}

/** What a tool does when it runs. */
type Deed =
  | { readonly returns: unknown }
  | { readonly result: unknown }
  | { readonly throws: string }
  | { readonly asks: { readonly renderer: string; readonly input: unknown } }
  | { readonly waits: string };

interface GoldenTool {
  readonly name: string;
  readonly schema?: object;
  /** Arguments that have to be there. */
  readonly needs?: readonly string[];
  /** Run by run; the last one again for all that follow. */
  readonly does: readonly Deed[];
  readonly permission?: boolean;
  /** The reason. */
  readonly approval?: string;
  readonly parallel?: boolean;
  readonly retries?: number;
  readonly undo?: boolean;
  readonly unAbortable?: boolean;
  readonly onInterrupted?: "rerun" | "ask" | "fail";
}

type Action =
  | { readonly send: string; readonly content?: readonly object[]; readonly whenBusy?: "queue" | "drop" | "interrupt" }
  | { readonly allow: { readonly remember: boolean } }
  | { readonly deny: { readonly remember: boolean; readonly reason?: string } }
  | { readonly resolve: unknown }
  | { readonly reject: string }
  | { readonly open: string }
  | { readonly tick: number }
  | { readonly undo: number }
  | { readonly do: "abort" | "resume" | "reload" };

export interface Golden {
  readonly about: string;
  readonly tools?: readonly GoldenTool[];
  readonly compaction?: { instructions?: string; context_limit?: number; every_turns?: number };
  readonly limits?: object;
  readonly budgets?: object;
  readonly inbox?: readonly InboxItem[];
  readonly answers: readonly Answer[];
  readonly actions: readonly Action[];
}

/** `inCore` runs a text where the core is and is told what came of it, where that is a worker of the page. */
export async function play(golden: Golden, inCore?: (code: string) => Promise<unknown>): Promise<string> {
  const log: string[] = [];
  const world = fixedWorld(inCore);
  void inCore?.(`globalThis.world = (${fixedWorld})()`);
  const gates = new Map<string, { readonly open: () => void; readonly opened: Promise<void> }>();
  const gate = (name: string) => {
    let open = () => {};
    const made = gates.get(name) ?? { opened: new Promise<void>((resolve) => (open = resolve)), open: () => open() };
    gates.set(name, made);
    return made;
  };
  try {
    const store = new Journal(log);
    for (const item of golden.inbox ?? []) await store.addInboxItem(item);
    const left = [...golden.answers];
    const model = createEndpointModel("/chat", {
      policy: { maxRetries: 0 },
      fetch: async (_, init) => {
        log.push(`model ${init?.body}`);
        return responseTo(left.shift() ?? { status: 500 });
      },
    });
    const { instructions, context_limit, every_turns } = golden.compaction ?? {};
    const tools = (golden.tools ?? []).map((tool) => toolOf(tool, (name) => gate(name).opened));
    const begin = async () => {
      const client = new GloveClient({
        createModel: () => model,
        createStore: () => store,
        systemPrompt: "You are a test.",
        tools,
        compaction: {
          ...(instructions !== undefined && { compaction_instructions: instructions }),
          ...(context_limit !== undefined && { compaction_context_limit: context_limit }),
          ...(every_turns !== undefined && { compaction_every_turns: every_turns }),
        },
        limits: golden.limits ?? {},
        budgets: golden.budgets ?? {},
      });
      const session = client.session("s");
      await session.start();
      return { client, session };
    };
    let { client, session } = await begin();
    let sent = 0;
    // Who waits for a request hears of its end a little sooner or later: ends are told when all is quiet, sorted.
    const ends: string[] = [];
    const ended = (what: string, outcome: Promise<RunOutcome>) =>
      void outcome.then(
        (end) => ends.push(`end ${what} ${told(end)}`),
        (error: { code?: string }) => ends.push(`end ${what} ${error.code}`),
      );
    for (const action of golden.actions) {
      log.push(`# ${JSON.stringify(action)}`);
      if ("send" in action) {
        const { send, ...more } = action;
        ended(`r${++sent}`, session.sendMessage({ text: send, ...more } as never));
      } else if ("allow" in action) session.approve(open(session), action.allow);
      else if ("deny" in action) session.reject(open(session), action.deny.reason, action.deny);
      else if ("resolve" in action) session.resolveSlot(slot(session), action.resolve);
      else if ("reject" in action) session.rejectSlot(slot(session), action.reject);
      else if ("open" in action) gate(action.open).open();
      else if ("tick" in action) world.tick(action.tick);
      else if ("undo" in action) ended("undo", session.undo(action.undo));
      else if (action.do === "abort") session.abort();
      else if (action.do === "resume") ended("resume", session.resume());
      else {
        client.dispose();
        await world.quiet(() => log.length);
        ({ client, session } = await begin());
      }
      await world.quiet(() => log.length + ends.length);
      log.push(...ends.splice(0).sort());
    }
    client.dispose();
    return `${log.join("\n")}\n`;
  } finally {
    world.leave();
  }
}

function told(end: RunOutcome): string {
  switch (end.type) {
    case "paused":
      return `paused ${end.rule}`;
    case "undone":
      return `undone ${end.steps}`;
    default:
      return end.type;
  }
}

const open = (session: GloveSession) => session.getSnapshot().approvals[0]?.id ?? "none";
const slot = (session: GloveSession) => session.getSnapshot().slots.find(({ status }) => status === "pending")?.id ?? "none";

/** Writes down what it is told. */
class Journal extends MemoryStore {
  readonly #log: string[];

  constructor(log: string[]) {
    super("s");
    this.#log = log;
  }

  override async appendStepText(step: string, durability: string): Promise<void> {
    this.#log.push(`write ${durability} ${step}`);
    await this.appendStep(JSON.parse(step));
  }

  override async readRunText(): Promise<string> {
    return JSON.stringify(await this.readRun());
  }

  override async setPermission(tool: string, status: PermissionStatus, input?: unknown): Promise<void> {
    this.#log.push(`permission ${tool} ${status}`);
    await super.setPermission(tool, status, input);
  }

  override async addTasks(tasks: Task[]): Promise<void> {
    this.#log.push(`tasks ${JSON.stringify(tasks)}`);
    await super.addTasks(tasks);
  }

  override async updateInboxItem(id: string, updates: Partial<InboxItem>): Promise<void> {
    this.#log.push(`inbox ${id} ${updates.status}`);
    await super.updateInboxItem(id, updates);
  }
}

function toolOf(tool: GoldenTool, waiting: (gate: string) => Promise<void>): ToolConfig {
  const { name, schema = { type: "object" }, needs = [], does, permission, approval, retries, undo, ...more } = tool;
  let runs = 0;
  const validate = (value: unknown) => {
    const missing = needs.filter((key) => !(key in (value as object)));
    return missing.length ? { issues: missing.map((key) => ({ message: "is missing", path: [key] })) } : { value };
  };
  return {
    name,
    description: `It does ${name}.`,
    jsonSchema: schema as never,
    inputSchema: { "~standard": { version: 1, vendor: "golden", validate } } as never,
    ...(permission && { requiresPermission: true }),
    ...(approval !== undefined && { requireApproval: { required: true, reason: approval } }),
    ...(retries !== undefined && { idempotent: true, maxRetries: retries }),
    ...(undo && { undo: async () => {} }),
    ...more,
    async do(_, display) {
      const deed = does[Math.min(runs++, does.length - 1)] ?? { returns: null };
      if ("throws" in deed) throw new Error(deed.throws);
      if ("asks" in deed) return display.pushAndWait(deed.asks);
      if ("waits" in deed) {
        await waiting(deed.waits);
        return "waited";
      }
      return "result" in deed ? deed.result : deed.returns;
    },
  };
}

function responseTo(answer: Answer): Response {
  const {
    text,
    deltas = text === undefined ? [] : [text],
    calls = [],
    tokens = [10, 5],
    error,
    status = 200,
    cut,
    holds,
  } = answer;
  const events: object[] = deltas.map((text) => ({ type: "text_delta", text }));
  const tool_calls = calls.map(({ name, id, input }) => ({ tool_name: name, input_args: input, id }));
  if (!holds) {
    for (const { name, id, input } of calls) events.push({ type: "tool_use", id, name, input });
    const message = { sender: "agent", text: deltas.join(""), ...(calls.length && { tool_calls }) };
    if (error) events.push({ type: "error", ...error });
    else if (!cut) events.push({ type: "done", message, tokens_in: tokens[0], tokens_out: tokens[1] });
  }
  const bytes = events.map((event) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(stream) {
      const next = bytes.shift();
      if (next) stream.enqueue(next);
      else if (!holds) stream.close();
    },
  });
  return new Response(body, { status, headers: { "content-type": "text/event-stream" } });
}

/** Time stands still, timers of some length wait for it, and ids are counted. */
function fixedWorld(inCore?: (code: string) => Promise<unknown>) {
  const { setTimeout: sleep, clearTimeout: wake, crypto } = globalThis;
  const now = Date.now;
  let [time, requests, ids, timed] = [1_000, 0, 0, 1_000_000];
  const timers = new Map<number, { readonly until: number; readonly work: () => void }>();
  const letters = 20;
  const patched = {
    randomUUID: () => `r${++requests}`,
    // The number in digits of 5 bits, as the core makes letters of them.
    getRandomValues: (bytes: Uint8Array) => {
      ids++;
      for (let at = 0; at < letters; at++) bytes[at] = Math.floor(ids / 32 ** (letters - 1 - at)) % 32;
      return bytes;
    },
  };
  for (const [name, value] of Object.entries(patched)) Object.defineProperty(crypto, name, { value, configurable: true });
  Date.now = () => time;
  globalThis.setTimeout = ((work: () => void, ms = 0) => {
    if (ms < 50) return sleep(work, ms);
    const id = ++timed;
    timers.set(id, { until: time + ms, work });
    return id;
  }) as typeof setTimeout;
  globalThis.clearTimeout = ((id: number) => {
    if (!timers.delete(id)) wake(id);
  }) as typeof clearTimeout;
  return {
    tick(ms: number) {
      void inCore?.(`world.tick(${ms})`);
      time += ms;
      for (const [id, { until, work }] of [...timers]) if (until <= time && timers.delete(id)) work();
    },
    /** Ends when nothing happens any more. */
    async quiet(state: () => number) {
      for (let same = 0, last = state(); same < 8; same++) {
        await new Promise((turn) => sleep(turn, 1));
        await inCore?.("0");
        if (state() !== last) [same, last] = [0, state()];
      }
    },
    leave() {
      void inCore?.("world.leave()");
      for (const name of Object.keys(patched)) Reflect.deleteProperty(crypto, name);
      Object.assign(globalThis, { setTimeout: sleep, clearTimeout: wake });
      Date.now = now;
    },
  };
}

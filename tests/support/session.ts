// Sessions for tests: over the real core, with a scripted model.
import { GloveClient, type GloveClientConfig, type GloveSession, type GloveSnapshot, type TimelineEntry } from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from "glove-wasm/testing";

export interface Scene {
  readonly client: GloveClient;
  readonly session: GloveSession;
  readonly model: ScriptedModel;
  /** What subscribers were told, in order. */
  readonly events: [type: string, data: unknown][];
  /** The text of the timeline, entry by entry. */
  shown(): string[];
}

export function scene(script: readonly ScriptedAnswer[], config: Partial<GloveClientConfig> = {}): Scene {
  const model = createScriptedModel(script);
  const events: [string, unknown][] = [];
  const subscriber = { record: (type: string, data: unknown) => void events.push([type, data]) };
  const client = new GloveClient({
    createModel: () => model,
    systemPrompt: "You are a test.",
    ...config,
    subscribers: [subscriber, ...(config.subscribers ?? [])],
  });
  const session = client.session("s1");
  return { client, session, model, events, shown: () => texts(session.getSnapshot()) };
}

export function texts({ timeline }: GloveSnapshot): string[] {
  return timeline.map(textOf);
}

function textOf(entry: TimelineEntry): string {
  switch (entry.kind) {
    case "user":
      return `user: ${entry.text}`;
    case "agent_text":
      return `agent: ${entry.text}${entry.partial ? " (cut)" : ""}`;
    case "tool":
      return `${entry.name}: ${entry.status}${entry.output === undefined ? "" : ` ${entry.output}`}`;
    case "compaction":
      return "summary";
  }
}

/** Waits until a snapshot fits. Listeners hear once a frame, in which a model of a test may say all that it has. */
export function until(session: GloveSession, fits: (snapshot: GloveSnapshot) => boolean): Promise<GloveSnapshot> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      clearInterval(looking);
      reject(new Error(`it never came to this: ${JSON.stringify(session.getSnapshot())}`));
    }, 10_000);
    const look = () => {
      const snapshot = session.getSnapshot();
      if (!fits(snapshot)) return;
      clearTimeout(timer);
      clearInterval(looking);
      undo();
      resolve(snapshot);
    };
    const looking = setInterval(look, 1);
    const undo = session.subscribe(look);
    look();
  });
}

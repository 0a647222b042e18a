// The examples of tasks that are played natively, in Node, in a page and over both servers: the same events come of each.
import { readFileSync } from "node:fs";
import { expect } from "vitest";

export interface TaskExample {
  readonly name: string;
  readonly goal: string;
  readonly approvals: "strict" | "permissive" | "automatic";
  readonly files: Readonly<Record<string, string>>;
  /** What a person says to what is asked, in order. */
  readonly decisions?: readonly { readonly decision: "approved" | "denied"; readonly reason?: string }[];
  readonly answers: readonly ExampleAnswer[];
  /** What stands in the folder at the end. */
  readonly artifacts: Readonly<Record<string, string>>;
}

interface ExampleAnswer {
  readonly phase: string;
  readonly title?: string;
  readonly round?: number;
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly input: unknown }[];
}

interface Said {
  readonly sender: string;
  readonly text?: string;
  readonly tool_results?: readonly unknown[] | undefined;
}

const at = (name: string) => new URL(`../fixtures/tasks/${name}`, import.meta.url);

export const examples = JSON.parse(readFileSync(at("examples.json"), "utf8")) as readonly TaskExample[];

/** What is answered to this request: by its phase, the title of its step, and the rounds of calls since. Its text runs in a page, too. */
export function answerOf(example: TaskExample, messages: readonly Said[]) {
  let from = messages.length - 1;
  while (from > 0 && (messages[from]?.sender !== "user" || messages[from]?.tool_results?.length)) from--;
  const request = messages[from]?.text ?? "";
  const round = messages.slice(from).filter((message) => message.tool_results?.length).length;
  const answer = example.answers.find(
    (one) =>
      request.includes(`Phase: ${one.phase}.`) && (one.round ?? 0) === round && (!one.title || request.includes(one.title)),
  );
  if (!answer) throw new Error(`No answer to round ${round} of: ${request}`);
  const toolCalls = (answer.calls ?? []).map(({ tool, input }, call) => ({ name: tool, id: `c${round}${call}`, input }));
  return { text: answer.text ?? "", toolCalls };
}

/** Events without what is of one run: times, how long it took, and the id of its task. */
export const plainEvents = (events: readonly object[], task: string): unknown[] => {
  const text = JSON.stringify(events.map((event) => ({ ...event, timestamp: undefined })))
    .replaceAll(JSON.stringify(task), '"TASK"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/"duration_ms":\d+/g, '"duration_ms":0');
  return JSON.parse(text);
};

/**
 * Expects the events that the native run has; with `WRITE_FIXTURE=1`, `it` writes them (`task::examples`). `calls: "unnamed"` where the
 * model names no calls: then the ids of calls are those that the run gives them.
 */
export function expectEvents(example: TaskExample, events: readonly object[], task: string, calls?: "unnamed"): void {
  const all = JSON.parse(readFileSync(at("examples-events.json"), "utf8")) as Record<string, unknown[]>;
  const compared = (list: unknown) =>
    calls ? JSON.parse(JSON.stringify(list).replace(/"call_id":"[^"]*"/g, '"call_id":""')) : list;
  expect(compared(plainEvents(events, task)), example.name).toEqual(compared(all[example.name]));
}

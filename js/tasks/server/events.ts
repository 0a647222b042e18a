// What happens in a task, as a stream that a client reads on after its connection was lost.
import type { TaskEvent } from "../../src/wire/task-types.js";
import { type TaskSight, TaskWatch } from "../watch.js";
import type { TaskWorkspace } from "../workspaces/workspace.js";

export interface EventStreamOptions {
  /** The id of the last event that the client has. */
  readonly after: string;
  /** Server-sent events, or else a line of JSON for each. */
  readonly sse: boolean;
  /** Waits for what is still to come. */
  readonly follow: boolean;
  readonly pollMs: number;
  readonly heartbeatMs: number;
  /** When the right to read on ends. */
  readonly until: number | undefined;
  readonly signal: AbortSignal;
}

/** The longest that a timer waits. */
const longestWait = 2 ** 31 - 1;

/** Ends after the last event of a task that is finished, and where the right to read it does. An event is made when the client reads, so a slow one holds back no more than one. */
export function eventStream(workspace: TaskWorkspace, options: EventStreamOptions): Response {
  const { sse, follow, pollMs, heartbeatMs, until = Number.POSITIVE_INFINITY, signal } = options;
  const watch = new TaskWatch(workspace, pollMs, false);
  const encoder = new TextEncoder();
  let sent = numberOf(options.after);
  let at = 0;
  let wake = () => {};
  let unsubscribe = () => {};
  let expiry: ReturnType<typeof setTimeout> | undefined;
  const leave = () => {
    clearTimeout(expiry);
    unsubscribe();
  };
  const over = ({ status, state }: TaskSight) =>
    status === "missing" || (status === "ready" && (!follow || state?.status === "finished"));
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        unsubscribe = watch.subscribe(() => wake());
        if (until < Number.POSITIVE_INFINITY) expiry = setTimeout(() => wake(), Math.min(until - Date.now(), longestWait));
        const stop = () => {
          leave();
          wake();
          // It may be closed.
          try {
            controller.error(signal.reason);
          } catch {}
        };
        signal.addEventListener("abort", stop);
        if (signal.aborted) stop();
      },
      async pull(controller) {
        for (;;) {
          const sight = watch.getSnapshot();
          const { events } = sight;
          // A journal that is shorter than before is another one.
          if (at > events.length) at = 0;
          while (at < events.length && numberOf(events[at]?.id ?? "") <= sent) at++;
          // What the journal lacks, because its runner has just died or is about to write it, stands in the state.
          const next = events[at] ?? sight.state?.outbox.find(({ id }) => numberOf(id) > sent);
          if (signal.aborted) return;
          if (Date.now() >= until) {
            // As if the connection were lost: whoever asks again is told why.
            leave();
            return controller.close();
          }
          if (next) {
            sent = numberOf(next.id);
            return controller.enqueue(encoder.encode(sse ? told(next) : `${JSON.stringify(next)}\n`));
          }
          if (sight.error && sight.status !== "ready") {
            leave();
            return controller.error(sight.error);
          }
          if (over(sight)) {
            leave();
            if (sse) controller.enqueue(encoder.encode("event: end\ndata: {}\n\n"));
            return controller.close();
          }
          const alive = await new Promise<boolean>((go) => {
            const timer = heartbeatMs > 0 ? setTimeout(go, heartbeatMs, true) : undefined;
            wake = () => {
              clearTimeout(timer);
              go(false);
            };
          });
          if (alive && !signal.aborted) return controller.enqueue(encoder.encode(sse ? ": alive\n\n" : "\n"));
        }
      },
      cancel() {
        leave();
        wake();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "content-type": sse ? "text/event-stream" : "application/x-ndjson",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}

function told(event: TaskEvent): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** `ev_000012`: 12. */
function numberOf(id: string): number {
  return Number(/^ev_(\d+)$/.exec(id)?.[1] ?? 0);
}

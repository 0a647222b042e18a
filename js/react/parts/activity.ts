// Whether an answer is being written, or work goes on without a word.
import type { Parts } from "../hooks/handle-registry.js";

export const isStreaming = ({ streamingText, streamingReasoning = "", streamingCalls = [] }: Parts) =>
  streamingText + streamingReasoning !== "" || streamingCalls.length > 0;

/** An answer has words or thoughts already. */
export const isWriting = ({ streamingText, streamingReasoning = "" }: Parts) => streamingText + streamingReasoning !== "";

/** The agent works, and nothing else says so. */
export const isQuiet = (parts: Parts) => parts.busy && parts.status !== "ready" && !isStreaming(parts) && !asksReader(parts);

/** The last that was shown is a call, and goes on. */
export const isRunning = ({ timeline }: Parts): boolean => {
  const last = timeline.at(-1);
  return last?.kind === "tool" && (last.status === "running" || last.status === "pending");
};

/** The last that is shown is a call or a thought. */
export const isInStep = ({ timeline, streamingText, streamingReasoning = "" }: Parts): boolean =>
  streamingText === "" && (streamingReasoning !== "" || timeline.at(-1)?.kind === "tool");

/** Nobody has said anything yet. */
export const isEmpty = ({ timeline, busy, queue, error, slots, sessionReady = true }: Parts): boolean =>
  sessionReady && timeline.length === 0 && !busy && !queue?.length && !error && slots.length === 0;

/** A question waits for the reader. */
export const asksReader = ({ slots }: Parts): boolean => slots.some(({ waits, status }) => waits && status === "pending");

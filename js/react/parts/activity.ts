// Whether an answer is being written, or work goes on without a word.
import type { Parts } from "../hooks/handle-registry.js";

export const isStreaming = ({ streamingText, streamingReasoning = "", streamingCalls = [] }: Parts) =>
  streamingText + streamingReasoning !== "" || streamingCalls.length > 0;

/** An answer has words or thoughts already. */
export const isWriting = ({ streamingText, streamingReasoning = "" }: Parts) => streamingText + streamingReasoning !== "";

/** The agent works, and nothing else says so. */
export const isQuiet = (parts: Parts) =>
  parts.busy &&
  parts.status !== "ready" &&
  !isStreaming(parts) &&
  !parts.slots.some(({ waits, status }) => waits && status === "pending");

/** The last that was shown is a call, and goes on. */
export const isRunning = ({ timeline }: Parts): boolean => {
  const last = timeline.at(-1);
  return last?.kind === "tool" && (last.status === "running" || last.status === "pending");
};

/** The last that is shown is a call or a thought. */
export const isInStep = ({ timeline, streamingText, streamingReasoning = "" }: Parts): boolean =>
  streamingText === "" && (streamingReasoning !== "" || timeline.at(-1)?.kind === "tool");

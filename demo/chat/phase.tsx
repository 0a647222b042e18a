// What the run does now.
import { useGlove } from "glove-wasm/react";
import { isQuestion } from "./hint.js";

const words: Readonly<Record<string, string>> = {
  idle: "Ready",
  model: "Thinking",
  tools: "Using tools",
  waiting: "Waits for you",
  compacting: "Summarising",
  undoing: "Taking back",
  paused: "Paused",
  interrupted: "Interrupted",
};

export function Phase() {
  const phase = useGlove(({ run, slots, approvals }) => {
    const asks = approvals.length > 0 || (run.phase === "tools" && slots.some(isQuestion));
    return asks ? "waiting" : run.phase;
  });
  return (
    <p className="phase" data-phase={phase} role="status">
      {words[phase] ?? phase}
    </p>
  );
}

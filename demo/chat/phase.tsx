// What the run does now.
import { type RunPhase, useGlove } from "glove-wasm/react";

const words: Readonly<Record<RunPhase, string>> = {
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
  const phase = useGlove(({ run }) => run.phase);
  return (
    <p className="phase" data-phase={phase} role="status">
      {words[phase]}
    </p>
  );
}

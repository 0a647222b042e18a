// What the run does now; nothing while nothing runs.
import { type RunPhase, useGlove } from "glove-wasm/react";

const words: Readonly<Record<RunPhase, string>> = {
  idle: "",
  model: "Thinking",
  tools: "Using tools",
  waiting: "Waiting for you",
  compacting: "Summarising",
  undoing: "Undoing",
  paused: "Paused",
  interrupted: "Interrupted",
};

export function Phase() {
  const phase = useGlove(({ run }) => run.phase);
  const writes = useGlove(({ streamingText }) => streamingText !== "");
  const failed = useGlove(({ error }) => error !== undefined);
  const said = phase === "paused" && failed ? "Stopped by an error" : phase === "model" && writes ? "Writing" : words[phase];
  return (
    <p className="phase" data-phase={phase} role="status">
      {said && <span>{said}</span>}
    </p>
  );
}

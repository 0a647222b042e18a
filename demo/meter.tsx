// What the run does now, and what the conversation has used.
import { useGlove } from "glove-wasm/react";

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

export function Meter() {
  const phase = useGlove(({ run, slots, approvals }) => {
    const asks = approvals.length > 0 || (run.phase === "tools" && slots.some(waits));
    return asks ? "waiting" : run.phase;
  });
  const { tokens_in, tokens_out, turns } = useGlove(({ stats }) => stats);
  return (
    <p className="meter">
      <span className="phase" data-phase={phase} role="status">
        {words[phase] ?? phase}
      </span>
      <span>{turns} turns</span>
      <span>
        {tokens_in.toLocaleString("en")} in, {tokens_out.toLocaleString("en")} out
      </span>
    </p>
  );
}

const waits = ({ status, renderer }: { status: string; renderer: string }) => status === "pending" && renderer === "checkout";

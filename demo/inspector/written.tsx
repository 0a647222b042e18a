// The journal: each write to the database, before what it announces happens.
import { Entry } from "./entry.js";
import type { InsideProps } from "./inspector.js";
import { useWritten, type Written } from "./journal.js";

export function Journal({ sessionId }: InsideProps) {
  const written = useWritten(sessionId);
  if (written.length === 0) return <p className="quiet">Each write to the database appears here.</p>;
  return written.toReversed().map((one) => <Entry key={one.step.seq} tag={one.durability} gist={gist(one)} whole={whole(one)} />);
}

function gist({ step: { seq, messages, records }, bytes, ms }: Written): string {
  const what = records.map(happened).join(", ") || `${messages.length} messages`;
  return `#${seq} ${what}, ${(bytes / 1024).toFixed(1)} kB, ${ms.toFixed(0)} ms`;
}

/** A record holds what the run was told: a request, an answer of the model, a result, a decision. */
function happened(record: unknown): string {
  const { input } = record as { input?: unknown };
  const name = typeof input === "object" && input !== null ? Object.keys(input)[0] : input;
  return String(name ?? "step").replaceAll("_", " ");
}

function whole({ step }: Written): unknown {
  return { ...step, ...(step.checkpoint !== undefined && { checkpoint: parsed(step.checkpoint) }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

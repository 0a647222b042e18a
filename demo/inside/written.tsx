// The journal: each write to the database, before what it announces happens.
import { Entry } from "./entry.js";
import type { InsideProps } from "./inside.js";
import { useWritten, type Written } from "./journal.js";

export function Journal({ sessionId }: InsideProps) {
  const written = useWritten(sessionId);
  if (written.length === 0) return <p className="quiet">Each step of a run is one write; those of this tab show up here.</p>;
  return written.toReversed().map((one) => <Entry key={one.step.seq} tag={one.durability} gist={gist(one)} whole={whole(one)} />);
}

function gist({ step: { seq, messages, records, checkpoint }, bytes, ms }: Written): string {
  const parts = [
    messages.length > 0 && `${messages.length} message${messages.length > 1 ? "s" : ""}`,
    records.length > 0 && `${records.length} record${records.length > 1 ? "s" : ""}`,
    checkpoint !== undefined && "checkpoint",
  ];
  return `#${seq}: ${parts.filter(Boolean).join(", ")}; ${(bytes / 1024).toFixed(1)} kB in ${ms.toFixed(1)} ms`;
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

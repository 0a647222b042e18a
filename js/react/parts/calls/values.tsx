// Names and values of a call's arguments, as a person reads them.
import type { ReactNode } from "react";
import { useLabels } from "../../render/labels.js";
import { humanName, readable } from "./tool-state.js";

/** At most so much of a value is shown. */
const most = 10_000;

const cut = (text: string) => (text.length > most ? `${text.slice(0, most)}…` : text);

/** `none` stands where there is nothing. */
export function Values({ of, none = null }: { readonly of: unknown; readonly none?: ReactNode }): ReactNode {
  const say = useLabels();
  if (of === undefined || of === null) return none;
  if (typeof of !== "object") return <p>{cut(String(of))}</p>;
  const entries = Object.entries(of).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return none;
  return (
    // What scrolls can be scrolled with the keyboard.
    <dl data-glove-values="" tabIndex={0}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{Array.isArray(of) ? Number(name) + 1 : humanName(name)}</dt>
          <dd dir="auto">{typeof value === "boolean" ? say(value ? "Yes" : "No") : cut(readable(value))}</dd>
        </div>
      ))}
    </dl>
  );
}

// What happens inside: ways to disturb it, what it costs, and everything that is sent, recorded, written and told.
import { useGlove } from "glove-wasm/react";
import { type ComponentType, useState } from "react";
import { Events, type Heard, useEvents } from "./events.js";
import { Overview } from "./overview.js";
import { Recorded } from "./record.js";
import { Requests } from "./requests.js";
import { type Step, useSteps } from "./steps.js";
import { Tricks } from "./tricks.js";
import { Journal } from "./written.js";

export interface InsideProps {
  readonly sessionId: string;
  readonly scene: string;
  /** Heard and measured while the page is open, whichever tab is shown. */
  readonly events: readonly Heard[];
  readonly steps: readonly Step[];
}

const tabs: Readonly<Record<string, ComponentType<InsideProps>>> = {
  Overview,
  Requests,
  Record: Recorded,
  Journal,
  Events,
};

export function Inside(props: Pick<InsideProps, "sessionId" | "scene">) {
  const events = useEvents(props.sessionId);
  const steps = useSteps(props.sessionId);
  const follows = useGlove((state) => state.tab === "follower");
  const [tab, setTab] = useState("Overview");
  const Shown = tabs[tab] ?? Overview;
  return (
    <>
      <Tricks />
      <fieldset className="tabs">
        <legend className="heard">What to inspect</legend>
        {Object.keys(tabs).map((name) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
            {name}
          </button>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard. */}
      <section className="entries" aria-label={tab} tabIndex={0}>
        {follows && tab !== "Record" && <p className="note">Another tab is running this conversation. See its inspector.</p>}
        <Shown key={props.sessionId} {...props} events={events} steps={steps} />
      </section>
    </>
  );
}

// What the conversation has used: the context, tokens, costs, time and storage.
import { useGlove } from "glove-wasm/react";
import { useEffect, useState } from "react";
import { contextLimit } from "../scene.js";
import type { InsideProps } from "./inspector.js";
import { type Bar, Bars } from "./plots.js";
import { useRecord } from "./record.js";
import type { Step } from "./steps.js";

const whole = new Intl.NumberFormat("en");
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 2 });

export function Overview({ sessionId, steps }: InsideProps) {
  const stats = useGlove((state) => state.stats);
  const turns = useRecord(sessionId).flatMap(({ usage }) => (usage ? [usage] : []));
  const context = turns.at(-1)?.tokens_in ?? 0;
  return (
    <div className="overview">
      <dl className="figures">
        <Figure name="Turns" value={whole.format(stats.turns)} />
        <Figure name="Tokens in" value={whole.format(stats.tokens_in)} />
        <Figure name="Tokens out" value={whole.format(stats.tokens_out)} />
        <Figure name="Cost" value={dollars.format(stats.cost ?? 0)} />
      </dl>
      <label className="context">
        <span>
          Context{" "}
          <span className="quiet">
            {whole.format(context)} of {whole.format(contextLimit)} tokens
          </span>
        </span>
        <meter min={0} max={contextLimit} high={contextLimit * 0.8} value={Math.min(context, contextLimit)} />
        <span className="fine">Beyond that, older messages are summarised.</span>
      </label>
      <Bars
        title="Tokens per turn"
        unit="tokens"
        bars={turns.map(({ tokens_in, tokens_out }, at) => ({ name: `Turn ${at + 1}`, value: tokens_in, also: tokens_out }))}
        parts={["in", "out"]}
      />
      <Bars title="Time per step" unit="ms" bars={steps.map(barOf)} parts={["model", "tool"]} />
      <Storage />
    </div>
  );
}

const barOf = ({ kind, name, ms }: Step): Bar => (kind === "model" ? { name, value: ms } : { name, value: 0, also: ms });

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const places = {
  indexeddb: "In the browser's database",
  memory: "In memory, lost when the tab closes",
  custom: "In a store of the page",
};

function Storage() {
  const storage = useGlove((state) => state.storage);
  const turns = useGlove((state) => state.stats.turns);
  const [used, setUsed] = useState<number>();
  const [kept, setKept] = useState<boolean>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn stores something.
  useEffect(() => {
    void navigator.storage?.estimate().then(({ usage }) => setUsed(usage));
    void navigator.storage?.persisted().then(setKept);
  }, [turns]);
  return (
    <section className="storage" aria-label="Storage">
      <h3>Storage</h3>
      <p>
        {places[storage]}
        {!!used && <span className="quiet">, {whole.format(Math.ceil(used / 1024))} kB used by this page</span>}
      </p>
      {kept === false && (
        <button type="button" onClick={() => void navigator.storage.persist().then(setKept)}>
          Ask the browser to keep this data
        </button>
      )}
      {kept && <p className="fine">The browser will not clear this data by itself.</p>}
    </section>
  );
}

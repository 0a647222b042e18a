// The plan beside the conversation: a map, and each day's stops.
import { useGlove } from "glove-wasm/react";
import { useState } from "react";
import { placeOf } from "./places.js";
import { type Plan, type Stop, stopsOf, usePlan } from "./plan.js";

export function PlanPanel() {
  const plan = usePlan();
  if (plan) return <Days plan={plan} />;
  return (
    <section className="panel" aria-label="Plan">
      <h2>Plan</h2>
      <CityMap stops={[]} label="An empty map" />
      <p className="quiet">No trip yet. Ask for a weekend in Lisbon, Kyoto or Oslo.</p>
    </section>
  );
}

function Days({ plan: { city, days } }: { plan: Plan }) {
  const [chosen, setChosen] = useState(0);
  const day = Math.min(chosen, days.length - 1);
  const stops = stopsOf(days[day] ?? []);
  const euros = days.flat().reduce((sum, id) => sum + (placeOf(id)?.euros ?? 0), 0);
  return (
    <section className="panel" aria-label="Plan">
      <h2>
        {city} <span className="quiet">€{euros}</span>
      </h2>
      <fieldset className="segments">
        <legend className="heard">Day</legend>
        {days.map((_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: days have no other name.
          <button key={at} type="button" aria-pressed={at === day} onClick={() => setChosen(at)}>
            Day {at + 1}
          </button>
        ))}
      </fieldset>
      <CityMap stops={stops} label={`Map of day ${day + 1}: ${stops.map(({ place }) => place.name).join(", ")}`} />
      <Stops stops={stops} />
    </section>
  );
}

function Stops({ stops }: { stops: readonly Stop[] }) {
  const sendMessage = useGlove((state) => state.sendMessage);
  return (
    <ol className="stops">
      {stops.map(({ place, from }, at) => (
        <li key={place.id}>
          <span className="pin" aria-hidden="true">
            {at + 1}
          </span>
          <span>
            {place.name}
            <span className="quiet">
              {from}, {place.stay} min
            </span>
          </span>
          <button type="button" onClick={() => sendMessage(`Replace the ${place.name}`)}>
            Replace<span className="heard"> the {place.name}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function CityMap({ stops, label }: { stops: readonly Stop[]; label: string }) {
  const points = stops.map(({ place }) => `${place.x},${place.y}`).join(" ");
  return (
    <svg className="map" viewBox="-5 -5 110 70" role="img" aria-label={label}>
      <path className="water" d="M-5 52 Q20 44 40 54 T80 54 T105 46 V65 H-5Z" />
      <path className="streets" d="M-5 20H105M-5 38H105M20 -5V65M52 -5V65M80 -5V65M0 65 60 -5M40 65 100 -5" />
      <polyline points={points} />
      {stops.map(({ place }, at) => (
        <g key={place.id}>
          <circle cx={place.x} cy={place.y} r="4.5" />
          <text x={place.x} y={place.y + 1.75}>
            {at + 1}
          </text>
        </g>
      ))}
    </svg>
  );
}

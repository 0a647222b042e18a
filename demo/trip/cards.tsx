// What the trip planner's tools show in the conversation.
import type { FormEvent } from "react";
import { type City, cityNames, type Kind, kinds } from "./places.js";

export interface Preferences {
  city: City;
  days: number;
  likes: Kind[];
  pace: "relaxed" | "packed";
}

interface PreferencesFormProps {
  city?: City | undefined;
  days?: number | undefined;
  onChoose: (preferences: Preferences) => void;
  onCancel: (reason?: string) => void;
}

export function PreferencesForm({ city, days = 2, onChoose, onCancel }: PreferencesFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const likes = form.getAll("likes") as Kind[];
    onChoose({
      city: form.get("city") as City,
      days: Number(form.get("days")),
      likes: likes.length > 0 ? likes : [...kinds],
      pace: form.get("pace") === "packed" ? "packed" : "relaxed",
    });
  };
  return (
    <form className="card" data-glove-question="" tabIndex={-1} aria-label="Preferences" onSubmit={submit}>
      <h2>What kind of trip?</h2>
      <div className="fields">
        <label>
          City
          <select name="city" defaultValue={city}>
            {cityNames.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Days
          <select name="days" defaultValue={days}>
            <option>1</option>
            <option>2</option>
            <option>3</option>
          </select>
        </label>
      </div>
      <Choices legend="Interests" name="likes" type="checkbox" values={kinds} chosen={["food", "views"]} />
      <Choices legend="Pace" name="pace" type="radio" values={["relaxed", "packed"]} chosen={["relaxed"]} />
      <div data-glove-actions="">
        <button type="submit">Plan my trip</button>
        <button type="button" onClick={() => onCancel("The traveller does not want to say now.")}>
          Not now
        </button>
      </div>
    </form>
  );
}

interface ChoicesProps {
  legend: string;
  name: string;
  type: "checkbox" | "radio";
  values: readonly string[];
  chosen: readonly string[];
}

function Choices({ legend, name, type, values, chosen }: ChoicesProps) {
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {values.map((value) => (
        <label key={value}>
          <input type={type} name={name} value={value} defaultChecked={chosen.includes(value)} />
          <span>{value}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function Asked({ city, days, likes, pace }: Preferences) {
  return (
    <p className="answered">
      {city}, {days === 1 ? "one day" : `${days} days`}, {likes.join(" and ")}, {pace}
    </p>
  );
}

interface ItineraryProps {
  city: string;
  days: readonly (readonly { from: string; name: string; kind: string }[])[];
}

export function Itinerary({ city, days }: ItineraryProps) {
  return (
    <section className="card itinerary" aria-label={`Itinerary for ${city}`}>
      <h2>{city}</h2>
      <div className="itinerary-days">
        {days.map((stops, day) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes.
          <div key={day}>
            <h3>Day {day + 1}</h3>
            <ol>
              {stops.map(({ from, name, kind }) => (
                <li key={name}>
                  <span className="time">{from}</span>
                  <span>{name}</span>
                  <span className="tag" data-tag={kind}>
                    {kind}
                  </span>
                </li>
              ))}
            </ol>
          </div>
        ))}
      </div>
    </section>
  );
}

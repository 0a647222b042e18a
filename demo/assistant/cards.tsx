// What the plain assistant's tools draw in their cards.
import type { City, Forecast } from "./weather.js";

const skies = { sunny: "☀", cloudy: "☁", rainy: "☂" } as const;

export function Weather({ city, now, sky, next }: Forecast & { city: City }) {
  return (
    <section className="weather" aria-label={`Weather in ${city}`}>
      <p className="weather-now">
        <span aria-hidden="true">{skies[sky]}</span> {now} °C
        <span className="quiet">{sky}</span>
      </p>
      <dl>
        {next.map(({ day, high, low }) => (
          <div key={day}>
            <dt>{day}</dt>
            <dd>
              {high}° <span className="quiet">{low}°</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function Steps({ days }: { days: readonly { readonly name: string; readonly steps: number }[] }) {
  const most = Math.max(...days.map(({ steps }) => steps), 1);
  return (
    <figure className="steps">
      <figcaption>Steps a day</figcaption>
      <ol>
        {days.map(({ name, steps }) => (
          <li key={name}>
            <span className="steps-number">{steps.toLocaleString("en")}</span>
            <svg viewBox="0 0 10 60" preserveAspectRatio="none" aria-hidden="true">
              <rect x="0" y={60 - (60 * steps) / most} width="10" height={(60 * steps) / most} rx="1" />
            </svg>
            <span className="quiet">{name}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

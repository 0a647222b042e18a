// What the plain assistant's tools draw in their cards.
import type { City, Forecast } from "./weather.js";

const cloud = "M7 17a4 4 0 0 1 0-8 5 5 0 0 1 9.6-1A4.5 4.5 0 0 1 17 17z";
const skies = {
  sunny:
    "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM12 2v2M12 20v2M2 12h2M20 12h2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
  cloudy: cloud,
  rainy: `${cloud}M8 20v2M12 20v2M16 20v2`,
} as const;

export function Weather({ city, now, sky, next }: Forecast & { city: City }) {
  return (
    <section className="weather" aria-label={`Weather in ${city}`}>
      <p className="weather-now">
        <svg className="weather-sky" viewBox="0 0 24 24" aria-hidden="true">
          <path d={skies[sky]} />
        </svg>
        {now} °C
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
      <figcaption>Steps per day</figcaption>
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

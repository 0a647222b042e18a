// The weather of a few cities, which never changes.
export const cities = ["Lisbon", "Oslo", "Kyoto", "Nairobi"] as const;
export type City = (typeof cities)[number];

export interface Forecast {
  readonly now: number;
  readonly sky: "sunny" | "cloudy" | "rainy";
  readonly next: readonly { readonly day: string; readonly high: number; readonly low: number }[];
}

const of = (now: number, sky: Forecast["sky"], ...highs: readonly number[]): Forecast => ({
  now,
  sky,
  next: highs.map((high, at) => ({ day: ["Tomorrow", "In 2 days", "In 3 days"][at] ?? "", high, low: high - 7 })),
});

const forecasts: Readonly<Record<City, Forecast>> = {
  Lisbon: of(24, "sunny", 25, 26, 23),
  Oslo: of(9, "rainy", 8, 11, 12),
  Kyoto: of(19, "cloudy", 20, 22, 21),
  Nairobi: of(22, "cloudy", 24, 25, 24),
};

export const forecastOf = (city: City): Forecast => forecasts[city];

const packs: Readonly<Record<Forecast["sky"], string>> = { sunny: "sunglasses", cloudy: "a jacket", rainy: "a raincoat" };

/** What the cards do not say: how the cities compare, or where the days lead. */
export function weatherIn(seen: readonly City[]): string {
  const [warmest, ...colder] = seen.toSorted((a, b) => forecastOf(b).now - forecastOf(a).now);
  if (!warmest) return "";
  const coldest = colder.at(-1);
  if (coldest) {
    const degrees = forecastOf(warmest).now - forecastOf(coldest).now;
    return `${warmest} is ${degrees}° warmer. Take ${packs[forecastOf(coldest).sky]} for ${coldest}.`;
  }
  const { now, sky, next } = forecastOf(warmest);
  const best = next.reduce((a, b) => (b.high > a.high ? b : a));
  const ahead = best.high > now ? `It gets warmer: ${best.high}° ${best.day.toLowerCase()}.` : "It will not get warmer.";
  return `${ahead} Take ${packs[sky]}.`;
}

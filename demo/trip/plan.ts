// The plan of the trip: the application's own state, which tools and buttons change alike.
import { stored } from "../stored.js";
import { type City, cities, type Place, placeOf } from "./places.js";

export interface Plan {
  readonly city: City;
  /** The ids of each day's places. */
  readonly days: readonly (readonly string[])[];
}

interface Kept {
  readonly plan: Plan | null;
  /** What was before, the latest last: for taking back. */
  readonly before: readonly (Plan | null)[];
}

const kept = stored<Kept>("trip-plan", { plan: null, before: [] });

export const getPlan = (): Plan | null => kept.get().plan;
export const usePlan = (): Plan | null => kept.use().plan;

export function setPlan(plan: Plan | null): void {
  const { plan: old, before } = kept.get();
  kept.set({ plan, before: [...before.slice(-9), old] });
}

export function takeBack(): void {
  const { before } = kept.get();
  kept.set({ plan: before.at(-1) ?? null, before: before.slice(0, -1) });
}

/** Puts another place in the stead of one, or takes it out. Gives what took its place. */
export function replace(id: string, other: Place | undefined): void {
  const plan = getPlan();
  if (!plan) return;
  const days = plan.days.map((day) => day.flatMap((one) => (one === id ? (other ? [other.id] : []) : [one])));
  setPlan({ ...plan, days });
}

/** A place of the same kind that is not in the plan; if there is none, any that is not. */
export function alternative(place: Place): Place | undefined {
  const plan = getPlan();
  const free = plan ? cities[plan.city].filter(({ id }) => !plan.days.flat().includes(id)) : [];
  return free.find(({ kind }) => kind === place.kind) ?? free[0];
}

export interface Stop {
  readonly place: Place;
  /** When one is there, as `9:30`. */
  readonly from: string;
}

/** A day from half past nine, with half an hour on the way between two places and a break at noon. */
export function stopsOf(ids: readonly string[]): readonly Stop[] {
  let minutes = 9.5 * 60;
  return ids.flatMap((id) => {
    const place = placeOf(id);
    if (!place) return [];
    const from = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
    minutes += place.stay + 30;
    return [{ place, from }];
  });
}

/** Spreads places over days, so that each day's lie near each other. */
export function spread(places: readonly Place[], days: number): readonly (readonly string[])[] {
  const byX = [...places].sort((a, b) => a.x - b.x);
  const each = Math.ceil(byX.length / days);
  return Array.from({ length: days }, (_, day) => byX.slice(day * each, (day + 1) * each).map(({ id }) => id));
}

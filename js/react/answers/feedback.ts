// What a person thinks of answers, kept in this browser so that it is seen after a reload. The application has it from its callback.

export type Verdict = "up" | "down";

const key = "glove-wasm:feedback";
/** Of all conversations together; the oldest go. */
const most = 500;

type Kept = readonly (readonly [session: string, id: string, verdict: Verdict])[];

function all(): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => Array.isArray(one) && /^(?:up|down)$/.test(one[2])) : [];
  } catch {
    // A browser may forbid storage, and anybody may write into it.
    return [];
  }
}

const isOf = (session: string, id: string) => (one: Kept[number]) => one[0] === session && one[1] === id;

export function keptVerdict(session: string, id: string): Verdict | undefined {
  return all().find(isOf(session, id))?.[2];
}

export function keepVerdict(session: string, id: string, verdict: Verdict | undefined): void {
  const is = isOf(session, id);
  const others = all().filter((one) => !is(one));
  try {
    localStorage.setItem(key, JSON.stringify(verdict ? [...others, [session, id, verdict]].slice(-most) : others));
  } catch {}
}

// Entries by what they mean, where the application can embed texts.
import { best } from "./bm25.js";

/** Gives a vector for each text; all of one length. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[] | Float32Array)[]>;

/** What is far away says nothing. */
const least = 0.2;
/** A question reads the vectors of so many entries of a channel, unless the application says another number: the newest. */
export const usualVectors = 2_000;
/** The usual number of reciprocal rank fusion: how much the first places count more. */
const flatness = 60;

/** So long a vector is waited for. */
const patienceMs = 10_000;

/** One of unit length; nothing where none can be made, or not in time: the words find the entry all the same. */
export async function vectorOf(embed: Embed | undefined, text: string): Promise<Float32Array | undefined> {
  if (!embed) return undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const tooLate = new Promise<readonly []>((resolve) => {
      timer = setTimeout(() => resolve([]), patienceMs);
    });
    const [given] = await Promise.race([embed([text]), tooLate]);
    const vector = Float32Array.from(given ?? []);
    const length = Math.hypot(...vector);
    return length > 0 && Number.isFinite(length) ? vector.map((part) => part / length) : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** The ids of the nearest, the best first. Vectors of another model do not count. */
export function nearest(question: Float32Array, vectors: Iterable<readonly [id: string, vector: Float32Array]>): string[] {
  const scores = new Map<string, number>();
  for (const [id, vector] of vectors) {
    if (vector.length !== question.length) continue;
    let nearness = 0;
    for (let at = 0; at < vector.length; at++) nearness += (vector[at] as number) * (question[at] as number);
    if (nearness >= least) scores.set(id, nearness);
  }
  return best(scores);
}

/** Two orders as one. */
export function fused(...orders: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const order of orders) {
    order.forEach((id, at) => {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (flatness + at));
    });
  }
  return best(scores);
}

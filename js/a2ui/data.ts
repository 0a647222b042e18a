// The data of a surface, read and written by JSON Pointers. Inside of a template a path without a slash begins at its row.

const forbidden = /^(__proto__|constructor|prototype)$/;

/** The whole path from the root. */
export const pathIn = (scope: string, path: string): string =>
  path.startsWith("/") ? path : path === "" ? scope : `${scope}/${path}`;

function stepsOf(path: string): readonly string[] {
  const whole = path.replace(/\/$/, "");
  return whole === ""
    ? []
    : whole
        .slice(1)
        .split("/")
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Nothing where there is nothing. */
export function readAt(data: unknown, path: string): unknown {
  let at = data;
  for (const step of stepsOf(path)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}

/** The data with this in it; what is on the way is copied. Throws a sentence where there is no such place. */
export function writtenAt(data: unknown, path: string, value: unknown): unknown {
  return written(data, stepsOf(path), value, path);
}

function written(data: unknown, [step, ...rest]: readonly string[], value: unknown, path: string): unknown {
  if (step === undefined) return value;
  if (forbidden.test(step)) throw new Error(`"${path}" is no place for data`);
  if (Array.isArray(data)) {
    const at = Number(step);
    if (!/^\d+$/.test(step) || at > data.length) throw new Error(`"${path}" has no row "${step}"`);
    return [...data.slice(0, at), written(data[at], rest, value, path), ...data.slice(at + 1)];
  }
  if (data !== undefined && data !== null && typeof data !== "object")
    throw new Error(`"${path}" leads through a value that holds nothing`);
  const fields = (data ?? {}) as Record<string, unknown>;
  const next = written(Object.hasOwn(fields, step) ? fields[step] : undefined, rest, value, path);
  if (next !== undefined) return { ...fields, [step]: next };
  const { [step]: _, ...others } = fields;
  return others;
}

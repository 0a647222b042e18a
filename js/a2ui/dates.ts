// Dates by patterns of Unicode (TR35), as far as chats need them, in the language of the browser.

type Field = (date: Date) => string;

const two = (value: number) => String(value).padStart(2, "0");

const said =
  (options: Intl.DateTimeFormatOptions, type: Intl.DateTimeFormatPartTypes): Field =>
  (date) =>
    new Intl.DateTimeFormat(undefined, options).formatToParts(date).find((part) => part.type === type)?.value ?? "";

const hour = (date: Date) => date.getHours() % 12 || 12;

const fields: Readonly<Record<string, Field>> = {
  yyyy: (date) => String(date.getFullYear()),
  y: (date) => String(date.getFullYear()),
  yy: (date) => two(date.getFullYear() % 100),
  M: (date) => String(date.getMonth() + 1),
  MM: (date) => two(date.getMonth() + 1),
  MMM: said({ month: "short", day: "numeric" }, "month"),
  MMMM: said({ month: "long", day: "numeric" }, "month"),
  d: (date) => String(date.getDate()),
  dd: (date) => two(date.getDate()),
  E: said({ weekday: "short" }, "weekday"),
  EEE: said({ weekday: "short" }, "weekday"),
  EEEE: said({ weekday: "long" }, "weekday"),
  H: (date) => String(date.getHours()),
  HH: (date) => two(date.getHours()),
  h: (date) => String(hour(date)),
  hh: (date) => two(hour(date)),
  m: (date) => String(date.getMinutes()),
  mm: (date) => two(date.getMinutes()),
  s: (date) => String(date.getSeconds()),
  ss: (date) => two(date.getSeconds()),
  a: (date) => (date.getHours() < 12 ? "AM" : "PM"),
};

/** Empty where the value is no date. A day without a time is that day, wherever the page is. */
export function dateText(value: unknown, pattern: string): string {
  const day = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00` : value;
  const date = new Date(typeof day === "number" ? day : String(day ?? ""));
  if (Number.isNaN(date.getTime())) return "";
  if (pattern === "ISO") return date.toISOString();
  return pattern.replace(/'((?:[^']|'')*)'|([A-Za-z])\2*/g, (run, quoted: string | undefined) => {
    if (quoted !== undefined) return quoted === "" ? "'" : quoted.replaceAll("''", "'");
    const field = Object.hasOwn(fields, run) ? fields[run] : undefined;
    if (!field) throw new Error(`there is no "${run}" in a date: there are ${Object.keys(fields).join(", ")}`);
    return field(date);
  });
}

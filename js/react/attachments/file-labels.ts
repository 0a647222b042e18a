// Sizes and names of files, for people.
import { visibleText } from "../text/visible-text.js";

/** `1.4 MB`, as a person's language writes numbers. */
export function bytes(size: number): string {
  const [unit, amount] = size < 1e3 ? ["byte", size] : size < 1e6 ? ["kilobyte", size / 1e3] : ["megabyte", size / 1e6];
  const maximumFractionDigits = amount < 10 && unit !== "byte" ? 1 : 0;
  // The short form of English is "19 byte".
  const unitDisplay = unit === "byte" ? "long" : "short";
  return new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay, maximumFractionDigits }).format(amount);
}

/** Long names lose their middle: the end says what they are. */
export function shortName(name: string): string {
  const seen = visibleText(name);
  return seen.length > 32 ? `${seen.slice(0, 18)}…${seen.slice(-12)}` : seen;
}

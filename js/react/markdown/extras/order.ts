// The order of the rows of a table by one of its columns: numbers by what they are worth, all else as words.

/** The column, and whether the greatest is first. */
export interface Sort {
  readonly column: number;
  readonly down: boolean;
}

const worthless = /[^\d.,+−-]/g;

/** Which sign parts the whole of a number from the rest, in a column: one that is not followed by three digits, or stands behind the other. */
function decimalOf(texts: readonly string[]): "." | "," {
  for (const text of texts) {
    const both = /[.,](?=[\d.,]*?([.,])\d*[^.,\d]*$)/.exec(text);
    if (both && both[0] !== both[1]) return both[1] as "." | ",";
    const last = /([.,])(\d+)[^\d.,]*$/.exec(text);
    if (last && last[2]?.length !== 3) return last[1] as "." | ",";
  }
  return ".";
}

function worthOf(text: string, decimal: "." | ","): number {
  const digits = text.replaceAll("−", "-").replace(worthless, "");
  const parted = digits.replaceAll(decimal === "." ? "," : ".", "").replace(decimal, ".");
  const value = Number.parseFloat(parted);
  // As those who keep books write it.
  return /^\(.*\)$/.test(text.trim()) ? -value : value;
}

/** The places of the rows in their new order. Empty cells are last, whichever way. */
export function orderOf(texts: readonly string[], numeric: boolean, down: boolean): number[] {
  const decimal = decimalOf(texts);
  const words = new Intl.Collator(undefined, { numeric: true });
  const compare = (one: string, other: string) =>
    numeric ? worthOf(one, decimal) - worthOf(other, decimal) : words.compare(one, other);
  const places = texts.map((_, at) => at);
  return places.sort((one, other) => {
    const [first = "", second = ""] = [texts[one], texts[other]];
    if (!first || !second) return Number(!first) - Number(!second);
    return down ? compare(second, first) : compare(first, second);
  });
}

// A table as CSV, as programs of tables read it.

/** What such a program would calculate, and a model may have been talked into writing. A number is none. */
const formula = /^[=+\-@\t\r](?!\s?[\d.,]+\s?%?$)/;

function cell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const asCsv = (rows: readonly (readonly string[])[]): string => rows.map((row) => row.map(cell).join(",")).join("\r\n");

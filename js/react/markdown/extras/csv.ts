// A table as CSV, as programs of tables read it.

/** What such a program would calculate, and a model may have been talked into writing. A number is none. */
const formula = /^[=+\-@＝＋－＠](?!\s?[\d.,]+\s?%?$)/;

function cell(text: string): string {
  // What is pasted begins another cell at a tab.
  const plain = text.replace(/\t+/g, " ").trimStart();
  const safe = formula.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const asCsv = (rows: readonly (readonly string[])[]): string => rows.map((row) => row.map(cell).join(",")).join("\r\n");

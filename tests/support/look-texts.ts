// Answers of models for the built-in look: one with all of markdown, and a long one.

export const sample = `It slowed down because the deploy at **21:04** turned the cache off. Every request then read the price list from the database.

## What happened

1. The new release reads \`CACHE_TTL\` as *seconds*, not milliseconds.
2. Entries expired at once, so the database had **14 times** as many reads.
3. At 21:40 the pool of connections was used up.

| Time  | Requests/s | p95      | Note            |
| ----- | ---------: | -------- | --------------- |
| 21:00 |        310 | 180 ms   | before          |
| 21:10 |        305 | 840 ms   | after the deploy |
| 21:45 |        290 | ~~2 s~~ 210 ms | cache is on again |

\`\`\`ts
// The cache takes milliseconds.
export async function price(id: string): Promise<number> {
  const ttl = Number(process.env.CACHE_TTL ?? 60) * 1000;
  return cache.get(\`price:\${id}\`, () => database.price(id), { ttl });
}
\`\`\`

> Restarting alone does not help: the setting has to change first.

- [x] Found the cause
- [ ] Change the setting
- [ ] Restart checkout

See [the dashboard](https://example.com/dashboard) for the rest.`;

/** About so many letters of headings, paragraphs, lists, tables and code. */
export function long(letters: number): string {
  let text = "";
  for (let part = 1; text.length < letters; part++) {
    text += `## Part ${part}\n\nThe *quick* brown fox **jumps** over the lazy dog, and writes \`of it\` at [length](https://example.com/${part}).\n\n`;
    text += `- one\n- two\n  - three\n\n| a | b |\n| - | - |\n| ${part} | two |\n| three | four |\n\n`;
    text += `\`\`\`js\nconst part = ${part};\nconsole.log("part", part);\n\`\`\`\n\n`;
  }
  return text.slice(0, letters);
}

/** With a table, code of a file, and marks of sources. */
export const answerWithAll = `Checkout is the slow one: its 95th percentile[2] is four times that of search[1].

| Service | p95 (ms) | Errors | Since |
|---|---|---|---|
| Checkout | 840 | 2.1 % | 21:04 |
| Search | 210 | 0.2 % | |
| Invoices | 1,120 | 0.9 % | 20:10 |

\`\`\`ts src/watch.ts
export const watch = (service: string) => setInterval(async () => console.log(service, await percentile(service, 0.95)), 60_000);
watch("checkout");
\`\`\`
`;

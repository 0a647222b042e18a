// What the plain assistant answers without a tool: markdown in all its forms.

export const closures = `A **closure** is a function together with the variables that it can see where it was written. It keeps them alive for as long as somebody can still call it.

\`\`\`ts
function counter(start = 0) {
  let count = start;
  return {
    next: () => ++count,
    reset: () => (count = start),
  };
}

const tickets = counter(100);
tickets.next(); // 101
tickets.next(); // 102
\`\`\`

Three things follow from that:

1. **Privacy.** Nothing outside of \`counter\` reaches \`count\`.
2. **Each call has its own.** A second \`counter()\` starts from its own number.
3. **They hold memory.** What a closure can see is not collected while the closure lives, so remove listeners that you no longer need.

> A closure does not copy the variable. It shares it, which is why a loop with \`var\` surprises people and one with \`let\` does not.`;

export const databases = `It depends on who writes and how often. In short:

| | SQLite | PostgreSQL | Redis |
|---|---|---|---|
| Runs as | a library in your process | a server | a server |
| Writers | one at a time | many | many, in memory |
| Survives a crash | yes | yes | mostly |
| Best for | one machine, files, tests | almost every web application | caches, queues, counters |

**My advice**

- Start with *SQLite* where one process owns the data ([its own advice](https://sqlite.org/whentouse.html)).
- Take *PostgreSQL* as soon as two machines write.
- Add *Redis* beside it when you have measured that you need it.`;

export const databaseSources = [
  { url: "https://sqlite.org/whentouse.html", title: "Appropriate uses for SQLite" },
  { url: "https://www.postgresql.org/docs/current/tutorial.html", title: "PostgreSQL tutorial" },
  { url: "https://redis.io/docs/latest/develop/get-started/", title: "Redis quick starts" },
];

/** Each "Regenerate" takes the next one. */
export const poems: readonly string[] = [
  "**Port**\n\nThe tide comes in on borrowed feet,\nand lends the gulls its moving street;\na bell, a rope, a boat half-painted,\nthe evening and the sea acquainted.",
  "**Kitchen, 6 a.m.**\n\nThe kettle hums a half-known tune,\nthe window keeps a slice of moon;\nbetween the two a day is waiting,\nunwritten yet, and worth the waiting.",
  "**Rain**\n\nIt taps the roof in small caps first,\nthen italics, then a burst\nof bold. The garden reads it all,\nand answers, leaf by leaf, that fall.",
];

export const help = `These are demo replies, so I only know a few things. Attach a file, or try one of these:

- **Explain closures** or **Compare databases**: code, tables, lists and links, as they stream
- **Write a poem**, then *Regenerate*: every version is kept
- **What is the weather in Lisbon and Oslo?**: two lookups at once, a card for each
- **Chart my steps**: a chart drawn by a tool
- **Email the notes to Ada**: asks before it does anything
- **Book a table**: two questions; reload the page while one waits
- **Fail once**: an error in plain words, and how to go on

Edit any message to try another way. What you send while I answer waits its turn.`;

// What a page is told whose two clients have one session open; loaded when it happens.

export function warnOfTwo(id: string, database: string): void {
  console.warn(
    `Two clients of this page have the session "${id}" of the database "${database}" open; one of them answers for both, with ` +
      "its own model, prompt and tools. Use one client for both, or give each a `database: { name }` of its own.",
  );
}

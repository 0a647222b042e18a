// The lists of a server, page by page, as far as they may go.

import type { McpLimits } from "../options.js";

export interface Listed<T> {
  readonly items: readonly T[];
  /** Why there may be more. */
  readonly cut?: string | undefined;
}

/** Reads pages until there are no more, or too many. */
export async function allPages<T>(
  page: (cursor: string | undefined) => Promise<{ readonly items: readonly T[]; readonly nextCursor?: string | undefined }>,
  { listPages, listLetters }: Pick<McpLimits, "listPages" | "listLetters">,
): Promise<Listed<T>> {
  const items: T[] = [];
  const cursors = new Set<string>();
  let letters = 0;
  let cursor: string | undefined;
  for (let count = 0; count < listPages; count++) {
    const answer = await page(cursor);
    for (const item of answer.items) {
      letters += JSON.stringify(item).length;
      if (letters > listLetters) return { items, cut: `it has more than ${listLetters} letters` };
      items.push(item);
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) return { items };
    // One that leads back would never end.
    if (cursors.has(cursor)) return { items, cut: "a page of it leads back to an earlier one" };
    cursors.add(cursor);
  }
  return { items, cut: `it has more than ${listPages} pages` };
}

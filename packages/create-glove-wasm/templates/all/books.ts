// Stands in for your own data.
export interface Book {
  readonly title: string;
  readonly author: string;
  readonly about: string;
}

export const books: readonly Book[] = [
  { title: "Moby-Dick", author: "Herman Melville", about: "the sea, a whale" },
  { title: "The Waves", author: "Virginia Woolf", about: "the sea, friends" },
  { title: "Emma", author: "Jane Austen", about: "a village, love" },
  { title: "The Time Machine", author: "H. G. Wells", about: "the future" },
];

/** The books with a word of the question in what they are about; all of them when none has one. */
export function booksAbout(question: string): readonly Book[] {
  const words = question.toLowerCase().match(/\w{3,}/g) ?? [];
  const found = books.filter(({ about }) => words.some((word) => word !== "the" && about.includes(word)));
  return found.length > 0 ? found : books;
}
/* @if approvals */

const lent = new Map<string, string>();

/** Lends a book once for each key. Yours stores the key with what it did. */
export function lend(title: string, key: string): string {
  const before = lent.get(key);
  if (before !== undefined) return before;
  const said = `${title} is reserved at the desk.`;
  lent.set(key, said);
  return said;
}
/* @end */

// What the assistant can do here: tools that need a key, a database or a secret run on the server.
import { defineTool } from "glove-wasm";
import { z } from "zod";
/* @if approvals */
import { booksAbout, lend } from "./books.ts";
/* @else */
import { booksAbout } from "./books.ts";
/* @end */

export const findBooks = defineTool({
  name: "find_books",
  description: "Finds books by what they are about.",
  inputSchema: z.object({ about: z.string() }),
  do: ({ about }) => booksAbout(about),
});
/* @if approvals */

export const borrowBook = defineTool({
  name: "borrow_book",
  description: "Borrows a book for the person.",
  inputSchema: z.object({ title: z.string() }),
  title: "Borrow", // The word on the button.
  confirm: ({ title }) => `Borrow ${title}?`,
  danger: false, // `true` makes the button red: for what cannot be taken back.
  // The page asks the person first, with these arguments.
  requireApproval: true,
  // A call that is sent again has the same key: nothing is lent twice.
  do: ({ title }, display) => lend(title, display.idempotencyKey),
});
/* @end */

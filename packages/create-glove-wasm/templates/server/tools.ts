// What the assistant can do here: tools that need a key, a database or a secret run on the server.
import { defineTool } from "glove-wasm";
import { z } from "zod";
import { booksAbout } from "./books.ts";

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
  // The page asks the person first, with these arguments.
  requireApproval: true,
  do: ({ title }) => `${title} is reserved at the desk.`,
});
/* @end */

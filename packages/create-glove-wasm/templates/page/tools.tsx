// What the assistant can do. Each tool says what the model sends, what runs, and how its result is drawn.
import { defineTool } from "glove-wasm/react";
import { z } from "zod";
import { type Book, booksAbout } from "./books";

export const findBooks = defineTool({
  name: "find_books",
  description: "Finds books by what they are about.",
  inputSchema: z.object({ about: z.string() }),
  // The model reads `data`; the page draws `renderData`, now and after every reload.
  do({ about }) {
    const found = booksAbout(about);
    return { status: "success", data: found, renderData: found };
  },
  renderResult: ({ data }) => (
    <ul>
      {(data as readonly Book[]).map(({ title, author }) => (
        <li key={title}>
          <b>{title}</b> by {author}
        </li>
      ))}
    </ul>
  ),
});
/* @if approvals */

export const borrowBook = defineTool({
  name: "borrow_book",
  description: "Borrows a book for the person.",
  inputSchema: z.object({ title: z.string() }),
  // The chat asks the person first, with these arguments. The question outlives a reload.
  requireApproval: true,
  do: ({ title }) => `${title} is reserved at the desk.`,
});
/* @end */

// What the assistant can do. Each tool says what the model sends, what runs, and how its result is drawn.
import { defineTool } from "glove-wasm/react";
import { z } from "zod";
/* @if approvals */
import { booksAbout, lend } from "./books";
/* @else */
import { booksAbout } from "./books";
/* @end */

export const findBooks = defineTool({
  name: "find_books",
  description: "Finds books by what they are about.",
  inputSchema: z.object({ about: z.string() }),
  // The model reads `data`; the page draws `renderData`, now and after every reload.
  do({ about }) {
    const found = booksAbout(about);
    return { status: "success", data: found, renderData: found };
  },
  renderResult: ({ data, status, output }) =>
    status === "success" ? (
      <ul>
        {data.map(({ title, author }) => (
          <li key={title}>
            <b>{title}</b> by {author}
          </li>
        ))}
      </ul>
    ) : (
      <p>{output}</p>
    ),
});
/* @if approvals */

export const borrowBook = defineTool({
  name: "borrow_book",
  description: "Borrows a book for the person.",
  inputSchema: z.object({ title: z.string() }),
  title: "Borrow", // The word on the button.
  confirm: ({ title }) => `Borrow ${title}?`,
  danger: false, // `true` makes the button red: for what cannot be taken back.
  // The chat asks the person first, with these arguments. The question outlives a reload.
  requireApproval: true,
  // A call that runs again after a reload has the same key: nothing is lent twice.
  do: ({ title }, display) => lend(title, display.idempotencyKey),
});
/* @end */

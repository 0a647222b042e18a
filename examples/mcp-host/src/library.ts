// A server of the Model Context Protocol, made with the official package: a library. It runs in the page, so that the example needs no
// other program. Yours is at an address.
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const books = [
  { title: "Cheese of the Alps", author: "R. Hofer", free: true },
  { title: "The Sea Road", author: "M. Elphin", free: true },
  { title: "Bread at Home", author: "I. Okoro", free: false },
];

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "library", version: "1.0.0" });
  const search = {
    description: "Finds books by words of their title.",
    inputSchema: z.object({ words: z.string() }),
    annotations: { readOnlyHint: true },
  };
  server.registerTool("search", search, ({ words }) => {
    const found = books.filter(({ title }) => title.toLowerCase().includes(words.toLowerCase()));
    return text(
      found.map(({ title, author, free }) => `${title}, by ${author} (${free ? "free" : "lent"})`).join("\n") ||
        "Nothing was found.",
    );
  });
  const borrow = {
    description: "Borrows a book for three weeks.",
    inputSchema: z.object({ title: z.string() }),
    annotations: { destructiveHint: true },
  };
  server.registerTool("borrow", borrow, ({ title }) => {
    const book = books.find((one) => one.title === title && one.free);
    if (!book) return { ...text(`"${title}" is not free.`), isError: true };
    book.free = false;
    return text(`"${title}" is yours for three weeks.`);
  });
  return server;
});

export const fetchLibrary: typeof fetch = (url, init) => handler.fetch(new Request(url as string, init));

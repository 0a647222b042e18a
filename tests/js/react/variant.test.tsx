// `<Render variant="document">`: marked for its sheet, also in the HTML of a server, and changed while the chat is there.
import { render, screen, waitFor } from "@testing-library/react";
import { preloadRender, Render } from "glove-wasm/react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { agent, handle, user } from "./handle.js";

const look = (container: HTMLElement) => container.querySelector("[data-glove-look]");

test("a chat takes the look of a document and leaves it, and what is typed stays", async () => {
  const glove = handle({ timeline: [user("u"), agent("a", "Fine.")] });
  const { container, rerender } = render(<Render glove={glove} />);
  const field = await screen.findByRole("textbox", { name: "Message" });
  expect(look(container)?.getAttribute("data-glove-variant")).toBeNull();
  rerender(<Render glove={glove} variant="document" />);
  await waitFor(() => expect(look(container)?.getAttribute("data-glove-variant")).toBe("document"));
  expect(screen.getByRole("textbox", { name: "Message" })).toBe(field);
  rerender(<Render glove={glove} variant="bubble" />);
  expect(look(container)?.getAttribute("data-glove-variant")).toBeNull();
  rerender(<Render glove={glove} variant="document" unstyled />);
  expect(container.querySelector("[data-glove-variant]")).toBeNull();
});

test("the HTML of a server has its rules", async () => {
  await preloadRender();
  const html = renderToString(<Render glove={handle({ timeline: [user("u")] })} variant="document" nonce="n" />);
  expect(html).toContain('data-glove-variant="document"');
  expect(html).toMatch(/<style nonce="n">[^<]*\[data-glove-variant=/);
});

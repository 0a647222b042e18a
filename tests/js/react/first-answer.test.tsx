// The first answer, before the part that draws markdown has come.
import { render, waitFor } from "@testing-library/react";
import { Render } from "glove-wasm/react";
import { expect, test } from "vitest";
import { agent, handle, user } from "./handle.js";

const text = [
  "## Returns",
  "You may **send back** what `you` do ~~not~~ like, see [the rules](https://example.com/a_b).",
  "> In 30 days.",
  "| Day | Fee |",
  "| --- | --: |",
  "| 1 | 2 * 3 |",
  "- one",
  "* two",
  "```sh",
  "send it",
  "```",
  "",
  "---",
  "[1] #7 a-b",
  // No words are taken for marks.
  "***Important:*** wait.",
  "```npm i``` adds it",
  "2**10 and a ** b",
  "a **b**, (**c**)",
].join("\n");

const words =
  "Returns\nYou may send back what you do not like, see the rules.\nIn 30 days.\nDay   Fee\n1   2 * 3\n• one\n• two\nsend it\n\n[1] #7 a-b\nImportant: wait.\nnpm i adds it\n2**10 and a ** b\na b, (c)";

test("until markdown can be drawn, an answer is its words without the marks", async () => {
  const { container } = render(
    <Render glove={handle({ timeline: [user("u"), agent("a", text)], streamingText: `${text}\n##`, busy: true })} />,
  );
  const [settled, growing] = container.querySelectorAll("[data-glove-role=agent]");
  expect(settled?.textContent).toBe(words);
  expect(growing?.textContent).toBe(`${words}\n`);
  // It was asked for, and takes their place.
  await waitFor(() => expect(container.querySelectorAll("[data-glove-markdown] h2:first-child")).toHaveLength(2));
});

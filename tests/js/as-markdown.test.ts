// A conversation as a document.
import { conversationAsMarkdown } from "glove-wasm";
import { expect, test } from "vitest";

test("a conversation becomes a document with who said what, files, calls and sources, and without thoughts", () => {
  const text = conversationAsMarkdown(
    [
      { kind: "compaction", text: "What was before." },
      {
        kind: "user",
        text: "Compare these.",
        images: ["data:,"],
        files: [{ name: "report_[1].pdf", type: "application/pdf", size: 3 }],
      },
      { kind: "tool", id: "c1", name: "look_up", title: "Look up *all*", input: {}, status: "success", output: "secret" },
      {
        kind: "agent_text",
        text: "It is **larger**.",
        reasoning: "Hm.",
        sources: [{ url: "https://example.com/a b>c", title: "The [report]" }, { url: "https://example.com" }],
      },
      { kind: "user", text: "Thanks." },
      { kind: "user", text: "And now?" },
    ],
    { title: "Reports", assistant: "Ada" },
  );
  expect(text).toBe(`# Reports

## You

Compare these.

- image
- report\\_\\[1\\].pdf

## Ada

*Look up \\*all\\** (success)

It is **larger**.

- [The \\[report\\]](<https://example.com/a%20b%3Ec>)
- [https://example.com](<https://example.com>)

## You

Thanks.

## You

And now?
`);
});

test("an empty conversation is an empty document", () => {
  expect(conversationAsMarkdown([])).toBe("\n");
});

// The timeline as messages with parts.
import { createMessages, type GloveSnapshot } from "glove-wasm/react";
import { expect, test } from "vitest";
import { agent, tool, user } from "./handle.js";

type Source = Pick<GloveSnapshot, "timeline" | "streamingText" | "streamingReasoning" | "streamingCalls" | "approvals">;
const source = (timeline: Source["timeline"], parts: Partial<Source> = {}): Source => ({
  timeline,
  streamingText: "",
  streamingReasoning: "",
  streamingCalls: noCalls,
  approvals: noApprovals,
  ...parts,
});
const noApprovals: Source["approvals"] = [];
const noCalls: Source["streamingCalls"] = [];

test("the text of an answer has its sources", () => {
  const sources = [{ url: "https://example.com/oak", title: "Oak" }];
  const [, answer] = createMessages()(
    source([user("m1", "Which tree?"), { kind: "agent_text", id: "m2", text: "An oak.", sources }]),
  );
  expect(answer?.parts).toEqual([{ type: "text", text: "An oak.", state: "done", sources }]);
});

test("what follows a message of the user, up to the next, is one answer with parts", () => {
  const read = createMessages();
  const image = "data:image/png;base64,AAAA";
  expect(
    read(
      source([
        { kind: "user", id: "m1", text: "look", images: [image] },
        agent("m2", "I look"),
        tool("c1", { input: { at: 1 }, status: "success", output: "a tree", renderData: { tree: true } }),
        { kind: "compaction", id: "m5", text: "they looked" },
        agent("m6", "a tree"),
        user("m7", "thanks"),
      ]),
    ),
  ).toEqual([
    {
      id: "m1",
      role: "user",
      parts: [
        { type: "text", text: "look", state: "done" },
        { type: "file", mediaType: "image/png", url: image },
      ],
    },
    {
      id: "m1:answer",
      role: "assistant",
      parts: [
        { type: "text", text: "I look", state: "done" },
        {
          type: "tool-look",
          toolCallId: "c1",
          input: { at: 1 },
          state: "output-available",
          output: "a tree",
          renderData: { tree: true },
        },
        { type: "data-compaction", data: { text: "they looked" } },
        { type: "text", text: "a tree", state: "done" },
      ],
    },
    { id: "m7", role: "user", parts: [{ type: "text", text: "thanks", state: "done" }] },
  ]);
});

test.each([
  [{ status: "running" }, [], { state: "input-available" }],
  [{ status: "pending" }, [], { state: "input-available" }],
  [
    { status: "pending" },
    [{ id: "q1", kind: "approval", toolCallId: "c1", reason: "costs money" }],
    { state: "approval-requested", approval: { id: "q1", reason: "costs money" } },
  ],
  [{ status: "success", output: "42" }, [], { state: "output-available", output: "42" }],
  [{ status: "error", output: "no disk" }, [], { state: "output-error", errorText: "no disk" }],
  [{ status: "error", output: "no", outcome: "denied" }, [], { state: "output-denied", errorText: "no" }],
  [{ status: "error", output: "too dear", outcome: "rejected" }, [], { state: "output-denied", errorText: "too dear" }],
  [{ status: "success", output: "42", title: "Look it up" }, [], { title: "Look it up" }],
  [{ status: "aborted", output: "stopped" }, [], { state: "output-aborted", errorText: "stopped" }],
] as const)("a call that is %j with the questions %j is a part with %j", (entry, approvals, expected) => {
  const [answer] = createMessages()(source([tool("c1", entry)], { approvals }));
  expect(answer?.parts).toEqual([expect.objectContaining(expected)]);
});

test("an answer has its id from its first letter on, and keeps it", () => {
  const read = createMessages();
  const ids = (parts: Source) => read(parts).map(({ id }) => id);
  const asked = [user("m1")];
  expect(ids(source(asked, { streamingText: "He" }))).toEqual(["m1", "m1:answer"]);
  expect(read(source(asked, { streamingText: "Hello" })).at(-1)?.parts).toEqual([
    { type: "text", text: "Hello", state: "streaming" },
  ]);
  expect(ids(source([...asked, agent("m2", "Hello")]))).toEqual(["m1", "m1:answer"]);
  expect(ids(source([], { streamingText: "Unasked" }))).toEqual(["start:answer"]);
});

test("what was thought is a part of its own, before what it led to", () => {
  const read = createMessages();
  const asked = [user("m1")];
  const thought = (state: string) => ({ type: "reasoning", text: "Hm", state });
  const text = { type: "text", text: "Yes", state: "streaming" };
  expect(read(source(asked, { streamingReasoning: "Hm" })).at(-1)?.parts).toEqual([thought("streaming")]);
  expect(read(source(asked, { streamingReasoning: "Hm", streamingText: "Yes" })).at(-1)?.parts).toEqual([thought("done"), text]);
  const timeline = [...asked, agent("m2", "", { reasoning: "Hm" }), tool("c1", { reasoning: "Hm" })];
  expect(read(source(timeline)).at(-1)?.parts).toEqual([
    thought("done"),
    thought("done"),
    expect.objectContaining({ type: "tool-look" }),
  ]);
});

test("messages that did not change are the same objects", () => {
  const read = createMessages();
  const timeline = [user("m1"), agent("m2"), user("m3"), tool("c1"), user("m4")];
  const before = read(source(timeline));
  expect(read(source(timeline))).toBe(before);

  const streaming = read(source(timeline, { streamingText: "a" }));
  expect(streaming.slice(0, -1)).toEqual(before);
  for (const [index, message] of before.entries()) expect(streaming[index]).toBe(message);

  const finished = read(source(timeline.with(3, tool("c1", { status: "success" }))));
  expect(finished.map((message, index) => message === before[index])).toEqual([true, true, true, false, true]);

  const asked = read(source(timeline, { approvals: [{ id: "q", kind: "approval", toolCallId: "c1" }] }));
  expect(asked.map((message, index) => message === before[index])).toEqual([true, true, true, false, true]);
});

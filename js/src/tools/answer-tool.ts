// The tool by which models give answers that have a schema.

export const answerTool = "give_answer";

/** Arguments are objects: an answer of another form stands in one, alone. */
export function unwrapped(input: unknown): unknown {
  return input !== null && typeof input === "object" && "answer" in input ? input.answer : input;
}

// `usePartial()`: an answer in the form of a schema, while it is written and after.
import { useMemo } from "react";
import type { InferInput, InferOutput, Partly, Schema } from "../../src/schema/types.js";
import { answerTool, unwrapped } from "../../src/tools/answer-tool.js";
import type { Serialized } from "../../src/tools/define.js";
import { useGlove } from "../hooks/use-glove.js";

/** The latest answer of a conversation to a message with an `output` schema. */
export interface PartialAnswer<S> {
  /** As far as it is written. No schema has checked it before `value` is there. */
  readonly partial: Partly<InferInput<S>> | undefined;
  /** The whole of it, checked, as JSON; also after a reload. */
  readonly value: Serialized<InferOutput<S>> | undefined;
}

/** Follows the latest answer of the nearest conversation that has a schema. `schema` only types it. */
export function usePartial<S extends Schema>(_schema: S): PartialAnswer<S> {
  const written = useGlove(({ streamingCalls }) => streamingCalls.find(({ name }) => name === answerTool)?.input);
  const timeline = useGlove(({ timeline }) => timeline);
  const value = useMemo(() => {
    const last = timeline.findLast((entry) => entry.kind === "tool" && entry.name === answerTool && entry.status === "success");
    return last?.kind === "tool" ? last.renderData : undefined;
  }, [timeline]);
  if (written !== undefined) return { partial: unwrapped(written) as Partly<InferInput<S>>, value: undefined };
  return { partial: value as Partly<InferInput<S>> | undefined, value: value as Serialized<InferOutput<S>> | undefined };
}

// What comes into a conversation while nobody looks at it: answers, and questions.
import { useEffect, useRef } from "react";
import { type Parts, useHandlePart } from "../hooks/handle-registry.js";
import type { GloveHandle } from "../render/types.js";

const unknown = "";
const working = "working";
const asks = "asks";
const idle = "idle";

/** Read with each change, so it looks at the end of the conversation alone. */
function stateOf({ timeline, slots, busy, error, sessionReady }: Parts): string {
  if (sessionReady === false) return unknown;
  if (slots.some(({ waits, status }) => waits && status === "pending")) return asks;
  if (busy) return working;
  const last = timeline.at(-1);
  return last?.kind === "agent_text" && !error ? `answer ${last.id}` : idle;
}

/** Reads a part of the conversation that is shown nearest: `useGlove(selector)`. */
export type UseNearest = (select: (parts: Parts) => string) => string;

interface NewsProps {
  /** A run went on when the page was left. */
  readonly ran: boolean;
  /** Something has come that a person may want to see. */
  readonly came: () => void;
  /** Whether a run goes on. */
  readonly runs: (runs: boolean) => void;
}

function useNews(state: string, { ran, came, runs }: NewsProps): null {
  const before = useRef(ran ? working : unknown);
  const latest = useRef({ came, runs });
  useEffect(() => {
    latest.current = { came, runs };
  });
  useEffect(() => {
    // What was there when the conversation was opened is nothing new.
    const isNews = before.current !== unknown && before.current !== state && (state === asks || state.startsWith("answer"));
    if (state === unknown) return;
    before.current = state;
    latest.current.runs(state === working);
    if (isNews) latest.current.came();
  }, [state]);
  return null;
}

export const NewsOf = ({ glove, ...props }: NewsProps & { readonly glove: GloveHandle }): null =>
  useNews(useHandlePart(glove, stateOf), props);

export const NearestNews = ({ useNearest, ...props }: NewsProps & { readonly useNearest: UseNearest }): null =>
  useNews(useNearest(stateOf), props);

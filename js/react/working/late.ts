// What a chat needs only while something waits or is full, or an answer was cut at its limit: loaded with the first of these.
import { useEffect, useMemo, useState } from "react";
import type { ShownEntry } from "../../src/snapshot/snapshot.js";
import { Loader } from "../look/loader.js";

const late = /* @__PURE__ */ new Loader(() => import("./index.js"));

export const QueueTools = /* @__PURE__ */ late.component("QueueTools");
export const AtLimit = /* @__PURE__ */ late.component("AtLimit");
export const ContextMeter = /* @__PURE__ */ late.component("ContextMeter");

type Timeline = readonly ShownEntry[];

/** The entries as they are drawn: an answer and what continues it are one. While more of the last one is written it is the second. */
export function useWhole(timeline: Timeline, writing: boolean): readonly [timeline: Timeline, begun?: ShownEntry | undefined] {
  const [join, setJoin] = useState<{ readonly of: (timeline: Timeline) => Timeline }>();
  const needed = timeline.some((entry) => entry.kind === "agent_text" && entry.atLimit);
  useEffect(() => {
    if (needed) void late.load().then((parts) => parts && setJoin({ of: parts.withContinued }));
  }, [needed]);
  return useMemo(() => {
    if (!needed || !join) return [timeline];
    const whole = join.of(timeline);
    const last = whole.at(-1);
    return writing && last?.kind === "agent_text" && last.atLimit ? [whole.slice(0, -1), last] : [whole];
  }, [timeline, writing, needed, join]);
}

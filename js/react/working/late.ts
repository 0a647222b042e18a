// What a chat needs only while something waits or is full, or an answer was cut at its limit: loaded with the first of these.
import { useEffect, useMemo, useState } from "react";
import type { ShownEntry } from "../../src/snapshot/snapshot.js";
import { Loader } from "../look/loader.js";

const late = /* @__PURE__ */ new Loader(() => import("./index.js"), true);

export const QueueTools = /* @__PURE__ */ late.component("QueueTools");
export const AtLimit = /* @__PURE__ */ late.component("AtLimit");
export const ContextMeter = /* @__PURE__ */ late.component("ContextMeter");

type Timeline = readonly ShownEntry[];

/** The entries as they are drawn: an answer and what continues it are one. While more of the last one is written it is the second. */
export function useWhole(timeline: Timeline, writing: boolean): readonly [timeline: Timeline, begun?: ShownEntry | undefined] {
  const [parts, setParts] = useState<Awaited<ReturnType<typeof late.load>>>();
  const needed = timeline.some((entry) => "atLimit" in entry);
  useEffect(() => {
    if (needed) void late.load().then(setParts);
  }, [needed]);
  return useMemo(() => (needed && parts ? parts.drawn(timeline, writing) : [timeline]), [timeline, writing, needed, parts]);
}

// `usePrompts()`: the record of a conversation as prompts.
import { useEffect, useRef, useState } from "react";
import type { Prompt } from "../../src/ports/prompt.js";
import { useGlove } from "./use-glove.js";

const none: readonly Prompt[] = [];

/**
 * The nearest conversation as prompts, the oldest first: each with its input, its outputs in order, its state and its usage. What is new is
 * read when an entry, the phase or the conversation changes, and not while an answer streams; prompts that did not change stay the same objects.
 */
export function usePrompts(): readonly Prompt[] {
  const session = useGlove(({ session }) => session);
  const timeline = useGlove(({ timeline }) => timeline);
  const phase = useGlove(({ run }) => run.phase);
  const [read, setRead] = useState<{ readonly of: typeof session; readonly prompts: readonly Prompt[] }>();
  const last = useRef(read);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read is of that timeline and phase.
  useEffect(() => {
    let over = false;
    const known = last.current?.of === session ? last.current : undefined;
    // The last one may have been under way.
    const since = known?.prompts.at(-1)?.id ?? "";
    // Why it cannot be read is in the snapshot.
    session?.prompts(since).then(
      (fresh) => {
        if (over) return;
        const from = known?.prompts.findIndex(({ id }) => id === fresh[0]?.id) ?? -1;
        const prompts = from < 0 ? fresh : [...(known?.prompts.slice(0, from) ?? none), ...fresh];
        last.current = { of: session, prompts };
        setRead(last.current);
      },
      () => {},
    );
    return () => {
      over = true;
    };
  }, [session, timeline, phase]);
  return read?.of === session && read ? read.prompts : none;
}

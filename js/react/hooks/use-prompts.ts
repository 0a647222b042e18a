// `usePrompts()`: the record of a conversation as prompts.
import { useEffect, useState } from "react";
import type { PromptRecord } from "../../src/wire/run-types.js";
import { useGlove } from "./use-glove.js";

const none: readonly PromptRecord[] = [];

/**
 * The nearest conversation as prompts, the oldest first: each with its input, its outputs in order, its state and its usage. Read anew when an
 * entry, the phase or the conversation changes, and not while an answer streams.
 */
export function usePrompts(): readonly PromptRecord[] {
  const session = useGlove(({ session }) => session);
  const timeline = useGlove(({ timeline }) => timeline);
  const phase = useGlove(({ run }) => run.phase);
  const [read, setRead] = useState<{ readonly of: typeof session; readonly prompts: readonly PromptRecord[] }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read is of that timeline and phase.
  useEffect(() => {
    let over = false;
    // Why it cannot be read is in the snapshot.
    session?.prompts().then(
      (prompts) => over || setRead({ of: session, prompts }),
      () => {},
    );
    return () => {
      over = true;
    };
  }, [session, timeline, phase]);
  return read?.of === session && read ? read.prompts : none;
}

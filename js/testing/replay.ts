// A run that was recorded, as a test: it is played without model and tools, and has to come out as it did.

import { core } from "../src/entries/inline-core.js";
import { compare, compareRequests, play, runTexts } from "../src/recording/play.js";
import { readRunFile } from "../src/recording/run-file.js";
import { check } from "../src/values/validate-options.js";
import type { Message } from "../src/wire/record.js";
import type { RunEffect } from "../src/wire/run-types.js";

/** What came of a run that was played. */
export interface ReplayedRun {
  /** The record at the end of the run. */
  readonly messages: Message[];
  /** What the run asked for, in its order: model calls, tools, questions, events. */
  readonly effects: RunEffect[];
}

/**
 * Plays a file of `exportRun()`, of a page or of `glove chat --record`, and compares what comes of it to the byte with what came of it when it was
 * recorded: what the model was sent each time, the messages, and the state at the end. Rejects with `RECORDING_DIVERGED` where it differs.
 */
export async function replay(file: string): Promise<ReplayedRun> {
  const { start, records, end, requests } = readRunFile(check("The recorded run", file, "text"));
  const player = await core.load();
  const effects: RunEffect[] = [];
  const found = play(player, runTexts(start), records, (taken) => {
    for (const effect of JSON.parse(taken) as RunEffect[]) effects.push(effect);
  });
  compare(runTexts(end), found);
  if (requests !== undefined) compareRequests(requests, found, runTexts(end).messages);
  return { messages: JSON.parse(found.messages) as Message[], effects };
}

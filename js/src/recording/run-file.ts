// A recorded run as a file, loaded with the first that is exported. src/run/replay.rs writes and reads the same form.

import { membersOf } from "../store/json-text.js";
import { runFormat as format, runVersion as version } from "../store/run-format.js";
import { GloveError } from "../values/error.js";
import {
  compare,
  newer,
  notRecorded,
  type Played,
  type Player,
  play,
  type Replayable,
  type RunTexts,
  recordingError,
  runTexts,
  writtenRequests,
} from "./play.js";
import { redacted, withoutKeys } from "./redact.js";

/** How a run is written into a file. */
export interface ExportRunOptions {
  /** Gets each text of the run and gives what is to stand there, always the same for the same text. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** The file of what a core has recorded, without keys. */
export function runFile(player: Player, recorded: string, redact: (text: string) => string = (text) => text): string {
  if (recorded === "") {
    const message = "Nothing was recorded; pass `record: true` to GloveClient. What runs on a server is recorded there.";
    throw recordingError("MISSING", message);
  }
  const { start, records, end } = partsOf(recorded);
  // A run that does not come out as it did here would be a wrong report.
  compare(runTexts(end), play(player, runTexts(start), records));
  const clean = (json: string) => redacted(json, (text) => asked(redact, withoutKeys(text)));
  const [cleanStart, cleanRecords] = [clean(start), clean(records)];
  const run = played(player, cleanStart, cleanRecords);
  const head = `{"format":"${format}","version":${version},"start":${cleanStart},"records":${cleanRecords}`;
  return `${head},"end":{"checkpoint":${run.checkpoint},"messages":${run.messages}},"requests":${writtenRequests(run)}}`;
}

/** The parts of a file. */
export function readRunFile(text: string): Replayable {
  let parsed: Record<string, unknown> | null;
  try {
    parsed = JSON.parse(text) as Record<string, unknown> | null;
  } catch (error) {
    throw notRecorded(`it cannot be read (${(error as Error).message})`);
  }
  if (parsed?.format !== format) throw notRecorded(`it has no "format": "${format}"`);
  if (typeof parsed.version !== "number" || parsed.version < 1) throw notRecorded("it has no `version`");
  if (parsed.version > version) throw newer();
  if (!Array.isArray(parsed.records)) throw notRecorded("its `records` is not an array");
  if (parsed.requests !== undefined && !Array.isArray(parsed.requests)) throw notRecorded("its `requests` is not an array");
  for (const part of ["start", "end"]) {
    const { checkpoint, messages } = Object(parsed[part]) as Partial<Record<keyof RunTexts, unknown>>;
    if (typeof checkpoint !== "object" || !Array.isArray(messages))
      throw notRecorded(`its \`${part}\` is not the state of a run`);
  }
  return partsOf(text);
}

function partsOf(text: string): Replayable {
  const parts = membersOf(text);
  return {
    start: parts.get("start") ?? "",
    records: parts.get("records") ?? "",
    end: parts.get("end") ?? "",
    requests: parts.get("requests"),
  };
}

function played(player: Player, start: string, records: string): Played {
  try {
    return play(player, runTexts(start), records);
  } catch (error) {
    throw recordingError("INVALID", `\`redact\` returned a text that is not a run any more: ${(error as Error).message}`);
  }
}

function asked(redact: (text: string) => string, text: string): string {
  const made: unknown = redact(text);
  if (typeof made === "string") return made;
  throw new GloveError("CONFIG_INVALID", `\`redact\` must return a string; it returned ${typeof made}.`);
}

// A recorded run, played: where it began and what it took in, and no model, tools, clock or store.
import { codeOf, GloveError } from "../error.js";
import { elementsOf, inside, membersOf } from "../store/json-text.js";
import { fromCore } from "../wasm/core-errors.js";
import { CoreRun } from "../wasm/generated/glove_wasm.js";

/** A run at one moment, as JSON: `messages` is an array, `checkpoint` an object. */
export interface RunTexts {
  readonly checkpoint: string;
  readonly messages: string;
}

export type Replayable = { readonly [part in "start" | "records" | "end"]: string };

export function recordingError(code: "MISSING" | "INVALID" | "DIVERGED", message: string): GloveError {
  return new GloveError(`RECORDING_${code}`, message);
}

export function runTexts(json: string): RunTexts {
  const parts = membersOf(json);
  return { checkpoint: parts.get("checkpoint") ?? "", messages: parts.get("messages") ?? "[]" };
}

/** Where the run is after its inputs. `took` hears what each of them led to: a list of `RunEffect`. The core has to be started. */
export function play(start: RunTexts, records: string, took: (effects: string) => void = () => {}): RunTexts {
  const run = begun(start);
  try {
    for (const record of elementsOf(inside(records))) {
      const parts = membersOf(record);
      const at = Number(parts.get("at"));
      const input = parts.get("input");
      if (input === undefined || !Number.isSafeInteger(at))
        throw notRecorded(`its input ${parts.get("seq")} has no time or no content`);
      took(stepped(run, at, input, parts.get("seq")));
    }
    return { checkpoint: run.checkpoint(), messages: run.messages() };
  } finally {
    run.free();
  }
}

/** The first difference, to the byte. */
export function compare(recorded: RunTexts, found: RunTexts): void {
  const [was, is] = [elementsOf(inside(recorded.messages)), elementsOf(inside(found.messages))];
  for (let at = 0; at < Math.max(was.length, is.length); at++) differs(`message ${at}`, was[at] ?? "", is[at] ?? "");
  differs("the state of the run", recorded.checkpoint, found.checkpoint);
}

export function notRecorded(why: string): GloveError {
  return recordingError("INVALID", `This is not a recorded run: ${why}.`);
}

function begun({ checkpoint, messages }: RunTexts): CoreRun {
  try {
    return new CoreRun("{}", messages, checkpoint);
  } catch (thrown) {
    const error = fromCore(thrown);
    throw codeOf(error) === "STORE_NEWER" ? newer() : notRecorded(`its \`start\` cannot be read: ${error.message}`);
  }
}

export function newer(): GloveError {
  return new GloveError("STORE_NEWER", "This run was recorded by a newer version; update glove-wasm to play it.");
}

function stepped(run: CoreRun, at: number, input: string, seq: string | undefined): string {
  try {
    return run.step(at, input);
  } catch (thrown) {
    const { message } = fromCore(thrown);
    throw recordingError("DIVERGED", `The recorded input ${seq} does not fit the run any more: ${message}`);
  }
}

function differs(what: string, recorded: string, found: string): void {
  if (recorded === found) return;
  let same = 0;
  while (recorded[same] === found[same]) same++;
  const near = (text: string) => text.slice(Math.max(0, same - 20), same + 60);
  throw recordingError(
    "DIVERGED",
    `The run ends differently from when it was recorded: ${what} is now \`${near(found)}\` and was \`${near(recorded)}\`.`,
  );
}

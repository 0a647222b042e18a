// A recorded run, played: where it began and what it took in, and no model, tools, clock or store.

import { arrayBody, elementsOf, membersOf } from "../store/json-text.js";
import { codeOf, GloveError } from "../values/error.js";
import { fromCore } from "../wasm/core-errors.js";
import type { CoreRun } from "../wasm/generated/glove_wasm.js";

/** A run at one moment, as JSON: `messages` is an array, `checkpoint` an object. */
export interface RunTexts {
  readonly checkpoint: string;
  readonly messages: string;
}

/** `requests` is missing in files of before. */
export type Replayable = { readonly [part in "start" | "records" | "end"]: string } & { readonly requests?: string | undefined };

/** What the model was sent: as many messages as in the request before, then these. */
export interface PlayedRequest {
  readonly same: number;
  readonly more: readonly string[];
}

export interface Played extends RunTexts {
  readonly requests: readonly PlayedRequest[];
}

export function recordingError(code: "MISSING" | "INVALID" | "DIVERGED", message: string): GloveError {
  return new GloveError(`RECORDING_${code}`, message);
}

export function runTexts(json: string): RunTexts {
  const parts = membersOf(json);
  return { checkpoint: parts.get("checkpoint") ?? "", messages: parts.get("messages") ?? "[]" };
}

/** What runs it, in a core that is started. */
export interface Player {
  readonly CoreRun: typeof CoreRun;
}

/** Where the run is after its inputs. `took` hears what each of them led to: a list of `RunEffect`. */
export function play(player: Player, start: RunTexts, records: string, took: (effects: string) => void = () => {}): Played {
  const run = begun(player, start);
  const requests: PlayedRequest[] = [];
  let sent: string[] = [];
  try {
    for (const record of elementsOf(arrayBody(records))) {
      const parts = membersOf(record);
      const at = Number(parts.get("at"));
      const input = parts.get("input");
      if (input === undefined || !Number.isSafeInteger(at))
        throw notRecorded(`its input ${parts.get("seq")} has no time or no content`);
      const effects = stepped(run, at, input, parts.get("seq"));
      took(effects);
      for (const { type } of JSON.parse(effects) as { type: string }[]) {
        if (type !== "call_model" && type !== "compact") continue;
        const now = elementsOf(arrayBody(run.modelRequest()));
        let same = 0;
        while (same < now.length && now[same] === sent[same]) same++;
        requests.push({ same, more: now.slice(same) });
        sent = now;
      }
    }
    return { checkpoint: run.checkpoint(), messages: run.messages(), requests };
  } finally {
    run.free();
  }
}

/** The first difference, to the byte. */
export function compare(recorded: RunTexts, found: RunTexts): void {
  const [was, is] = [elementsOf(arrayBody(recorded.messages)), elementsOf(arrayBody(found.messages))];
  for (let at = 0; at < Math.max(was.length, is.length); at++) differs(`message ${at}`, was[at] ?? "", is[at] ?? "");
  differs("the state of the run", recorded.checkpoint, found.checkpoint);
}

/** As they stand in a file: a number is the place of a message at the end of the run. */
export function writtenRequests({ requests, messages }: Played): string {
  const places = new Map(elementsOf(arrayBody(messages)).map((message, place) => [message, String(place)]));
  const written = ({ same, more }: PlayedRequest) =>
    `{"same":${same},"more":[${more.map((message) => places.get(message) ?? message)}]}`;
  return `[${requests.map(written)}]`;
}

/** The first message of a request that is another one now. */
export function compareRequests(recorded: string, found: Played, messages: string): void {
  const known = elementsOf(arrayBody(messages));
  const was = elementsOf(arrayBody(recorded)).map((request) => {
    const parts = membersOf(request);
    const more = elementsOf(arrayBody(parts.get("more")));
    return {
      same: Number(parts.get("same")),
      more: more.map((message) => (/^\d+$/.test(message) ? known[Number(message)] : message)),
    };
  });
  let [before, now]: [(string | undefined)[], (string | undefined)[]] = [[], []];
  for (let number = 0; number < Math.max(was.length, found.requests.length); number++) {
    before = continued(before, was[number]);
    now = continued(now, found.requests[number]);
    for (let at = 0; at < Math.max(before.length, now.length); at++) {
      differs(`message ${at} of the model request ${number}`, before[at] ?? "", now[at] ?? "");
    }
  }
}

function continued(sent: (string | undefined)[], request: { same: number; more: readonly (string | undefined)[] } | undefined) {
  return request ? [...sent.slice(0, request.same), ...request.more] : [];
}

export function notRecorded(why: string): GloveError {
  return recordingError("INVALID", `This is not a recorded run: ${why}.`);
}

function begun({ CoreRun: Run }: Player, { checkpoint, messages }: RunTexts): CoreRun {
  try {
    return new Run("{}", messages, checkpoint);
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
    `The run comes out differently from when it was recorded: ${what} is now \`${near(found)}\` and was \`${near(recorded)}\`.`,
  );
}

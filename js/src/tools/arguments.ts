// The arguments of calls as tools get them: made once by the tool's schema, then shown, judged, kept and run as they are.

import type { ToolConfig } from "../ports/tool.js";
import { type Checked, checkWithSchema } from "../schema/check.js";
import type { Issue, Schema } from "../schema/types.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { independentCopy, isJson } from "../values/copy.js";
import { GloveError } from "../values/error.js";
import { toLooseJson } from "../values/json.js";
import type { Validated } from "../wire/run-types.js";
import { presence } from "./combined-tools.js";
import { argumentsSchema, namedAs } from "./spec.js";

/** What a tool gets. */
export interface ToolInput {
  readonly sent: string;
  readonly value: unknown;
  /** The same as JSON, for the core where it does not know it: it is something else than the model sent. */
  readonly coreUpdate?: string | undefined;
  /** Something else was allowed, and cannot be made again. */
  readonly changed?: boolean | undefined;
  /** The same for a rule, which must not change what is run. Rejects where there can be no other one. */
  copy(): Maybe<unknown>;
}

/** Made by this schema. */
interface Cached extends ToolInput {
  readonly schema: Schema | undefined;
}

export class Arguments {
  /** Of calls that have not ended. Values that JSON cannot hold live here alone. */
  readonly #cached = new Map<string, Cached | undefined>();
  readonly #report: (code: string, error: unknown) => void;

  constructor(report: (code: string, error: unknown) => void) {
    this.#report = report;
  }

  /** `known` is what the core knows of it: the JSON of a `Validated`. */
  async of(
    tool: ToolConfig,
    id: string,
    sent: string,
    known: string | undefined,
  ): Promise<ToolInput | { readonly issues: readonly Issue[] }> {
    const earlier = this.#cached.get(id);
    const schema = argumentsSchema(tool);
    if (earlier?.sent === sent && earlier.schema === schema) return { ...earlier, ...nothingNew };
    this.#cached.set(id, undefined);
    const before = validatedBefore(known, earlier?.sent === sent ? earlier : undefined);
    // A tool that comes and goes may have been another one.
    const isMade = before?.exact && !presence.has(tool);
    const made = isMade ? plain(sent, before.input) : await this.#made(tool, schema, sent, before);
    // Its call may have ended meanwhile.
    if (!("issues" in made) && this.#cached.has(id)) this.#cached.set(id, { ...made, schema });
    return made;
  }

  /** Nothing more is done with them. */
  end(id: string): void {
    this.#cached.delete(id);
  }

  async #made(
    tool: ToolConfig,
    schema: Schema | undefined,
    sent: string,
    before: Validated | undefined,
  ): Promise<ToolInput | { readonly issues: readonly Issue[] }> {
    const read = () => (sent === "" ? {} : JSON.parse(sent)) as unknown;
    const checked = schema ? await inTime(checkWithSchema(schema, read())) : { value: read() };
    if ("issues" in checked) {
      // The model can do nothing about it, and its arguments may be right.
      if (checked.error?.code === "PART_NOT_LOADED") throw checked.error;
      if (checked.error) this.#report(checked.error.code, namedAs(tool.name, checked.error));
      return checked;
    }
    const { value } = checked;
    const input: unknown = JSON.parse(toLooseJson(value));
    const exact = isJson(value, input);
    const changed = before !== undefined && !isJson(input, before.input);
    const isNew = before === undefined && !isJson(input, read());
    const again = async () => {
      const other = schema && (await checkWithSchema(schema, read()));
      return other && "value" in other ? other.value : undefined;
    };
    return {
      ...(exact ? plain(sent, value) : { sent, value, copy: () => independentCopy(value, again) }),
      ...((changed || isNew) && { coreUpdate: JSON.stringify({ input, exact }) }),
      ...(changed && { changed }),
    };
  }
}

/** A schema that waits for something, and for longer than this, has got stuck. Before a rule the core waits for less. */
const longestMs = 60_000;

function inTime<T>(checking: Maybe<Checked<T>>): Maybe<Checked<T>> {
  if (!(checking instanceof Promise)) return checking;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Checked<T>>((resolve) => {
    timer = setTimeout(() => {
      const error = new GloveError("TOOL_RULE_FAILED", `Its schema did not settle within ${longestMs / 1000} seconds.`);
      resolve({ issues: [{ path: [], message: error.message }], error });
    }, longestMs);
  });
  return Promise.race([checking, late]).finally(() => clearTimeout(timer));
}

/** What was shown and decided: the core does not know it where the model sent the same. */
function validatedBefore(known: string | undefined, earlier: ToolInput | undefined): Validated | undefined {
  if (known !== undefined) return JSON.parse(known);
  return earlier && { input: JSON.parse(toLooseJson(earlier.value)), exact: false };
}

const nothingNew = { coreUpdate: undefined, changed: undefined };

function plain(sent: string, value: unknown): ToolInput {
  // Text, which nobody who holds the value can change.
  const text = JSON.stringify(value);
  return { sent, value, copy: () => JSON.parse(text) };
}

/** What a call that is taken back was run with. */
export async function undoArguments(
  args: Arguments,
  tool: ToolConfig,
  sent: string,
  known: string | undefined,
): Promise<unknown> {
  const id = `undo ${sent}`;
  try {
    const given = await args.of(tool, id, sent, known);
    if (!("issues" in given) && !given.changed) return given.value;
  } finally {
    args.end(id);
  }
  throw new GloveError("TOOL_INPUT_INVALID", `The arguments of ${tool.name} no longer match its schema.`);
}

// Values checked against JSON Schema. Loaded when the first value is checked, so that nobody else carries the validator.
import { Validator } from "@cfworker/json-schema";
import { GloveError, reasonOf } from "./error.js";
import type { Issue, JsonSchema } from "./schema.js";

export function validatorOf(schema: JsonSchema): (value: unknown) => readonly Issue[] {
  const validator = right(() => new Validator(schema, "2020-12", false));
  return (value) => {
    // A reference that leads nowhere is found only here.
    const { valid, errors } = right(() => validator.validate(value));
    if (valid) return [];
    // An error inside a value is reported again for everything around it.
    const inner = errors.filter(
      ({ instanceLocation }) => !errors.some((other) => other.instanceLocation.startsWith(`${instanceLocation}/`)),
    );
    return inner.map(({ instanceLocation, error }) => ({ path: steps(instanceLocation), message: error }));
  };
}

function right<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new GloveError("SCHEMA_INVALID", `This is no JSON Schema: ${reasonOf(error)}`, { cause: error });
  }
}

function steps(pointer: string): (string | number)[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    return /^\d+$/.test(name) ? Number(name) : name;
  });
}

// What a page's check of JSON Schema says of thousands of values. Native programs have a check of their own, and `src/ports/schema_check.rs`
// holds it to this file. `npx vitest run --project js tests/js/schema-verdicts.test.ts -u` writes it anew.
import { expect, test } from "vitest";
import type { Issue, JsonSchema } from "../../js/src/schema/types.js";
import { validatorOf } from "../../js/src/schema/validator.js";
import { root } from "../support/project.js";
import { named, random } from "../support/schemas.js";

const fixture = `${root}/tests/fixtures/schema-verdicts.jsonl`;

interface Case {
  readonly schema: JsonSchema;
  readonly values: readonly unknown[];
  /** One letter for each value: `1` fits, `0` does not, `x` where the schema itself is refused. */
  readonly valid: string;
}

function judged(
  schema: JsonSchema,
  values: readonly unknown[],
): { readonly valid: string; readonly issues: (readonly Issue[])[] } {
  const issues: (readonly Issue[])[] = [];
  const letter = (value: unknown) => {
    try {
      const found = validatorOf(schema)(value);
      issues.push(found);
      return found.length ? "0" : "1";
    } catch {
      issues.push([]);
      return "x";
    }
  };
  return { valid: values.map(letter).join(""), issues };
}

test("the page's verdicts are those of the fixture", async () => {
  const lines: string[] = [];
  let count = 0;
  for (const { about, schema, values } of named) {
    const { valid, issues } = judged(schema, values);
    const told = issues.map((list) => list.map(({ path, message }) => [path, message]));
    lines.push(JSON.stringify({ about, schema, values, valid, issues: told } satisfies Case & Record<string, unknown>));
    count += values.length;
  }
  for (const { schema, values } of random(400, 10)) {
    lines.push(JSON.stringify({ schema, values, valid: judged(schema, values).valid } satisfies Case));
    count += values.length;
  }
  expect(count).toBeGreaterThan(4_500);
  const all = lines.join("\n");
  expect(all.match(/"valid":"[01x]*0/g)?.length).toBeGreaterThan(200);
  await expect(`${all}\n`).toMatchFileSnapshot(fixture);
});

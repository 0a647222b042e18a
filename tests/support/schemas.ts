// Schemas of tools and values for them: some that people write, and as many more as are wanted, always the same.
// biome-ignore-all lint/suspicious/noThenProperty: JSON Schema has a keyword of this name.
import type { JsonSchema } from "../../js/src/schema/types.js";

export interface Sample {
  readonly about: string;
  readonly schema: JsonSchema;
  readonly values: readonly unknown[];
}

/** Values of every kind, for keywords that look at one kind alone. */
const kinds = [null, true, false, 0, 1, -1, 1.5, 10, 1e21, "", "a", "10", [], [1], [1, 1], {}, { a: 1 }];

const of = (about: string, schema: JsonSchema, ...values: unknown[]): Sample => ({ about, schema, values });
const each = (about: string, schema: JsonSchema): Sample => ({ about, schema, values: kinds });
const format = (name: string, ...values: string[]): Sample => of(`format ${name}`, { format: name }, ...values, 7, null);
const pattern = (source: string, ...values: string[]): Sample => of(`pattern ${source}`, { pattern: source }, ...values, 7);

const tool = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 2 },
    days: { type: "integer", minimum: 1, maximum: 14 },
    unit: { enum: ["c", "f"] },
    tags: { type: "array", items: { type: "string" }, maxItems: 3, uniqueItems: true },
    to: { anyOf: [{ type: "string", format: "email" }, { type: "null" }] },
  },
  required: ["city"],
  additionalProperties: false,
};

const shapes = {
  type: "object",
  required: ["shape"],
  properties: {
    shape: {
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "circle" }, radius: { type: "number", exclusiveMinimum: 0 } },
          required: ["kind", "radius"],
        },
        {
          type: "object",
          properties: { kind: { const: "square" }, side: { type: "number", exclusiveMinimum: 0 } },
          required: ["kind", "side"],
        },
        { type: "null" },
      ],
    },
  },
};

const tree = {
  type: "object",
  properties: { root: { $ref: "#/$defs/node" } },
  required: ["root"],
  $defs: {
    node: {
      type: "object",
      properties: { value: { type: "number" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
      required: ["value"],
    },
  },
};

export const named: readonly Sample[] = [
  of(
    "the arguments of a tool",
    tool,
    { city: "Oslo" },
    { city: "Oslo", days: 3, unit: "c", tags: ["a", "b"], to: "a@b.example" },
    {},
    { city: "O" },
    { city: 7 },
    { city: "Oslo", days: 0 },
    { city: "Oslo", days: 15 },
    { city: "Oslo", days: 1.5 },
    { city: "Oslo", days: 2.0 },
    { city: "Oslo", days: "3" },
    { city: "Oslo", unit: "k" },
    { city: "Oslo", tags: ["a", "a"] },
    { city: "Oslo", tags: ["a", 1, "c", "d"] },
    { city: "Oslo", to: null },
    { city: "Oslo", to: "nobody" },
    { city: "Oslo", extra: 1 },
    { city: "Oslo", extra: 1, more: 2 },
    [],
    "Oslo",
    null,
  ),
  of(
    "a smallest number",
    { type: "object", properties: { n: { type: "number", minimum: 10 } }, required: ["n"] },
    { n: 3 },
    { n: 10 },
    {},
  ),
  of(
    "a union told apart by a constant",
    shapes,
    { shape: { kind: "circle", radius: 1 } },
    { shape: { kind: "circle", radius: 0 } },
    { shape: { kind: "circle", side: 1 } },
    { shape: { kind: "square", side: "1" } },
    { shape: { kind: "line" } },
    { shape: {} },
    { shape: null },
    { shape: "circle" },
    {},
  ),
  of(
    "a tree",
    tree,
    { root: { value: 1 } },
    { root: { value: 1, next: { value: 2, next: null } } },
    { root: { value: 1, next: { value: "2" } } },
    { root: { next: null } },
    { root: { value: 1, next: { value: 2, next: { value: 3, next: {} } } } },
    {},
  ),
  ...["string", "number", "integer", "boolean", "null", "array", "object"].map((type) => each(`type ${type}`, { type })),
  each("two types", { type: ["integer", "null"] }),
  each("three types", { type: ["string", "array", "boolean"] }),
  each("no schema", {}),
  each("a constant of null", { const: null }),
  each("a constant of false", { const: false }),
  each("a constant of 0", { const: 0 }),
  each("a constant of an object", { const: { a: 1 } }),
  each("a list of one of each", { enum: [null, 1, "a", [1], { a: 1 }] }),
  each("an empty list of values", { enum: [] }),
  each("minimum", { minimum: 1 }),
  each("maximum", { maximum: 1 }),
  each("exclusiveMinimum", { exclusiveMinimum: 1 }),
  each("exclusiveMaximum", { exclusiveMaximum: 1 }),
  each("minLength", { minLength: 1 }),
  each("maxLength", { maxLength: 1 }),
  each("minItems", { minItems: 1 }),
  each("maxItems", { maxItems: 1 }),
  each("uniqueItems", { uniqueItems: true }),
  each("minProperties", { minProperties: 1 }),
  each("maxProperties", { maxProperties: 0 }),
  each("not", { not: { type: "string" } }),
  each("nothing", { not: {} }),
  each("contains", { contains: { const: 1 } }),
  each("required", { required: ["a"] }),
  each("an object of nothing else", { additionalProperties: false }),
  each("a list of nothing", { items: false }),
  each("an if alone", { if: { type: "string" } }),
  each("if, then and else", { if: { type: "string" }, then: { minLength: 2 }, else: { type: "number" } }),
  of("multipleOf", { multipleOf: 0.1 }, 0.3, 0.35, 1, 1.1, 0, -0.2, 1e21, 1e-7, "a"),
  of("multipleOf of cents", { multipleOf: 0.01 }, 19.99, 0.07, 4.35, 1.005, 1234567.89, 0.001),
  of("multipleOf of a whole number", { multipleOf: 3 }, 9, 10, 0, -3, 4.5, 9.0, 3e20, 9007199254740991),
  of("large numbers", { type: "integer", maximum: 9007199254740991 }, 9007199254740991, 1e16, 9007199254740990, 1.5e300, -1e300),
  of("a constant that is written otherwise", { enum: [1.0, 100] }, 1, 1.0, 1e2, 10, "1"),
  of("length in letters", { minLength: 2, maxLength: 3 }, "😀", "😀😀", "👩‍👩", "é", "日本", "日本語日"),
  of(
    "values that differ in kind alone",
    { uniqueItems: true },
    [1, true],
    [0, false],
    [1, "1"],
    [null, 0],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [[1], [1]],
    [
      [1, 2],
      [2, 1],
    ],
    [1, 1.0],
    [{}, []],
  ),
  of(
    "a tuple",
    { prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 },
    ["a", 1],
    ["a"],
    ["a", 1, 2],
    [1, "a"],
    [],
  ),
  of("a tuple with a rest", { prefixItems: [{ type: "string" }], items: { type: "number" } }, ["a", 1, 2], ["a", "b"], [], [1]),
  of(
    "a tuple of earlier drafts",
    { items: [{ type: "string" }, { type: "number" }], additionalItems: false },
    ["a", 1],
    ["a"],
    ["a", 1, 2],
    [1, "a"],
    [],
  ),
  of(
    "a tuple of earlier drafts with a rest",
    { items: [{ type: "string" }], additionalItems: { type: "number" } },
    ["a", 1, 2],
    ["a", "b"],
    [],
  ),
  of("additionalItems beside a schema", { items: { type: "string" }, additionalItems: false }, ["a", "b"], ["a", 1]),
  of(
    "a reference into a tuple of earlier drafts",
    { properties: { a: { items: [{ type: "string" }] }, b: { $ref: "#/properties/a/items/0" } } },
    { b: "x" },
    { b: 1 },
    { a: [1] },
  ),
  of(
    "contains within bounds",
    { contains: { type: "number" }, minContains: 2, maxContains: 3 },
    [1],
    [1, 2],
    [1, 2, 3, 4],
    ["a"],
    [],
    [1, "a", 2],
  ),
  of("contains of none", { contains: { type: "number" }, minContains: 0 }, [], ["a"], [1]),
  of("contains at most", { contains: { type: "number" }, maxContains: 1 }, [], [1], [1, 2], ["a"]),
  of(
    "patternProperties",
    { patternProperties: { "^n_": { type: "number" } }, additionalProperties: { type: "string" } },
    { n_a: 1 },
    { n_a: "1" },
    { a: "1" },
    { a: 1 },
    {},
  ),
  of("propertyNames", { propertyNames: { pattern: "^[a-z]+$", maxLength: 3 } }, { a: 1 }, { A: 1 }, { abcd: 1 }, {}),
  of("dependentRequired", { dependentRequired: { a: ["b", "c"] } }, { a: 1 }, { a: 1, b: 1 }, { a: 1, b: 1, c: 1 }, { b: 1 }),
  of(
    "dependentSchemas",
    { dependentSchemas: { a: { required: ["b"], properties: { b: { type: "string" } } } } },
    { a: 1 },
    { a: 1, b: "x" },
    { a: 1, b: 1 },
    {},
  ),
  of(
    "dependencies",
    { dependencies: { a: ["b"], c: { properties: { d: { type: "number" } } } } },
    { a: 1 },
    { a: 1, b: 1 },
    { c: 1, d: "1" },
    { c: 1, d: 1 },
  ),
  of(
    "properties that nobody knows",
    { allOf: [{ properties: { a: { type: "string" } } }], properties: { b: true }, unevaluatedProperties: false },
    { a: "x", b: 1 },
    { a: "x", c: 1 },
    { a: 1 },
    {},
  ),
  of(
    "properties that nobody knows, behind a condition",
    { if: { properties: { k: { const: 1 } }, required: ["k"] }, then: { properties: { a: true } }, unevaluatedProperties: false },
    { k: 1, a: 1 },
    { k: 2, a: 1 },
    { a: 1 },
    { k: 1, b: 1 },
  ),
  of(
    "properties that nobody knows, in a reference",
    {
      $ref: "#/$defs/base",
      $defs: { base: { properties: { a: true } } },
      properties: { b: true },
      unevaluatedProperties: { type: "number" },
    },
    { a: "x", b: "x" },
    { c: 1 },
    { c: "x" },
  ),
  of("items that nobody knows", { prefixItems: [{ type: "string" }], unevaluatedItems: false }, ["a"], ["a", 1], [1], []),
  of(
    "items that only a branch knows",
    { anyOf: [{ prefixItems: [true, { const: 1 }] }, { prefixItems: [true] }], unevaluatedItems: false },
    ["a"],
    ["a", 1],
    ["a", 2],
    [],
  ),
  of("both of two", { allOf: [{ minimum: 1 }, { maximum: 5 }] }, 0, 1, 5, 6, "a"),
  of("exactly one of two", { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, 2, 3, 6, 5, "a"),
  of("any of two objects", { anyOf: [{ required: ["a"] }, { required: ["b"] }] }, { a: 1 }, { b: 1 }, { a: 1, b: 1 }, {}, 7),
  of(
    "definitions of earlier drafts",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { s: { type: "string" } },
      properties: { a: { $ref: "#/definitions/s" } },
    },
    { a: "x" },
    { a: 1 },
    {},
  ),
  of(
    "siblings of a reference",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { s: { type: "string" } },
      properties: { a: { $ref: "#/definitions/s", minLength: 2 } },
    },
    { a: "xy" },
    { a: "x" },
    { a: 1 },
  ),
  of(
    "an anchor",
    { $defs: { s: { $anchor: "here", type: "string" } }, properties: { a: { $ref: "#here" } } },
    { a: "x" },
    { a: 1 },
  ),
  of(
    "an id",
    {
      $id: "https://example.com/tool",
      $defs: { s: { $id: "s", type: "string" } },
      properties: { a: { $ref: "https://example.com/s" }, b: { $ref: "s" } },
    },
    { a: "x" },
    { a: 1 },
    { b: "x" },
    { b: 1 },
  ),
  of(
    "a name with signs",
    { $defs: { "a/b~c d%": { type: "string" } }, properties: { x: { $ref: "#/$defs/a~1b~0c%20d%25" } } },
    { x: "a" },
    { x: 1 },
  ),
  of(
    "a dynamic reference",
    { $dynamicAnchor: "node", type: "object", properties: { next: { $dynamicRef: "#node" }, value: { type: "number" } } },
    { value: 1, next: { value: 2 } },
    { next: { value: "2" } },
    { next: 1 },
  ),
  of(
    "a recursive reference",
    { type: "object", properties: { next: { $recursiveRef: "#" }, value: { type: "number" } } },
    { value: 1, next: { value: 2 } },
    { next: { value: "2" } },
    { next: 1 },
  ),
  of("a reference that leads nowhere", { properties: { a: { $ref: "#/$defs/gone" } } }, { a: 1 }),
  of("a reference to another place", { properties: { a: { $ref: "https://example.com/other.json" } } }, { a: 1 }),
  of("a schema that is itself", { $ref: "#" }, { a: 1 }),
  of("a schema that is itself in a list", { allOf: [{ $ref: "#" }] }, { a: 1 }, 7),
  of("a bound of draft 4", { type: "number", minimum: 0, exclusiveMinimum: true }, 0, 0.5, 1, -1, 2),
  of("a bound of draft 4 that is off", { type: "number", maximum: 5, exclusiveMaximum: false }, 5, 0.5, 6, 0, -1),
  of(
    "keywords that nobody knows",
    { type: "string", nullable: true, example: 7, "x-order": [1], discriminator: { propertyName: "a" } },
    "a",
    null,
  ),
  of(
    "names that objects have anyway",
    JSON.parse(
      '{"properties":{"__proto__":{"type":"number"},"constructor":{"type":"string"},"toString":true},"required":["constructor"]}',
    ),
    JSON.parse('{"__proto__":1,"constructor":"a"}'),
    JSON.parse('{"__proto__":"1","constructor":"a"}'),
    {},
    { constructor: 1 },
  ),
  of("a name of digits", { properties: { "0": { type: "number" } }, required: ["0"] }, { "0": 1 }, { "0": "1" }, {}),
  of(
    "content that is described",
    { contentEncoding: "base64", contentMediaType: "application/json" },
    "e30=",
    "no base64!",
    "{}",
    7,
  ),
  format(
    "date",
    "2024-02-29",
    "2023-02-29",
    "2024-13-01",
    "2024-1-1",
    "2024-01-01T00:00:00Z",
    "",
    "1900-02-29",
    "0000-01-01",
    "２０２４-01-01",
  ),
  format(
    "time",
    "10:00:00Z",
    "10:00:00",
    "24:00:00Z",
    "23:59:60Z",
    "22:59:60Z",
    "10:00:00.123+01:00",
    "10:00:00z",
    "10:00Z",
    "10:00:00+24:00",
    "10:00:00+0100",
    "23:59:60+00:00",
    "00:59:60+01:00",
  ),
  format(
    "date-time",
    "2024-01-01T10:00:00Z",
    "2024-01-01 10:00:00Z",
    "2024-01-01t10:00:00z",
    "2024-01-01T10:00:00",
    "2024-01-01",
    "2024-01-01T10:00:00.5-05:30",
    "2024-02-30T10:00:00Z",
    "2024-01-01T25:00:00Z",
    "2024-01-01T10:00:00Z ",
    "1998-12-31T23:59:60Z",
  ),
  format(
    "duration",
    "P1D",
    "PT1H30M",
    "P1W",
    "P1Y2M3D",
    "P",
    "PT",
    "1D",
    "P1Y1W",
    "PT1S",
    "P1M2H",
    "p1d",
    "PT0.5S",
    "P1DT",
    "P1Y3D",
  ),
  format(
    "email",
    "a@b.example",
    "a.b+c@d.co",
    "nobody",
    "a@b",
    "@b.example",
    "a@",
    "a..b@c.example",
    ".a@b.example",
    '"a b"@c.example',
    "a@[127.0.0.1]",
    "a@[IPv6:::1]",
    "a b@c.example",
    "ü@b.example",
    "a@-b.example",
    "a@b..example",
    `${"a".repeat(65)}@b.example`,
  ),
  format(
    "hostname",
    "example.com",
    "a",
    "-a.com",
    "a-.com",
    "a..b",
    "a_b",
    "A.Example",
    `${"a".repeat(64)}.com`,
    "xn--nxasmq6b",
    "example.com.",
    "",
    "1.2",
    "a--b.com",
    "bücher.example",
  ),
  format("ipv4", "127.0.0.1", "256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "0x7f.0.0.1", " 1.2.3.4", ""),
  format(
    "ipv6",
    "::1",
    "2001:db8::8a2e:370:7334",
    "1::2::3",
    "::ffff:1.2.3.4",
    "12345::",
    "fe80::1%eth0",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7",
    "::",
    "",
    "1:2:3:4:5:6:7::",
    "::1.2.3",
  ),
  format(
    "uri",
    "https://example.com/a?b#c",
    "mailto:a@b.example",
    "/a/b",
    "example.com",
    "http://a b",
    "urn:isbn:1",
    "http://[::1]/",
    "http://",
    "https://example.com/ü",
    "//example.com",
    "a:b",
    "http://a%zz",
    "1http://a",
  ),
  format("uri-reference", "/a/b", "a", "", "#x", "https://example.com", "a b", "\\a", "?q=1", "%zz"),
  format("uri-template", "/a/{b}", "/a/{b", "{+x,y*}", "{}", "a b", "/{a:3}", "{a.b}", "}"),
  format(
    "url",
    "HTTP://EXAMPLE.COM",
    "http://a:b@example.com",
    "http://10.0.0.1",
    "http://172.32.0.1",
    "http://example.com:1",
    "http://-a.com",
    "http://a--b.com",
    "http://a.b",
    "https://example.com/a",
    "ftp://example.com",
    "http://localhost",
    "https://127.0.0.1",
    "https://8.8.8.8/x",
    "mailto:a@b.example",
    "https://a.b.co:8080/?q=1",
    "example.com",
    "https://bücher.example",
    "http://a.b c",
  ),
  format(
    "uuid",
    "123e4567-e89b-12d3-a456-426614174000",
    "123E4567-E89B-12D3-A456-426614174000",
    "123e4567e89b12d3a456426614174000",
    "123e4567-e89b-12d3-a456-42661417400",
    "{123e4567-e89b-12d3-a456-426614174000}",
    "zzze4567-e89b-12d3-a456-426614174000",
  ),
  format("json-pointer", "", "/a/0", "/a~0b~1c", "a", "/a~2", "/a~", "#/a", "/ü"),
  format("json-pointer-uri-fragment", "#", "#/a", "/a", "#/a~0", "#/a~2", "#/%25", "#/%zz", "#a"),
  format("relative-json-pointer", "0", "1/a", "0#", "01", "-1", "a", "2/a~1b", "1#a"),
  format("regex", "^a+$", "[", "(a", "a{2}", "\\d", "\\p{L}", "(?<n>a)\\k<n>", "a\\Z", "(?!a)b", "\\-", "[\\w\\-]", "{", "a**"),
  ...["int32", "idn-email", "idn-hostname", "iri", "iri-reference", "moon-phase", "uint", "password", "byte", "double"].map(
    (name) => format(name, "a", "", "a b@ü", "<>"),
  ),
  pattern("^[a-z]{3}$", "abc", "abcd", "ABC", "abc\n", ""),
  pattern("^\\d+$", "12", "١٢", "1a", ""),
  pattern("\\w", "_", "é", "-"),
  pattern("^\\s$", " ", "\u00a0", "\ufeff", "a", "\u2028"),
  pattern(".", "\n", "\r", "\u2028", "😀", ""),
  pattern("^.$", "😀", "ab", "\n"),
  pattern("\\bfoo\\b", "a foo b", "foobar", "éfoo"),
  pattern("(?=a)a(?!b)", "ac", "ab", "a"),
  pattern("(?<=\\$)\\d+", "$5", "5"),
  pattern("(a)\\1", "aa", "ab"),
  pattern("^\\p{Lu}", "Éa", "éa", "1"),
  pattern("^\\p{Script=Greek}+$", "αβ", "ab"),
  pattern("\\u00e9", "é", "e"),
  pattern("\\u{1F600}", "😀", "a"),
  pattern("[^\\d]", "1", "a"),
  pattern("^[\\w.+-]+@[\\w-]+\\.[\\w.]+$", "a.b@c.de", "a@b", "é@c.de"),
  pattern("a$", "a", "a\n", "ab"),
  pattern("^$", "", "\n", "a"),
  pattern("\\/", "a/b", "ab"),
  pattern("[\\s\\S]", "\n", ""),
  pattern("\\cJ", "\n", "J"),
  pattern("[", "a"),
  pattern("\\-", "-"),
  pattern("\\_", "_"),
  pattern("a{,2}", "a"),
  pattern("(?i)a", "A"),
  pattern("[[:alpha:]]", "a", ":]"),
  pattern("[a-z&&[^b]]", "a", "&&]"),
  pattern("\\A", "a"),
  pattern("\\h", "a"),
];

/** The same numbers for the same seed. */
function dice(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    below: (most: number) => Math.floor(next() * most),
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
  };
}

type Dice = ReturnType<typeof dice>;

const names = ["a", "b", "c", "id", "n_1"];
const words = ["", "a", "ab", "abc", "12", "2024-01-01", "a@b.example", "A b", "日本"];
const numbers = [-3, -1, 0, 1, 2, 3, 4, 5, 6, 10, 0.5, 1.5, 2.25, 100];
const formats = ["date", "email", "ipv4", "uuid", "date-time", "int32"];
const patterns = ["^a", "b$", "^[a-z]*$", "\\d", "^.{2}$"];

function plainValue(roll: Dice): unknown {
  return roll.pick([() => roll.pick(words), () => roll.pick(numbers), () => roll.chance(0.5), () => null])();
}

function schemaOf(roll: Dice, depth: number): unknown {
  if (roll.chance(0.03)) return roll.chance(0.7);
  const kind = roll.below(depth > 0 ? 11 : 5);
  const some = <T>(share: number, parts: () => T) => (roll.chance(share) ? parts() : {});
  const inner = () => schemaOf(roll, depth - 1);
  switch (kind) {
    case 0:
      return {
        ...some(0.8, () => ({ type: "string" })),
        ...some(0.4, () => ({ minLength: roll.below(3) })),
        ...some(0.3, () => ({ maxLength: roll.below(4) })),
        ...some(0.3, () => ({ pattern: roll.pick(patterns) })),
        ...some(0.2, () => ({ format: roll.pick(formats) })),
      };
    case 1:
      return {
        ...some(0.8, () => ({ type: roll.pick(["number", "integer"]) })),
        ...some(0.4, () => ({ minimum: roll.pick(numbers) })),
        ...some(0.3, () => ({ maximum: roll.pick(numbers) })),
        ...some(0.2, () => ({ exclusiveMinimum: roll.pick(numbers) })),
        ...some(0.2, () => ({ exclusiveMaximum: roll.pick(numbers) })),
        ...some(0.2, () => ({ multipleOf: roll.pick([0.5, 1, 2, 3, 0.25]) })),
      };
    case 2:
      return { enum: Array.from({ length: 1 + roll.below(3) }, () => plainValue(roll)) };
    case 3:
      return { const: plainValue(roll) };
    case 4:
      return { type: [roll.pick(["string", "number"]), roll.pick(["null", "boolean", "array"])] };
    case 5:
      return {
        ...some(0.8, () => ({ type: "array" })),
        ...some(0.4, () => ({ prefixItems: Array.from({ length: 1 + roll.below(2) }, inner) })),
        ...some(0.6, () => ({ items: inner() })),
        ...some(0.2, () => ({ minItems: roll.below(3) })),
        ...some(0.2, () => ({ maxItems: roll.below(4) })),
        ...some(0.2, () => ({ uniqueItems: true })),
        ...some(0.2, () => ({
          contains: inner(),
          ...some(0.4, () => ({ minContains: roll.below(3) })),
          ...some(0.4, () => ({ maxContains: 1 + roll.below(2) })),
        })),
      };
    case 6:
    case 7:
      return {
        ...some(0.8, () => ({ type: "object" })),
        properties: Object.fromEntries(names.filter(() => roll.chance(0.5)).map((name) => [name, inner()])),
        ...some(0.5, () => ({ required: names.filter(() => roll.chance(0.3)) })),
        ...some(0.4, () => ({ additionalProperties: roll.chance(0.6) ? false : inner() })),
        ...some(0.2, () => ({ patternProperties: { "^n_": inner() } })),
        ...some(0.1, () => ({ propertyNames: { maxLength: 1 + roll.below(3) } })),
        ...some(0.1, () => ({ minProperties: roll.below(3) })),
        ...some(0.1, () => ({ maxProperties: 1 + roll.below(3) })),
        ...some(0.1, () => ({ dependentRequired: { a: [roll.pick(names)] } })),
        ...some(0.1, () => ({ dependentSchemas: { b: inner() } })),
      };
    case 8:
      return {
        [roll.pick(["anyOf", "oneOf", "allOf"])]: Array.from({ length: 1 + roll.below(3) }, inner),
        ...some(0.2, () => ({ not: inner() })),
      };
    case 9:
      return { if: inner(), ...some(0.8, () => ({ then: inner() })), ...some(0.6, () => ({ else: inner() })) };
    default:
      return { $ref: roll.pick(["#/$defs/one", "#/$defs/two"]) };
  }
}

/** A value that was made with the schema in mind, and does not always fit. */
function valueFor(roll: Dice, schema: unknown, depth: number): unknown {
  if (typeof schema !== "object" || schema === null || depth <= 0 || roll.chance(0.12)) return plainValue(roll);
  const part = schema as Record<string, unknown>;
  if ("const" in part) return part.const;
  if (Array.isArray(part.enum)) return roll.pick(part.enum);
  const branches = part.anyOf ?? part.oneOf ?? part.allOf;
  if (Array.isArray(branches)) return valueFor(roll, roll.pick(branches), depth - 1);
  if ("if" in part) return valueFor(roll, roll.pick([part.if, part.then, part.else]), depth - 1);
  if ("properties" in part) {
    const known = Object.entries(part.properties as object).filter(() => roll.chance(0.8));
    const value = Object.fromEntries(known.map(([name, inner]) => [name, valueFor(roll, inner, depth - 1)]));
    return roll.chance(0.2) ? { ...value, [roll.pick(names)]: plainValue(roll) } : value;
  }
  if ("items" in part || "prefixItems" in part || "contains" in part || part.type === "array") {
    const prefix = (part.prefixItems ?? []) as unknown[];
    return Array.from({ length: roll.below(4) }, (_, at) => valueFor(roll, prefix[at] ?? part.items ?? part.contains, depth - 1));
  }
  if (part.type === "string") return roll.pick(words);
  if (part.type === "number" || part.type === "integer") return roll.pick(numbers);
  return plainValue(roll);
}

/** So many schemas, each with so many values. */
export function random(schemas: number, values: number): { readonly schema: JsonSchema; readonly values: readonly unknown[] }[] {
  const roll = dice(20_260);
  return Array.from({ length: schemas }, () => {
    const made = schemaOf(roll, 3);
    const definitions = { one: schemaOf(roll, 0), two: schemaOf(roll, 0) };
    const schema = { ...(typeof made === "object" ? made : { allOf: [made] }), $defs: definitions };
    const target = "$ref" in schema ? definitions.one : schema;
    return { schema, values: Array.from({ length: values }, () => valueFor(roll, target, 5)) };
  });
}

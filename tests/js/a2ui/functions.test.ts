// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of A2UI.
// Functions and checks of A2UI: what each gives, what is refused, and what no pattern or text may cost.
import { defineFunction } from "glove-wasm/a2ui";
import { expect, test } from "vitest";
import { z } from "zod";
import { toldOfFunctions } from "../../../js/a2ui/calls.js";
import { callsOf } from "../../../js/a2ui/functions.js";
import { placed } from "../../../js/a2ui/surface.js";
import { catalog, shop, show } from "../../support/a2ui.js";
import { scene } from "../../support/session.js";

const rules = { catalog, origins: [], limits: { letters: 100_000, drawn: 500 }, calls: callsOf({}, () => undefined) };

/** What a call gives in a surface with this data. */
function given(call: string, args: object, data: unknown = {}): unknown {
  const components = [{ id: "root", component: "Text", text: { call, args } }];
  const { root, problems } = placed({ components, data }, rules);
  if (problems.length > 0) throw new Error(problems.join("; "));
  return root?.props.text;
}

test.each<[string, object, unknown]>([
  ["required", { value: "" }, false],
  ["required", { value: [] }, false],
  ["required", { value: { path: "/gone" } }, false],
  ["required", { value: 0 }, true],
  ["regex", { value: "12345", pattern: "^[0-9]{5}$" }, true],
  ["regex", { value: "1234", pattern: "^[0-9]{5}$" }, false],
  ["length", { value: "four", min: 2, max: 4 }, true],
  ["length", { value: "fives", max: 4 }, false],
  ["length", { value: 12_345 }, true],
  ["numeric", { value: "3", min: 1, max: 5 }, true],
  ["numeric", { value: "", min: 0 }, false],
  ["numeric", { value: "three" }, false],
  ["numeric", { value: 6, max: 5 }, false],
  ["email", { value: "a.b+c@mail.example.org" }, true],
  ["email", { value: "a@b" }, false],
  ["email", { value: "a@@b.org" }, false],
  ["and", { values: [true, { call: "not", args: { value: false } }] }, true],
  ["or", { values: [false, { path: "/gone" }] }, false],
  ["not", { value: true }, false],
  ["equals", { a: { path: "/note" }, b: "hot" }, true],
  ["not_equals", { a: 1, b: 1 }, false],
  ["greater_than", { a: "10", b: 9 }, true],
  ["less_than", { a: 1, b: "x" }, false],
  ["contains", { string: "milk tea", substring: "tea" }, true],
  ["starts_with", { string: "milk tea", prefix: "tea" }, false],
  ["ends_with", { string: "milk tea", suffix: "tea" }, true],
  ["add", { a: 1, b: "2" }, 3],
  ["subtract", { a: 1, b: 2 }, -1],
  ["multiply", { a: { path: "/count" }, b: 3 }, 6],
  ["divide", { a: 1, b: 4 }, 0.25],
  ["formatString", { value: "no value" }, "no value"],
  ["formatString", { value: "${/count} cups, ${/note}; \\${/note} $ {}" }, "2 cups, hot; ${/note} $ {}"],
  ["formatString", { value: "${/gone}|${/list}" }, '|["a"]'],
  ["formatString", { value: "${ multiply(a: ${/count}, b: add(a: 1, b: 2.5)) }" }, "7"],
  ["formatString", { value: "${pluralize(value: /count, one: 'a cup', other: \"cups (2)\")}" }, "cups (2)"],
  ["formatNumber", { value: 1234.5, decimals: 2 }, "1,234.50"],
  ["formatNumber", { value: "1234", grouping: false }, "1234"],
  ["formatNumber", { value: "x" }, ""],
  ["formatCurrency", { value: 3, currency: "EUR" }, "€3.00"],
  [
    "formatDate",
    { value: "2026-03-05", format: "EEEE, d MMMM yyyy 'at the' dd.MM.yy" },
    "Thursday, 5 March 2026 at the 05.03.26",
  ],
  ["formatDate", { value: "2026-03-05T16:07:09", format: "HH:mm:ss h a" }, "16:07:09 4 PM"],
  ["formatDate", { value: "never", format: "yyyy" }, ""],
  ["pluralize", { value: 1, one: "cup", other: "cups" }, "cup"],
  ["pluralize", { value: 0, zero: "none", other: "cups" }, "none"],
])("%s(%j) is %j", (call, args, value) => {
  expect(given(call, args, { note: "hot", count: 2, list: ["a"] })).toEqual(value);
});

test.each<[string, object, RegExp]>([
  ["fetch", {}, /there is no function "fetch": there are required, regex/],
  ["constructor", {}, /there is no function "constructor"/],
  ["and", { values: true }, /and: `values` must be a list/],
  ["regex", { value: "a", pattern: "(" }, /is no pattern/],
  ["regex", { value: "a", pattern: "(a+)+$" }, /repeats a group that repeats/],
  ["regex", { value: "a", pattern: "((?:a|a)b)*$" }, /repeats a group that repeats or chooses/],
  ["regex", { value: "a", pattern: "(?:(a?)){30}" }, /repeats a group that repeats or chooses/],
  ["regex", { value: "a", pattern: "a*a*a*a*a*$" }, /repeats more than 4 parts/],
  ["regex", { value: "a", pattern: "a?".repeat(20) }, /more than 6 optional parts/],
  ["regex", { value: "a", pattern: "(a)\\1*" }, /refers to a part of itself/],
  ["regex", { value: "a", pattern: "a".repeat(201) }, /more than 200 letters/],
  ["formatString", { value: "${/a" }, /cannot read "\$\{\/a" at letter/],
  ["formatString", { value: "${add(a 1)}" }, /cannot read/],
  ["formatString", { value: `${"${".repeat(20)}/a` }, /cannot read/],
  ["formatString", { value: "${/long}".repeat(20) }, /more than 10000 letters/],
  ["formatDate", { value: 0, format: "QQQ" }, /there is no "QQQ" in a date/],
  ["formatNumber", { value: 1, decimals: 1_000 }, /formatNumber: /],
  ["openUrl", { url: "/a" }, /may only be the `functionCall` of an action/],
])("refused with a sentence: %s(%j)", (call, args, sentence) => {
  expect(() => given(call, args, { long: "A".repeat(1_000) })).toThrow(sentence);
});

test("the patterns that a form needs are taken, and what is too long matches none", () => {
  for (const [pattern, value] of [
    ["^\\+?[0-9]{1,3}[- ]?[0-9]{3,14}$", "+49 301234567"],
    ["^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "a@b.org"],
    ["^\\d{1,6}(\\.\\d{1,2})?$", "12.50"],
    ["^(\\d{3}-){2}\\d{4}$", "123-456-7890"],
    ["^(S|M|L|XL)$", "XL"],
  ])
    expect(given("regex", { value, pattern })).toBe(true);
  expect(given("regex", { value: "a".repeat(201), pattern: "a" })).toBe(false);
});

/** What the model reads of its call. */
async function told(components: object[], more: Parameters<typeof shop>[0] = {}, data: object = {}): Promise<unknown> {
  const { session, model } = scene([show({ surface: "s", components, data }), "So."], { plugins: [shop(more)] });
  await session.sendMessage("Show me");
  return model.calls[1]?.messages.at(-1)?.tool_results?.[0]?.result;
}

const button = (action: unknown, more: object = {}) => ({ id: "root", component: "Button", label: "Go", action, ...more });
const open = (url: unknown) => button({ functionCall: { call: "openUrl", args: { url } } });

test("an action that is made in the page tells the model nothing, so the surface does not wait", async () => {
  expect(await told([open("/teas")])).toMatchObject({ status: "success", data: "It is shown." });
  const asked = await told([open("https://evil.example/?secret")]);
  expect(asked).toMatchObject({ status: "error", data: expect.stringContaining("is an address of another site") });
  expect(await told([open({ path: "/url" })], {}, { url: "javascript:alert(1)" })).toMatchObject({ status: "error" });
  expect(await told([button({ functionCall: { call: "required", args: {} } })])).toMatchObject({
    data: expect.stringContaining("only gives a value"),
  });
  expect(await told([button({ functionCall: { call: "fetch" } })])).toMatchObject({
    data: expect.stringContaining("there is no function"),
  });
});

test("checks that say nothing are refused", async () => {
  const wrong = async (checks: unknown) => JSON.stringify(await told([button(undefined, { checks })]));
  expect(await wrong("all")).toContain("they are no list");
  expect(await wrong([{ condition: true }])).toContain("number 1 needs a `condition` and a `message`");
  expect(await wrong([{ condition: { call: "maybe" }, message: "No." }])).toContain('there is no function \\\\\\"maybe');
});

test("functions of the application are told, checked, and called only where they may be", async () => {
  const ran: unknown[] = [];
  const functions = {
    inStock: defineFunction({
      description: "Whether there is any.",
      schema: z.object({ tea: z.string() }),
      run: ({ tea }) => tea === "Assam",
    }),
    print: defineFunction({ schema: z.object({ copies: z.number() }), acts: true, run: (args) => ran.push(args) }),
    late: defineFunction({ schema: z.object({}).refine(async () => true), run: () => 1 }),
  };
  const text = (call: string, args: object) => [
    { id: "root", component: "Text", text: { call: "formatString", args: { value: `\${${call}}`, ...args } } },
  ];
  const { session, model } = scene([show({ surface: "s", components: text("inStock(tea: 'Assam')", {}) }), "So."], {
    plugins: [shop({ functions })],
  });
  await session.sendMessage("Show me");
  expect(toldOfFunctions(functions)).toContain("Functions of the application: inStock: Whether there is any.; print (action)");
  expect(model.calls[1]?.messages.at(-1)?.tool_results?.[0]?.result.data).toBe("It is shown.");
  expect(JSON.stringify(await told(text("inStock(tea: 3)", {}), { functions }))).toContain("inStock: tea: ");
  expect(JSON.stringify(await told(text("print(copies: 3)", {}), { functions }))).toContain("print does something");
  expect(JSON.stringify(await told(text("late()", {}), { functions }))).toContain("cannot be checked at once");
  const acts = button({ functionCall: { call: "print", args: { copies: 2 } } });
  expect(await told([acts], { functions })).toMatchObject({ data: "It is shown." });
  expect(ran).toEqual([]);
  expect(() => shop({ functions: { "a b": functions.print } })).toThrow("needs another name");
  expect(() => shop({ functions: { a: { schema: z.object({}) } as never } })).toThrow("needs a `run`");
});

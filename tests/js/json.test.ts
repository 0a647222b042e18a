// What tools give, as JSON: what fits, what is converted, and what is refused by its place.
import { expect, test } from "vitest";
import { resultJson, resultOf } from "../../js/src/tools/result.js";
import { toJson, toLooseJson } from "../../js/src/values/json.js";

const cycle: Record<string, unknown> = { name: "a" };
cycle.self = { again: cycle };

class Point {
  x = 1;
  #y = 2;
  get y() {
    return this.#y;
  }
}
class Secret {
  #key = 1;
  get key() {
    return this.#key;
  }
}
function* numbers() {
  yield 1;
}

test.each([
  ["undefined is null", undefined, "null"],
  ["undefined members vanish and undefined elements are null", { a: undefined, b: [undefined, 1] }, '{"b":[null,1]}'],
  ["a date is its ISO text", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ["a map with text keys is an object", new Map([["a", { b: 1 }]]), '{"a":{"b":1}}'],
  ["another map is pairs", new Map([[{ x: 1 }, 2]]), '[[{"x":1},2]]'],
  ["a set is an array", new Set([1, 2]), "[1,2]"],
  ["an error is its message", new Error("no"), '{"name":"Error","message":"no"}'],
  ["toJSON is honoured", { toJSON: () => ({ a: new Date(0) }) }, '{"a":"1970-01-01T00:00:00.000Z"}'],
  ["a key called __proto__ stays a key", JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ["a URL is its text", { at: new URL("https://example.com/a") }, '{"at":"https://example.com/a"}'],
  ["an object of a class is its fields", new Point(), '{"x":1}'],
  ["an object without a prototype is an object", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ["nothing in an object is an empty object", [{}, Object.create(null)], "[{},{}]"],
  ["one object in two places is no cycle", [cycle.name, cycle.name], '["a","a"]'],
])("%s", (_, value, json) => expect(toJson(value, "it")).toBe(json));

test.each([
  ["a BigInt", { a: [{ b: 1n }] }, "it.a[0].b is a BigInt"],
  ["a function", { a: () => 1 }, "it.a is a function"],
  ["a symbol", [Symbol("x")], "it[0] is a symbol"],
  ["a cycle", cycle, "it.self.again is a circular reference"],
  ["a promise", { a: Promise.resolve() }, "it.a is a Promise"],
  ["a Response", new Response("{}"), "it is a Response, which JSON cannot hold. Use its content: `await response.json()`."],
  ["a Blob", { a: [new Blob(["x"])] }, "it.a[0] is a Blob, which JSON cannot hold. Use its text, or a URL."],
  ["a File", { a: new File(["x"], "x.txt") }, "it.a is a File"],
  ["form data", { a: new FormData() }, "it.a is a FormData"],
  ["headers", { a: new Headers({ a: "b" }) }, "it.a is a Headers"],
  ["a stream", { a: new Blob(["x"]).stream() }, "it.a is a ReadableStream"],
  ["a generator", { a: numbers() }, "it.a is a Generator, which JSON cannot hold. Use an array: `[...values]`."],
  ["an iterator", { a: new Map().values() }, "it.a is a Map Iterator"],
  ["a weak map", { a: new WeakMap() }, "it.a is a WeakMap"],
  ["a boxed number", { a: Object(5) }, "it.a is a Number"],
  [
    "a class that shows nothing",
    { a: new Secret() },
    "it.a is a Secret, which JSON cannot hold. Use plain data, or an object with `toJSON`.",
  ],
  ["bytes", { a: new Uint8Array(2) }, "it.a is bytes"],
])("%s is refused by its place", (_, value, message) =>
  expect(() => toJson(value, "it")).toThrow(
    expect.objectContaining({ code: "NOT_SERIALISABLE", message: expect.stringContaining(message) }),
  ),
);

test("a value too deep for the stack is refused like any other", () => {
  let deep: unknown = 0;
  for (let at = 0; at < 100_000; at++) deep = [deep];
  expect(() => toJson(deep, "it")).toThrow(expect.objectContaining({ code: "NOT_SERIALISABLE" }));
});

test("loose JSON leaves out what does not fit", () => {
  expect(toLooseJson({ a: () => 1, b: 2n, c: 3 })).toBe('{"b":"2","c":3}');
  expect(toLooseJson(cycle)).toBe('{"name":"a","self":{}}');
  expect(toLooseJson({ file: new Blob(["x"]), chosen: new Map([["a", 1]]) })).toBe('{"chosen":{"a":1}}');
  const trap = Object.defineProperty({}, "a", { enumerable: true, get: () => JSON.parse("") });
  expect(toLooseJson(trap)).toBe("null");
});

test("what a tool gives is a success unless it is a result already", () => {
  expect(resultOf("text")).toEqual({ status: "success", data: "text" });
  expect(resultOf(undefined)).toEqual({ status: "success", data: null });
  expect(resultOf({ status: "success", items: [] })).toEqual({ status: "success", data: { status: "success", items: [] } });
  expect(resultOf({ status: "error", message: "no" })).toEqual({ status: "error", message: "no" });
  expect(resultOf({ status: "success", data: 1, renderData: 2 })).toEqual({ status: "success", data: 1, renderData: 2 });
});

test("a result is JSON with its parts, and names the tool in what is wrong", () => {
  expect(JSON.parse(resultJson("sum", { status: "success", data: undefined, renderData: new Set([1]) }))).toEqual({
    status: "success",
    data: null,
    renderData: [1],
  });
  expect(() => resultJson("sum", { status: "success", data: { n: 1n } })).toThrow("The result of sum: data.n is a BigInt");
});

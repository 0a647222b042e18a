// Surfaces that a model composes: what is refused and how it is said, what waits, and what the model is told.
import { MemoryStore } from "glove-wasm";
import { a2ui, definePart } from "glove-wasm/a2ui";
import { expect, test } from "vitest";
import { z } from "zod";
import { surfaceSchema } from "../../../js/a2ui/catalog.js";
import { catalog, change, shop, show, teas } from "../../support/a2ui.js";
import { scene, until } from "../../support/session.js";

/** The sentences of a refusal, without what stands around them. */
function read(data: unknown): string {
  const text = String(data);
  const at = text.indexOf('{"errors"');
  return at < 0 ? text : (JSON.parse(text.slice(at)) as { errors: string[] }).errors.join("; ");
}

/** What the model reads of its call. */
async function refusal(input: unknown, more: Parameters<typeof shop>[0] = {}): Promise<string> {
  const { session, model } = scene([show(input), "Then not."], { plugins: [shop(more)] });
  await session.sendMessage("Show me");
  const result = model.calls[1]?.messages.at(-1)?.tool_results?.[0]?.result;
  expect(result?.status).toBe("error");
  return read(result?.data);
}

const root = (...children: string[]) => ({ id: "root", component: "Column", children });
const text = (id: string, value: unknown) => ({ id, component: "Text", text: value });
const surface = (...components: object[]) => ({ surface: "s", components });
const link = (href: string) => surface({ id: "root", component: "Link", label: "There", href });

test.each([
  [
    "a component that is not in the catalogue",
    surface({ id: "root", component: "Iframe" }),
    /"root" is a "Iframe", which is not in the catalogue: Column, Text/,
  ],
  ["a name that every object has", surface({ id: "root", component: "constructor" }), /which is not in the catalogue/],
  ["a missing property", surface({ id: "root", component: "Text" }), /"root" \(Text\): text: /],
  ["a property of another kind", surface({ id: "root", component: "Button", label: 3 }), /"root" \(Button\): label: /],
  ["a value that is not in the data", surface(root("a"), text("a", { path: "/gone" })), /"a" \(Text\): text: /],
  ["no root", surface(text("a", "A")), /no component has the id "root"/],
  ["an id that nothing has", surface(root("a")), /no component has the id "a", which "root" names/],
  ["an id that two have", surface(root("a"), text("a", "A"), text("a", "B")), /two components have the id "a"/],
  ["no id", surface(root(), { component: "Text" }), /component 2 has no `id`/],
  [
    "ids in a circle",
    surface(root("a"), { id: "a", component: "Column", child: "root" }),
    /"root" is inside of itself: root → a → root/,
  ],
  ["itself", surface(root("root")), /"root" is inside of itself: root → root/],
  [
    "rows of no list",
    surface({ ...root(), children: { componentId: "a", path: "/rows" } }, text("a", "A")),
    /there is no list at "\/rows"/,
  ],
  [
    "an action without a name",
    surface({ id: "root", component: "Button", label: "A", action: { event: {} } }),
    /needs an `event` with a `name`/,
  ],
  ["no list of components", { surface: "s", components: "all" }, /no component has the id "root"/],
  ["no name", { components: [root()] }, /`surface` is a name/],
  ["a script", link("java\nscript:alert(1)"), /an address that may run something/],
  ["a page as data", link(" data:text/html,<script>"), /an address that may run something/],
  ["another site", link("https://evil.example/?secret"), /an address of another site/],
  ["another site without a scheme", link("//evil.example"), /an address of another site/],
  ["another site, written as no browser would", link("https:\\\\evil.example"), /an address of another site/],
  ["another site, with a slash too few", link("http:/evil.example"), /an address of another site/],
  ["another site, without slashes", link(" ht\ntp:evil.example"), /an address of another site/],
  [
    "a style that fetches",
    surface({ ...text("root", "A"), style: { background: "URL(//evil.example/?secret)" } }),
    /"style" has an address in it/,
  ],
  ["a picture in several sizes", surface({ ...text("root", "A"), srcSet: "/a.png 1x, //evil.example/b 2x" }), /another site/],
  [
    "what a component would take for HTML",
    surface({ ...text("root", "A"), dangerouslySetInnerHTML: { __html: "<b>" } }),
    /no part takes "dangerouslySetInnerHTML"/,
  ],
  ["a handler", surface({ ...text("root", "A"), onClick: "alert(1)" }), /no part takes "onClick"/],
  ["1 MB", surface(text("root", "A".repeat(1_000_000))), /it has more than 100000 letters/],
])("refused with a sentence: %s", async (_, input, sentence) => {
  expect(await refusal(input)).toMatch(sentence);
});

test("many components, deep ones, and many faults have an end", async () => {
  const many = Array.from({ length: 600 }, (_, at) => text(`t${at}`, "A"));
  expect(await refusal(surface(root(...many.map(({ id }) => id)), ...many))).toMatch(/it has more than 500 components/);
  // Each of twenty holds the next one twice: a million would be drawn.
  const doubled = Array.from({ length: 20 }, (_, at) => ({
    id: `d${at}`,
    component: "Column",
    children: [`d${at + 1}`, `d${at + 1}`],
  }));
  expect(await refusal(surface(root("d0"), ...doubled, text("d20", "A")))).toMatch(/it has more than 500 components/);
  const deep = Array.from({ length: 60 }, (_, at) => ({ id: `d${at}`, component: "Column", child: `d${at + 1}` }));
  expect(await refusal(surface(root("d0"), ...deep, text("d60", "A")))).toMatch(/more than 40 levels deep/);
  const wrong = await refusal(surface(root(...Array.from({ length: 400 }, (_, at) => `x${at}`))));
  expect(wrong.match(/no component has the id/g)).toHaveLength(8);
});

test("addresses of the page's own sites, and words that only look like addresses, are shown", async () => {
  const shown = async (input: unknown) => {
    const { session } = scene([show(input), "There."], { plugins: [shop({ origins: ["https://shop.example"] })] });
    return session.sendMessage("Show me").then((outcome) => outcome.type === "completed" && session.getSnapshot().timeline);
  };
  for (const href of [
    "https://shop.example/tea",
    "/tea",
    "mailto:a@shop.example",
    "data: 5 points",
    "Note: milk",
    "file: the report",
    "http: what it is",
  ])
    expect(await shown(link(href))).toMatchObject([{}, { status: "success", output: "It is shown." }, {}]);
});

test("a surface with an action waits for its person, and the model is told what they did with the data as they left it", async () => {
  const store = new MemoryStore("s1");
  const first = scene([show(teas)], { plugins: [shop()], createStore: () => store });
  void first.session.sendMessage("Teas?").catch(() => {});
  await until(first.session, ({ run, slots }) => run.phase === "waiting" && slots.length === 1);
  first.session.dispose();
  // Another page.
  const more = { surface: "teas", data: { "/teas/3": { name: "Keemun" } } };
  const again = scene([change(more), "Ordered."], { plugins: [shop()], createStore: () => store });
  await again.session.start();
  const { slots } = await until(again.session, ({ slots }) => slots.length === 1);
  expect(slots[0]).toMatchObject({ renderer: "a2ui_surface", input: { surface: "teas", call: "c1", waits: true } });
  const action = {
    surface: "teas",
    action: "order",
    context: { note: "hot" },
    data: { note: "hot", teas: [...teas.data.teas, { name: "Darjeeling" }] },
  };
  again.session.resolveSlot(slots[0]?.id ?? "", action);
  await until(again.session, ({ busy, timeline }) => !busy && timeline.length === 4);
  const told = again.model.calls[1]?.messages.flatMap(({ tool_results = [] }) => tool_results.map(({ result }) => result.data));
  expect(told).toEqual([action, "It is changed."]);
});

test("an update is checked against what is shown by then", async () => {
  const price = { id: "price", component: "Text", text: { path: "/price" } };
  const { session, model } = scene(
    [
      show({ surface: "s", components: [root("a"), text("a", { path: "/a" })], data: { a: "A" } }),
      change({ surface: "gone", data: { "/a": "B" } }, "u1"),
      change({ surface: "s", data: { "/a": { not: "text" } } }, "u2"),
      change({ surface: "s", components: [root("a", "price"), price], data: { "/price": 9 } }, "u3"),
      change({ surface: "s", data: { "/__proto__/polluted": 1 } }, "u4"),
      change({ surface: "s", components: [root("a", "b")] }, "u5"),
      change({ surface: "s", data: { "/price": 10, "/a": "B" } }, "u6"),
      "Done.",
    ],
    { plugins: [shop()] },
  );
  await session.sendMessage("Show");
  const results = model.calls
    .at(-1)
    ?.messages.flatMap(({ tool_results = [] }) => tool_results.map(({ result }) => read(result.data)));
  expect(results).toEqual([
    "It is shown.",
    expect.stringContaining('no surface "gone" was shown'),
    expect.stringContaining('"a" (Text): text: '),
    "It is changed.",
    expect.stringContaining("is no place for data"),
    expect.stringContaining('no component has the id "b", which "root" names'),
    "It is changed.",
  ]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("a surface is changed after the messages that showed it were summarised, also in another page", async () => {
  const store = new MemoryStore("s1");
  const given = { plugins: [shop()], createStore: () => store, compaction: { compaction_every_turns: 1 } };
  const shown = show({ surface: "s", components: [root("a"), text("a", { path: "/a" })], data: { a: "A" } });
  const first = scene([shown, "There.", "What was shown: s.", "More.", "What was shown, again."], given);
  await first.session.sendMessage("Show");
  await first.session.sendMessage("More");
  expect(first.session.getSnapshot().timeline.some(({ kind }) => kind === "compaction")).toBe(true);
  first.session.dispose();
  const again = scene(["A summary.", change({ surface: "s", data: { "/a": "B" } }), "Another one.", "Done."], given);
  await again.session.sendMessage("Change it");
  expect(again.session.getSnapshot().timeline.findLast(({ kind }) => kind === "tool")).toMatchObject({
    name: "update_surface",
    status: "success",
  });
});

test("the model is told the catalogue, with bindings beside each property", async () => {
  const schema = (await surfaceSchema(catalog)) as unknown as Told;
  const button = schema.properties.components.items.anyOf.find(({ properties }) => properties.component?.const === "Button");
  expect(button?.required).toEqual(["id", "component", "label"]);
  expect(button?.properties.label?.anyOf).toMatchObject([
    { type: "string" },
    { properties: { path: { type: "string" } } },
    { properties: { call: { type: "string" } } },
  ]);
});

interface Told {
  readonly properties: {
    readonly components: {
      readonly items: {
        readonly anyOf: readonly {
          readonly properties: Readonly<Record<string, { readonly const?: string; readonly anyOf?: readonly object[] }>>;
          readonly required: readonly string[];
        }[];
      };
    };
  };
}

test("a catalogue that cannot work is refused", async () => {
  expect(() => a2ui({ catalog: {} })).toThrow("`catalog` needs a component");
  expect(() => a2ui({ catalog: { "a b": catalog.Text } })).toThrow("no name of a component");
  expect(() => a2ui({ catalog, actions: "both" as never })).toThrow("actions");
  const taken = a2ui({ catalog: { Text: definePart({ schema: z.object({ id: z.string() }), component: () => null }) } });
  const { session, events } = scene(["Hello."], { plugins: [taken] });
  await session.sendMessage("Hi");
  expect(JSON.stringify(events)).toContain("has a meaning of its own");
});

// Surfaces that a model composes, in the card of their call: what a person enters, does, and finds again.
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { MemoryStore } from "glove-wasm/react";
import { expect, test } from "vitest";
import { change, shop, show, teas } from "../../support/a2ui.js";
import { chat } from "./chat.js";

const field = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Note" });
const order = () => screen.getByRole<HTMLButtonElement>("button", { name: "Order" });
const surface = (container: HTMLElement) => container.querySelector("[data-glove-surface]");

test("what a person enters stands wherever it is bound, and their action answers the call, also in another page", async () => {
  const store = new MemoryStore("s1");
  const ui = shop();
  const given = { client: { plugins: [ui], createStore: () => store }, config: { sessionId: "s1", renderers: ui.renderers } };
  const first = chat([show(teas), "It is ordered."], given);
  first.send("Teas?");
  await screen.findByText("Assam");
  fireEvent.change(field(), { target: { value: "hot" } });
  expect(field().value).toBe("hot");
  expect(screen.getByText("hot", { selector: "p" })).toBeTruthy();
  first.glove.session?.dispose();
  first.container.remove();

  const second = chat(["It is ordered."], given);
  await screen.findByText("Ceylon");
  fireEvent.change(field(), { target: { value: "very hot" } });
  fireEvent.click(order());
  await screen.findByText("It is ordered.");
  const entry = second.glove.timeline.find(({ kind }) => kind === "tool");
  const done = { surface: "teas", action: "order", context: { note: "very hot", first: "Assam" } };
  expect(JSON.parse((entry as { output: string }).output)).toMatchObject(done);
  expect(order().disabled).toBe(true);
  second.glove.session?.dispose();
  second.container.remove();

  chat([], given);
  await screen.findByText("Ceylon");
  expect(field().value).toBe("very hot");
  expect(order().disabled).toBe(true);
});

test("an update redraws what is shown above, and a second surface of its name begins anew", async () => {
  const ui = shop({ actions: "message" });
  const { container, send } = chat(
    [
      show(teas),
      change({ surface: "teas", data: { "/teas/2": { name: "Keemun" }, "/note": "with milk" } }),
      "Changed.",
      show({ ...teas, data: { note: "new", teas: [] } }, "c3"),
      change({ surface: "teas", data: { "/note": "newest" } }, "c4"),
      "And again.",
    ],
    { client: { plugins: [ui] }, config: { renderers: ui.renderers } },
  );
  send("Teas?");
  await screen.findByText("Changed.");
  expect(surface(container)?.textContent).toContain("AssamCeylonKeemun");
  expect(field().value).toBe("with milk");
  send("Again");
  await screen.findByText("And again.");
  const fields = screen.getAllByRole<HTMLInputElement>("textbox", { name: "Note" });
  expect(fields.map(({ value }) => value)).toEqual(["with milk", "newest"]);
});

test("as a message, an action is what the person says next, and cannot be done twice meanwhile", async () => {
  let go = () => {};
  const until = new Promise<void>((resolve) => {
    go = resolve;
  });
  const ui = shop({
    actions: "message",
    messageOf: ({ action, context }) => `${action}: ${(context as { first: string }).first}`,
  });
  const { send } = chat([show(teas), "There.", { text: "Ordered.", until }], {
    client: { plugins: [ui] },
    config: { renderers: ui.renderers },
  });
  send("Teas?");
  await screen.findByText("There.");
  await waitFor(() => expect(order().disabled).toBe(false));
  fireEvent.click(order());
  await screen.findByText("order: Assam");
  expect(order().disabled).toBe(true);
  fireEvent.click(order());
  go();
  await screen.findByText("Ordered.");
  await waitFor(() => expect(order().disabled).toBe(false));
  expect(screen.getAllByText("order: Assam")).toHaveLength(1);
});

test("an address that a person enters is not put into a part that is bound to it", async () => {
  const ui = shop({ actions: "message" });
  const components = [
    { id: "root", component: "Column", children: ["link", "where"] },
    { id: "link", component: "Link", label: "There", href: { path: "/href" } },
    { id: "where", component: "Field", label: "Note", value: { path: "/href" } },
  ];
  const { send } = chat([show({ surface: "s", components, data: { href: "/tea" } }), "There it is."], {
    client: { plugins: [ui] },
    config: { renderers: ui.renderers },
  });
  send("Where?");
  await screen.findByText("There it is.");
  expect(screen.getByRole("link", { name: "There" }).getAttribute("href")).toBe("/tea");
  fireEvent.change(field(), { target: { value: "javascript:alert(1)" } });
  expect(screen.queryByRole("link", { name: "There" })).toBeNull();
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of A2UI.
// Surfaces that a model composes, in the card of their call: what a person enters, does, and finds again.
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { createEndpointModel, MemoryStore } from "glove-wasm/react";
import { expect, test, vi } from "vitest";
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

const failing = { call: "required", args: { value: { path: "/note" } } };
const form = {
  surface: "form",
  components: [
    { id: "root", component: "Column", children: ["note", "count", "order"] },
    {
      id: "note",
      component: "Field",
      label: "Note",
      value: { path: "/note" },
      checks: [{ condition: failing, message: "Say how." }],
    },
    { id: "count", component: "Text", text: { call: "formatString", args: { value: "Note: ${/note}" } } },
    {
      id: "order",
      component: "Button",
      label: "Order",
      checks: [{ condition: failing, message: "Not yet." }],
      action: { event: { name: "order", context: { said: { call: "formatString", args: { value: "${/note}!" } } } } },
    },
  ],
  data: { note: "" },
};

test("checks say what is wrong while a person enters it, and hold the action back; the same after a reload", async () => {
  const store = new MemoryStore("s1");
  const given = () => {
    const ui = shop();
    return { client: { plugins: [ui], createStore: () => store }, config: { sessionId: "s1", renderers: ui.renderers } };
  };
  const first = chat([show(form)], given());
  first.send("Form?");
  await screen.findByText("Say how.");
  first.glove.session?.dispose();
  first.container.remove();

  const second = chat(["Ordered."], given());
  await screen.findByText("Say how.");
  expect(order().disabled).toBe(true);
  fireEvent.click(order());
  fireEvent.change(field(), { target: { value: "hot" } });
  expect(screen.queryByText("Say how.")).toBeNull();
  expect(screen.getByText("Note: hot")).toBeTruthy();
  expect(order().disabled).toBe(false);
  fireEvent.click(order());
  await screen.findByText("Ordered.");
  const entry = second.glove.timeline.find(({ kind }) => kind === "tool");
  expect(JSON.parse((entry as { output: string }).output)).toMatchObject({ action: "order", context: { said: "hot!" } });
});

test("a function that acts is called when a person uses it, and the conversation goes on without it", async () => {
  const opened = vi.spyOn(window, "open").mockImplementation(() => null);
  const ui = shop();
  const components = [
    {
      id: "root",
      component: "Button",
      label: "Order",
      action: { functionCall: { call: "openUrl", args: { url: "/teas" } } },
    },
  ];
  const { send } = chat([show({ surface: "s", components }), "There it is."], {
    client: { plugins: [ui] },
    config: { renderers: ui.renderers },
  });
  send("Where?");
  await screen.findByText("There it is.");
  await waitFor(() => expect(order().disabled).toBe(false));
  expect(opened).not.toHaveBeenCalled();
  fireEvent.click(order());
  expect(opened.mock.calls).toEqual([["/teas", "_blank", "noopener,noreferrer"]]);
});

test("what a person enters may break many calls: the rest is drawn all the same", async () => {
  const ui = shop({ actions: "message" });
  const price = { call: "formatCurrency", args: { value: 3, currency: { path: "/note" } } };
  const components = [
    { id: "root", component: "Column", children: ["note", "rows", "end"] },
    { id: "note", component: "Field", label: "Note", value: { path: "/note" } },
    { id: "rows", component: "Column", children: { componentId: "row", path: "/rows" } },
    { id: "row", component: "Text", text: price },
    { id: "end", component: "Text", text: "The end" },
  ];
  const rows = Array.from({ length: 12 }, () => ({}));
  const { send } = chat([show({ surface: "s", components, data: { note: "EUR", rows } }), "There."], {
    client: { plugins: [ui] },
    config: { renderers: ui.renderers },
  });
  send("Prices?");
  await screen.findByText("There.");
  await waitFor(() => expect(screen.getAllByText("€3.00")).toHaveLength(12));
  fireEvent.change(field(), { target: { value: "EU" } });
  expect(screen.queryByText("€3.00")).toBeNull();
  expect(screen.getByText("The end")).toBeTruthy();
  fireEvent.change(field(), { target: { value: "USD" } });
  expect(screen.getAllByText("$3.00")).toHaveLength(12);
});

test("calls whose ids the model uses again draw their own surface each, also in another page", async () => {
  const ui = shop({ actions: "message" });
  const store = new MemoryStore("s1");
  const given = { client: { plugins: [ui], createStore: () => store }, config: { sessionId: "s1", renderers: ui.renderers } };
  const said = (text: string) => show({ surface: "s", components: [{ id: "root", component: "Text", text }] }, "call_0");
  const first = chat([said("One"), "A.", said("Two"), "B."], given);
  const shown = (container: HTMLElement) =>
    [...container.querySelectorAll("[data-glove-surface]")].map(({ textContent }) => textContent);
  first.send("1");
  await screen.findByText("A.");
  first.send("2");
  await screen.findByText("B.");
  expect(shown(first.container)).toEqual(["One", "Two"]);
  first.glove.session?.dispose();
  first.container.remove();
  const second = chat([], given);
  await screen.findByText("B.");
  await waitFor(() => expect(shown(second.container)).toEqual(["One", "Two"]));
});

/** Streams the arguments of a call in these pieces, each when it is asked for. */
function written(pieces: readonly string[]) {
  const event = (data: object) => new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`);
  let send = (_delta: string) => {};
  let finish = () => {};
  let asked = 0;
  const model = createEndpointModel("/api/chat", {
    fetch: async () => {
      asked += 1;
      const body = new ReadableStream({
        start(controller) {
          if (asked > 1) {
            const message = { sender: "agent", text: "There." };
            controller.enqueue(event({ type: "done", message, tokens_in: 1, tokens_out: 1 }));
            controller.close();
            return;
          }
          send = (delta) => controller.enqueue(event({ type: "tool_input_delta", id: "c1", name: "show_surface", delta }));
          finish = () => {
            const call = { id: "c1", tool_name: "show_surface", input_args: JSON.parse(pieces.join("")) };
            const message = { sender: "agent", text: "", tool_calls: [call] };
            controller.enqueue(event({ type: "done", message, tokens_in: 1, tokens_out: 1 }));
            controller.close();
          };
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const left = [...pieces];
  return { model, next: () => send(left.shift() ?? ""), finish: () => finish() };
}

test("components are drawn while the model writes, each once it is whole, and nothing can be done with them", async () => {
  const ui = shop();
  const { model, next, finish } = written([
    '{"surface":"s","components":[{"id":"root","component":"Column","children":["a","link","note","order"]},{"id":"a","component":"Text","te',
    'xt":"Ceylon"},{"id":"link","component":"Link","label":"There","href":"/te',
    'as"},{"id":"bad","component":"Iframe"},{"id":"note","component":"Field","label":"Note","value":{"path":"/note"}},',
    '{"id":"order","component":"Button","label":"Order","action":{"event":{"name":"order"}}}],"data":{"note":"ho',
    't"}}',
  ]);
  const { container, send } = chat([], {
    client: { plugins: [ui], createModel: () => model },
    config: { renderers: ui.renderers },
  });
  send("Teas?");
  await screen.findByText("Thinking…").catch(() => {});
  next();
  await waitFor(() => expect(surface(container)).toBeTruthy());
  expect(surface(container)?.textContent).toBe("");
  next();
  await screen.findByText("Ceylon", { selector: "p" });
  expect(screen.queryByRole("link", { name: "There" })).toBeNull();
  next();
  expect((await screen.findByRole("link", { name: "There" })).getAttribute("href")).toBe("/teas");
  next();
  await screen.findByRole("button", { name: "Order" });
  expect(order().disabled).toBe(true);
  expect(screen.queryByRole("textbox", { name: "Note" })).toBeNull();
  next();
  await waitFor(() => expect(field().value).toBe("hot"));
  expect(container.querySelectorAll("[data-glove-surface]")).toHaveLength(1);
  fireEvent.click(order());
  finish();
  await waitFor(() => expect(order().disabled).toBe(false));
  expect(container.querySelectorAll("[data-glove-surface]")).toHaveLength(1);
  expect(surface(container)?.getAttribute("data-glove-surface")).toBe("s");
  fireEvent.click(order());
  await screen.findByText("There.");
});

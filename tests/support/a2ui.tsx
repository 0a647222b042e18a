// A catalogue of a shop, and a surface of it, for tests.
import { type A2uiOptions, a2ui, definePart } from "glove-wasm/a2ui";
import { z } from "zod";

export const catalog = {
  Column: definePart({ schema: z.object({}), component: ({ children }) => <div>{children}</div> }),
  Text: definePart({
    description: "A line of text.",
    schema: z.object({ text: z.union([z.string(), z.number()]) }),
    component: ({ props }) => <p>{props.text}</p>,
  }),
  Field: definePart({
    schema: z.object({ label: z.string(), value: z.string() }),
    component: ({ props, set, disabled, errors }) => (
      <>
        <label>
          {props.label} <input value={props.value} disabled={disabled} onChange={(event) => set("value", event.target.value)} />
        </label>
        {errors.map((error) => (
          <em key={error}>{error}</em>
        ))}
      </>
    ),
  }),
  Button: definePart({
    schema: z.object({ label: z.string() }),
    component: ({ props, act, disabled }) => (
      <button type="button" disabled={disabled} onClick={act}>
        {props.label}
      </button>
    ),
  }),
  Link: definePart({
    schema: z.object({ href: z.string(), label: z.string() }),
    component: ({ props }) => <a href={props.href}>{props.label}</a>,
  }),
};

export const shop = (more: Partial<A2uiOptions> = {}) => a2ui({ catalog, ...more });

/** A list of teas, a field that is bound, and a button that orders. */
export const teas = {
  surface: "teas",
  components: [
    { id: "root", component: "Column", children: ["list", "note", "echo", "order"] },
    { id: "list", component: "Column", children: { componentId: "row", path: "/teas" } },
    { id: "row", component: "Text", text: { path: "name" } },
    { id: "note", component: "Field", label: "Note", value: { path: "/note" } },
    { id: "echo", component: "Text", text: { path: "/note" } },
    {
      id: "order",
      component: "Button",
      label: "Order",
      action: { event: { name: "order", context: { note: { path: "/note" }, first: { path: "/teas/0/name" } } } },
    },
  ],
  data: { note: "", teas: [{ name: "Assam" }, { name: "Ceylon" }] },
};

export const show = (input: unknown, id = "c1") => ({ toolCalls: [{ name: "show_surface", input, id }] });
export const change = (input: unknown, id = "c2") => ({ toolCalls: [{ name: "update_surface", input, id }] });

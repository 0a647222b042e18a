// What the assistant can do: show the menu, and ask for an order with a form.
import { defineTool } from "glove-wasm/react";
import { z } from "zod";

const menu = [
  { name: "Margherita", price: 9 },
  { name: "Funghi", price: 11 },
  { name: "Diavola", price: 12 },
];

export const showMenu = defineTool({
  name: "show_menu",
  description: "Shows today's pizzas with their prices.",
  inputSchema: z.object({}),
  // The model reads `data`, the page draws `renderData`: now, and after every reload.
  do: async () => ({ status: "success", data: menu, renderData: menu }),
  renderResult: ({ data }) => (
    <ul className="card">
      {(data as typeof menu).map(({ name, price }) => (
        <li key={name}>
          <span>{name}</span> <b>{price} €</b>
        </li>
      ))}
    </ul>
  ),
});

const order = z.object({ pizza: z.enum(["Margherita", "Funghi", "Diavola"]), address: z.string().min(1) });

export const takeOrder = defineTool({
  name: "take_order",
  description: "Asks for the pizza and the address, and places the order.",
  inputSchema: z.object({ title: z.string() }),
  displayPropsSchema: z.object({ title: z.string() }),
  resolveSchema: order,
  displayStrategy: "hide-on-complete",
  async do({ title }, display) {
    const placed = await display.pushAndWait({ title });
    return { status: "success", data: placed, renderData: placed };
  },
  render: ({ props, resolve, reject }) => (
    <form
      className="card"
      data-glove-question=""
      onSubmit={(event) => {
        event.preventDefault();
        resolve(order.parse(Object.fromEntries(new FormData(event.currentTarget))));
      }}
    >
      <b>{props.title}</b>
      <label>
        Pizza
        <select name="pizza">
          {menu.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Address
        <input name="address" required autoComplete="street-address" />
      </label>
      <div data-glove-actions="">
        <button type="submit">Order</button>
        <button type="button" onClick={() => reject("The guest changed the mind.")}>
          Not now
        </button>
      </div>
    </form>
  ),
  renderResult: ({ data }) => {
    const { pizza, address } = data as z.infer<typeof order>;
    return (
      <p className="card">
        One <b>{pizza}</b> to {address}
      </p>
    );
  },
});

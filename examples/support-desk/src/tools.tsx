// What the assistant may do: look an order up by itself, and pay money back once a person has allowed it.
import { defineTool } from "glove-wasm/react";
import { z } from "zod";
import { orders, payBack } from "./desk";

const found = (id: string) => orders.find((order) => order.id === id.toUpperCase());

export const lookUp = defineTool({
  name: "look_up_order",
  description: "Finds an order by its number.",
  inputSchema: z.object({ order: z.string() }),
  title: ({ order }) => `Order ${order}`,
  idempotent: true,
  do({ order }) {
    const data = found(order);
    if (!data) return { status: "error", data: null, message: `There is no order ${order}.` };
    return { status: "success", data, renderData: data };
  },
  renderResult: ({ data }) =>
    data && (
      <div className="order">
        <b>{data.item}</b> <b>€{data.euros}</b>
        <span className="quiet">{data.customer}</span> <span className="quiet">{data.state}</span>
      </div>
    ),
});

export const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order. Look the order up before.",
  inputSchema: z.object({ order: z.string(), euros: z.number().positive(), reason: z.string() }),
  title: "Refund",
  confirm: ({ order, euros }) => `Refund €${euros} for order ${order}?`,
  danger: true,
  requireApproval: true,
  do({ order, euros, reason }, { idempotencyKey }) {
    const most = found(order)?.euros ?? 0;
    if (euros > most) return { status: "error", data: null, message: `Order ${order} cost €${most}.` };
    payBack({ key: idempotencyKey, order, euros, reason });
    return `€${euros} paid back for ${order}`;
  },
});

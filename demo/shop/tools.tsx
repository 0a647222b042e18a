// What the assistant can do in the shop. Each tool is one thing, with its checks and what it shows.
import { defineTool, type ToolConfig } from "glove-wasm/react";
import { z } from "../schema.js";
import { CheckoutForm, ProductGrid, Receipt } from "./cards.js";
import { addToCart, emptyCart, getCart, setDiscount } from "./cart.js";
import { categories, euros, productOf, products } from "./products.js";

/** Orders above this are approved by a person before the form is shown. */
export const approvalLimit = 300;

const codes: Readonly<Record<string, number>> = { WELCOME10: 10, TEAM20: 20 };

const showProducts = defineTool({
  name: "show_products",
  description: "Shows products as cards.",
  title: "Search products",
  inputSchema: z.object({ category: z.enum(categories).optional() }),
  displayPropsSchema: z.object({ ids: z.array(z.string()) }),
  displayStrategy: "stay",
  parallel: true,
  idempotent: true,
  async do({ category }, display) {
    const found = products.filter((product) => !category || product.category === category);
    await display.pushAndForget({ ids: found.map(({ id }) => id) });
    return found.map(({ id, name, price }) => ({ id, name, price }));
  },
  render: ({ props }) => <ProductGrid ids={props.ids} />,
});

const addTool = defineTool({
  name: "add_to_cart",
  description: "Adds a product to the cart.",
  title: ({ id, quantity }) => `Add ${quantity} × ${productOf(id)?.name ?? id} to the cart`,
  inputSchema: z.object({ id: z.string(), quantity: z.number().int().min(1).max(20) }),
  do({ id, quantity }) {
    const product = productOf(id);
    if (!product) return { status: "error", data: null, message: `There is no product "${id}".` };
    addToCart(id, quantity);
    return { added: product.name, quantity, total: getCart().total };
  },
  undo: ({ id, quantity }) => addToCart(id, -quantity),
});

const removeTool = defineTool({
  name: "remove_from_cart",
  description: "Takes a product out of the cart.",
  title: ({ id }) => `Remove the ${productOf(id)?.name ?? id} from the cart`,
  inputSchema: z.object({ id: z.string() }),
  do({ id }) {
    const line = getCart().lines.find(({ product }) => product.id === id);
    if (!line) return { status: "error", data: null, message: `There is no "${id}" in the cart.` };
    addToCart(id, -line.quantity);
    return { removed: line.product.name, quantity: line.quantity, total: getCart().total };
  },
});

const viewCart = defineTool({
  name: "view_cart",
  description: "Reads the cart.",
  title: "Check the cart",
  inputSchema: z.object({}),
  idempotent: true,
  do() {
    const { lines, discount, total } = getCart();
    return { lines: lines.map(({ product, quantity }) => ({ id: product.id, name: product.name, quantity })), discount, total };
  },
});

const applyDiscount = defineTool({
  name: "apply_discount",
  description: "Takes a discount code.",
  title: ({ code }) => `Apply the code ${code}`,
  inputSchema: z.object({ code: z.string() }),
  // Asked once; the answer is kept with the conversation.
  requiresPermission: true,
  do({ code }) {
    const discount = codes[code.toUpperCase()];
    if (!discount) return { status: "error", data: null, message: `The code ${code} is not known.` };
    const { discount: before } = getCart();
    setDiscount(discount);
    return { discount, before, total: getCart().total };
  },
  undo: (_, { before }) => setDiscount(before),
});

const delivery = z.object({
  name: z.string().min(1),
  street: z.string().min(1),
  city: z.string().min(1),
  speed: z.enum(["standard", "express"]),
});

const checkout = defineTool({
  name: "checkout",
  description: "Asks where to deliver, and places the order.",
  title: "Check out",
  inputSchema: z.object({}),
  displayPropsSchema: z.object({ total: z.number() }),
  resolveSchema: delivery,
  displayStrategy: "hide-on-complete",
  requireApproval: () => {
    const { total } = getCart();
    return {
      required: total > approvalLimit,
      reason: `This order is ${euros(total)}. Orders above ${euros(approvalLimit)} need your approval.`,
    };
  },
  // Nothing has happened before the form is answered, so after a reload it may simply be shown again.
  onInterrupted: "rerun",
  async do(_, display) {
    const { lines, total } = getCart();
    if (lines.length === 0) return { status: "error", data: null, message: "The cart is empty." };
    const to = await display.pushAndWait({ total });
    const paid = total + (to.speed === "express" ? 9 : 0);
    const order = {
      number: `N-${1000 + Math.round(paid)}`,
      paid,
      city: to.city,
      items: lines.map(({ product }) => product.name),
    };
    emptyCart();
    // The model learns of the order; name and street stay on the screen.
    return { status: "success", data: order, renderData: { ...order, ...to } };
  },
  render: ({ props, resolve, reject }) => <CheckoutForm total={props.total} onOrder={resolve} onCancel={reject} />,
  renderResult: ({ data }) => <Receipt {...data} />,
});

export const tools: readonly ToolConfig[] = [showProducts, addTool, removeTool, viewCart, applyDiscount, checkout];

// The cart: the application's own state, which tools and buttons change alike.
import { useSyncExternalStore } from "react";
import { type Product, productOf } from "./products.js";

export interface CartLine {
  readonly product: Product;
  readonly quantity: number;
}

export interface Cart {
  readonly lines: readonly CartLine[];
  /** Per cent. */
  readonly discount: number;
  readonly sum: number;
  readonly total: number;
}

let cart = cartOf([], 0);
const listeners = new Set<() => void>();

export const getCart = (): Cart => cart;

export function useCart(): Cart {
  return useSyncExternalStore(subscribe, getCart);
}

/** Adds to a product's quantity; a negative number takes away. */
export function addToCart(id: string, quantity: number): void {
  const product = productOf(id);
  if (!product) throw new Error(`There is no product "${id}".`);
  const before = cart.lines.find((line) => line.product === product)?.quantity ?? 0;
  const rest = cart.lines.filter((line) => line.product !== product);
  const left = before + quantity;
  set(left > 0 ? [...rest, { product, quantity: left }] : rest, cart.discount);
}

export const setDiscount = (discount: number): void => set(cart.lines, discount);
export const emptyCart = (): void => set([], 0);

function set(lines: readonly CartLine[], discount: number): void {
  cart = cartOf(lines, discount);
  for (const listener of listeners) listener();
}

function cartOf(lines: readonly CartLine[], discount: number): Cart {
  const sum = lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
  return { lines, discount, sum, total: Math.round(sum * (100 - discount)) / 100 };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

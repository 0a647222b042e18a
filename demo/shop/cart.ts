// The cart: the application's own state, which tools and buttons change alike.
import { stored } from "../stored.js";
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

interface Kept {
  readonly quantities: Readonly<Record<string, number>>;
  readonly discount: number;
}

const kept = stored<Kept>("shop-cart", { quantities: {}, discount: 0 });

export const getCart = (): Cart => cartOf(kept.get());
export const useCart = (): Cart => cartOf(kept.use());

/** Adds to a product's quantity; a negative number takes away. */
export function addToCart(id: string, quantity: number): void {
  const { quantities, discount } = kept.get();
  kept.set({ quantities: { ...quantities, [id]: Math.max(0, (quantities[id] ?? 0) + quantity) }, discount });
}

export const setDiscount = (discount: number): void => kept.set({ ...kept.get(), discount });
export const emptyCart = (): void => kept.set({ quantities: {}, discount: 0 });

function cartOf({ quantities, discount }: Kept): Cart {
  const lines = Object.entries(quantities).flatMap(([id, quantity]) => {
    const product = productOf(id);
    return product && quantity > 0 ? [{ product, quantity }] : [];
  });
  const sum = lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
  return { lines, discount, sum, total: Math.round(sum * (100 - discount)) / 100 };
}

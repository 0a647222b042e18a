// What the shop sells.
export const categories = ["desk", "light", "sound", "comfort"] as const;
export type Category = (typeof categories)[number];

export interface Product {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly price: number;
  readonly note: string;
}

export const products: readonly Product[] = [
  { id: "oak-desk", name: "Oak desk", category: "desk", price: 289, note: "120 × 60 cm, oiled" },
  { id: "monitor-arm", name: "Monitor arm", category: "desk", price: 94, note: "Up to 8 kg" },
  { id: "aurora-lamp", name: "Aurora lamp", category: "light", price: 59, note: "Dims to candlelight" },
  { id: "clip-light", name: "Clip light", category: "light", price: 24, note: "Clips to any shelf" },
  { id: "quiet-headphones", name: "Quiet headphones", category: "sound", price: 149, note: "40 hours per charge" },
  { id: "felt-panel", name: "Felt panel", category: "sound", price: 39, note: "Absorbs echo" },
  { id: "task-chair", name: "Task chair", category: "comfort", price: 219, note: "Mesh back, five settings" },
  { id: "fern", name: "Fern", category: "comfort", price: 18, note: "Needs little light" },
];

const byId = new Map(products.map((product) => [product.id, product]));

export const productOf = (id: string): Product | undefined => byId.get(id);

export const euros = (amount: number): string => `€${amount.toFixed(2).replace(/\.00$/, "")}`;

// The shop's orders and the money that was paid back. A real desk asks its server here.
import { useSyncExternalStore } from "react";

export const orders = [
  { id: "A-1042", item: "Desk lamp", euros: 89, state: "Delivered on Monday", customer: "Mara Lind" },
  { id: "A-1055", item: "Bookends", euros: 24, state: "With the courier", customer: "Mara Lind" },
];

export interface Refund {
  readonly key: string;
  readonly order: string;
  readonly euros: number;
  readonly reason: string;
}

const place = "support-desk:refunds";
const listeners = new Set<() => void>();
let refunds: readonly Refund[] = JSON.parse(localStorage.getItem(place) ?? "[]");

/** With a key that was there before, nothing is paid: a call that is sent again pays once. */
export function payBack(refund: Refund): void {
  if (refunds.some(({ key }) => key === refund.key)) return;
  refunds = [...refunds, refund];
  localStorage.setItem(place, JSON.stringify(refunds));
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useRefunds = () => useSyncExternalStore(subscribe, () => refunds);

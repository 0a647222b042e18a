// The claim: what its fields are, and what stands in them, kept over reloads.
import { useSyncExternalStore } from "react";
import { z } from "zod";

export const fields = {
  name: "Name",
  destination: "Destination",
  from: "From",
  to: "To",
  purpose: "Purpose",
  euros: "Amount in €",
} as const;
export type Field = keyof typeof fields;
export const names = Object.keys(fields) as Field[];

const day = z.iso.date("Give the day as YYYY-MM-DD.");
export const claim = z.object({
  name: z.string().min(1),
  destination: z.string().min(1),
  from: day,
  to: day,
  purpose: z.string().min(1),
  euros: z.number().positive().max(5000),
});
export const part = claim.partial();

export interface Form {
  readonly values: Readonly<Partial<Record<Field, string>>>;
  /** Those that the assistant wrote, and nobody has touched since. */
  readonly filled: readonly Field[];
  /** The number of the claim, once it was sent. */
  readonly sent?: string;
}

const place = "form-filler:claim";
const listeners = new Set<() => void>();
let form: Form = JSON.parse(localStorage.getItem(place) ?? '{"values":{},"filled":[]}');

export function change(next: Partial<Form>): void {
  form = { ...form, ...next };
  localStorage.setItem(place, JSON.stringify(form));
  for (const listener of listeners) listener();
}

export const current = () => form;

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useForm = () => useSyncExternalStore(subscribe, () => form);

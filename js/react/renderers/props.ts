// What a slot's renderer is given, and how it reads data whose form nobody has checked.

import type { Issue } from "../../src/wire/run-types.js";

/** A superset of the original's `SlotRenderProps`. */
export interface SlotProps {
  /** What the tool shows. */
  data: unknown;
  /** Says whether the answer was taken, later where the session runs in another tab, a worker or a server. A schema that decides later has taken it. */
  resolve: (value?: unknown) => boolean | Promise<boolean>;
  /** Declines the question; the tool gets an error with this reason. */
  reject: (reason?: string) => void;
  /** Whether it waits for an answer. */
  status: "pending" | "resolved" | "rejected";
  /** The answer, also after a reload; never that of a secret. */
  answer?: unknown;
  /** Why the last answer was refused. Shown below the slot unless the component displays it. */
  error?: string;
  /** The same for each place in the answer: `issues?.find(({ path }) => path[0] === "email")?.message`. */
  issues?: readonly Issue[];
}

/** The field of `data` as text; undefined when it has none. */
export function text(data: unknown, field: string): string | undefined {
  const value = read(data, field);
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

export function read(data: unknown, field: string): unknown {
  return typeof data === "object" && data !== null ? (data as Record<string, unknown>)[field] : undefined;
}

/** Something to choose: shown as `label`, answered as `value`. */
export interface Option {
  readonly label: string;
  readonly value: unknown;
}

export function options(data: unknown): Option[] {
  const given = read(data, "options");
  if (!Array.isArray(given)) return [];
  return given.map((option: unknown) => {
    const value = typeof option === "object" && option !== null && "value" in option ? option.value : option;
    return { label: text(option, "label") ?? String(value), value };
  });
}

/** What was answered, in the words that the person chose. */
export function answerLabel(props: SlotProps, choices: readonly Option[] = []): string | undefined {
  const json = JSON.stringify(props.answer);
  return choices.find(({ value }) => JSON.stringify(value) === json)?.label ?? text(props, "answer");
}

// `useReadable` and `useInstructions`: what a component shows and says to the model, for as long as it is mounted.
import { useEffect, useState } from "react";
import { check } from "../../src/values/validate-options.js";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import type { Readable } from "./context.js";
import { usePageParts } from "./page-parts.js";

/**
 * Shows the model a value, as JSON, as long as this component is mounted: each call of the model has the newest one, behind the messages. It is
 * read as data, and is no part of the conversation. `undefined` shows nothing. Two values cannot have one name (`READABLE_NAME_TAKEN`).
 */
export function useReadable(name: string, value: unknown): void {
  const parts = usePageParts("useReadable");
  check("`name` of a readable", name, "text");
  const [readable] = useState<Readable>(() => ({ name, value }));
  useBrowserLayoutEffect(() => {
    Object.assign(readable, { name, value });
  });
  useEffect(() => parts.show(readable), [parts, readable]);
}

/** Adds to the system prompt as long as this component is mounted. Nothing and an empty text add nothing. */
export function useInstructions(text: string | null | undefined | false): void {
  const parts = usePageParts("useInstructions");
  const said = text ? check("The instructions", text, "text") : "";
  const [instructions] = useState(() => ({ text: said }));
  useBrowserLayoutEffect(() => {
    instructions.text = said;
  });
  useEffect(() => parts.instruct(instructions), [parts, instructions]);
}

// Says what to try, while something waits for the person.
import { type EnhancedSlot, useGlove } from "glove-wasm/react";

export function Hint() {
  const waits = useGlove(({ slots, storage }) => storage !== "memory" && slots.some(isQuestion));
  return <p className="hint">{waits && "Reload the page now: it will be here again."}</p>;
}

// What a tool showed without waiting stays open as well; it is no question.
const shown = ["show_products"];

export const isQuestion = ({ status, renderer }: EnhancedSlot) => status === "pending" && !shown.includes(renderer);

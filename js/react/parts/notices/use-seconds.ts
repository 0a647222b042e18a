// A number of seconds that is counted down on the screen.
import { useEffect, useState } from "react";

/** How many are left, counted from when `wait` was given last. */
export function useSeconds(wait = 0): number {
  const [left, setLeft] = useState(wait);
  useEffect(() => {
    setLeft(wait);
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1000);
    return () => clearInterval(timer);
  }, [wait]);
  return left;
}

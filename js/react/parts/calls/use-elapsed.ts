// How long something goes on, counted on the screen each second.
import { useEffect, useState } from "react";

/** In milliseconds since it began to be so; 0 while it is not. */
export function useElapsed(on: boolean): number {
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    if (!on) return;
    const began = Date.now();
    const timer = setInterval(() => setElapsed(Math.floor((Date.now() - began) / 1000) * 1000), 1000);
    return () => {
      clearInterval(timer);
      setElapsed(0);
    };
  }, [on]);
  return elapsed;
}

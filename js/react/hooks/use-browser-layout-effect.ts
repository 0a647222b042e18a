// A layout effect in the page, and nothing on a server, where React 18 warns of it.
import { useLayoutEffect } from "react";

export const useBrowserLayoutEffect: typeof useLayoutEffect = typeof document === "undefined" ? () => {} : useLayoutEffect;

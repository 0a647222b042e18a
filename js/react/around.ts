// The conversation that selectors and boundaries below it belong to; `<Render>` gives its own.
import { createContext } from "react";
import type { Engine } from "./engine.js";

export const EngineContext = createContext<Engine | null>(null);

// Loads what answers the calls of surfaces, with the first surface that has one.

import { loadPart } from "../src/values/error.js";
import type { Calls, SurfaceFunctions } from "./calls.js";
import { unsafe } from "./safe.js";

export async function loadCalls(own: SurfaceFunctions, origins: readonly string[]): Promise<Calls> {
  const { callsOf } = await loadPart(import("./functions.js"));
  return callsOf(own, (url) => unsafe(url, origins));
}

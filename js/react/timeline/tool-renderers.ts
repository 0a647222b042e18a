// What draws the calls of a client, by the names of its tools.
import type { ReactNode } from "react";
import type { ToolEntries } from "./typed-calls.js";

/** What draws the calls of each tool of a client, by its name; see "Types of calls" in docs/tools-and-schemas.md. */
export type ToolRenderers<C> = {
  readonly [Name in keyof ToolEntries<C>]?: (props: { entry: ToolEntries<C>[Name] }) => ReactNode;
};

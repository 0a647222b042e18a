// What is said of a tool from outside that another one of its name stands in the place of.

import { GloveError } from "../values/error.js";

export function yielded(name: string): GloveError {
  return new GloveError(
    "TOOL_NAME_TAKEN",
    `The tool "${name}" of a client was left out: there is one of this name here, and that one runs. Rename one of them.`,
  );
}

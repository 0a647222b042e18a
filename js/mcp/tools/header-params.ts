// Arguments that are sent as headers too (`x-mcp-header`), so that what stands between can read them: a tool that declares them wrongly is not used.

import { data, maps } from "./server-schema.js";

const mark = "x-mcp-header";

/** A name of a header, as HTTP has them. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Why a schema declares them wrongly; nothing where it does not. */
export function headerFault(schema: unknown): string | undefined {
  const names = new Set<string>();
  const look = (part: unknown, isArgument: boolean, isMap = false): string | undefined => {
    if (typeof part !== "object" || part === null) return undefined;
    if (!isMap && Object.hasOwn(part, mark)) {
      const { [mark]: name, type } = part as Readonly<Record<string, unknown>>;
      if (!isArgument) return `\`${mark}\` stands where there is no argument of its own`;
      if (typeof name !== "string" || !token.test(name)) return `\`${mark}\` is no name of a header`;
      if (type !== "string" && type !== "integer" && type !== "boolean")
        return `\`${mark}\` is only for texts, whole numbers and flags`;
      if (names.has(name.toLowerCase())) return `\`${mark}\` has "${name.slice(0, 200)}" twice`;
      names.add(name.toLowerCase());
    }
    for (const [key, value] of Object.entries(part)) {
      const isNamed = !isMap && !Array.isArray(part);
      if (isNamed && data.has(key)) continue;
      const below = isMap ? isArgument : isArgument && isNamed && key === "properties";
      const fault = look(value, below, isNamed && maps.has(key));
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  // The arguments themselves are none.
  return Object.hasOwn(Object(schema), mark) ? `\`${mark}\` stands where there is no argument of its own` : look(schema, true);
}

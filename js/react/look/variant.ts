// Another look of the whole chat than the usual one: its sheet is loaded where it is wanted.
import type { RenderVariant } from "../render/types.js";

let sheet: string | undefined;
let loading: Promise<void> | undefined;

/** Loads it ahead. Where that fails, the chat has its usual look. */
export function loadVariant(): Promise<void> {
  loading ??= import("./generated/document-css.js").then(
    ({ css }) => {
      sheet = css;
    },
    () => {
      sheet = "";
    },
  );
  return loading;
}

/** Its sheet. Nothing is drawn before that is there, as what is drawn would change then. */
export function useVariant(variant: RenderVariant | undefined): string | undefined {
  if (variant !== "document") return undefined;
  if (sheet === undefined) throw loadVariant();
  return sheet;
}

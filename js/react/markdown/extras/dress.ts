// Brings the style sheet of this part to the page with its first element.
import { adopt } from "../../look/adopt.js";
import { css } from "../../look/generated/extras-css.js";

/** A `ref`; the rules reach nothing outside of the built-in look. */
export const dressed = (element: Element | null): void => {
  if (element) adopt(element, css);
};

// The style sheet of files, brought to the page with the first element that needs it. Its rules reach nothing outside of the built-in look.
import { adopt } from "../look/adopt.js";
import { css } from "../look/generated/attachments-css.js";

/** A `ref` for such an element. */
export const styled = (element: Element | null): void => {
  if (element) adopt(element, css);
};

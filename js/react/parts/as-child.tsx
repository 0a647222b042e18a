// A part is an element of ours, or, with `asChild`, the application's own element with what the part does.
import { cloneElement, createElement, isValidElement, type JSX, type ReactElement, type ReactNode } from "react";

/** What every composable part takes beside the attributes of its element. */
export interface AsChild {
  /** Gives what the part does to its single child instead of an element of its own. */
  asChild?: boolean | undefined;
}

/** The attributes of a part's element, and `asChild` to draw another one. */
export type PartProps<Tag extends keyof JSX.IntrinsicElements> = JSX.IntrinsicElements[Tag] & AsChild;

type Props = Readonly<Record<string, unknown>>;

/** Draws a part: `own` is what it does, `props` what the application gave it. */
export function part(
  tag: keyof JSX.IntrinsicElements,
  own: Props,
  { asChild, children, ...props }: AsChild & { children?: ReactNode },
): ReactElement {
  const merged = merge(own, props);
  if (!asChild || !isValidElement(children)) return createElement(tag, children === undefined ? merged : { ...merged, children });
  return cloneElement(children as ReactElement<Props>, merge(merged, (children as ReactElement<Props>).props));
}

/** The later ones win; classes are added up, and handlers are called one after another, the application's first. */
function merge(own: Props, given: Props): Props {
  const merged: Record<string, unknown> = { ...own, ...given };
  for (const [name, value] of Object.entries(given)) {
    const ours = own[name];
    if (value === undefined) merged[name] = ours;
    else if (name === "className" && ours) merged[name] = `${ours} ${value}`;
    else if (/^on[A-Z]/.test(name) && typeof ours === "function" && typeof value === "function") {
      merged[name] = (event: { readonly defaultPrevented: boolean }) => {
        value(event);
        if (!event.defaultPrevented) ours(event);
      };
    }
  }
  return merged;
}

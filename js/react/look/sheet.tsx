// Brings the built-in style sheet to the page: with the HTML of a server, or to the document of the chat, once.
import { type ReactNode, useRef, useSyncExternalStore } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { css } from "./generated/css.js";

/**
 * A constructed sheet needs no permission of a Content-Security-Policy. HTML from a server carries the rules too, so that nothing is shown
 * without them; where a policy forbids that, `nonce` allows it.
 */
export function Sheet({ nonce }: { readonly nonce: string | undefined }): ReactNode {
  const marker = useRef<HTMLElement>(null);
  const fromServer = useSyncExternalStore(never, no, yes);
  useBrowserLayoutEffect(() => {
    if (marker.current) adopt(marker.current.getRootNode() as Document | ShadowRoot);
  }, []);
  return (
    <>
      <i ref={marker} hidden />
      {fromServer && (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: rules of our own, which React would escape.
        <style nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: css }} />
      )}
    </>
  );
}

/** By the document that they belong to: a sheet works in no other. */
const sheets = new WeakMap<Document, CSSStyleSheet>();

function adopt(root: Document | ShadowRoot): void {
  const document = root.ownerDocument ?? (root as Document);
  const view = document.defaultView;
  // What is not on a page, or in an engine without style, needs none.
  if (!view?.CSSStyleSheet?.prototype.replaceSync || !root.adoptedStyleSheets) return;
  let sheet = sheets.get(document);
  if (!sheet) {
    sheet = new view.CSSStyleSheet();
    sheet.replaceSync(css);
    sheets.set(document, sheet);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

const never = () => () => {};
const no = () => false;
const yes = () => true;

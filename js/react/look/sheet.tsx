// Brings the built-in style sheet to the page: with the HTML of a server, or to the document of the chat, once.
import { type ReactNode, useRef, useSyncExternalStore } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { adopt } from "./adopt.js";

interface SheetProps {
  readonly nonce: string | undefined;
  readonly css: string;
  /** Others stand behind it. */
  readonly first?: boolean;
}

/**
 * A constructed sheet needs no permission of a Content-Security-Policy. HTML from a server carries the rules too, so that nothing is shown
 * without them; where a policy forbids that, `nonce` allows it.
 */
export function Sheet({ nonce, css, first }: SheetProps): ReactNode {
  const marker = useRef<HTMLElement>(null);
  const fromServer = useSyncExternalStore(never, no, yes);
  useBrowserLayoutEffect(() => {
    if (marker.current) adopt(marker.current, css, first);
  }, [css, first]);
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

const never = () => () => {};
const no = () => false;
const yes = () => true;

// A picture that is shown large when it is pressed. What shows it so is loaded then.
import { type ComponentProps, type Context, createContext, type ReactNode, useContext, useState } from "react";
import { Loader } from "../look/loader.js";
import { useLabels } from "../render/labels.js";

const Large = /* @__PURE__ */ new Loader(() => import("../attachments/large.js"), true).component("Large");

interface Picture {
  readonly src: string;
  readonly alt: string;
}

const Shown: Context<((picture: Picture) => void) | undefined> = /* @__PURE__ */ createContext<
  ((picture: Picture) => void) | undefined
>(undefined);

/** Holds what is shown large of the pictures in it: they may stand in a paragraph, and a dialog may not. */
export function Zooms({ children }: { readonly children: ReactNode }): ReactNode {
  const say = useLabels();
  const [large, setLarge] = useState<Picture>();
  return (
    <Shown.Provider value={setLarge}>
      {children}
      {large && <Large source={large.src} label={large.alt || say("Picture")} close={() => setLarge(undefined)} />}
    </Shown.Provider>
  );
}

/** Inside of `Zooms`. */
export function Zoom({ src, alt, ...rest }: ComponentProps<"img"> & Picture): ReactNode {
  const say = useLabels();
  const show = useContext(Shown);
  return (
    <button type="button" data-glove-zoom="" title={say("Show large")} onClick={() => show?.({ src, alt })}>
      <img src={src} alt={alt} {...rest} />
    </button>
  );
}
